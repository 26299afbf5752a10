//===- PlanTableTest.cpp - the memory plan as text ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/plan_table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tamrt::test {
namespace {

const char *const kTexts[] = {"tam.linear", "x",      "l(x)",
                              "l(x,\"a\")", "values", "z"};

const tamrt_buffer kBuffers[] = {
    {1, 0, 2, 2048, 0, 0, 2},
    {4, 0, 3, 64, 2048, 1, 3},
};
const tamrt_step kSteps[] = {
    {TAMRT_STEP_FIT_INIT, 1, 0, 0, "fit_init", 0, 0, 0, 0, "tree", nullptr, 0,
     nullptr, nullptr},
    {TAMRT_STEP_FIT_CHUNK, 3, 0, 0, "fit_chunk_256", 256, 2112, 2112, 2200,
     "tree", nullptr, 2, kBuffers, nullptr},
};

// The largest rung of a step buffer by buffer, all of them in a table.
const tamrt_buffer kSmall[] = {
    {1, 0, 2, 100, 0, 0, 2},
    {4, 0, 2, 8, 128, 1, 3},
    {5, 0, 2, 65, 0, 2, 3},
};
const tamrt_step kRungs[] = {
    kSteps[0],
    kSteps[1],
    {TAMRT_STEP_FIT_CHUNK, 3, 0, 0, "fit_chunk_1", 1, 192, 108, 256, "tree",
     nullptr, 3, kSmall, nullptr},
    {TAMRT_STEP_PREDICT, 1, 0, 0, "predict_1", 1, 0, 0, 0, "tree", nullptr, 0,
     nullptr, nullptr},
};

TEST(PlanTable, RungsStandInOneTable) {
  const std::string first = "step fit_init: 1 launch, strategy tree\n"
                            "arena 0 bytes, lower bound 0, naive 0\n"
                            "\n";
  const std::string predict = "step predict_1: 1 row, 1 launch, strategy tree\n"
                              "arena 0 bytes, lower bound 0, naive 0\n"
                              "\n";
  const std::string table =
      "step           rows  arena  lower bound  peak  naive\n"
      "fit_init          -      0            0     0      0\n"
      "fit_chunk_256   256   2112         2112  2112   2200\n"
      "fit_chunk_1       1    192          108   192    256\n"
      "predict_1         1      0            0     0      0\n";
  std::string large = formatPlan({{&kSteps[1], 1}, kTexts}, PlanFormat::Text);
  large.resize(large.find("\n\n") + 2);
  std::string small = formatPlan({{&kRungs[2], 1}, kTexts}, PlanFormat::Text);
  small.resize(small.find("\n\n") + 2);
  EXPECT_EQ(formatPlan({kRungs, kTexts}, PlanFormat::Text),
            first + large + predict + table);
  EXPECT_EQ(formatPlan({kRungs, kTexts}, PlanFormat::Text, PlanScope::AllRungs),
            first + large + small + predict + table);
  EXPECT_EQ(drawPlan({kRungs, kTexts}).find("fit_chunk_1:"), std::string::npos);
  EXPECT_NE(
      drawPlan({kRungs, kTexts}, PlanScope::AllRungs).find("fit_chunk_1:"),
      std::string::npos);
  // The forms for programs are complete.
  for (PlanFormat format : {PlanFormat::Csv, PlanFormat::Json})
    EXPECT_EQ(formatPlan({kRungs, kTexts}, format),
              formatPlan({kRungs, kTexts}, format, PlanScope::AllRungs));
}

TEST(PlanTable, Text) {
  EXPECT_EQ(formatPlan({kSteps, kTexts}, PlanFormat::Text),
            "step fit_init: 1 launch, strategy tree\n"
            "arena 0 bytes, lower bound 0, naive 0\n"
            "\n"
            "step fit_chunk_256: 256 rows, 3 launches, strategy tree\n"
            "arena 2112 bytes, lower bound 2112, naive 2200\n"
            "buffer  op          term      bytes  live    offset\n"
            "x       tam.linear  l(x)       2048  [0, 2)       0\n"
            "values  tam.linear  l(x,\"a\")     64  [1, 3)    2048\n"
            "\n"
            "step           rows  arena  lower bound  peak  naive\n"
            "fit_init          -      0            0     0      0\n"
            "fit_chunk_256   256   2112         2112  2112   2200\n");
}

TEST(PlanTable, Csv) {
  EXPECT_EQ(formatPlan({kSteps, kTexts}, PlanFormat::Csv),
            "step,rung,launches,strategy,arena,lower_bound,naive,buffer,op,"
            "term,bytes,first,last,offset\n"
            "fit_init,0,1,tree,0,0,0,,,,,,,\n"
            "fit_chunk_256,256,3,tree,2112,2112,2200,x,tam.linear,l(x),2048,0,"
            "2,0\n"
            "fit_chunk_256,256,3,tree,2112,2112,2200,values,tam.linear,"
            "\"l(x,\"\"a\"\")\",64,1,3,2048\n");
}

TEST(PlanTable, Json) {
  std::string text = formatPlan({kSteps, kTexts}, PlanFormat::Json);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  auto plan = nlohmann::ordered_json::parse(text);
  // Keys in the order the header states, no blanks.
  EXPECT_EQ(plan.dump() + "\n", text);
  auto &step = plan["steps"][1];
  EXPECT_EQ(step["step"], "fit_chunk_256");
  EXPECT_EQ(step["rung"], 256);
  EXPECT_EQ(step["arena"], 2112);
  EXPECT_EQ(step["lower_bound"], 2112);
  EXPECT_EQ(step["naive"], 2200);
  EXPECT_EQ(step["buffers"][1]["term"], "l(x,\"a\")");
  EXPECT_EQ(step["buffers"][1]["offset"], 2048);
  EXPECT_EQ(plan["steps"][0]["buffers"].size(), 0u);
  // Control characters and backslashes survive.
  const char *const texts[] = {"a\tb\\", "op", ""};
  const tamrt_buffer odd = {0, 1, 2, 64, 0, 0, 1};
  tamrt_step odder = kSteps[1];
  odder.buffers = &odd;
  odder.buffer_count = 1;
  auto read =
      nlohmann::json::parse(formatPlan({{&odder, 1}, texts}, PlanFormat::Json));
  EXPECT_EQ(read["steps"][0]["buffers"][0]["buffer"], "a\tb\\");
}

TEST(PlanTable, Drawing) {
  // A sixteenth of the arena is 132 bytes, rounded up to 192: eleven lines of
  // the one buffer and one that the other shares.
  std::string picture = drawPlan({{&kSteps[1], 1}, kTexts});
  EXPECT_EQ(picture, "step fit_chunk_256: 256 rows, 3 launches, strategy tree\n"
                     "arena 2112 bytes, lower bound 2112, naive 2200\n"
                     "2112 |abb\n"
                     "     |aa.\n     |aa.\n     |aa.\n     |aa.\n     |aa.\n"
                     "     |aa.\n     |aa.\n     |aa.\n     |aa.\n     |aa.\n"
                     "   0 +---\n"
                     "      0 to 3, 1 launch and 192 bytes a character\n"
                     "a x  tam.linear  l(x)\n"
                     "b values  tam.linear  l(x,\"a\")\n");
}

TEST(PlanTable, DrawingOfALongStep) {
  std::vector<tamrt_buffer> buffers;
  const char *const texts[] = {"b", "op", ""};
  for (int64_t i = 0; i < 200; ++i)
    buffers.push_back({0, 1, 2, 64, 64 * i, i, i + 1});
  tamrt_step step = {TAMRT_STEP_FIT_CHUNK,
                     200,
                     0,
                     0,
                     "long",
                     1,
                     64 * 200,
                     64,
                     64 * 200,
                     "naive",
                     nullptr,
                     200,
                     buffers.data(),
                     nullptr};
  std::string picture = drawPlan({{&step, 1}, texts});
  size_t widest = 0, start = 0;
  for (size_t end; (end = picture.find('\n', start)) != std::string::npos;
       start = end + 1)
    widest = std::max(widest, end - start);
  EXPECT_LE(widest, 80u);
  EXPECT_NE(picture.find("4 launches and 832 bytes a character"),
            std::string::npos)
      << picture;
}

} // namespace
} // namespace tamrt::test
