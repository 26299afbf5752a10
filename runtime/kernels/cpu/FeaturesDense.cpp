//===- cpu/FeaturesDense.cpp - dense feature maps -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Normalised inputs, and the feature maps whose columns are dense: intercept,
/// linear, Fourier, Chebyshev (docs/math.md section 3).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Extrapolate.h"
#include "kernels/cpu/Support.h"

#include <numbers>

namespace tamrt::cpu {

TAMRT_HOT static void normalizeRows(const double *__restrict v, double centre,
                                    double half, int64_t rows,
                                    double *__restrict x) {
  for (int64_t r = 0; r < rows; ++r)
    x[r] = (v[r] - centre) / half;
}

void normalize(tamrt_context *ctx, const double *v, const double *parameters,
               int64_t rows, double *x) {
  normalizeRows(v, parameters[0], parameters[1], rows, x);
}

void offset(tamrt_context *ctx, int64_t rows, double *values) {
  std::fill_n(values, rows, 1.0);
}

void linear(tamrt_context *ctx, const double *x, int64_t rows, double scale,
            int64_t mode, double *values) {
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  for (int64_t r = 0; r < rows; ++r) {
    const Evaluation e = evaluationOf(x[r], mode);
    values[r] = e.amount == 0.0 ? scale * e.at
                                : e.combine(scale * e.at, scale * e.inner);
  }
}

/// cos and sin of pi * turns. The argument is reduced before it meets pi:
/// taking off a multiple of two is exact, while the rounding of a large
/// pi * turns would show in the result.
static void sinCosPi(double turns, double &cosine, double &sine) {
  const double angle =
      std::numbers::pi * (turns - 2.0 * std::nearbyint(turns / 2.0));
  cosine = std::cos(angle);
  sine = std::sin(angle);
}

void fourier(tamrt_context *ctx, const double *x, int64_t rows, int64_t m,
             int64_t cyclic, int64_t mode, double *values) {
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 5);
  const double base = cyclic ? 1.0 : 0.5;
  for (int64_t r = 0; r < rows; ++r, values += 2 * m) {
    const Evaluation e = evaluationOf(x[r], mode);
    for (int64_t k = 1; k <= m; ++k) {
      const double turns = base * static_cast<double>(k);
      double cosine, sine;
      sinCosPi(turns * e.at, cosine, sine);
      if (e.amount != 0.0) {
        double innerCosine, innerSine;
        sinCosPi(turns * e.inner, innerCosine, innerSine);
        cosine = e.combine(cosine, innerCosine);
        sine = e.combine(sine, innerSine);
      }
      values[k - 1] = cosine;
      values[m + k - 1] = sine;
    }
  }
}

void chebyshev(tamrt_context *ctx, const double *x, int64_t rows,
               int64_t degree, int64_t mode, double *values) {
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  for (int64_t r = 0; r < rows; ++r, values += degree) {
    const Evaluation e = evaluationOf(x[r], mode);
    double before = 1.0, now = e.at;
    double innerBefore = 1.0, innerNow = e.inner;
    for (int64_t i = 0; i < degree; ++i) {
      values[i] = e.amount == 0.0 ? now : e.combine(now, innerNow);
      const double next = 2.0 * e.at * now - before;
      before = now;
      now = next;
      const double innerNext = 2.0 * e.inner * innerNow - innerBefore;
      innerBefore = innerNow;
      innerNow = innerNext;
    }
  }
}

} // namespace tamrt::cpu
