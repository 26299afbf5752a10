//===- ElementaryTest.cpp - elementary functions --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/cpu/Elementary.h"
#include "kernels/cpu/ElementaryScalars.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

using namespace tamrt::cpu;

namespace {

typedef long double Real;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Ulps of `value` that it is away from `exact`.
double ulpsOff(double value, Real exact) {
  if (value == static_cast<double>(exact))
    return 0.0;
  const double near = static_cast<double>(exact);
  const double ulp =
      std::max(std::nextafter(std::fabs(near), infinity) - std::fabs(near),
               std::numeric_limits<double>::denorm_min());
  return static_cast<double>(std::fabs(value - exact) / ulp);
}

/// `function` on `points`, four by four: within four ulps and what long double
/// is off.
template <typename Function, typename Exact>
void check(const std::vector<double> &points, Function function, Exact exact) {
  std::vector<double> results(points.size());
  forEachFour(points.data(), int64_t(points.size()), results.data(),
              [&](Vector x, Vector &out) { function(x, out); });
  for (size_t i = 0; i < points.size(); ++i)
    EXPECT_LT(ulpsOff(results[i], exact(Real(points[i]))), 4.0)
        << "at " << points[i] << " got " << results[i];
}

/// Numbers of all magnitudes up to 2^highest, of both signs, and the ends.
std::vector<double> magnitudes(int lowest, int highest) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> exponent(lowest, highest);
  std::vector<double> points = {0.0, -0.0, std::exp2(highest)};
  for (int i = 0; i < 20003; ++i)
    points.push_back(std::exp2(exponent(generator)) * (i % 2 ? 1.0 : -1.0));
  return points;
}

std::vector<double> between(double lo, double hi) {
  std::mt19937_64 generator(8);
  std::uniform_real_distribution<double> uniform(lo, hi);
  std::vector<double> points = {lo, hi};
  for (int i = 0; i < 20003; ++i)
    points.push_back(uniform(generator));
  return points;
}

const auto exponentials = [](Vector x, Vector &out) { expOf(x, out); };
const auto tangent = [](Vector x, Vector &out) { tanhOf(x, out); };
const auto cosine = [](Vector x, Vector &out) { cosOf(x, out); };

TEST(ElementaryTest, Exponential) {
  const auto exact = [](Real x) { return std::exp(x); };
  check(between(-708.0, 709.7), exponentials, exact);
  check(between(-1.0, 1.0), exponentials, exact);
  check(magnitudes(-60, 9), exponentials, exact);
}

TEST(ElementaryTest, ExponentialAtItsEnds) {
  Vector result;
  expOf(Vector{-infinity, -708.01, 710.0, infinity}, result);
  EXPECT_EQ(result[0], 0.0);
  EXPECT_EQ(result[1], 0.0);
  EXPECT_EQ(result[2], infinity);
  EXPECT_EQ(result[3], infinity);
}

TEST(ElementaryTest, HyperbolicTangent) {
  const auto exact = [](Real x) { return std::tanh(x); };
  check(between(-25.0, 25.0), tangent, exact);
  check(magnitudes(-300, 4), tangent, exact);
  Vector result;
  tanhOf(Vector{-infinity, infinity, 1e300, 22.1}, result);
  EXPECT_EQ(result[0], -1.0);
  EXPECT_EQ(result[1], 1.0);
  EXPECT_EQ(result[2], 1.0);
  EXPECT_EQ(result[3], 1.0);
}

TEST(ElementaryTest, Cosine) {
  const auto exact = [](Real x) { return std::cos(x); };
  check(between(-10.0, 10.0), cosine, exact);
  check(between(-500000.0, 500000.0), cosine, exact);
  check(magnitudes(-60, 60), cosine, exact);
  // Where the cosine is next to nothing the argument's own digits are all
  // there is.
  std::vector<double> zeros;
  for (int k = 0; k < 2000; ++k)
    zeros.push_back((k + 0.5) * std::numbers::pi);
  check(zeros, cosine, exact);
}

