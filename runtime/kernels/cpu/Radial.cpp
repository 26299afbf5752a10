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
#include "kernels/cpu/Matern.h"

#include <algorithm>
#include <cmath>

namespace tamrt::cpu {

namespace {

/// Where every function is zero, its polynomials still finite.
constexpr double farAway = 1000.0;

/// The rows and their centres.
struct Problem {
  const double *points, *centers, *only;
  int64_t rows, d, n;
  double *values;
};

/// values = phi(squared distance) for every row and centre.
template <typename Function>
void forEachDistance(const Problem &p, Function phi) {
  for (int64_t r = 0; r < p.rows; ++r) {
    if (p.only && p.only[r] == 0.0)
      continue;
    const double *point = p.points + r * p.d;
    double *values = p.values + r * p.n;
    for (int64_t j = 0; j < p.n; ++j) {
      const double *center = p.centers + j * p.d;
      double square = 0.0;
      for (int64_t k = 0; k < p.d; ++k) {
        const double difference = point[k] - center[k];
        square += difference * difference;
      }
      values[j] = phi(square);
    }
  }
}

} // namespace

void radial(tamrt_context *ctx, const double *points, const double *centers,
            const double *gamma, const double *only, int64_t rows, int64_t d,
            int64_t n, double nu, double *values) {
  const Problem problem = {points, centers, only, rows, d, n, values};
  const double g = *gamma;
  const double scale = std::sqrt(2.0 * nu * g);
  if (!(nu >= 0.0) || !std::isfinite(scale))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 8);
  if (nu == 0.0)
    return forEachDistance(
        problem, [=](double square) { return std::exp(-g * square); });
  if (nu == 0.5)
    return forEachDistance(problem, [=](double square) {
      return std::exp(-scale * std::sqrt(square));
    });
  if (nu == 1.5)
    return forEachDistance(problem, [=](double square) {
      const double r = std::min(scale * std::sqrt(square), farAway);
      return (1.0 + r) * std::exp(-r);
    });
  if (nu == 2.5)
    return forEachDistance(problem, [=](double square) {
      const double r = std::min(scale * std::sqrt(square), farAway);
      return (1.0 + r + r * r / 3.0) * std::exp(-r);
    });
  const Matern matern(nu);
  forEachDistance(problem, [&](double square) {
    return matern(scale * std::sqrt(square));
  });
}

} // namespace tamrt::cpu
