//===- Planning/ScheduleTest.cpp - an order that needs less memory --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Schedule.h"

#include "Programs.h"
#include "tamc/Planning/Check.h"
#include "tamc/Planning/Json.h"
#include "tamc/Planning/OrderReport.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numeric>

using namespace tamc::planning;

namespace {

/// Branches that each make a large buffer from a small one and then reduce it
/// again: breadth first, all large buffers are alive at the same time.
Problem fans(int branches) {
  Problem problem;
  int32_t steps = 3 * branches;
  problem.operations.resize(steps + 1);
  auto add = [&](const std::string &name, int64_t size) {
    Buffer buffer;
    buffer.name = name;
    buffer.size = size;
    problem.buffers.push_back(buffer);
    return static_cast<int32_t>(problem.buffers.size()) - 1;
  };
  int32_t in = add("in", 4);
  Operation &last = problem.operations[steps];
  last.name = "sum";
  for (int32_t i = 0; i < branches; ++i) {
    std::string name = std::to_string(i);
    int32_t wide = add("wide" + name, 100), wider = add("wider" + name, 110);
    int32_t small = add("small" + name, 1);
    problem.operations[i] = {"grow" + name, {in}, {wide}, {}};
    problem.operations[branches + i] = {"map" + name, {wide}, {wider}, {}};
    problem.operations[2 * branches + i] = {
        "fold" + name, {wider}, {small}, {}};
    last.reads.push_back(small);
  }
  last.writes.push_back(add("out", 1));
  problem.buffers.back().output = true;
  std::vector<int32_t> own(problem.operations.size());
  std::iota(own.begin(), own.end(), 0);
  return reorder(problem, own);
}

bool respects(const std::vector<int32_t> &order,
              const std::vector<std::vector<bool>> &before) {
  std::vector<int32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < before.size(); ++i)
    if (sorted.size() != before.size() || sorted[i] != static_cast<int32_t>(i))
      return false;
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (before[order[i]][order[j]])
        return false;
  return true;
}

TEST(Schedule, FinishesOneBranchBeforeTheNext) {
  Problem problem = fans(8);
  Schedule schedule = minimizeLoad(problem, {});
  EXPECT_EQ(schedule.given, 7 * 110 + 100 + 110);
  // Before the last branch `in` is still there, and six small ones are.
  EXPECT_EQ(schedule.load, 100 + 110 + 4 + 6);
  EXPECT_TRUE(schedule.isOptimal());
  EXPECT_TRUE(respects(schedule.order, test::orderOf(problem)));

  Scheduling scheduling;
  Plan made = planMinPeak(problem, {}, scheduling);
  EXPECT_TRUE(scheduling.changed);
  EXPECT_EQ(scheduling.peakBefore, 980);
  EXPECT_EQ(scheduling.peakAfter, 220);
  EXPECT_EQ(made.totalPeak(), 220);
  EXPECT_TRUE(check(problem, made.offsets).empty());
  std::vector<int32_t> own(problem.operations.size());
  std::iota(own.begin(), own.end(), 0);
  EXPECT_EQ(test::simulate(problem, made.offsets, own), "");
}

TEST(Schedule, NeedsLivesThatCanMove) {
  Problem problem;
  addBuffer(problem, 0, 1, 8, "x");
  EXPECT_EQ(whyNotScheduled(problem).substr(0, 40),
            "another schedule needs the operations wi");
  problem.operations = {{"a", {}, {0}, {}}, {"b", {}, {}, {}}};
  EXPECT_EQ(whyNotScheduled(problem), "");
  problem.buffers[0].live = {{0, 2}};
  EXPECT_EQ(whyNotScheduled(problem),
            "another schedule needs lives that follow from the operations; "
            "buffer 'x' has one of its own");
}

test::Features featuresOf(int round) {
  test::Features features;
  features.inputs = round & 1;
  features.extraOrder = round & 2;
  features.rewrites = round & 4;
  features.classes = round & 8;
  features.spaces = round & 16;
  return features;
}

