//===- ExecutorTest.cpp - rungs and progress ------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Executor.h"
#include "core/model/Model.h"
#include "core/run/Progress.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <unistd.h>

namespace tamrt::test {
namespace {

std::vector<int64_t> rungs(std::vector<int64_t> ladder, int64_t groupRows,
                           int64_t chunkRows) {
  std::vector<tamrt_step> steps;
  for (int64_t rows : ladder) {
    tamrt_step step = {};
    step.kind = TAMRT_STEP_FIT_CHUNK;
    step.rung_rows = rows;
    steps.push_back(step);
  }
  tamrt_model model = {};
  model.steps = steps.data();
  model.step_count = int64_t(steps.size());
  std::vector<int64_t> rows;
  for (const tamrt_step *step :
       rungsFor(model, TAMRT_STEP_FIT_CHUNK, groupRows, chunkRows))
    rows.push_back(step->rung_rows);
  return rows;
}

using Rows = std::vector<int64_t>;

TEST(Executor, Rungs) {
  Rows ladder = {8, 4, 2, 1};
  EXPECT_EQ(rungs(ladder, 100, 0), ladder);
  // No larger than the group or the cap needs.
  EXPECT_EQ(rungs(ladder, 3, 0), (Rows{4, 2, 1}));
  EXPECT_EQ(rungs(ladder, 100, 2), (Rows{2, 1}));
  EXPECT_EQ(rungs(ladder, 100, 3), (Rows{4, 2, 1}));
  EXPECT_EQ(rungs(ladder, 1, 5), (Rows{1}));
  EXPECT_EQ(rungs({8}, 1, 1), (Rows{8}));
}

TEST(Executor, EffectOfAColumn) {
  const tamrt_effect effects[] = {{"offset", "", 0, 1, 0, 0},
                                  {"x", "", 1, 3, 0, 0}};
  tamrt_model model = {};
  model.effects = effects;
  model.effect_count = 2;
  EXPECT_EQ(effectOf(model, 0), effects);
  EXPECT_EQ(effectOf(model, 1), effects + 1);
  EXPECT_EQ(effectOf(model, 3), effects + 1);
  EXPECT_EQ(effectOf(model, 4), nullptr);
  EXPECT_EQ(effectOf(model, -1), nullptr);
}

/// The output of `use` on a terminal.
template <class Use> std::string shown(const Use &use) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  // See FakeTerminal.cpp.
  ::setenv("TAMRT_TEST_TERMINAL", std::to_string(ends[1]).c_str(), 1);
  use(ends[1]);
  ::unsetenv("TAMRT_TEST_TERMINAL");
  ::close(ends[1]);
  std::string text;
  char piece[256];
  for (ssize_t count; (count = ::read(ends[0], piece, sizeof(piece))) > 0;)
    text.append(piece, size_t(count));
  ::close(ends[0]);
  return text;
}

TEST(Progress, ShownOnATerminalAfterASecond) {
  using namespace std::chrono_literals;
  const auto now = Progress::Clock::now();
  // It has taken a second in an hour.
  EXPECT_EQ(shown([&](int terminal) {
              Progress young(terminal, "fake", now + 1h - 1s);
              young.update("fit", 1, 2);
            }),
            "");
  // Too soon for another line, unless something else keeps the processor.
  Progress::Clock::duration took;
  std::string text;
  do {
    text = shown([&](int terminal) {
      Progress old(terminal, "fake", now - 2s);
      const auto begin = Progress::Clock::now();
      old.update("fit", 1, 4);
      old.update("fit", 2, 4);
      took = Progress::Clock::now() - begin;
    });
  } while (took >= 200ms);
  EXPECT_EQ(text, "\r\033[Kfake: fit: 25%\r\033[K");
  // A pipe is no terminal.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    Progress piped(ends[1], "fake", now - 2s);
    piped.update("fit", 1, 4);
  }
  ::close(ends[1]);
  char byte;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}

} // namespace
} // namespace tamrt::test
