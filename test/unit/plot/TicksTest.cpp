//===- plot/TicksTest.cpp - values that an axis shows -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plot/Ticks.h"

#include "io/Date.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

using namespace tamrt::plot;

namespace {

using Labels = std::vector<std::string>;

Labels labelsOf(const std::vector<Tick> &ticks) {
  Labels labels;
  for (const Tick &tick : ticks)
    labels.push_back(tick.label);
  return labels;
}

double seconds(int year, unsigned month, unsigned day, double hours = 0) {
  return double(tamrt::secondsUntil(year, month, day)) + 3600 * hours;
}

TEST(RoundStep, IsOneTwoOrFive) {
  EXPECT_EQ(roundStep(1), 1);
  EXPECT_EQ(roundStep(1.01), 2);
  EXPECT_EQ(roundStep(2.5), 5);
  EXPECT_EQ(roundStep(7), 10);
  EXPECT_DOUBLE_EQ(roundStep(0.03), 0.05);
  EXPECT_DOUBLE_EQ(roundStep(0.2), 0.2);
  EXPECT_DOUBLE_EQ(roundStep(1.2e9), 2e9);
}

TEST(NumberTicks, HaveEqualDecimals) {
  EXPECT_EQ(labelsOf(numberTicks(0, 1, 5)),
            (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labelsOf(numberTicks(-1.2, 1.2, 4)), (Labels{"-1", "0", "1"}));
  EXPECT_EQ(labelsOf(numberTicks(20000, 61000, 4)),
            (Labels{"20000", "40000", "60000"}));
  EXPECT_EQ(labelsOf(numberTicks(0, 3e6, 3)), (Labels{"0", "1M", "2M", "3M"}));
  EXPECT_EQ(labelsOf(numberTicks(0, 2e-5, 2)), (Labels{"0", "1e-05", "2e-05"}));
  EXPECT_EQ(labelsOf(numberTicks(1e20, 3e20, 2)),
            (Labels{"1e+20", "2e+20", "3e+20"}));
  // Differences in the last digits.
  EXPECT_EQ(labelsOf(numberTicks(1000000, 1000002, 2)),
            (Labels{"1.000000M", "1.000001M", "1.000002M"}));
}

TEST(NumberTicks, AreFewDistinctAndInside) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-12, 12), part(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    const double size = std::pow(10, exponent(random));
    const double a = size * part(random), b = size * part(random);
    const double low = std::min(a, b), high = std::max(a, b);
    if (high - low < 1e-9 * size)
      continue;
    const std::vector<Tick> ticks = numberTicks(low, high, 5);
    EXPECT_GE(ticks.size(), 2u) << low << " " << high;
    EXPECT_LE(ticks.size(), 7u) << low << " " << high;
    std::set<std::string> labels;
    for (const Tick &tick : ticks) {
      EXPECT_GE(tick.value, low - 1e-6 * (high - low));
      EXPECT_LE(tick.value, high + 1e-6 * (high - low));
      labels.insert(tick.label);
    }
    EXPECT_EQ(labels.size(), ticks.size()) << low << " " << high;
  }
}

TEST(NumberTicks, OfAnyRange) {
  const double most = std::numeric_limits<double>::max();
  for (auto [low, high] :
       {std::pair(-most, most), std::pair(0.0, most),
        std::pair(1.0, std::nextafter(1.0, 2.0)), std::pair(0.0, 5e-324)})
    EXPECT_LE(numberTicks(low, high, 5).size(), 20u);
}

TEST(TimeTicks, SayWhatDiffers) {
  EXPECT_EQ(labelsOf(timeTicks(seconds(2015, 12, 20), seconds(2018, 1, 5), 5)),
            (Labels{"Jan 2016", "Jul", "Jan 2017", "Jul", "Jan 2018"}));
  EXPECT_EQ(labelsOf(timeTicks(seconds(1949, 6, 1), seconds(1961, 1, 1), 6)),
            (Labels{"1950", "1952", "1954", "1956", "1958", "1960"}));
  EXPECT_EQ(labelsOf(timeTicks(seconds(2020, 2, 27), seconds(2020, 3, 3), 4)),
            (Labels{"2020-02-28", "2020-03-01", "2020-03-03"}));
  EXPECT_EQ(
      labelsOf(timeTicks(seconds(2020, 1, 1, 13), seconds(2020, 1, 2, 2), 5)),
      (Labels{"01-01 15:00", "18:00", "21:00", "01-02 00:00"}));
  EXPECT_EQ(
      labelsOf(timeTicks(seconds(2020, 1, 1), seconds(2020, 1, 1) + 4, 4)),
      (Labels{"01-01 00:00:00", "00:00:01", "00:00:02", "00:00:03",
              "00:00:04"}));
}

TEST(TimeTicks, OfAnyRange) {
  for (double low : {seconds(0, 1, 1), seconds(1969, 12, 31, 23.9)})
    for (double length = 1; low + length < seconds(9999, 12, 31);
         length *= 1.7) {
      const std::vector<Tick> ticks = timeTicks(low, low + length, 5);
      EXPECT_LE(ticks.size(), 13u) << low << " " << length;
      for (const Tick &tick : ticks) {
        EXPECT_GE(tick.value, low);
        EXPECT_LE(tick.value, low + length);
      }
    }
}

TEST(LevelTicks, LeaveSomeOut) {
  std::vector<std::string> levels;
  for (int i = 0; i < 48; ++i)
    levels.push_back(std::to_string(i));
  const Axis axis = Axis::of("x", levels);
  EXPECT_EQ(labelsOf(ticksOf(axis, 10, 9)),
            (Labels{"0", "6", "12", "18", "24", "30", "36", "42"}));
  EXPECT_EQ(ticksOf(axis, 48, 9).size(), 48u);
  EXPECT_EQ(ticksOf(Axis::of("x", {"Wednesday"}), 1, 5)[0].label, "Wedn…");
}

TEST(Axis, HasALength) {
  Axis axis = Axis::empty("x");
  axis.pad();
  EXPECT_LT(axis.low, axis.high);
  for (double value : {0.0, 3.0, -1e300, std::numeric_limits<double>::max()}) {
    Axis one = Axis::empty("x");
    one.include(value);
    one.include(std::numeric_limits<double>::quiet_NaN());
    one.pad();
    EXPECT_LT(one.low, one.high) << value;
    EXPECT_TRUE(one.low <= value && value <= one.high) << value;
    EXPECT_TRUE(std::isfinite(one.low) && std::isfinite(one.high));
  }
}

TEST(Axis, OfOneValueIsAroundIt) {
  Axis axis = Axis::empty("x");
  axis.include(0);
  axis.pad();
  EXPECT_EQ(axis.low, -1);
  EXPECT_EQ(axis.high, 1);
}

TEST(FormatWithin, HasTheDigitsOfTheRange) {
  EXPECT_EQ(formatWithin(1234.5678, 100), "1234.6");
  EXPECT_EQ(formatWithin(0.012345, 1), "0.012");
  EXPECT_EQ(formatWithin(0, 1), "0");
  EXPECT_EQ(formatWithin(1e-9, 1), "1e-09");
}

} // namespace
