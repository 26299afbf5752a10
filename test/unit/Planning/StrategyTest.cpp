//===- Planning/StrategyTest.cpp - what plan() says -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Strategy.h"

#include "Support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace tamc::planning;

namespace {

Plan run(const Problem &problem, const char *strategy, int64_t alignment = 1) {
  Options options;
  options.strategy = strategy;
  options.alignment = alignment;
  options.nodes = 2000;
  return plan(problem, options);
}

/// Every strategy reports that the problem has no plan, with the reason.
void expectInfeasible(const Problem &problem, std::string_view reason) {
  for (const Strategy &strategy : strategies()) {
    Plan plan = run(problem, strategy.name.data());
    EXPECT_EQ(plan.status, Status::Infeasible) << strategy.name;
    EXPECT_EQ(plan.reason, reason) << strategy.name;
  }
}

TEST(Strategy, RegistryKnowsItsMembers) {
  EXPECT_NE(findStrategy("naive"), nullptr);
  EXPECT_EQ(findStrategy("magic"), nullptr);
  Plan plan = run({}, "magic");
  EXPECT_EQ(plan.status, Status::Invalid);
  EXPECT_EQ(plan.reason, "unknown strategy 'magic'");
}

TEST(Strategy, NaiveStacksEverything) {
  Problem problem;
  addBuffer(problem, 0, 1, 10);
  addBuffer(problem, 1, 2, 20);
  Plan plan = run(problem, "naive", 16);
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 16}));
  EXPECT_EQ(plan.totalPeak(), 36);
  EXPECT_EQ(plan.totalBound(), 20);
  EXPECT_EQ(plan.status, Status::Feasible);
  EXPECT_DOUBLE_EQ(plan.gap(), 0.8);
}

TEST(Strategy, AnEmptyProblemIsOptimalForAll) {
  for (const Strategy &strategy : strategies()) {
    Plan plan = run({}, strategy.name.data());
    EXPECT_EQ(plan.status, Status::Optimal) << strategy.name;
    EXPECT_EQ(plan.totalPeak(), 0);
  }
}

TEST(Strategy, BelowTheBoundIsInfeasibleWithTheReason) {
  Problem problem;
  addBuffer(problem, 0, 3, 10, "a");
  addBuffer(problem, 2, 5, 20, "b");
  problem.spaces[0] = {"sram", 29, 1};
  expectInfeasible(problem,
                   "at time 2 at least 30 bytes are needed, 1 byte over the "
                   "capacity of space 'sram' of 29 bytes; alive are 'b' (20), "
                   "'a' (10)");
}

TEST(Strategy, AboveTheBoundItIsNotFoundOnly) {
  Problem problem;
  addBuffer(problem, 0, 1, 10);
  addBuffer(problem, 1, 2, 20);
  problem.spaces[0].capacity = 25;
  Plan plan = run(problem, "naive");
  EXPECT_EQ(plan.status, Status::NotFound);
  EXPECT_EQ(plan.reason, "the best plan found needs 30 bytes, 5 bytes over "
                         "the capacity of 25 bytes; the bound is 20 bytes");
}

TEST(Strategy, PinsThatExcludeEachOther) {
  Problem problem;
  addBuffer(problem, 0, 2, 10, "a");
  addBuffer(problem, 1, 2, 20, "b");
  problem.buffers[0].pin = 0;
  problem.buffers[1].pin = 8;
  expectInfeasible(
      problem, "two pins exclude each other: buffers 'a' at 0 of 10 bytes and "
               "'b' at 8 of 20 bytes overlap at time 1");
}

