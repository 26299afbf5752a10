//===- cpu/Levels.cpp - level compression ---------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts values of a column to levels, and sums by levels to sums of
/// functions of the column.
///
//===----------------------------------------------------------------------===//

#include "kernels/InstructionSets.h"
#include "kernels/cpu/CpuKernels.h"

#include <algorithm>

namespace tamrt::cpu {
namespace {

TAMRT_WIDE void stretch(const double *__restrict x, int64_t rows, double factor,
                        double *__restrict out) {
  for (int64_t r = 0; r < rows; ++r)
    out[r] = (x[r] + 1) * factor - 1;
}

/// Calls body(level, column, value) for the nonzero values of a basis; a spline
/// has few of them.
template <class Body>
TAMRT_INLINE void forEachValue(const double *basis, int64_t levels,
                               int64_t columns, const Body &body) {
  for (int64_t level = 0; level < levels; ++level)
    for (int64_t column = 0; column < columns; ++column)
      if (const double value = basis[level * columns + column]; value != 0)
        body(level, column, value);
}

/// expand_levels, `inner` being the number `Inner` where that is not 0.
template <int64_t Inner>
TAMRT_INLINE void expandBy(const double *__restrict sums, const double *basis,
                           int64_t outer, int64_t levels, int64_t anyInner,
                           int64_t columns, double *__restrict out) {
  const int64_t inner = Inner ? Inner : anyInner;
  forEachValue(basis, levels, columns,
               [&](int64_t level, int64_t column, double value) TAMRT_LAMBDA {
                 const double *from = sums + level * inner;
                 double *to = out + column * inner;
                 for (int64_t o = 0; o < outer; ++o) {
                   for (int64_t i = 0; i < inner; ++i)
                     to[i] += value * from[i];
                   from += levels * inner;
                   to += columns * inner;
                 }
               });
}

TAMRT_HOT void expandAll(const double *sums, const double *basis, int64_t outer,
                         int64_t levels, int64_t inner, int64_t columns,
                         double *out) {
  if (inner == 1)
    expandBy<1>(sums, basis, outer, levels, inner, columns, out);
  else if (inner == 4)
    expandBy<4>(sums, basis, outer, levels, inner, columns, out);
  else
    expandBy<0>(sums, basis, outer, levels, inner, columns, out);
}

TAMRT_HOT void expandCounts(const double *__restrict counts,
                            const double *__restrict a,
                            const double *__restrict b, int64_t levels,
                            int64_t m, int64_t n, double *__restrict out) {
  forEachValue(a, levels, m,
               [&](int64_t level, int64_t i, double value) TAMRT_LAMBDA {
                 const double factor = value * counts[level];
                 const double *from = b + level * n;
                 for (int64_t j = 0; j < n; ++j)
                   out[i * n + j] += factor * from[j];
               });
}

} // namespace

void regrid(tamrt_context *ctx, const double *x, const double *parameters,
            int64_t rows, int64_t levels, double step, double *out) {
  // The distance from the range's begin is (x + 1) * half in the column's
  // units.
  stretch(x, rows, 2 * parameters[1] / (step * double(levels - 1)), out);
}

void grid_points(tamrt_context *ctx, const double *parameters, int64_t levels,
                 double step, double *x) {
  for (int64_t level = 0; level < levels; ++level)
    x[level] = std::min(double(level) * step / parameters[1] - 1, 1.0);
}

void expand_levels(tamrt_context *ctx, const double *sums, const double *basis,
                   int64_t outer, int64_t levels, int64_t inner,
                   int64_t columns, double *out) {
  std::fill_n(out, outer * columns * inner, 0.0);
  expandAll(sums, basis, outer, levels, inner, columns, out);
}

void expand_counts(tamrt_context *ctx, const double *counts, const double *a,
                   const double *b, int64_t levels, int64_t m, int64_t n,
                   double *out) {
  std::fill_n(out, m * n, 0.0);
  expandCounts(counts, a, b, levels, m, n, out);
}

} // namespace tamrt::cpu
