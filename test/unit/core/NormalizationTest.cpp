//===- NormalizationTest.cpp - inputs brought to [-1, 1] ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTest.h"

#include "core/data/Normalization.h"
#include "core/model/Steps.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tamrt::test {
namespace {

Range rangeOfValues(const tamrt_input &in, std::vector<double> values) {
  return rangeOf(in, values.data(), values.size());
}

#define EXPECT_RANGE(range, c, h)                                              \
  do {                                                                         \
    Range got = range;                                                         \
    EXPECT_EQ(got.centre, c);                                                  \
    EXPECT_EQ(got.half, h);                                                    \
  } while (false)

TEST(Normalization, Rules) {
  tamrt_input plain = input("x", TAMRT_RULE_RANGE);
  EXPECT_RANGE(rangeOfValues(plain, {3, 1, 2}), 2.0, 1.0);
  EXPECT_RANGE(rangeOfValues(plain, {4, 4}), 4.0, 0.5);

  tamrt_input codes = input("x", TAMRT_RULE_CODES, 5);
  EXPECT_RANGE(rangeOfValues(codes, {1, 3}), 2.0, 2.0); // [0, 4]
  EXPECT_RANGE(rangeOfValues(codes, {1, 5}), 3.0, 2.0); // [1, 5]
  EXPECT_RANGE(rangeOfValues(codes, {4, 0}), 2.0, 2.0); // [0, 4]
  EXPECT_RANGE(rangeOfValues(codes, {7, 7}), 9.0, 2.0); // [7, 11]
  EXPECT_RANGE(rangeOfValues(codes, {1, 5.5}), 3.25, 2.25);
  EXPECT_RANGE(rangeOfValues(input("x", TAMRT_RULE_CODES, 1), {0}), 0.0, 0.5);

  tamrt_input period = input("x", TAMRT_RULE_PERIOD, 0, 0, 24);
  EXPECT_RANGE(rangeOfValues(period, {100}), 12.0, 12.0);
}

TEST(Normalization, SpreadsOfManyAreThoseOfEach) {
  std::mt19937 random(5);
  for (size_t size = 0; size < 60; ++size)
    for (double odd :
         {0.0, 0.5, -0.0, 1e15 + 0.5, -3e15 - 0.5, 0x1p53, 1e300, -1e300}) {
      std::vector<double> values(size);
      for (double &value : values)
        value = double(int(random() % 9)) - 4;
      if (size > 0)
        values[random() % size] = odd;
      Spread each, all;
      for (double value : values)
        each.add(value);
      all.add(values);
      EXPECT_EQ(all.lo, each.lo) << odd;
      EXPECT_EQ(all.hi, each.hi) << odd;
      EXPECT_EQ(std::signbit(all.lo), std::signbit(each.lo)) << odd;
      EXPECT_EQ(std::signbit(all.hi), std::signbit(each.hi)) << odd;
      EXPECT_EQ(all.integers, each.integers) << size << " with " << odd;
    }
}

TEST(Normalization, Period) {
  auto period = [](std::vector<double> values) {
    double lo = -1, hi = -1;
    return findPeriod(values, lo, hi) ? std::pair(lo, hi) : std::pair(0.0, 0.0);
  };
  EXPECT_EQ(period({3, 0, 1, 1, 3}), std::pair(0.0, 4.0));
  EXPECT_EQ(period({5, 5, 5 + 1e-12}), std::pair(0.0, 0.0));
  // Equal to 10 decimals is equal.
  EXPECT_EQ(period({0.1 + 0.2, 0.3, 0}), std::pair(0.0, 0.6));
  EXPECT_EQ(period({1e300, 0}), std::pair(0.0, 2e300));
  // More distinct values than a batch, in falling order.
  std::vector<double> many;
  for (int i = 300000; i-- > 0;)
    many.push_back(i % 150000);
  EXPECT_EQ(period(many), std::pair(0.0, 150000.0));
}

TEST(Normalization, PerGroupWithKnotsOverAll) {
  const tamrt_input inputs[] = {
      input("x", TAMRT_RULE_RANGE), input("p", TAMRT_RULE_PERIOD, 0, 0, 10),
      input("p", TAMRT_RULE_PERIOD_AUTO), input("k", TAMRT_RULE_RANGE),
      input("d", TAMRT_RULE_LEVELS, 3)};
  tamrt_model model = modelOf(inputs, 5);
  model.group = "g";
  Result<FitData> data = fitData("g,x,p,k,d,y\n1,0,2,7,a,0\n1,10,4,7,b,0\n"
                                 "2,5,5,8,a,0\n2,5,6,8,b,0\n",
                                 model);
  ASSERT_TRUE(data.ok());
  auto norm = normalize(model, data->rows, data->levels, 1);
  ASSERT_TRUE(norm.ok());
  double block[5 * TAMRT_INPUT_PARAMETERS];
  auto expect = [&](size_t i, std::vector<double> wanted) {
    EXPECT_EQ(std::vector<double>(block + 4 * i, block + 4 * i + 4), wanted)
        << "input " << i;
  };
  norm->parameters(model, 0, block);
  expect(0, {5, 5, -1, 1});
  // x of [0, 10]: from 2 to 6 over both groups.
  expect(1, {5, 5, (2.0 - 5) / 5, (6.0 - 5) / 5});
  // 2 to 6 and the gap of 1, for both groups.
  expect(2, {4.5, 2.5, -1, (6 - 4.5) / 2.5});
  // Constant in each group: knots moved apart.
  expect(3, {7, 0.5, -1e-3, 1e-3});
  expect(4, {0, 0, 0, 0});
  norm->parameters(model, 1, block);
  expect(0, {5, 0.5, -1, 1});
  expect(2, {4.5, 2.5, -1, (6 - 4.5) / 2.5});
  expect(3, {8, 0.5, -1e-3, 1e-3});
}

TEST(Normalization, StrengthsOfPenaltiesFollowTheInputs) {
  const tamrt_input inputs[] = {input("x", TAMRT_RULE_RANGE)};
  const tamrt_penalty penalties[] = {{"offset", 0, -9, 1e-9, 300},
                                     {"x", 1, -2, 1e-2, 9.1}};
  tamrt_model model = modelOf(inputs, 1);
  model.penalty_count = 2;
  model.penalties = penalties;
  Result<FitData> data = fitData("x,y\n3,1\n5,1\n", model);
  auto norm = normalize(model, data->rows, data->levels, 1);
  ASSERT_TRUE(norm.ok());
  ASSERT_EQ(parameterCount(model), TAMRT_INPUT_PARAMETERS + 2);
  std::vector<double> block(TAMRT_INPUT_PARAMETERS + 2);
  norm->parameters(model, 0, block.data());
  EXPECT_EQ(block, (std::vector<double>{4, 1, -1, 1, 1e-9, 1e-2}));
  norm->parameters(model, 0, block.data(), std::vector<double>{2, 3});
  EXPECT_EQ(block, (std::vector<double>{4, 1, -1, 1, 2, 3}));
}

TEST(Normalization, PeriodOfOneValueIsItsRange) {
  const tamrt_input inputs[] = {input("x", TAMRT_RULE_PERIOD_AUTO)};
  tamrt_model model = modelOf(inputs, 1);
  Result<FitData> data = fitData("x,y\n3,1\n3,1\n", model);
  auto norm = normalize(model, data->rows, data->levels, 1);
  ASSERT_TRUE(norm.ok());
  EXPECT_EQ(norm->ranges, (std::vector<double>{3, 0.5}));
}

} // namespace
} // namespace tamrt::test