TEST(Strategy, APinBeyondTheCapacityIsInfeasible) {
  Problem problem;
  addBuffer(problem, 0, 2, 10, "a");
  addBuffer(problem, 1, 2, 8, "b");
  problem.buffers[0].pin = 20;
  problem.spaces[0].capacity = 29;
  expectInfeasible(problem, "the pin of buffer 'a' ends at 30, 1 byte over the "
                            "capacity of 29 bytes");
  problem.spaces[0].capacity = 30;
  for (const Strategy &strategy : strategies())
    EXPECT_NE(run(problem, strategy.name.data()).status, Status::Infeasible)
        << strategy.name;
  // Of a space with a name, and by the pin of another one of its class.
  problem.spaces[0].name = "sram";
  problem.spaces[0].capacity = 9;
  problem.buffers[0].pin = 0;
  problem.buffers[0].size = 1;
  problem.buffers[0].aliasClass = problem.buffers[1].aliasClass = 3;
  problem.buffers[1].size = 10;
  expectInfeasible(problem, "the pin of buffer 'b' ends at 10, 1 byte over the "
                            "capacity of space 'sram' of 9 bytes");
}

/// A buffer that never lives, or has no bytes, blocks no other and needs no
/// capacity, wherever it is pinned.
TEST(Strategy, AnEmptyLifeIsNone) {
  Problem problem;
  addBuffer(problem, 0, 2, 10, "a");
  addBuffer(problem, 1, 1, 100, "empty");
  addBuffer(problem, 0, 2, 100, "unused");
  addBuffer(problem, 0, 2, 100, "never");
  problem.buffers[0].pin = problem.buffers[1].pin = 0;
  problem.buffers[2].pin = problem.buffers[3].pin = 0;
  problem.buffers[2].live.clear();
  problem.buffers[2].windows = {{{0, 2}, 5, 5}};
  problem.buffers[3].live.clear();
  problem.spaces[0].capacity = 10;
  for (const Strategy &strategy : strategies()) {
    Plan plan = run(problem, strategy.name.data());
    // The allocators round up, and pools account for what is never used.
    EXPECT_NE(plan.status, Status::Infeasible) << strategy.name;
    EXPECT_EQ(plan.totalBound(), 10) << strategy.name;
    EXPECT_EQ(plan.totalPeak(), 10) << strategy.name;
    EXPECT_EQ(plan.status, Status::Optimal)
        << strategy.name << ": " << plan.reason;
  }
}

/// One buffer may have all bytes that there are.
TEST(Strategy, TheLargestSizeHasAPlan) {
  Problem problem;
  addBuffer(problem, 0, 1, INT64_MAX);
  addBuffer(problem, 1, 2, 1);
  for (const Strategy &strategy : strategies()) {
    Plan plan = run(problem, strategy.name.data());
    if (strategy.name == "bfc" || strategy.name == "caching" ||
        strategy.name == "naive" || strategy.name == "reuse") {
      // They round up, or do not share these bytes.
      EXPECT_EQ(plan.status, Status::NotFound) << strategy.name;
      continue;
    }
    EXPECT_EQ(plan.status, Status::Optimal) << strategy.name;
    EXPECT_EQ(plan.totalPeak(), INT64_MAX) << strategy.name;
  }
}

/// Even without time, 10^5 buffers are not stacked one above another.
TEST(Strategy, AnEndOfTimeLeavesNoPile) {
  std::mt19937_64 random(8);
  Problem problem;
  for (int64_t i = 0; i < 100000; ++i) {
    auto life = static_cast<int64_t>(
        random() % 10 ? 1 + random() % 20
                      : std::pow(100000.0, double(random() % 1000) / 1000));
    addBuffer(problem, i, i + life, 1 + static_cast<int64_t>(random() % 99999));
  }
  Problem pinned = problem, aligned = problem, classes = problem;
  pinned.buffers[500].pin = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    aligned.buffers[i].alignment = int64_t(1) << i % 7;
  for (size_t i = 0; i < problem.buffers.size(); i += 5)
    classes.buffers[i].aliasClass = static_cast<int32_t>(i / 10);
  for (const Problem *each : {&problem, &pinned, &aligned, &classes})
    for (const char *strategy : {"auto", "search", "skyline", "exact"}) {
      Options options;
      options.strategy = strategy;
      options.timeLimit = 0;
      Plan plan = tamc::planning::plan(*each, options);
      EXPECT_TRUE(plan.fits());
      EXPECT_LT(plan.gap(), 0.25) << strategy;
    }
}