TEST(ElementaryTest, CosineAndSineOfTurns) {
  std::vector<double> points = between(-4.0, 4.0);
  for (double x : magnitudes(-40, 70))
    points.push_back(x);
  for (double x : {0.25, 0.5, 0.75, 1.0, 1.5, 2.0})
    points.push_back(x);
  for (double x : points) {
    // Exact, and pi * r is good to the last digits of long double.
    const Real r = std::remainder(Real(x), Real(2));
    Vector cosine, sine;
    sinCosPi(Vector{x, -x, 0.0, x}, cosine, sine);
    EXPECT_NEAR(cosine[0], std::cos(std::numbers::pi_v<Real> * r), 2.5e-16);
    EXPECT_NEAR(sine[0], std::sin(std::numbers::pi_v<Real> * r), 2.5e-16);
    EXPECT_EQ(cosine[1], cosine[0]);
    EXPECT_EQ(sine[1], -sine[0]);
    EXPECT_EQ(cosine[2], 1.0);
    EXPECT_EQ(sine[3], sine[0]);
  }
}

/// Cosines and sines far out, where the reduction of the argument takes all
/// digits of pi: of the greatest number, and of some that are next to a
/// multiple of pi / 2. Computed with 4,000 bits.
TEST(ElementaryTest, CosineAndSineFarOut) {
  const double cases[][3] = {
      {0x1.fffffffffffffp+1023, -0x1.fffe62ecfab75p-1, 0x1.452fc98b34e97p-8},
      {0x1.6ac5b262ca1ffp+849, -0x1.14ae72e6ba22fp-61, 0x1.0000000000000p+0},
      {0x1.921fb54442d18p+20, 0x1.0000000000000p+0, -0x1.1a62633145c07p-34},
      {0x1.0000000000000p+1000, 0x1.f9785160c8815p-1, -0x1.460b8ae1c886ep-3},
      {0x1.2345678000000p+19, -0x1.721713b189fbfp-1, -0x1.61cdd44e8566bp-1},
      {0x1.6ac5b262ca1ffp+60, -0x1.39c045e4f122ep-2, -0x1.e75fea3efaf97p-1},
      {0x1.0f0cf064dd592p+73, 0x1.0be2cef01c8f4p-1, -0x1.b453ab76bf397p-1},
      {0x1.6ac5b262ca1ffp+849, -0x1.14ae72e6ba22fp-61, 0x1.0000000000000p+0}};
  for (const auto &[x, cosine, sine] : cases)
    for (double sign : {1.0, -1.0}) {
      double c, s;
      cosineAndSine(sign * x, c, s);
      EXPECT_LT(ulpsOff(c, cosine), 3.0) << x;
      EXPECT_LT(ulpsOff(s, sign * sine), 3.0) << x;
    }
}

/// `function` of numbers within `most` ulps.
template <typename Function, typename Exact>
void checkScalars(const std::vector<double> &points, double most,
                  Function function, Exact exact) {
  for (double x : points)
    EXPECT_LT(ulpsOff(function(x), exact(Real(x))), most)
        << "at " << x << " got " << function(x);
}

TEST(ElementaryTest, Scalars) {
  const auto exp = [](Real x) { return std::exp(x); };
  checkScalars(between(-708.0, 709.7), 1.0, exponential, exp);
  checkScalars(between(-1.0, 1.0), 1.0, exponential, exp);
  std::vector<double> positive;
  for (double x : magnitudes(-1000, 1000))
    if (x > 0.0)
      positive.push_back(x);
  for (double x : between(0.5, 2.0))
    positive.push_back(x);
  for (double x : {1.0 - 0x1p-53, 1.0, 1.0 + 0x1p-52, 0x1p-1074, 1e-310})
    positive.push_back(x);
  checkScalars(positive, 1.0, logarithm, [](Real x) { return std::log(x); });
  checkScalars(positive, 1.0, logarithmOfOnePlus,
               [](Real x) { return std::log1p(x); });
  for (double y : {-8.0, -1.7, -0.37, 0.3, 1.0, 2.0, 7.9})
    checkScalars(
        between(1e-30, 40.0), 1.0, [=](double x) { return power(x, y); },
        [=](Real x) { return std::pow(x, Real(y)); });
  std::vector<double> angles = between(-7.0, 7.0);
  for (double x : magnitudes(-300, 60))
    angles.push_back(x);
  const auto cos = [](double x) {
    double c, s;
    return cosineAndSine(x, c, s), c;
  };
  const auto sin = [](double x) {
    double c, s;
    return cosineAndSine(x, c, s), s;
  };
  checkScalars(angles, 3.0, cos, [](Real x) { return std::cos(x); });
  checkScalars(angles, 3.0, sin, [](Real x) { return std::sin(x); });
}

