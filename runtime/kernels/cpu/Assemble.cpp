//===- cpu/Assemble.cpp - the normal equations ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The normal equations of one group, A and b, from its accumulators
/// (docs/math.md section 4).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"

#include <algorithm>

namespace tamrt::cpu {

namespace {

/// Forms of a block, as kernels.def numbers them.
enum Form : int64_t { Full = 0, UpperTriangle = 1, Diagonal = 2 };

/// Floor of the penalty per row of the group.
constexpr double floorPerRow = 1e-6;

} // namespace

void zero(tamrt_context *ctx, int64_t count, double *out) {
  std::fill_n(out, count, 0.0);
}

void assemble_matrix(tamrt_context *ctx, const int64_t *table,
                     const int32_t *penalty_row, const int32_t *penalty_column,
                     const double *penalty_value, const double *const *blocks,
                     int64_t blocks_count, int64_t group_rows, int64_t n,
                     int64_t penalties, double *a) {
  std::fill_n(a, n * n, 0.0);
  for (int64_t block = 0; block < blocks_count; ++block, table += 5) {
    const int64_t form = table[0], rows = table[1], columns = table[2];
    const int64_t row = table[3], column = table[4];
    const int64_t count = form == Diagonal ? rows : rows * columns;
    const double *segment = blocks[block];
    const double *finished = segment + count;
    // Strides in A of one step down and one step right in the block.
    const int64_t down = row < column ? n : 1;
    const int64_t right = row < column ? 1 : n;
    double *corner = a + row * down + column * right;
    switch (form) {
    case Full:
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          corner[i * down + j * right] +=
              finished[i * columns + j] + segment[i * columns + j];
      break;
    case UpperTriangle:
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = i; j < columns; ++j)
          corner[i * n + j] +=
              finished[i * columns + j] + segment[i * columns + j];
      break;
    case Diagonal:
      for (int64_t i = 0; i < rows; ++i)
        corner[i * (n + 1)] += finished[i] + segment[i];
      break;
    default:
      return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 1);
    }
  }
  const double scale = static_cast<double>(group_rows);
  for (int64_t p = 0; p < penalties; ++p)
    a[penalty_column[p] * n + penalty_row[p]] += scale * penalty_value[p];
  for (int64_t i = 0; i < n; ++i)
    a[i * (n + 1)] += floorPerRow * scale;
}

void add_penalty(tamrt_context *ctx, const int32_t *penalty_row,
                 const int32_t *penalty_column, const double *penalty_value,
                 const int32_t *which, const double *weights,
                 int64_t group_rows, int64_t n, int64_t penalties, double *a) {
  const double scale = static_cast<double>(group_rows);
  for (int64_t p = 0; p < penalties; ++p)
    a[penalty_column[p] * n + penalty_row[p]] +=
        scale * (penalty_value[p] * weights[which[p]]);
}

void assemble_vector(tamrt_context *ctx, const int64_t *table,
                     const double *const *blocks, int64_t blocks_count,
                     int64_t n, double *b) {
  for (int64_t block = 0; block < blocks_count; ++block, table += 2) {
    const int64_t count = table[0];
    const double *segment = blocks[block];
    const double *finished = segment + count;
    double *out = b + table[1];
    for (int64_t i = 0; i < count; ++i)
      out[i] = finished[i] + segment[i];
  }
}

} // namespace tamrt::cpu
