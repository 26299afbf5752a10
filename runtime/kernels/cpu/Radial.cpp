//===- cpu/Radial.cpp - radial basis functions ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Radial basis functions (docs/math.md section 3, term rbf).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Elementary.h"
#include "kernels/cpu/Matern.h"
#include "kernels/cpu/Support.h"

#include <algorithm>
#include <cmath>

namespace tamrt::cpu {

namespace {

/// Here every function is zero and its polynomials are still finite.
constexpr double farAway = 1000.0;

/// The rows and their centres.
struct Problem {
  const double *points, *centers, *only;
  int64_t rows, d, n;
  double *values;
};

/// Calls phi(squared distances, values) for every row and four centres at a
/// time; the last ones again where fewer than four are left.
template <typename Function>
TAMRT_INLINE void forEachFour(const Problem &p, Function phi) {
  const int64_t d = p.d;
  for (int64_t r = 0; r < p.rows; ++r) {
    if (p.only && p.only[r] == 0.0)
      continue;
    const double *__restrict point = p.points + r * d;
    double *__restrict values = p.values + r * p.n;
    for (int64_t j = 0; j < p.n; j += 4) {
      const double *centers[4];
      for (int64_t i = 0; i < 4; ++i)
        centers[i] = p.centers + std::min(j + i, p.n - 1) * d;
      Vector square = {}, value;
      for (int64_t k = 0; k < d; ++k) {
        const Vector center = {centers[0][k], centers[1][k], centers[2][k],
                               centers[3][k]};
        const Vector difference = point[k] - center;
        square += difference * difference;
      }
      phi(square, value);
      if (j + 4 <= p.n)
        vectorAt(values + j) = value;
      else
        for (int64_t i = 0; i < p.n - j; ++i)
          values[j + i] = value[i];
    }
  }
}

/// exp(-r) * factor(r), where r is the distance times `scale`.
template <typename Function>
TAMRT_INLINE void decay(const Problem &p, double scale, Function factor) {
  forEachFour(p, [&](Vector square, Vector &value) TAMRT_LAMBDA {
    const Vector most = Vector{} + farAway;
    Vector r, share;
    rootOf(square, r);
    r *= scale;
    r = r < most ? r : most;
    expOf(-r, value);
    factor(r, share);
    value *= share;
  });
}

} // namespace

TAMRT_HOT void radial(tamrt_context *ctx, const double *points,
                      const double *centers, const double *gamma,
                      const double *only, int64_t rows, int64_t d, int64_t n,
                      double nu, double *values) {
  const Problem problem = {points, centers, only, rows, d, n, values};
  const double g = *gamma;
  const double scale = std::sqrt(2.0 * nu * g);
  if (!(nu >= 0.0) || !std::isfinite(scale))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 8);
  if (nu == 0.0)
    return forEachFour(problem, [&](Vector square, Vector &value) TAMRT_LAMBDA {
      expOf(-g * square, value);
    });
  if (nu == 0.5)
    return decay(problem, scale, [](Vector, Vector &factor) TAMRT_LAMBDA {
      factor = Vector{} + 1.0;
    });
  if (nu == 1.5)
    return decay(problem, scale, [](Vector r, Vector &factor) TAMRT_LAMBDA {
      factor = 1.0 + r;
    });
  if (nu == 2.5)
    return decay(problem, scale, [](Vector r, Vector &factor) TAMRT_LAMBDA {
      factor = 1.0 + r + r * r / 3.0;
    });
  const Matern matern(nu);
  forEachFour(problem, [&](Vector square, Vector &value) TAMRT_LAMBDA {
    for (int i = 0; i < 4; ++i)
      value[i] = matern(scale * std::sqrt(square[i]));
  });
}

} // namespace tamrt::cpu
