//===- RowWeightsTest.cpp - the scale of row weights ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowWeights.h"

#include "DataTest.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <initializer_list>

namespace tamrt::test {
namespace {

std::optional<double> mean(std::initializer_list<double> weights) {
  ExactSum sum;
  for (double weight : weights)
    sum.add(weight);
  return meanOf(sum, weights.size());
}

TEST(RowWeights, MeanOfEqualWeightsIsTheWeight) {
  for (double weight : {1.0, 0.1, 1e-300, 7e300, 1.0 / 3}) {
    ExactSum sum;
    for (size_t rows = 1; rows <= 10000; ++rows) {
      sum.add(weight);
      ASSERT_EQ(meanOf(sum, rows), weight) << rows;
    }
  }
}

TEST(RowWeights, SumKeepsWhatRoundingLoses) {
  ExactSum sum;
  sum.add(1);
  for (int i = 0; i < 1 << 20; ++i)
    sum.add(0x1p-60);
  EXPECT_EQ(sum.over(1), 1 + 0x1p-40);
  // However small one is, and in any order.
  ExactSum other;
  other.add(0x1p-1074);
  other.add(0x1p60);
  other.add(0x1p60);
  EXPECT_EQ(other.over(1), 0x1p61);
  EXPECT_NE(other.canonical()[0], 0u);
}

TEST(RowWeights, SumsAreRoundedOnceToEven) {
  auto over = [](std::initializer_list<double> numbers, size_t count) {
    ExactSum sum;
    for (double number : numbers)
      sum.add(number);
    return sum.over(count);
  };
  EXPECT_EQ(over({1, 0x1p-53}, 1), 1);
  EXPECT_EQ(over({1, 0x1p-53, 0x1p-1074}, 1), 1 + DBL_EPSILON);
  EXPECT_EQ(over({1 + DBL_EPSILON, 0x1p-53}, 1), 1 + 2 * DBL_EPSILON);
  EXPECT_EQ(over({1}, 3), 1.0 / 3);
  EXPECT_EQ(over({0x1p-1074}, 2), 0);
  EXPECT_EQ(over({0x1p-1074, 0x1p-1074, 0x1p-1074}, 2), 0x1p-1073);
  EXPECT_EQ(over({DBL_MAX, DBL_MAX}, 1), HUGE_VAL);
  EXPECT_EQ(over({DBL_MAX, DBL_MAX}, 2), DBL_MAX);
  // 2 - 2^-53 is not a double, and rounds up to another power of 2.
  EXPECT_EQ(over({1, 1 - 0x1p-53}, 1), 2);
}

TEST(RowWeights, SumsOfPartsAreThatOfAll) {
  ExactSum all, first, second;
  double number = 1;
  for (int i = 0; i < 3000; ++i) {
    number = number > 1e250 ? 1e-300 : number * 1.7;
    all.add(number);
    (i % 3 == 0 ? first : second).add(number);
  }
  second.add(first);
  EXPECT_EQ(second.canonical(), all.canonical());
  EXPECT_EQ(ExactSum::of(all.canonical()).over(7), second.over(7));
  EXPECT_FALSE(all.isZero());
  EXPECT_TRUE(ExactSum().isZero());
}

TEST(RowWeights, NoMean) {
  EXPECT_EQ(mean({0, 0}), std::nullopt);
  EXPECT_EQ(mean({0, 1}), 0.5);
  EXPECT_EQ(mean({DBL_MIN, DBL_MIN}), DBL_MIN);
  EXPECT_EQ(mean({DBL_MIN, 0}), std::nullopt);
  EXPECT_EQ(mean({DBL_MAX, DBL_MAX}), DBL_MAX);
}

TEST(RowWeights, AreDividedByTheMeanOfTheGroup) {
  const tamrt_input inputs[] = {input("x", TAMRT_RULE_RANGE),
                                input("w", TAMRT_RULE_RANGE)};
  for (size_t count : {1, 2}) {
    tamrt_model model = modelOf(inputs, count);
    model.group = "g";
    model.weights = "w";
    Result<FitData> data =
        fitData("g,x,y,w\nb,1,0,8\na,1,0,3\nb,1,0,0\na,1,0,1\n", model);
    ASSERT_TRUE(data.ok()) << data.error().message;
    Dataset &rows = data->rows;
    ASSERT_TRUE(rows.scaleWeights().ok());
    const double scaled[] = {1.5, 0.5, 2, 0}, read[] = {3, 1, 8, 0};
    for (size_t row = 0; row < 4; ++row) {
      EXPECT_EQ(rows.weights()[row], scaled[row]);
      // The term that reads the column still has it as it was read.
      if (count == 2) {
        EXPECT_EQ(rows.numbers(1)[row], read[row]);
      }
    }
  }
}

TEST(RowWeights, PartsAreDividedByTheMeansOfAllRows) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.group = "g";
  model.weights = "w";
  Result<FitData> data = fitData("g,x,y,w\nb,1,0,8\nb,1,0,2\na,1,0,3\n", model);
  ASSERT_TRUE(data.ok());
  const double means[] = {6, 4};
  data->rows.divideWeights(means);
  EXPECT_EQ(data->rows.weights()[0], 0.5);
  EXPECT_EQ(data->rows.weights()[1], 2);
  EXPECT_EQ(data->rows.weights()[2], 0.5);
}

TEST(RowWeights, ErrorsNameColumnAndGroup) {
  tamrt_input x = input("x", TAMRT_RULE_RANGE);
  tamrt_model model = modelOf(&x, 1);
  model.weights = "w";
  auto error = [&](std::string_view text) {
    Status scaled = fitData(text, model)->rows.scaleWeights();
    return scaled.ok() ? "" : scaled.error().message;
  };
  EXPECT_EQ(error("g,x,y,w\na,1,0,0\na,1,0,0\n"),
            "column 'w': expected a row weight above 0, got none");
  model.group = "g";
  EXPECT_EQ(error("g,x,y,w\na,1,0,1\nb,1,0,0\n"),
            "column 'w': group 'b': expected a row weight above 0, got none");
  EXPECT_EQ(error("g,x,y,w\na,1,0,1\nb,1,0,1e-320\nb,1,0,0\n"),
            "column 'w': group 'b': expected row weights whose mean is a "
            "double of full precision; choose another unit");
}

} // namespace
} // namespace tamrt::test
