//===- CompressionTest.cpp - which steps fit some data --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTest.h"

#include "core/data/Compression.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

namespace tamrt::test {
namespace {

constexpr tamrt_grid kHours = {0, 24, 0, 1};

/// Whether all values are on the grid and within it, as one group.
bool fits(const tamrt_grid &grid, const std::vector<double> &values,
          tamrt_rule rule = TAMRT_RULE_RANGE, double lo = 0, double hi = 0) {
  const tamrt_input in = input("x", rule, 0, lo, hi);
  Spread spread, same;
  const bool are = areOnGrid(grid, {values.data()}, values.size(), spread);
  // In another order they are what they are.
  std::vector<uint32_t> order(values.size());
  std::iota(order.rbegin(), order.rend(), 0u);
  EXPECT_EQ(areOnGrid(grid, {values.data(), order.data()}, values.size(), same),
            are);
  if (are) {
    EXPECT_EQ(spread.lo, same.lo);
    EXPECT_EQ(spread.hi, same.hi);
  }
  return are &&
         isWithinGrid(grid, spread, rangeOf(in, values.data(), values.size()));
}

TEST(Compression, ValuesOfAGrid) {
  EXPECT_TRUE(fits(kHours, {0, 23, 5, 5, 7, 1, 2, 3, 4}));
  EXPECT_TRUE(fits(kHours, {3, 4}));
  // Another range of as many values: the steps count from where it begins.
  EXPECT_TRUE(fits(kHours, {-30, -7}));
  EXPECT_FALSE(fits(kHours, {0, 24}));
  EXPECT_FALSE(fits(kHours, {0, 1, 2, 3, 4, 5, 6, 7, 8.5, 9, 10}));
  EXPECT_FALSE(fits(kHours, {0, 1e300}));
  EXPECT_FALSE(fits(kHours, {0, 0x1p60}));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(fits(kHours, {0, 1, inf}));
  EXPECT_FALSE(fits(kHours, {0, 1, -inf}));
  // A range of one value is one of its own.
  EXPECT_FALSE(fits(kHours, {5, 5, 5}));
}

TEST(Compression, StepsThatAreNoDoubles) {
  const tamrt_grid tenths = {0, 101, -5, 0.1};
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i)
    values.push_back(double(i - 50) / 10);
  EXPECT_TRUE(fits(tenths, values));
  values[17] += 1e-12;
  EXPECT_FALSE(fits(tenths, values));
}

// From where a period begins, which may be before the first value.
TEST(Compression, Periods) {
  const tamrt_grid days = {0, 367, 1, 1};
  EXPECT_TRUE(fits(days, {1, 366}, TAMRT_RULE_PERIOD, 0, 366));
  EXPECT_FALSE(fits(days, {1, 366}, TAMRT_RULE_PERIOD, -1, 366));
  EXPECT_FALSE(fits(days, {1, 366}, TAMRT_RULE_PERIOD, 0.5, 366));
  EXPECT_FALSE(fits(days, {1, 366}, TAMRT_RULE_PERIOD, 2, 366));
  // Beyond its end there are no points.
  EXPECT_FALSE(fits({0, 400, 0, 1}, {1, 367}, TAMRT_RULE_PERIOD, 0, 366));
}

/// A model with a compression for `grid` of column x.
struct Models {
  explicit Models(tamrt_grid of) : grid(of) {
    compression = {1, &grid, &byLevels};
    model.group = "g";
    model.compression = &compression;
  }

  const tamrt_input inputs[1] = {input("x", TAMRT_RULE_RANGE)};
  tamrt_grid grid;
  tamrt_model model = modelOf(inputs, 1), byLevels = modelOf(inputs, 1);
  tamrt_compression compression;
};

TEST(Compression, AllGroupsDecide) {
  Models models(kHours);
  auto choose = [&](std::string_view text) {
    Result<FitData> data = fitData(text, models.model);
    EXPECT_TRUE(data.ok());
    auto norm = normalize(models.model, data->rows, data->levels, 1);
    EXPECT_TRUE(norm.ok());
    const FitSteps steps = chooseSteps(models.model, data->rows, *norm, 1);
    const FitSteps same = chooseSteps(models.model, data->rows, *norm, 3);
    EXPECT_EQ(same.model, steps.model);
    EXPECT_EQ(same.missed, steps.missed);
    EXPECT_EQ(steps.missed != nullptr, steps.model == &models.model);
    return steps.model == &models.byLevels;
  };
  EXPECT_TRUE(choose("g,x,y\na,0,1\na,23,1\nb,2,1\nb,9,1\n"));
  EXPECT_FALSE(choose("g,x,y\na,0,1\na,23,1\nb,2,1\nb,9.5,1\n"));
  EXPECT_FALSE(choose("g,x,y\na,0,1\na,23,1\nb,2,1\nb,2,1\n"));
  EXPECT_FALSE(choose("g,x,y\na,0,1\na,24,1\nb,2,1\nb,3,1\n"));

  models.model.compression = nullptr;
  Result<FitData> data = fitData("g,x,y\na,0,1\na,23,1\n", models.model);
  auto norm = normalize(models.model, data->rows, data->levels, 1);
  const FitSteps steps = chooseSteps(models.model, data->rows, *norm, 1);
  EXPECT_EQ(steps.model, &models.model);
  EXPECT_EQ(steps.missed, nullptr);
}

} // namespace
} // namespace tamrt::test
