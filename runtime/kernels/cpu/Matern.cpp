//===- cpu/Matern.cpp - the Matern function -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The Matern function of any smoothness, by algorithms that never overflow.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/Matern.h"
#include "kernels/cpu/Elementary.h"
#include "kernels/cpu/ElementaryScalars.h"

#include <cmath>
#include <numbers>

namespace tamrt::cpu {

namespace {

/// From this smoothness on the expansion is exact to rounding.
constexpr double largeNu = 200.0;

/// Beyond exp(-705), K is close to underflow.
constexpr double farAway = 705.0;

/// Relative size of terms at which series stop.
constexpr double tiny = 1e-17;

/// c[0] + c[1] x + ...
template <int N> double polynomial(double x, const double (&c)[N]) {
  double sum = 0.0;
  for (int i = N; i-- > 0;)
    sum = sum * x + c[i];
  return sum;
}

/// 1 / Gamma(1 + x) in powers of x (Abramowitz and Stegun 6.1.34), the even and
/// the odd ones: for |x| <= 1/2 to the last digit.
constexpr double evenGamma[] = {1.0,
                                -0.65587807152025388108,
                                0.1665386113822914895,
                                -0.0096219715278769735621,
                                -0.0011651675918590651121,
                                0.00012805028238811618615,
                                -1.2504934821426706573e-6,
                                -2.0563384169776071035e-7,
                                5.0020076444692229301e-9,
                                1.0434267116911005105e-10,
                                -3.6968056186422057082e-12,
                                -2.0583260535665067832e-14,
                                1.2267786282382607902e-15};
constexpr double oddGamma[] = {
    0.57721566490153286061,     -0.042002635034095235529,
    -0.042197734555544336748,   0.0072189432466630995424,
    -0.00021524167411495097282, -0.000020134854780788238656,
    1.1330272319816958824e-6,   6.1160951044814158179e-9,
    -1.1812745704870201446e-9,  7.782263439905071254e-12,
    5.100370287454475979e-13,   -5.3481225394230179824e-15,
    -1.1812593016974587695e-16};

/// 1 / Gamma(x), 0 < x <= 1.
double oneOverGamma(double x) {
  // 1 / Gamma(1 + y), |y| <= 1/2, and Gamma(1 + x) = x Gamma(x).
  const double y = x > 0.5 ? x - 1.0 : x, square = y * y;
  const double above =
      polynomial(square, evenGamma) + y * polynomial(square, oddGamma);
  return x > 0.5 ? above : x * above;
}

/// cosh(x) and sinh(x) / x, from exp(x).
void hyperbolics(double x, double exp, double &cosine, double &share) {
  constexpr PowerSeries<10, 1, 2, false> series;
  cosine = (exp + 1.0 / exp) / 2.0;
  if (std::abs(x) < 1.0)
    series.at(x * x, share);
  else
    share = (exp - 1.0 / exp) / (2.0 * x);
}

/// K of an order and of the next one.
struct BesselPair {
  double k, next;
};

/// K_m(x) and K_(m+1)(x), |m| <= 1/2, 0 < x <= 2, by Temme's series (J. Comput.
/// Phys. 19, 1975). Differences of 1 / Gamma are computed from its power
/// series: near m = 0 subtraction would lose all digits.
BesselPair besselBySeries(double m, double x) {
  const double square = m * m;
  const double even = polynomial(square, evenGamma),
               odd = -polynomial(square, oddGamma);
  const double oneOverAbove = even - m * odd, oneOverBelow = even + m * odd;
  const double angle = std::numbers::pi * m;
  const double log = logarithm(2.0 / x), e = m * log;
  double cosine, sine, cosh, sinhShare;
  cosineAndSine(angle, cosine, sine);
  const double sineShare = std::abs(angle) < tiny ? 1.0 : angle / sine;
  const double power = exponential(e), quarter = x * x / 4.0;
  hyperbolics(e, power, cosh, sinhShare);
  double f = sineShare * (odd * cosh + even * sinhShare * log);
  double p = 0.5 * power / oneOverAbove, q = 0.5 / (power * oneOverBelow);
  double k = f, next = p, c = 1.0;
  for (double i = 1.0; i < 100.0; i += 1.0) {
    f = (i * f + p + q) / (i * i - square);
    c *= quarter / i;
    p /= i - m;
    q /= i + m;
    const double term = c * f;
    k += term;
    next += c * (p - i * f);
    if (std::abs(term) < tiny * std::abs(k))
      break;
  }
  return {k, next * (2.0 / x)};
}

/// The same for x > 2, by Steed's algorithm for the continued fraction (Temme's
/// CF2): the farther x, the fewer steps.
BesselPair besselByFraction(double m, double x) {
  const double start = 0.25 - m * m;
  double a = -start, b = 2.0 * (1.0 + x), d = 1.0 / b, h = d, step = d;
  double before = 0.0, now = 1.0, c = start, q = start, s = 1.0 + q * step;
  for (double i = 2.0; i < 1000.0; i += 1.0) {
    a -= 2.0 * (i - 1.0);
    c = -a * c / i;
    const double after = (before - b * now) / a;
    before = now;
    now = after;
    q += c * after;
    b += 2.0;
    d = 1.0 / (b + a * d);
    step *= b * d - 1.0;
    h += step;
    const double term = q * step;
    s += term;
    if (std::abs(term) < tiny * std::abs(s))
      break;
  }
  const double k =
      std::sqrt(std::numbers::pi / (2.0 * x)) * exponential(-x) / s;
  return {k, k * (m + x + 0.5 - start * h) / x};
}

/// K_mu(r) and K_(1-mu)(r), 0 < mu <= 1.
BesselPair besselK(double mu, double r) {
  const double m = mu > 0.5 ? mu - 1.0 : -mu;
  const BesselPair pair = r <= 2.0 ? besselBySeries(m, r) //
                                   : besselByFraction(m, r);
  return mu > 0.5 ? BesselPair{pair.next, pair.k} : pair;
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
  const double inverse = oneOverGamma(mu);
  factor = power(2.0, 1.0 - mu) * inverse;
  nextFactor = power(2.0, -mu) * (inverse / mu);
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
  const double decay = half ? exponential(-r) : 0.0;
  const BesselPair bessel = half ? BesselPair() : besselK(mu, r);
  const double powerOfR = half ? 0.0 : power(r, mu);
  double before = half ? decay : factor * powerOfR * bessel.k;
  if (steps == 0)
    return before;
  double now =
      before + (half ? r * decay : nextFactor * (powerOfR * (r * bessel.next)));
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
/// two cancel analytically, not in floating point. With q = sqrt(1 + z^2) - 1:
/// M = exp(nu (log(1 + q/2) - q) - stirling) / sqrt(1 + q) * sum.
double Matern::byExpansion(double r) const {
  const double z = r / nu;
  // The exponent is below -nu z / 2 here.
  if (z > farAway)
    return 0.0;
  const double root = std::sqrt(1.0 + z * z);
  const double q = z * (z / (1.0 + root));
  const double exponent = nu * (logarithmOfOnePlus(q / 2.0) - q) - stirling;
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
  return exponential(exponent) * std::sqrt(p) * sum;
}

} // namespace tamrt::cpu
