//===- cpu/Diagonal.cpp - diagonal blocks of a preconditioner -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Factors and solutions of diagonal systems: the bits are those of
/// cholesky_factor and cholesky_apply for each of their numbers alone.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CholeskyTiles.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

#include <cmath>

namespace tamrt::cpu {

void diagonal_factor(tamrt_context *ctx, const int32_t *penalty_row,
                     const int32_t *penalty_column, const double *penalty_value,
                     const double *sums, int64_t group_rows, int64_t n,
                     int64_t column, int64_t penalties, double *factor) {
  if (sums)
    std::copy_n(sums, n, factor);
  else
    std::fill_n(factor, n, 0.0);
  const double scale = static_cast<double>(group_rows);
  for (int64_t p = 0; p < penalties; ++p)
    if (penalty_row[p] == penalty_column[p])
      factor[penalty_row[p]] += scale * penalty_value[p];
  for (int64_t j = 0; j < n; ++j) {
    const double pivot = factor[j] + TAMRT_PENALTY_FLOOR * scale;
    if (!std::isfinite(pivot))
      return fail(ctx, TAMRT_ERROR_OVERFLOW, column + j);
    if (!isPivot(pivot))
      return fail(ctx, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, column + j);
    factor[j] = 1.0 / std::sqrt(pivot);
  }
}

TAMRT_HOT void diagonal_apply(tamrt_context *ctx, const double *factor,
                              const double *b, int64_t n, double *x) {
  const double *__restrict f = factor, *__restrict right = b;
  double *__restrict out = x;
  for (int64_t i = 0; i < n; ++i)
    out[i] = right[i] * f[i] * f[i];
}

} // namespace tamrt::cpu
