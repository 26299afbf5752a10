//===- cpu/Pid.cpp - proportional, integral, derivative -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The feature map along time (docs/math.md section 3, term pid).
///
/// Blocks are `window` consecutive rows that start at multiples of `window`. A
/// window that ends at row i of the group overlaps at most two blocks: its sum
/// is that of the rows of this block so far, added forwards, plus that of the
/// rest of the block before, added backwards. Both depend only on the row's
/// index, not on chunks, and nothing is ever subtracted, so that rounding
/// errors do not accumulate.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"

#include <algorithm>

namespace tamrt::cpu {

void pid(tamrt_context *ctx, const double *x, int64_t rows, int64_t first,
         int64_t group_rows, int64_t window, double *carry, double *values) {
  constexpr int64_t columns = 3;
  if (first < 0)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 3);
  if (group_rows < first + rows)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  if (window < 0)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 5);
  double *ring = carry;
  double before = first > 0 ? carry[window] : 0.0;
  double sum = first > 0 ? carry[window + 1] : 0.0;
  const double divisor =
      window == 0 ? 1.0 : static_cast<double>(std::min(window, group_rows));
  for (int64_t begin = 0; begin < rows;) {
    // Rows [begin, end) are of one block, from place `place` of it on.
    const int64_t place =
        window == 0 ? first + begin : (first + begin) % window;
    const int64_t end =
        window == 0 ? rows : std::min(rows, begin + window - place);
    if (place == 0)
      sum = 0.0;
    // The rest of the block before is stored in the place of the result.
    double *integral = values + begin * columns + 1;
    if (window == 0 || first + begin < window) {
      for (int64_t r = begin; r < end; ++r)
        integral[(r - begin) * columns] = 0.0;
    } else {
      const int64_t last = place + end - begin - 1;
      double rest = 0.0;
      for (int64_t p = window - 1; p >= place; --p) {
        if (p <= last)
          integral[(p - place) * columns] = rest;
        rest += ring[p];
      }
    }
    for (int64_t r = begin; r < end; ++r) {
      double *row = values + r * columns;
      sum += x[r];
      row[0] = x[r];
      row[1] = (row[1] + sum) / divisor;
      row[2] = x[r] - before;
      before = x[r];
      if (window > 0)
        ring[place + r - begin] = x[r];
    }
    begin = end;
  }
  if (rows > 0) {
    carry[window] = before;
    carry[window + 1] = sum;
  }
}

} // namespace tamrt::cpu
