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
/// linear, affine, Fourier, Chebyshev (docs/math.md section 3).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Extrapolate.h"
#include "kernels/cpu/Support.h"

#include <bit>
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

void affine(tamrt_context *ctx, const double *x, int64_t rows, double scale,
            double *values) {
  for (int64_t r = 0; r < rows; ++r) {
    values[2 * r] = 1.0;
    values[2 * r + 1] = scale * x[r];
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

/// cos and sin of pi * base * k * x, k = 1..m, in O(m) with a call of the
/// library for the powers of four only, whose multiples of x are exact.
///
/// With d * p, p a power of four, for the last digit of k that is not zero in
/// base four: angle k is the sum of angles k - d*p and d*p, both known. An
/// error thus passes through a few products per digit of k, not through k of
/// them.
static void fourierRow(double x, int64_t m, double base,
                       double *__restrict cosines, double *__restrict sines) {
  // Element k - 1 belongs to k.
  for (int64_t k = 1; k <= m; ++k) {
    const int64_t power = int64_t(1) << (std::countr_zero(uint64_t(k)) & ~1);
    const int64_t digit = k & (3 * power);
    if (k == power) {
      sinCosPi(base * static_cast<double>(k) * x, cosines[k - 1], sines[k - 1]);
      continue;
    }
    const int64_t p = (digit == k ? power : digit) - 1, q = k - p - 2;
    cosines[k - 1] = cosines[p] * cosines[q] - sines[p] * sines[q];
    sines[k - 1] = sines[p] * cosines[q] + cosines[p] * sines[q];
  }
}

void fourier(tamrt_context *ctx, const double *x, int64_t rows, int64_t m,
             int64_t cyclic, int64_t mode, double *values) {
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 5);
  const double base = cyclic ? 1.0 : 0.5;
  for (int64_t r = 0; r < rows; ++r, values += 2 * m) {
    const Evaluation e = evaluationOf(x[r], mode);
    fourierRow(e.at, m, base, values, values + m);
    if (e.amount == 0.0)
      continue;
    for (int64_t k = 1; k <= m; ++k) {
      double cosine, sine;
      sinCosPi(base * static_cast<double>(k) * e.inner, cosine, sine);
      values[k - 1] = e.combine(values[k - 1], cosine);
      values[m + k - 1] = e.combine(values[m + k - 1], sine);
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