TEST(Strategy, APinIsThatOfItsClass) {
  Problem problem;
  addBuffer(problem, 1, 9, 10, "a");
  addBuffer(problem, 20, 30, 10, "b");
  addBuffer(problem, 0, 9, 10, "c");
  problem.buffers[0].pin = 8;
  problem.buffers[1].pin = 0;
  problem.buffers[1].aliasClass = problem.buffers[2].aliasClass = 0;
  expectInfeasible(
      problem, "two pins exclude each other: buffers 'c' at 0 of 10 bytes and "
               "'a' at 8 of 10 bytes overlap at time 1");
}

TEST(Strategy, SizesUpToTheLimit) {
  // The sum wraps, the load does not: never a wrong plan.
  Problem problem;
  int64_t half = int64_t(1) << 62;
  addBuffer(problem, 0, 1, half);
  addBuffer(problem, 1, 2, half);
  addBuffer(problem, 1, 2, half - 1);
  for (const Strategy &strategy : strategies()) {
    Plan plan = run(problem, strategy.name.data());
    if (plan.fits())
      EXPECT_EQ(plan.totalPeak(), INT64_MAX) << strategy.name;
    else
      EXPECT_EQ(plan.status, Status::NotFound) << strategy.name;
  }
  addBuffer(problem, 1, 2, 1);
  for (const Strategy &strategy : strategies())
    EXPECT_EQ(run(problem, strategy.name.data()).status, Status::Infeasible);
}

TEST(Strategy, EachSpaceIsPlannedOnItsOwn) {
  Problem problem;
  addBuffer(problem, 0, 2, 10);
  addBuffer(problem, 0, 2, 20);
  problem.spaces.resize(2);
  problem.buffers[1].space = 1;
  for (const Strategy &strategy : strategies()) {
    Plan plan = run(problem, strategy.name.data());
    EXPECT_EQ(plan.peak, (std::vector<int64_t>{10, 20})) << strategy.name;
    EXPECT_EQ(plan.status, Status::Optimal);
  }
}

TEST(Strategy, IsDeterministic) {
  Problem problem = test::load("minimalloc/C.1048576");
  for (const Strategy &strategy : strategies())
    EXPECT_EQ(run(problem, strategy.name.data(), 64).offsets,
              run(problem, strategy.name.data(), 64).offsets)
        << strategy.name;
}

TEST(Strategy, TreePlusHalvesTheGap) {
  Problem problem;
  addBuffer(problem, 0, 1, 128);
  addBuffer(problem, 1, 3, 64);
  addBuffer(problem, 2, 4, 64);
  addBuffer(problem, 3, 6, 64);
  EXPECT_EQ(run(problem, "tree+", 64).totalPeak(), 128);
  double tree = 0, plus = 0;
  for (const std::string &name : test::problemsOf("glow")) {
    tree += run(test::load(name), "tree").gap();
    plus += run(test::load(name), "tree+").gap();
  }
  EXPECT_LT(plus, tree / 2);
}

TEST(Strategy, AutoIsOptimalOnPublicInstances) {
  std::vector<std::string> names = test::problemsOf("glow");
  for (const char *folder : {"minimalloc", "tvm"})
    for (const std::string &name : test::problemsOf(folder))
      names.push_back(name);
  names.push_back("large/resnet50");
  for (const std::string &name : names) {
    Options options;
    options.strategy = "auto";
    options.timeLimit = 60;
    Plan made = plan(test::load(name), options);
    EXPECT_EQ(made.status, Status::Optimal) << name;
    EXPECT_EQ(made.totalPeak(), made.totalBound()) << name;
  }
}

/// 28,526 buffers, of which 2,576 are alive at once without a byte to
/// spare.
TEST(Strategy, AutoIsOptimalOnACrowd) {
  Problem problem = test::load("large/S_1");
  for (uint64_t seed : {1, 2, 3}) {
    Options options;
    options.nodes = 3000000;
    options.seed = seed;
    Plan plan = tamc::planning::plan(problem, options);
    EXPECT_EQ(plan.peak, std::vector<int64_t>{1498635932}) << seed;
    EXPECT_EQ(plan.status, Status::Optimal) << seed;
  }
}

} // namespace
