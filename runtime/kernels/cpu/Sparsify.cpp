//===- cpu/Sparsify.cpp - encoded matrices made sparse --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts matrices of any encoding to sparse ones. Zeros that only pad a row
/// come last (see SparseRow.h); their column is 0.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

#include <numeric>

namespace tamrt::cpu {

void sparsify_dense(tamrt_context *ctx, const double *a, int64_t rows,
                    int64_t n, double *values, int32_t *index) {
  std::copy_n(a, rows * n, values);
  for (int64_t r = 0; r < rows; ++r)
    std::iota(index + r * n, index + (r + 1) * n, 0);
}

void sparsify_banded(tamrt_context *ctx, const double *a,
                     const int32_t *a_start, int64_t rows, int64_t z, int64_t n,
                     double *values, int32_t *index) {
  std::copy_n(a, rows * z, values);
  for (int64_t r = 0; r < rows; ++r)
    std::iota(index + r * z, index + (r + 1) * z, a_start[r]);
}

void sparsify_multihot(tamrt_context *ctx, const int32_t *a, int64_t rows,
                       int64_t z, int64_t n, double scale, double *values,
                       int32_t *index) {
  std::fill_n(values, rows * z, scale);
  std::copy_n(a, rows * z, index);
}

void sparsify_onehot(tamrt_context *ctx, const int32_t *a, int64_t rows,
                     int64_t n, int64_t width, double *values, int32_t *index) {
  if (width < 1)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  for (int64_t r = 0; r < rows; ++r, values += width, index += width) {
    std::fill_n(values, width, 0.0);
    std::fill_n(index, width, 0);
    if (a[r] >= 0) {
      values[0] = 1.0;
      index[0] = a[r];
      continue;
    }
    const int64_t columns = meanColumns(a[r]);
    if (columns > width) {
      fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
      continue;
    }
    if (columns > 0)
      std::fill_n(values, columns, 1.0 / static_cast<double>(columns));
    std::iota(index, index + columns, 0);
  }
}

} // namespace tamrt::cpu