TEST(ElementaryTest, ScalarsAtTheirEnds) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(exponential(infinity), infinity);
  EXPECT_EQ(exponential(-infinity), 0.0);
  EXPECT_EQ(exponential(0.0), 1.0);
  EXPECT_EQ(exponential(709.9), infinity);
  EXPECT_EQ(exponential(-744.4), 0x1p-1074);
  EXPECT_TRUE(std::isnan(exponential(nan)));
  EXPECT_EQ(logarithm(0.0), -infinity);
  EXPECT_EQ(logarithm(1.0), 0.0);
  EXPECT_EQ(logarithm(infinity), infinity);
  EXPECT_TRUE(std::isnan(logarithm(-1.0)));
  EXPECT_TRUE(std::isnan(logarithm(nan)));
  EXPECT_EQ(logarithmOfOnePlus(0.0), 0.0);
  EXPECT_EQ(logarithmOfOnePlus(infinity), infinity);
  EXPECT_TRUE(std::isnan(logarithmOfOnePlus(nan)));
  EXPECT_EQ(power(0.0, 0.0), 1.0);
  EXPECT_EQ(power(3.0, -0.0), 1.0);
  EXPECT_EQ(power(0.0, 2.0), 0.0);
  EXPECT_EQ(power(0.0, -2.0), infinity);
  EXPECT_EQ(power(infinity, 2.0), infinity);
  EXPECT_EQ(power(infinity, -2.0), 0.0);
  EXPECT_EQ(power(1e300, 100.0), infinity);
  EXPECT_EQ(power(1e300, -100.0), 0.0);
  EXPECT_EQ(power(2.0, -1.0), 0.5);
  EXPECT_EQ(power(10.0, 9.0), 1e9);
  EXPECT_TRUE(std::isnan(power(nan, 2.0)));
  EXPECT_TRUE(std::isnan(power(2.0, nan)));
  EXPECT_TRUE(std::isnan(power(-2.0, 2.0)));
  for (double x : {infinity, -infinity, nan}) {
    double c, s;
    cosineAndSine(x, c, s);
    EXPECT_TRUE(std::isnan(c));
    EXPECT_TRUE(std::isnan(s));
  }
}

TEST(ElementaryTest, WhatIsNotANumberRemainsSo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int lane = 0; lane < 4; ++lane) {
    Vector x = Vector{} + 0.5, results[4];
    x[lane] = nan;
    expOf(x, results[0]);
    tanhOf(x, results[1]);
    cosOf(x, results[2]);
    Vector sine;
    sinCosPi(x, results[3], sine);
    for (const Vector &result : results)
      for (int i = 0; i < 4; ++i)
        EXPECT_EQ(std::isnan(result[i]), i == lane);
  }
}

TEST(ElementaryTest, RestsOfFour) {
  const std::vector<double> points = between(-3.0, 3.0);
  for (int64_t count = 0; count < 9; ++count) {
    std::vector<double> all(points.begin(), points.begin() + 9), some = all;
    forEachFour(all.data(), 9, all.data(),
                [&](Vector x, Vector &out) { expOf(x, out); });
    forEachFour(some.data(), count, some.data(),
                [&](Vector x, Vector &out) { expOf(x, out); });
    for (int64_t i = 0; i < 9; ++i)
      EXPECT_EQ(some[size_t(i)],
                i < count ? all[size_t(i)] : points[size_t(i)]);
  }
}

} // namespace
