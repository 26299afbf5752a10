//===- Planning/PlanCacheTest.cpp - equal problems, one plan --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/PlanCache.h"

#include "Support.h"

#include <gtest/gtest.h>

using namespace tamc::planning;

static Problem times(Problem problem, int64_t unit) {
  for (Buffer &buffer : problem.buffers)
    buffer.size *= unit;
  return problem;
}

static std::vector<int64_t> times(std::vector<int64_t> numbers, int64_t unit) {
  for (int64_t &number : numbers)
    number *= unit;
  return numbers;
}

static Options optionsOf(std::string_view strategy, int64_t alignment) {
  Options options;
  options.strategy = strategy;
  options.alignment = alignment;
  options.threads = 1;
  options.nodes = 2000;
  return options;
}

/// Random problems of several spaces and lives with gaps.
static std::vector<Problem> problems() {
  std::mt19937_64 random(20);
  test::Kinds kinds;
  kinds.buffers = 12;
  kinds.gaps = kinds.spaces = true;
  std::vector<Problem> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back(test::randomProblem(random, kinds));
    for (Buffer &buffer : all.back().buffers)
      buffer.hint.reset();
  }
  return all;
}

TEST(PlanCache, StrategiesScaleIfTheySaySo) {
  std::vector<Problem> all = problems();
  for (const Strategy &strategy : strategies()) {
    bool scales = true;
    for (const Problem &problem : all) {
      Options options = optionsOf(strategy.name, 64);
      Plan one = plan(times(problem, 64), options),
           many = plan(times(problem, 64 * 37), options);
      scales &= many.offsets == times(one.offsets, 37) &&
                many.peak == times(one.peak, 37) &&
                many.bound == times(one.bound, 37);
    }
    // The replays of allocators round sizes as these do.
    EXPECT_EQ(scales, (strategy.traits & kScales) != 0) << strategy.name;
  }
}

TEST(PlanCache, GivesThePlanOfTheProblem) {
  for (const Strategy &strategy : strategies()) {
    PlanCache cache;
    for (const Problem &problem : problems())
      for (int64_t unit : {64 * 37, 64, 1, 64 * 37, 96}) {
        Problem sized = times(problem, unit);
        Options options = optionsOf(strategy.name, 64);
        Plan expected = plan(sized, options), got = cache.plan(sized, options);
        EXPECT_EQ(got.offsets, expected.offsets) << strategy.name;
        EXPECT_EQ(got.peak, expected.peak) << strategy.name;
        EXPECT_EQ(got.bound, expected.bound) << strategy.name;
        EXPECT_EQ(got.status, expected.status) << strategy.name;
        EXPECT_TRUE(test::isCorrect(sized, got.offsets, 64)) << strategy.name;
      }
    // Two of the five problems are equal; of the others, three have one plan if
    // the strategy scales.
    EXPECT_GE(cache.hits(), strategy.traits & kScales ? 400 : 200)
        << strategy.name;
  }
}

TEST(PlanCache, KeepsApartWhatDiffers) {
  Problem problem;
  addBuffer(problem, 0, 2, 64);
  addBuffer(problem, 1, 3, 128);
  addBuffer(problem, 2, 4, 64);
  Options options = optionsOf("tree+", 64);
  PlanCache cache;
  cache.plan(problem, options);
  auto isNew = [&](const Problem &other, const Options &with) {
    const int64_t before = cache.hits();
    Plan got = cache.plan(other, with);
    EXPECT_EQ(got.offsets, plan(other, with).offsets);
    return cache.hits() == before;
  };
  EXPECT_FALSE(isNew(problem, options));
  EXPECT_FALSE(isNew(times(problem, 3), options));
  Problem other = problem;
  other.buffers[0].name = "a name";
  EXPECT_FALSE(isNew(other, options));
  auto differs = [&](auto change) {
    Problem changed = problem;
    change(changed);
    return isNew(changed, options);
  };
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].size = 192; }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].size = 65; }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].live[0].upper = 2; }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].live.push_back({5, 6}); }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].output = true; }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].kind = 1; }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].alignment = 128; }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].pin = 640; }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].hint = 640; }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].aliasClass = 0; }));
  EXPECT_TRUE(differs([](Problem &p) {
    p.buffers[1].windows.push_back({{4, 5}, 0, 64});
  }));
  EXPECT_TRUE(differs([](Problem &p) { p.buffers[1].uses = {1}; }));
  EXPECT_TRUE(differs([](Problem &p) {
    p.spaces.emplace_back();
    p.buffers[1].choices = {{0, 9}, {1, 0}};
  }));
  EXPECT_TRUE(differs([](Problem &p) { p.spaces[0].capacity = 1000; }));
  EXPECT_TRUE(differs([](Problem &p) { p.spaces[0].alignment = 128; }));
  EXPECT_TRUE(differs([](Problem &p) {
    p.spaces.emplace_back();
    p.buffers[1].space = 1;
  }));
  for (auto change :
       {+[](Options &o) { o.strategy = "tree"; },
        +[](Options &o) { o.alignment = 32; },
        +[](Options &o) { o.pools = Pools::Combined; },
        +[](Options &o) { o.lastAreOutputs = true; },
        +[](Options &o) { o.objective = Objective::Peak; },
        +[](Options &o) { o.evict = true; }, +[](Options &o) { o.nodes = 1; },
        +[](Options &o) { o.seed = 2; },
        +[](Options &o) { o.timeLimit = 1; }}) {
    Options changed = options;
    change(changed);
    EXPECT_TRUE(isNew(problem, changed));
  }
  // A problem that does not fit is told in its own bytes.
  Problem large = problem;
  large.buffers[0].size = large.buffers[1].size = INT64_MAX / 64 * 64;
  EXPECT_EQ(cache.plan(large, options).reason, plan(large, options).reason);
  EXPECT_FALSE(plan(large, options).fits());
}
