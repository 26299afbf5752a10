//===- cpu/Points.cpp - points and their borders --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Points of several coordinates, and values of their feature maps beyond the
/// range (docs/math.md section 3, "Beyond the range").
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/Columns.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/ElementaryScalars.h"
#include "kernels/cpu/Extrapolate.h"
#include "kernels/cpu/SparseRow.h"
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

TAMRT_HOT void stack(tamrt_context *ctx, const double *const *x,
                     int64_t x_count, int64_t rows, double *points) {
  columnsToRows(x, x_count, rows, x_count, points);
}

void slice(tamrt_context *ctx, const double *points, int64_t rows, int64_t d,
           int64_t column, int64_t n, double *out) {
  if (column < 0 || column > d)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  if (n < 0 || n > d - column)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 5);
  for (int64_t r = 0; r < rows; ++r)
    std::copy_n(points + r * d + column, n, out + r * n);
}

/// The Euclidean norm of `point - border`. Differences are divided by the
/// greatest one first, because its square may exceed a double.
static double distance(const double *point, const double *border, int64_t d) {
  double greatest = 0.0;
  for (int64_t j = 0; j < d; ++j)
    greatest = std::max(greatest, std::fabs(point[j] - border[j]));
  if (greatest == 0.0 || d == 1)
    return greatest;
  double sum = 0.0;
  for (int64_t j = 0; j < d; ++j) {
    const double share = (point[j] - border[j]) / greatest;
    sum += share * share;
  }
  return greatest * std::sqrt(sum);
}

void boundary(tamrt_context *ctx, const double *points, int64_t rows, int64_t d,
              int64_t mode, double *border, double *inside, double *amount) {
  // `continue` has no border.
  if (!isMode(mode) || mode == TAMRT_CONTINUE)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  for (int64_t r = 0; r < rows; ++r, points += d, border += d, inside += d) {
    for (int64_t j = 0; j < d; ++j)
      inside[j] = border[j] = std::min(std::max(points[j], -1.0), 1.0);
    const double away = distance(points, border, d);
    if (away > 0.0)
      for (int64_t j = 0; j < d; ++j)
        inside[j] =
            border[j] - Evaluation::step * ((points[j] - border[j]) / away);
    if (mode == TAMRT_LINEAR)
      amount[r] = away;
    else if (mode == TAMRT_SATURATION)
      amount[r] = (1.0 - exponential(-2.0 * away)) / 2.0;
    else
      amount[r] = 0.0;
  }
}

void blend_dense(tamrt_context *ctx, const double *border, const double *inside,
                 const double *amount, int64_t rows, int64_t n,
                 double *values) {
  for (int64_t r = 0; r < rows; ++r, border += n, inside += n, values += n) {
    if (amount[r] == 0.0) {
      std::copy_n(border, n, values);
      continue;
    }
    const Evaluation e = {0.0, 0.0, amount[r]};
    for (int64_t j = 0; j < n; ++j)
      values[j] = e.combine(border[j], inside[j]);
  }
}

/// The place of `column` among `count` columns, the first from `next` on or, if
/// it is not there, from the start; `count` if it is nowhere. Rows are mostly
/// in the same order.
TAMRT_INLINE int64_t placeOf(int32_t column, const int32_t *columns,
                             int64_t count, int64_t next) {
  for (int64_t i = next; i < count; ++i)
    if (columns[i] == column)
      return i;
  for (int64_t i = 0; i < next; ++i)
    if (columns[i] == column)
      return i;
  return count;
}

TAMRT_HOT void blend_sparse(tamrt_context *ctx, const double *border,
                            const int32_t *border_index, const double *inside,
                            const int32_t *inside_index, const double *amount,
                            int64_t rows, int64_t z, int64_t n, double *values,
                            int32_t *index) {
  for (int64_t r = 0; r < rows; ++r) {
    const double *at = border + r * z, *inner = inside + r * z;
    const int32_t *atColumn = border_index + r * z;
    const int32_t *innerColumn = inside_index + r * z;
    double *value = values + 2 * r * z, *slope = value + z;
    int32_t *valueColumn = index + 2 * r * z, *slopeColumn = valueColumn + z;
    const Evaluation e = {0.0, 0.0, amount[r]};
    std::copy_n(atColumn, z, valueColumn);
    std::copy_n(atColumn, z, slopeColumn);
    std::fill_n(slope, z, 0.0);
    if (e.amount == 0.0) {
      std::copy_n(at, z, value);
      continue;
    }
    // The numbers of a column are stored as one: the difference of two nearly
    // equal numbers, about 100000 times as large, would lose five digits, and
    // in sums of squares ten.
    if (std::equal(atColumn, atColumn + z, innerColumn)) {
      for (int64_t i = 0; i < z; ++i)
        value[i] = e.combine(at[i], inner[i]);
      continue;
    }
    // Mostly one of the rows has more zeros than the other, which are left out.
    std::fill_n(value, z, 0.0);
    const int64_t others = filled(inner, z);
    int64_t own = filled(at, z);
    while (own < others && atColumn[own] == innerColumn[own])
      ++own;
    for (int64_t i = 0, next = 0; i < others; ++i) {
      const int64_t place = placeOf(innerColumn[i], atColumn, own, next);
      if (place < own) {
        value[place] += inner[i];
        next = place + 1;
      } else {
        // At its place in the row, as on devices: kernels add the numbers of a
        // row in the order of the places.
        slope[i] = e.combine(0.0, inner[i]);
        slopeColumn[i] = innerColumn[i];
      }
    }
    for (int64_t i = 0; i < own; ++i)
      value[i] = e.combine(at[i], value[i]);
  }
}

} // namespace tamrt::cpu
