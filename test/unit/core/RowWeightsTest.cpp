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
#include <initializer_list>

namespace tamrt::test {
namespace {

std::optional<double> mean(std::initializer_list<double> weights) {
  CompensatedSum sum;
  for (double weight : weights)
    sum.add(weight);
  return meanOf(sum, weights.size());
}

TEST(RowWeights, MeanOfEqualWeightsIsTheWeight) {
  for (double weight : {1.0, 0.1, 1e-300, 7e300, 1.0 / 3}) {
    CompensatedSum sum;
    for (size_t rows = 1; rows <= 10000; ++rows) {
      sum.add(weight);
      ASSERT_EQ(meanOf(sum, rows), weight) << rows;
    }
  }
}

TEST(RowWeights, SumKeepsWhatRoundingLoses) {
  CompensatedSum sum;
  sum.add(1);
  for (int i = 0; i < 1 << 20; ++i)
    sum.add(0x1p-60);
  EXPECT_EQ(sum.value(), 1 + 0x1p-40);
  // The larger of the two after the smaller.
  CompensatedSum other;
  other.add(0x1p-40);
  other.add(0x1p60);
  other.add(0x1p60);
  EXPECT_EQ(other.value(), 0x1p61);
}

TEST(RowWeights, NoMean) {
  EXPECT_EQ(mean({0, 0}), std::nullopt);
  EXPECT_EQ(mean({0, 1}), 0.5);
  EXPECT_EQ(mean({DBL_MIN, DBL_MIN}), DBL_MIN);
  EXPECT_EQ(mean({DBL_MIN, 0}), std::nullopt);
  EXPECT_EQ(mean({DBL_MAX, DBL_MAX}), std::nullopt);
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
  EXPECT_EQ(error("g,x,y,w\na,1,0,1\nb,1,0,1e308\nb,1,0,1e308\n"),
            "column 'w': group 'b': expected row weights whose mean is a "
            "double of full precision; choose another unit");
}

} // namespace
} // namespace tamrt::test
