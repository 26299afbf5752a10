//===- cpu/Columns.h - columns to rows --------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Columns, each with its values one after another, as a row-major matrix.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_COLUMNS_H
#define TAMRT_KERNELS_CPU_COLUMNS_H

#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

/// Writes the first `rows` values of columns[0] .. columns[count - 1] to a
/// row-major matrix of n columns, side by side.
template <typename Columns>
TAMRT_INLINE void columnsToRows(const Columns &columns, int64_t count,
                                int64_t rows, int64_t n, double *values) {
  // Four columns of four rows at a time.
  const int64_t full = count / 4 * 4, fullRows = rows / 4 * 4;
  for (int64_t j = 0; j < full; j += 4)
    for (int64_t r = 0; r < fullRows; r += 4) {
      Vector some[4], turned[4];
      for (int64_t i = 0; i < 4; ++i)
        some[i] = vectorAt(columns[j + i] + r);
      transpose(some, turned);
      for (int64_t i = 0; i < 4; ++i)
        vectorAt(values + (r + i) * n + j) = turned[i];
    }
  for (int64_t j = 0; j < count; ++j) {
    const double *column = columns[j];
    for (int64_t r = j < full ? fullRows : 0; r < rows; ++r)
      values[r * n + j] = column[r];
  }
}

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_COLUMNS_H
