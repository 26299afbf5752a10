//===- InfoTest.cpp - info, plan and help ---------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelRun.h"

#include "app/Commands.h"
#include "tamrt/plan_table.h"

#include <nlohmann/json.hpp>

namespace tamrt::test {
namespace {

TEST(Info, SaysWhatTheModelNeeds) {
  FakeModel model;
  Outcome text = run(model, {"info"});
  ASSERT_EQ(text.status, 0) << text.err;
  for (const char *part :
       {"model: fake\n", "formula: y ~ l(x) + c(d)\n", "group: g\n",
        "weights: none\n", "columns of the design: 5\n",
        "of them as launch tables\n", "tamc: 0.1.0\n", "llvm: 22.1.8\n",
        "device: auto\n", "  d           2        3\n",
        "spec:\n  formula: y ~ l(x) + c(d)\n", "constant"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << text.out;

  Outcome json = run(model, {"info", "--format=json"});
  ASSERT_EQ(json.status, 0) << json.err;
  auto info = nlohmann::json::parse(json.out);
  EXPECT_EQ(info["columns"], 5);
  EXPECT_EQ(info["steps_as_launch_tables"], 0);
  EXPECT_EQ(info["weights"], nullptr);
  auto &rung = info["rungs"][0];
  EXPECT_EQ(rung["use"], "fit");
  EXPECT_EQ(rung["rows"], 8);
  // 8 rows of 5 doubles; 30 doubles of state; 5 coefficients; 2 blocks of 4.
  EXPECT_EQ(rung["arena"], 320);
  EXPECT_EQ(rung["state"], 256);
  EXPECT_EQ(rung["output"], 64);
  EXPECT_EQ(rung["parameters"], 64);
  EXPECT_EQ(rung["total"], 320 + 256 + 64 + 64);
  EXPECT_EQ(info["rungs"].size(), 16u);
}

TEST(Info, Plan) {
  FakeModel model;
  const tamrt_model &compiled = model.get();
  const PlannedSteps steps = {{compiled.steps, size_t(compiled.step_count)},
                              compiled.plan_texts};
  EXPECT_EQ(run(model, {"plan"}).out, formatPlan(steps, PlanFormat::Text));
  EXPECT_EQ(run(model, {"plan", "--format=csv"}).out,
            formatPlan(steps, PlanFormat::Csv));
  EXPECT_EQ(run(model, {"plan", "--format", "json"}).out,
            formatPlan(steps, PlanFormat::Json));
  EXPECT_EQ(run(model, {"plan", "--draw"}).out, drawPlan(steps));
  EXPECT_EQ(run(model, {"plan", "--all-rungs"}).out,
            formatPlan(steps, PlanFormat::Text, PlanScope::AllRungs));
  EXPECT_EQ(run(model, {"plan", "--all-rungs", "--draw"}).out,
            drawPlan(steps, PlanScope::AllRungs));
  EXPECT_NE(run(model, {"plan", "--all-rungs"}).out, run(model, {"plan"}).out);
  EXPECT_EQ(run(model, {"plan", "--draw", "--format=json"}).status, 1);
}

TEST(Info, Help) {
  FakeModel model;
  Outcome help = run(model, {"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char *command :
       {"fit", "predict", "decompose", "coefficients", "summary", "plot",
        "plan", "info", "y ~ l(x) + c(d)"})
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
  Outcome fit = run(model, {"fit", "--help"});
  EXPECT_EQ(fit.status, 0);
  EXPECT_NE(fit.out.find("--drop-missing"), std::string::npos) << fit.out;
  EXPECT_NE(fit.out.find("fake fit [OPTIONS] TRAIN.csv"), std::string::npos)
      << fit.out;
  EXPECT_EQ(run(model, {"--version"}).out, "fake (tamc 0.1.0, LLVM 22.1.8)\n");
}

TEST(UniqueNames, AvoidKeysAndEachOther) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(uniqueNames({"g", "t"}, {"a", "b"}), (Names{"a", "b"}));
  EXPECT_EQ(uniqueNames({"a", "t"}, {"a", "b"}), (Names{"a_2", "b"}));
  EXPECT_EQ(uniqueNames({"a", "a_2"}, {"a", "a_3", "a_2"}),
            (Names{"a_4", "a_3", "a_2_2"}));
}

TEST(Info, MemoryMayHaveAFraction) {
  FakeModel model;
  auto first = [&](const char *memory) {
    Outcome outcome = run(model, {"plan", "--memory", memory});
    return outcome.status == 0 ? outcome.out.substr(0, outcome.out.find('\n'))
                               : outcome.err;
  };
  EXPECT_EQ(first("1.5G"), "memory: 1610612736 bytes");
  EXPECT_EQ(first(".5GiB"), "memory: 536870912 bytes");
  EXPECT_EQ(first("8388607T"), "memory: 9223370937343148032 bytes");
  for (const char *bad : {"1.5", "0.0001K", "1.2.3G", ".G", "2.M", "G", "1.5g",
                          "-1G", "8388608T", "1e3M", ""})
    EXPECT_NE(first(bad).find("a number of bytes such as 512M or 1.5G"),
              std::string::npos)
        << bad;
}

} // namespace
} // namespace tamrt::test
