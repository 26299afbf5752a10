//===- cpu/Sparsify.cpp - encoded matrices made sparse --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes matrices of any encoding to parts of the rows of sparse ones. Zeros
/// that only pad a part come last (see SparseRow.h); their column is the part's
/// first.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

#include <numeric>

namespace tamrt::cpu {

namespace {

/// Calls body(r, values, index) for each row, with the addresses of its numbers
/// from `at` on.
template <typename Body>
void forEachRow(int64_t rows, int64_t width, int64_t at, double *values,
                int32_t *index, Body body) {
  for (int64_t r = 0; r < rows; ++r)
    body(r, values + r * width + at, index + r * width + at);
}

/// sparsify_banded for any rows, with its arguments in their places. Not
/// inlined there: a call of few rows of cubic splines would save the registers
/// that this needs.
[[gnu::noinline]] void sparsifyBands(tamrt_context *ctx, const double *a,
                                     const int32_t *a_start, int64_t rows,
                                     int64_t z, int64_t n, int64_t first,
                                     int64_t width, int64_t at, double *values,
                                     int32_t *index) {
  copyRows(a, rows, z, width, at, values);
  forEachRow(rows, width, at, values, index,
             [=](int64_t r, double *value, int32_t *column) {
               std::iota(column, column + z,
                         static_cast<int32_t>(first + a_start[r]));
             });
}

} // namespace

void sparsify_dense(tamrt_context *ctx, const double *a, int64_t rows,
                    int64_t n, int64_t first, int64_t width, int64_t at,
                    double *values, int32_t *index) {
  copyRows(a, rows, n, width, at, values);
  forEachRow(rows, width, at, values, index,
             [=](int64_t r, double *value, int32_t *column) {
               std::iota(column, column + n, static_cast<int32_t>(first));
             });
}

void sparsify_banded(tamrt_context *ctx, const double *a,
                     const int32_t *a_start, int64_t rows, int64_t z, int64_t n,
                     int64_t first, int64_t width, int64_t at, double *values,
                     int32_t *index) {
  if (z != 4 || width != 4)
    return sparsifyBands(ctx, a, a_start, rows, z, n, first, width, at, values,
                         index);
  // Cubic splines.
  for (int64_t r = 0; r < rows; ++r) {
    vectorAt(values + r * 4) = vectorAt(a + r * 4);
    const auto start = static_cast<int32_t>(first + a_start[r]);
    for (int32_t i = 0; i < 4; ++i)
      index[r * 4 + i] = start + i;
  }
}

void sparsify_multihot(tamrt_context *ctx, const int32_t *a, int64_t rows,
                       int64_t z, int64_t n, double scale, int64_t first,
                       int64_t width, int64_t at, double *values,
                       int32_t *index) {
  if (z == width) {
    std::fill_n(values, rows * z, scale);
    std::transform(a, a + rows * z, index, [=](int32_t column) {
      return static_cast<int32_t>(first + column);
    });
    return;
  }
  forEachRow(rows, width, at, values, index,
             [=](int64_t r, double *value, int32_t *column) {
               std::fill_n(value, z, scale);
               for (int64_t i = 0; i < z; ++i)
                 column[i] = static_cast<int32_t>(first + a[r * z + i]);
             });
}

void sparsify_sparse(tamrt_context *ctx, const double *a,
                     const int32_t *a_index, int64_t rows, int64_t z, int64_t n,
                     int64_t first, int64_t width, int64_t at, double *values,
                     int32_t *index) {
  forEachRow(rows, width, at, values, index,
             [=](int64_t r, double *value, int32_t *column) {
               int32_t last = -1;
               for (int64_t i = 0; i < z; ++i) {
                 value[i] = a[r * z + i];
                 column[i] = static_cast<int32_t>(first + a_index[r * z + i]);
                 // Almost all columns are greater than those before.
                 if (column[i] > last) {
                   last = column[i];
                   continue;
                 }
                 const int64_t same =
                     std::find(column, column + i, column[i]) - column;
                 if (same == i)
                   continue;
                 value[same] += value[i];
                 value[i] = 0.0;
               }
             });
}

void sparsify_onehot(tamrt_context *ctx, const int32_t *a, int64_t rows,
                     int64_t n, int64_t z, int64_t first, int64_t width,
                     int64_t at, double *values, int32_t *index) {
  if (z < 1)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  const auto start = static_cast<int32_t>(first);
  forEachRow(rows, width, at, values, index,
             [=](int64_t r, double *value, int32_t *column) {
               std::fill_n(value, z, 0.0);
               std::fill_n(column, z, start);
               if (a[r] >= 0) {
                 value[0] = 1.0;
                 column[0] = start + a[r];
                 return;
               }
               const int64_t columns = meanColumns(a[r]);
               if (columns > z)
                 return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
               if (columns > 0)
                 std::fill_n(value, columns,
                             1.0 / static_cast<double>(columns));
               std::iota(column, column + columns, start);
             });
}

} // namespace tamrt::cpu