TEST(Schedule, AgreesWithEveryOrder) {
  std::mt19937_64 random(8);
  int better = 0;
  for (int round = 0; round < 320; ++round) {
    auto shape = round % 2 ? test::Shape::Layered : test::Shape::SeriesParallel;
    Problem problem = test::randomProgram(random, shape, 2 + round % 8,
                                          featuresOf(round / 2));
    auto before = test::orderOf(problem);
    int64_t least = INT64_MAX;
    test::forEachOrder(before, [&](const std::vector<int32_t> &order) {
      least = std::min(least, test::loadOf(problem, order));
      return true;
    });
    Schedule schedule = minimizeLoad(problem, {});
    ASSERT_TRUE(respects(schedule.order, before));
    EXPECT_EQ(schedule.load, test::loadOf(problem, schedule.order));
    ASSERT_EQ(schedule.load, least) << writeJson(problem);
    EXPECT_TRUE(schedule.isOptimal());
    EXPECT_LE(schedule.bound, least);
    better += schedule.load < schedule.given;
  }
  EXPECT_GT(better, 50);
}

TEST(Schedule, BoundsHoldWhenTheBudgetEnds) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 60; ++round) {
    auto shape = round % 2 ? test::Shape::Layered : test::Shape::SeriesParallel;
    Problem problem =
        test::randomProgram(random, shape, 20, featuresOf(round / 2));
    Schedule full = minimizeLoad(problem, {});
    ScheduleOptions little;
    little.nodes = 1 + round % 5;
    Schedule part = minimizeLoad(problem, little);
    EXPECT_LE(part.load, part.given);
    EXPECT_LE(part.bound, full.load);
    EXPECT_LE(full.bound, part.load);
    EXPECT_EQ(minimizeLoad(problem, little).order, part.order);
  }
}

/// The peak, not only the load, must never get worse.
TEST(Schedule, IsNeverWorseThanTheGivenOrder) {
  std::mt19937_64 random(10);
  int better = 0;
  for (int round = 0; round < 60; ++round) {
    auto shape = round % 2 ? test::Shape::Layered : test::Shape::SeriesParallel;
    test::Features features = featuresOf(round / 2);
    features.alignment = round & 64;
    Problem problem = test::randomProgram(random, shape, 18, features);
    Options options;
    options.strategy = round % 3 ? "greedy" : "skyline";
    if (round % 5 == 0)
      options.reuse = Reuse::BranchSafe;
    Plan given = plan(problem, options);
    Problem moved = problem;
    Scheduling scheduling;
    Plan made = planMinPeak(moved, options, scheduling);
    ASSERT_FALSE(validate(moved));
    EXPECT_LE(made.totalPeak(), given.totalPeak());
    EXPECT_EQ(scheduling.peakBefore, given.totalPeak());
    EXPECT_EQ(scheduling.peakAfter, made.totalPeak());
    better += scheduling.changed;
    std::vector<int32_t> own(moved.operations.size());
    std::iota(own.begin(), own.end(), 0);
    EXPECT_EQ(test::simulate(moved, made.offsets, own), "");
    // What is written is read back with the new order and its lives.
    auto again = readJson(writeJson(moved));
    ASSERT_TRUE(std::holds_alternative<Problem>(again));
    EXPECT_EQ(std::get<Problem>(again).operations[0].name,
              moved.operations[0].name);
    EXPECT_EQ(whyNotScheduled(std::get<Problem>(again)), "");
  }
  EXPECT_GT(better, 8);
}

TEST(Schedule, TenThousandOperations) {
  Problem problem = fans(3333);
  std::clock_t begin = std::clock();
  Schedule schedule = minimizeLoad(problem, {});
  EXPECT_EQ(schedule.load, 100 + 110 + 4 + 3331);
  std::mt19937_64 random(11);
  Problem layered =
      test::randomProgram(random, test::Shape::SeriesParallel, 1000, {});
  Schedule other = minimizeLoad(layered, {});
  EXPECT_LE(other.load, other.given);
  // Processor time, because machines may be busy; sanitizers need more.
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 120);
}

} // namespace
