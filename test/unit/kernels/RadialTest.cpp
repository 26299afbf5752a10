//===- kernels/RadialTest.cpp - tests of radial basis functions -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Radial basis functions against closed forms and an integral.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace tamrt::test {

namespace {

using Real = long double;

/// The Matern function by K_nu(r) = integral of exp(-r cosh t) cosh(nu t) over
/// t > 0 (DLMF 10.32.9), for which the trapezoidal rule converges
/// exponentially.
Real matern(Real nu, Real r) {
  if (r == 0)
    return 1;
  // Logarithms, as the parts of the product are beyond any range.
  const Real scale =
      (1 - nu) * std::log(Real(2)) - std::lgamma(nu) + nu * std::log(r);
  // The integrand's top is where sinh t = nu / r; beyond it the first exponent
  // falls faster than any exponential.
  const Real top = std::asinh(nu / r), step = Real(1) / 512;
  Real sum = 0;
  for (Real t = 0; t < top + 12; t += step) {
    const Real term = std::exp(scale - r * std::cosh(t) + nu * t) *
                      (1 + std::exp(-2 * nu * t)) / 2;
    sum += t == 0 ? term / 2 : term;
  }
  return sum * step;
}

class RadialTest : public KernelTest {
protected:
  /// One centre at 0 and one coordinate: the function of the distance.
  Doubles at(const Doubles &distances, double gamma, double nu) {
    const double center = 0.0;
    Doubles values(distances.size(), std::nan(""));
    tamrt_radial(&ctx, distances.data(), &center, &gamma, nullptr,
                 distances.size(), 1, 1, nu, values.data());
    return values;
  }
};

const Doubles distances = {0.0, 1e-150, 1e-12, 1e-3, 0.1, 0.4,
                           1.0, 1.9,    2.1,   4.0,  8.0, 15.0};

TEST_F(RadialTest, ManyCentres) {
  const int64_t rows = 9, d = 3, n = 5;
  const Doubles points = uniforms(rows * d), centers = uniforms(n * d);
  const double gamma = 0.7;
  const std::pair<double, std::function<Real(Real)>> forms[] = {
      {0.0, [&](Real s) { return std::exp(-gamma * s); }},
      {0.5, [&](Real s) { return std::exp(-std::sqrt(gamma * s)); }},
      {1.5,
       [&](Real s) {
         const Real r = std::sqrt(3 * gamma * s);
         return (1 + r) * std::exp(-r);
       }},
      {2.5,
       [&](Real s) {
         const Real r = std::sqrt(5 * gamma * s);
         return (1 + r + r * r / 3) * std::exp(-r);
       }},
      {3.5,
       [&](Real s) {
         const Real r = std::sqrt(7 * gamma * s);
         return (1 + r + 2 * r * r / 5 + r * r * r / 15) * std::exp(-r);
       }},
  };
  for (const auto &[nu, form] : forms) {
    Doubles values(rows * n);
    tamrt_radial(&ctx, points.data(), centers.data(), &gamma, nullptr, rows, d,
                 n, nu, values.data());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < n; ++j) {
        Real square = 0;
        for (int64_t k = 0; k < d; ++k)
          square += std::pow(Real(points[r * d + k]) - centers[j * d + k], 2);
        EXPECT_NEAR(values[r * n + j], form(square), 1e-14) << "nu " << nu;
      }
  }
}

TEST_F(RadialTest, AnySmoothness) {
  for (double nu : {1e-3,        0.1,  0.3,    0.49999, 0.5,   0.7,   1.0,
                    1.0 + 1e-15, 1.2,  2.0,    2.5,     3.0,   4.5,   7.0,
                    12.3,        40.0, 100.25, 199.9,   200.0, 200.1, 1000.0})
    for (double gamma : {0.3, 4.0}) {
      const Doubles values = at(distances, gamma, nu);
      for (size_t i = 0; i < distances.size(); ++i) {
        const Real r = std::sqrt(2 * Real(nu) * gamma) * distances[i];
        const Real expected = matern(nu, r);
        // The reference starts from logarithms of some nu * ln nu.
        EXPECT_NEAR(values[i], expected, 3e-13 * expected + 1e-150)
            << "nu " << nu << " r " << double(r);
      }
    }
}

// The Gaussian is the limit: exp(-gamma d^2 / 2) in this scaling.
TEST_F(RadialTest, LargeSmoothness) {
  for (double nu : {1e6, 1e9, 1e15, 1e30, 1e300}) {
    const Doubles values = at(distances, 0.5, nu);
    for (size_t i = 0; i < distances.size(); ++i) {
      const double limit = std::exp(-0.25 * distances[i] * distances[i]);
      const double fourth = std::pow(distances[i], 4);
      EXPECT_NEAR(values[i], limit, limit * ((1 + fourth) / nu + 1e-12));
    }
  }
}

TEST_F(RadialTest, FarAwayIsZero) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double nu : {0.0, 0.5, 1.0, 1.5, 2.5, 3.3, 150.0, 300.0})
    EXPECT_EQ(at({1e6, 1e300}, 2.0, nu), (Doubles{0.0, 0.0})) << "nu " << nu;
  for (double nu : {0.0, 0.5, 1.0, 3.3, 300.0})
    EXPECT_EQ(at({infinity}, 2.0, nu), Doubles{0.0}) << "nu " << nu;
}

TEST_F(RadialTest, SkipsRows) {
  const double nan = std::nan(""), gamma = 1.0;
  const double points[] = {nan, 0.5, nan}, only[] = {0.0, -3.0, 0.0};
  const double center = 0.5;
  Doubles values(3);
  tamrt_radial(&ctx, points, &center, &gamma, only, 3, 1, 1, 0.7,
               values.data());
  EXPECT_EQ(values[1], 1.0);
  EXPECT_FALSE(std::isnan(values[0]) || std::isnan(values[2]));
}

TEST_F(RadialTest, ArgumentsOutsideTheContract) {
  for (double nu :
       {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    at({1.0}, 1.0, nu);
    expectError(TAMRT_ERROR_INVALID_ARGUMENT, 8);
  }
}

} // namespace

} // namespace tamrt::test
