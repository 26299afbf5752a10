//===- FeatureMapsTest.cpp - tests of the functions of terms --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FeatureMaps.h"

#include "tamrt/abi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

using namespace tamc::reference;
using std::numbers::pi;

static void expectNear(const Vector &expected, const Vector &actual,
                       double tolerance = 1e-14) {
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(expected[i], actual[i], tolerance) << "column " << i;
}

TEST(FeatureMaps, Linear) { expectNear({-1.5}, linearRow(0.5, -3)); }

TEST(FeatureMaps, FourierHasCosinesThenSines) {
  // theta = pi/4, pi/2 at x = 1/2.
  double h = std::sqrt(0.5);
  expectNear({h, 0, h, 1}, fourierRow(0.5, 2, /*cyclic=*/false));
  // theta = pi/2, pi.
  expectNear({0, -1, 1, 0}, fourierRow(0.5, 2, /*cyclic=*/true));
}

TEST(FeatureMaps, HatFunctions) {
  // Degree 1, two intervals of [-1, 1]: hats at -1, 0, 1.
  expectNear({0.5, 0.5, 0}, splineRow(-0.5, 2, 1, -1, 1));
  expectNear({0, 0.75, 0.25}, splineRow(0.25, 2, 1, -1, 1));
  expectNear({0, 1, 0}, splineRow(0, 2, 1, -1, 1));
}

TEST(FeatureMaps, StepsOfDegreeZero) {
  expectNear({0, 1, 0, 0}, splineRow(-0.25, 4, 0, -1, 1));
  expectNear({0, 0, 1, 0}, splineRow(0, 4, 0, -1, 1));
}

TEST(FeatureMaps, BernsteinPolynomialsOnOneInterval) {
  // One interval, degree 3: the Bernstein polynomials at t = 1/4.
  expectNear({27. / 64, 27. / 64, 9. / 64, 1. / 64},
             splineRow(-0.5, 1, 3, -1, 1));
}

TEST(FeatureMaps, CubicSplineInTheMiddleOfUniformKnots) {
  // At an inner knot far from the ends: 1/6, 4/6, 1/6.
  expectNear({0, 0, 0, 0, 1. / 6, 4. / 6, 1. / 6, 0, 0, 0, 0},
             splineRow(0, 8, 3, -1, 1));
}

TEST(FeatureMaps, SplineClampsToItsKnots) {
  // hi - 1e-6 on an interval of length 1.
  expectNear({1e-6, 1 - 1e-6}, splineRow(7, 1, 1, 0, 1), 1e-15);
  expectNear({1, 0}, splineRow(-7, 1, 1, 0, 1));
}

TEST(FeatureMaps, SplineRowsSumToOneWithLocalSupport) {
  for (double x : {-1.0, -0.999, -0.3, 0.0, 0.1, 0.77, 1.0})
    for (int64_t degree : {0, 1, 2, 3, 5}) {
      Vector row = splineRow(x, 7, degree, -1, 1);
      EXPECT_NEAR(1, std::accumulate(row.begin(), row.end(), 0.0), 1e-12);
      EXPECT_LE(std::ranges::count_if(row, [](double v) { return v != 0; }),
                degree + 1);
    }
}

TEST(FeatureMaps, Chebyshev) {
  expectNear({0.5, -0.5, -1, -0.5, 0.5}, chebyshevRow(0.5, 5));
  expectNear({2, 7, 26}, chebyshevRow(2, 3));
}

TEST(FeatureMaps, CategoryRoundsHalfToEvenAndClips) {
  auto level = [](double code, int64_t levels) {
    // The normalised code of a level of 0..levels-1.
    Vector row =
        categoryRow(2 * code / static_cast<double>(levels - 1) - 1, levels);
    EXPECT_EQ(1, std::accumulate(row.begin(), row.end(), 0.0));
    return std::ranges::find(row, 1.0) - row.begin();
  };
  EXPECT_EQ(0, level(0, 5));
  EXPECT_EQ(0, level(0.5, 5));
  EXPECT_EQ(2, level(1.5, 5));
  EXPECT_EQ(2, level(2.5, 5));
  EXPECT_EQ(3, level(2.75, 5));
  EXPECT_EQ(4, level(9, 5));
  EXPECT_EQ(0, level(-3, 5));
  expectNear({1}, categoryRow(0.7, 1));
}

TEST(FeatureMaps, LevelsUnseenInTraining) {
  expectNear({0, 1, 0, 0}, levelRow(1, 4));
  expectNear({0, 0, 0, 0}, levelRow(TAMRT_INDEX_NONE, 4));
  expectNear({0.25, 0.25, 0.25, 0.25}, levelRow(TAMRT_INDEX_MEAN(4), 4));
  expectNear({0.5, 0.5, 0, 0}, levelRow(TAMRT_INDEX_MEAN(2), 4));
}

TEST(Beyond, NothingHappensInside) {
  FeatureMap square = [](double x) { return Vector{x * x}; };
  for (Beyond mode :
       {Beyond::Continue, Beyond::Constant, Beyond::Linear, Beyond::Saturation})
    for (double x : {-1.0, -0.5, 1.0})
      EXPECT_EQ(Vector{x * x}, extrapolate(square, mode, x));
}

TEST(Beyond, EachMode) {
  FeatureMap square = [](double x) { return Vector{x * x}; };
  // The one-sided slope over 1e-5 at the right border: 2 - 1e-5.
  double slope = 2 - 1e-5, reach = (1 - std::exp(-4.0)) / 2;
  expectNear({9}, extrapolate(square, Beyond::Continue, 3));
  expectNear({1}, extrapolate(square, Beyond::Constant, 3));
  expectNear({1 + 2 * slope}, extrapolate(square, Beyond::Linear, 3), 1e-9);
  expectNear({1 + reach * slope}, extrapolate(square, Beyond::Saturation, 3),
             1e-9);
  // To the left the direction turns and so does the slope: the same numbers.
  expectNear({1}, extrapolate(square, Beyond::Constant, -3));
  expectNear({1 + 2 * slope}, extrapolate(square, Beyond::Linear, -3), 1e-9);
  FeatureMap line = [](double x) { return Vector{x}; };
  expectNear({-3}, extrapolate(line, Beyond::Linear, -3), 1e-9);
}

TEST(Beyond, RightSlopeOfASplineIsNineTenths) {
  // docs/math.md section 3: with the clamp at 1e-6 the difference quotient over
  // 1e-5 sees only 9e-6.
  FeatureMap hat = [](double x) { return splineRow(x, 1, 1, -1, 1); };
  // At x = 2, r = 1: (1-x)/2 falls with slope -0.45, (1+x)/2 rises with 0.45.
  expectNear({5e-7 - 0.45, 1 - 5e-7 + 0.45},
             extrapolate(hat, Beyond::Linear, 2), 1e-9);
  // The left border has no clamp: the true slope.
  expectNear({1.5, -0.5}, extrapolate(hat, Beyond::Linear, -2), 1e-9);
}
