//===- InferenceTest.cpp - fit --inference, and what reads it -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LearnedModel.h"
#include "ModelRun.h"
#include "support/WholeTable.h"

#include <cmath>
#include <numbers>

namespace tamrt::test {
namespace {

/// Rows of two groups; y is not a sum of effects.
std::string trainingData(int rows) {
  std::string text = "g,t,x,d,y,w\n";
  for (int i = 0; i < rows; ++i) {
    const double x = (i * 37 % 100) / 10.0;
    text += std::to_string(i % 2) + "," + std::to_string(i) + "," +
            std::to_string(x) + "," + "abc"[i * 7 % 5 % 3] + "," +
            std::to_string(2 * x + std::sin(i)) + "," +
            std::to_string(1 + i % 3) + "\n";
  }
  return text;
}

class InferenceRun : public RunTest {
protected:
  /// Fits with inference and `options` to the file "w".
  std::string fit(FakeModel &model, const std::string &train,
                  std::vector<std::string> options = {}) {
    options.insert(options.begin(),
                   {"fit", train, "-o", path("w"), "--inference"});
    const Outcome outcome = run(model, options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return contents(path("w"));
  }
  /// The columns of a prediction with "w", by name.
  std::vector<std::vector<double>>
  predict(FakeModel &model, std::vector<std::string> options,
          const std::vector<std::string> &names) {
    options.insert(options.begin() + 1, {path("train.csv"), "--weights",
                                         path("w"), "-o", path("p")});
    const Outcome outcome = run(model, options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    auto table = WholeTable::open(path("p"));
    EXPECT_TRUE(table.ok());
    EXPECT_EQ(table->names(), names);
    std::vector<std::vector<double>> columns;
    for (size_t i = 0; i < names.size() && table->names() == names; ++i)
      columns.push_back(*table->numbers(i));
    return columns;
  }
};

TEST_F(InferenceRun, BytesDependOnTheRowsAlone) {
  FakeModel model;
  const std::string train = write("train.csv", trainingData(90));
  for (const char *weights : {static_cast<const char *>(nullptr), "w"}) {
    model.weights = weights;
    const std::string all = fit(model, train);
    EXPECT_NE(all.find("inference.covariance"), std::string::npos);
    for (const std::vector<std::string> &options :
         {std::vector<std::string>{"--threads=1"},
          {"--threads=3", "--chunk-rows=3"},
          {"--stream"},
          {"--stream", "--threads=1", "--chunk-rows=1"}})
      EXPECT_TRUE(fit(model, train, options) == all) << options.back();
    const std::string with =
        run(model, {"coefficients", "--weights", path("w")}).out;
    ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
    EXPECT_EQ(run(model, {"coefficients", "--weights", path("w")}).out, with);
  }
}

TEST_F(InferenceRun, RowsWithATablesAndACarry) {
  LearnedModel model;
  const std::string train = write("train.csv", trainingData(200));
  const std::string all = fit(model, train);
  for (const char *option : {"--threads=1", "--chunk-rows=3"})
    EXPECT_TRUE(fit(model, train, {option}) == all) << option;
}

// The interval at a level contains the noise, the error of the prediction's
// mean not.
TEST_F(InferenceRun, IntervalsFollowFromErrors) {
  FakeModel model;
  fit(model, write("train.csv", trainingData(90)));
  const auto columns =
      predict(model, {"predict", "--se", "--interval=0.5,.975"},
              {"g", "prediction", "se", "lower_50", "upper_50", "lower_97.5",
               "upper_97.5"});
  ASSERT_EQ(columns.size(), 7u);
  for (size_t row = 0; row < columns[0].size(); ++row) {
    const double y = columns[1][row], se = columns[2][row],
                 narrow = (columns[4][row] - columns[3][row]) / 2,
                 wide = (columns[6][row] - columns[5][row]) / 2;
    EXPECT_GT(se, 0);
    EXPECT_GT(narrow, se / 2);
    EXPECT_NEAR(columns[4][row] + columns[3][row], 2 * y, 1e-12 * std::fabs(y));
    // The quantiles of the normal distribution.
    EXPECT_NEAR(wide / narrow, 2.2414027276049473 / 0.6744897501960817, 1e-10);
    EXPECT_NEAR(
        std::erf(wide / narrow * 0.6744897501960817 / std::numbers::sqrt2),
        0.975, 1e-12);
  }
}

TEST_F(InferenceRun, CentredEffectsAddUpToThePrediction) {
  FakeModel model;
  fit(model, write("train.csv", trainingData(90)));
  const auto predictions = predict(model, {"predict"}, {"g", "prediction"});
  const auto effects =
      predict(model, {"decompose", "--se"},
              {"g", "offset", "x", "d", "se_offset", "se_x", "se_d"});
  ASSERT_EQ(effects.size(), 7u);
  double sums[2][3] = {};
  for (size_t row = 0; row < effects[0].size(); ++row) {
    EXPECT_NEAR(effects[1][row] + effects[2][row] + effects[3][row],
                predictions[1][row], 1e-12);
    for (size_t e = 0; e < 3; ++e) {
      sums[size_t(effects[0][row])][e] += effects[1 + e][row];
      EXPECT_GT(effects[4 + e][row], 0);
    }
  }
  for (const double(&group)[3] : sums)
    for (size_t e = 1; e < 3; ++e)
      EXPECT_NEAR(group[e], 0, 1e-9);
}

TEST_F(InferenceRun, SummaryOfGroupsAndEffects) {
  FakeModel model;
  fit(model, write("train.csv", trainingData(90)));
  const std::string text = run(model, {"summary", "--weights", path("w")}).out;
  for (const char *part : {"y ~ l(x) + c(d)\n", "\nall ", "sigma", "acf1",
                           "edf, sd and share: means over 2 groups", "\nd "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const std::string json =
      run(model, {"summary", "--weights", path("w"), "--format=json"}).out;
  EXPECT_NE(json.find("\"all\":{\"rows\":90,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"log_determinant\":"), std::string::npos) << json;
  model.group = nullptr;
  fit(model, path("train.csv"));
  EXPECT_EQ(run(model, {"summary", "--weights", path("w")}).out.find("\nall "),
            std::string::npos);
}

TEST_F(InferenceRun, WhatIsMissing) {
  FakeModel model;
  const std::string train = write("train.csv", trainingData(90));
  auto expectError = [&](std::vector<std::string> arguments,
                         const char *message) {
    const Outcome outcome = run(model, std::move(arguments));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  const char *none = "w: expected weights with inference, got none; fit again "
                     "with --inference";
  expectError({"predict", train, "--weights", path("w"), "--se"}, none);
  expectError({"predict", train, "--weights", path("w"), "--interval=0.9"},
              none);
  expectError({"decompose", train, "--weights", path("w"), "--se"}, none);
  expectError({"coefficients", "--weights", path("w"), "--se"}, none);
  expectError({"summary", "--weights", path("w")}, none);
  fit(model, train);
  expectError(
      {"predict", train, "--weights", path("w"), "--interval=1"},
      "expected levels between 0 and 1 in digits, such as 0.9, got '1'");
  expectError({"predict", train, "--weights", path("w"), "--type=terms",
               "--interval=0.5"},
              "expected --interval with --type=response, got terms");
  expectError(
      {"predict", train, "--weights", path("w"), "--type=design", "--se"},
      "expected --se with --type=response or terms, got design");
}

} // namespace
} // namespace tamrt::test
