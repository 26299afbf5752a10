//===- cpu/Matern.cpp - the Matern function -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The Matern function of any smoothness, in ways that overflow nowhere.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/Matern.h"

#include <boost/math/special_functions/bessel.hpp>

#include <cmath>

namespace tamrt::cpu {

namespace {

/// From this smoothness on the expansion is exact to rounding.
constexpr double largeNu = 200.0;

/// From exp(-705) on K is not far from underflow.
constexpr double farAway = 705.0;

/// c[0] + c[1] x + ...
template <int N> double polynomial(double x, const double (&c)[N]) {
  double sum = 0.0;
  for (int i = N; i-- > 0;)
    sum = sum * x + c[i];
  return sum;
}

/// K_order(x), 0 < order <= 1. That of the C++ library loses all its digits
/// where the order is close to a whole number.
double besselK(double order, double x) {
  using namespace boost::math::policies;
  using Policy =
      policy<promote_double<false>, domain_error<errno_on_error>,
             pole_error<errno_on_error>, overflow_error<errno_on_error>,
             evaluation_error<errno_on_error>, rounding_error<errno_on_error>>;
  return boost::math::cyl_bessel_k(order, x, Policy());
}

} // namespace

Matern::Matern(double nu)
    : nu(nu), mu(0.5), steps(0), factor(1.0), nextFactor(1.0), stirling(0.0) {
  if (nu > largeNu) {
    const double inverse = 1.0 / nu, square = inverse * inverse;
    stirling = inverse * polynomial(square, {1.0 / 12.0, -1.0 / 360.0,
                                             1.0 / 1260.0, -1.0 / 1680.0});
    return;
  }
  const double above = std::ceil(nu) - 1.0;
  steps = static_cast<int>(above);
  mu = nu - above;
  factor = std::exp2(1.0 - mu) / std::tgamma(mu);
  nextFactor = std::exp2(-mu) / std::tgamma(mu + 1.0);
}

double Matern::operator()(double r) const {
  if (r == 0.0)
    return 1.0;
  return nu > largeNu ? byExpansion(r) : byRecurrence(r);
}

/// K's recurrence in nu (DLMF 10.29.1), which is stable upwards, written for M:
/// M_(v+1) = M_v + r^2 / (4 v (v-1)) M_(v-1). Its terms are positive and none
/// exceeds 1, while K itself would overflow near 0.
double Matern::byRecurrence(double r) const {
  if (r > farAway)
    return 0.0;
  const bool half = mu == 0.5;
  const double decay = half ? std::exp(-r) : 0.0;
  double before = half ? decay : factor * std::pow(r, mu) * besselK(mu, r);
  if (steps == 0)
    return before;
  double now =
      before +
      (half ? r * decay
            : nextFactor * (std::pow(r, mu) * (r * besselK(1.0 - mu, r))));
  const double quarter = r * r / 4.0;
  for (int k = 1; k < steps; ++k) {
    const double v = mu + static_cast<double>(k);
    const double next = now + quarter / (v * (v - 1.0)) * before;
    before = now;
    now = next;
  }
  return now;
}

/// Debye's uniform expansion of K_nu(nu z) (DLMF 10.41.4, with the polynomials
/// U_1 to U_5 of 10.41.10) over Stirling's of Gamma(nu): the large parts of the
/// two cancel here and not in floating point. With q = sqrt(1 + z^2) - 1:
/// M = exp(nu (log(1 + q/2) - q) - stirling) / sqrt(1 + q) * sum.
double Matern::byExpansion(double r) const {
  const double z = r / nu;
  // The exponent is below -nu z / 2 here.
  if (z > farAway)
    return 0.0;
  const double root = std::hypot(1.0, z);
  const double q = z * (z / (1.0 + root));
  const double exponent = nu * (std::log1p(q / 2.0) - q) - stirling;
  if (exponent < -farAway)
    return 0.0;
  const double p = 1.0 / root, t = p * p, s = -p / nu;
  const double sum = polynomial(
      s, {1.0, polynomial(t, {3.0, -5.0}) / 24.0,
          polynomial(t, {81.0, -462.0, 385.0}) / 1152.0,
          polynomial(t, {30375.0, -369603.0, 765765.0, -425425.0}) / 414720.0,
          polynomial(t, {4465125.0, -94121676.0, 349922430.0, -446185740.0,
                         185910725.0}) /
              39813120.0,
          polynomial(t, {1519035525.0, -49286948607.0, 284499769554.0,
                         -614135872350.0, 566098157625.0, -188699385875.0}) /
              6688604160.0});
  return std::exp(exponent) * std::sqrt(p) * sum;
}

} // namespace tamrt::cpu
