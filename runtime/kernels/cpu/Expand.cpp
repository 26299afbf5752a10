//===- cpu/Expand.cpp - encoded matrices made dense -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Encoded design matrices written as columns of a dense one.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

#include <algorithm>

namespace tamrt::cpu {

void expand_dense(tamrt_context *ctx, const double *values, int64_t rows,
                  int64_t n, int64_t width, int64_t column, double *out) {
  copyRows(values, rows, n, width, column, out);
}

void expand_banded(tamrt_context *ctx, const double *values,
                   const int32_t *start, int64_t rows, int64_t z, int64_t n,
                   int64_t width, int64_t column, double *out) {
  for (int64_t r = 0; r < rows; ++r) {
    double *row = out + r * width + column;
    std::fill_n(row, n, 0.0);
    std::copy_n(values + r * z, z, row + start[r]);
  }
}

void expand_onehot(tamrt_context *ctx, const int32_t *index, int64_t rows,
                   int64_t n, int64_t width, int64_t column, double *out) {
  for (int64_t r = 0; r < rows; ++r) {
    double *row = out + r * width + column;
    std::fill_n(row, n, 0.0);
    if (index[r] >= 0)
      row[index[r]] = 1.0;
    else if (const int64_t columns = meanColumns(index[r]); columns > 0)
      std::fill_n(row, columns, 1.0 / static_cast<double>(columns));
  }
}

void expand_multihot(tamrt_context *ctx, const int32_t *index, int64_t rows,
                     int64_t z, int64_t n, double scale, int64_t width,
                     int64_t column, double *out) {
  for (int64_t r = 0; r < rows; ++r) {
    double *row = out + r * width + column;
    std::fill_n(row, n, 0.0);
    for (int64_t i = 0; i < z; ++i)
      row[index[r * z + i]] += scale;
  }
}

void expand_sparse(tamrt_context *ctx, const double *values,
                   const int32_t *index, int64_t rows, int64_t z, int64_t n,
                   int64_t width, int64_t column, double *out) {
  for (int64_t r = 0; r < rows; ++r) {
    double *row = out + r * width + column;
    std::fill_n(row, n, 0.0);
    for (int64_t i = r * z; i < (r + 1) * z; ++i)
      row[index[i]] += values[i];
  }
}

} // namespace tamrt::cpu
