//===- plot/ContoursTest.cpp - regions above a level ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plot/Contours.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace tamrt::plot;

namespace {

/// Twice the area inside of a polygon, negative if it is clockwise.
double areaOf(const std::vector<GridPoint> &polygon) {
  double area = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const GridPoint &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    area += a.x * b.y - a.y * b.x;
  }
  return area;
}

double areaAbove(const Heat &heat, double level) {
  double area = 0;
  for (const std::vector<GridPoint> &polygon : regionAbove(heat, level))
    area += areaOf(polygon) / 2;
  return area;
}

template <class Function>
Heat heatOf(size_t columns, size_t rows, Function value) {
  Heat heat{columns, rows, {}};
  for (size_t j = 0; j < rows; ++j)
    for (size_t i = 0; i < columns; ++i)
      heat.values.push_back(value(double(i), double(j)));
  return heat;
}

TEST(RegionAbove, IsTheGridOrNothing) {
  const Heat heat = heatOf(5, 4, [](double, double) { return 2.0; });
  EXPECT_EQ(areaAbove(heat, 1), 12);
  EXPECT_EQ(areaAbove(heat, 2), 12);
  EXPECT_TRUE(regionAbove(heat, 2.5).empty());
}

TEST(RegionAbove, IsAHalf) {
  // x above 2.25 of 10, exactly.
  const Heat heat = heatOf(11, 5, [](double x, double) { return x; });
  EXPECT_DOUBLE_EQ(areaAbove(heat, 2.25), 7.75 * 4);
  // Above the diagonal.
  const Heat slant = heatOf(9, 9, [](double x, double y) { return x + y; });
  EXPECT_DOUBLE_EQ(areaAbove(slant, 8), 32);
}

TEST(RegionAbove, IsADiskOrARing) {
  const double pi = std::acos(-1);
  auto distance = [](double x, double y) { return std::hypot(x - 50, y - 50); };
  const Heat disk =
      heatOf(101, 101, [&](double x, double y) { return -distance(x, y); });
  const auto polygons = regionAbove(disk, -30);
  ASSERT_EQ(polygons.size(), 1u);
  EXPECT_GT(areaOf(polygons[0]), 0);
  EXPECT_NEAR(areaAbove(disk, -30), pi * 900, 3);
  for (const GridPoint &point : polygons[0])
    EXPECT_NEAR(distance(point.x, point.y), 30, 0.01);

  const Heat ring = heatOf(101, 101, [&](double x, double y) {
    return -std::fabs(distance(x, y) - 30);
  });
  const auto two = regionAbove(ring, -10);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_LT(areaOf(two[0]) * areaOf(two[1]), 0);
  EXPECT_NEAR(areaAbove(ring, -10), pi * (1600 - 400), 5);
}

TEST(RegionAbove, JoinsSaddlesByTheirMean) {
  // Two corners above: one region or two.
  auto saddle = [](double middle) {
    return heatOf(4, 4, [=](double x, double y) {
      if ((x == 1 && y == 1) || (x == 2 && y == 2))
        return 1.0;
      if ((x == 1 && y == 2) || (x == 2 && y == 1))
        return middle;
      return -1.0;
    });
  };
  EXPECT_EQ(regionAbove(saddle(-0.5), 0).size(), 1u);
  EXPECT_EQ(regionAbove(saddle(-3), 0).size(), 2u);
}

/// Any values give closed polygons that grow with a lower level.
TEST(RegionAbove, OfNoise) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 50; ++i) {
    const Heat heat = heatOf(2 + size_t(i) % 9, 2 + size_t(i) % 7,
                             [&](double, double) { return normal(random); });
    double before = double(heat.columns - 1) * double(heat.rows - 1);
    EXPECT_DOUBLE_EQ(areaAbove(heat, -100), before);
    for (double level = -2; level < 2; level += 0.25) {
      const double area = areaAbove(heat, level);
      EXPECT_LE(area, before + 1e-9);
      EXPECT_GE(area, -1e-9);
      before = area;
    }
  }
}

} // namespace
