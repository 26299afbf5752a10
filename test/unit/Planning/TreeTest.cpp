//===- Planning/TreeTest.cpp - strategy tree against PyTorch's own --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

using namespace tamc::planning;

namespace {

Plan planTree(const Problem &problem, Pools pools, bool outputs) {
  Options options;
  options.strategy = "tree";
  options.alignment = 64;
  options.pools = pools;
  options.lastAreOutputs = outputs;
  return plan(problem, options);
}

TEST(Tree, EqualsInductorOnEveryRow) {
  std::stringstream rows(test::readData("inductor.csv"));
  std::string line;
  std::getline(rows, line);
  ASSERT_EQ(line, "instance,pools_mode,pools,total_bytes,peak_bytes_alive");
  std::map<std::string, Problem> problems;
  int count = 0;
  while (std::getline(rows, line)) {
    std::stringstream fields(line);
    std::string instance, mode, pools, total;
    std::getline(fields, instance, ',');
    std::getline(fields, mode, ',');
    std::getline(fields, pools, ',');
    std::getline(fields, total, ',');
    auto [found, fresh] = problems.try_emplace(instance);
    if (fresh)
      found->second = test::load(instance);
    bool outputs = mode == "none" || mode == "outputs";
    Plan plan = planTree(found->second, *parsePools(mode), outputs);
    ASSERT_TRUE(plan.fits()) << line;
    EXPECT_EQ(plan.poolBytes(), std::stoll(total)) << line;
    EXPECT_EQ(plan.pools.size(), std::stoull(pools)) << line;
    EXPECT_TRUE(test::isCorrect(found->second, plan.offsets, 64) ||
                found->second.buffers.size() > 1000);
    ++count;
  }
  EXPECT_EQ(count, 206);
}

TEST(Tree, ShowsTheWeaknessOfOneOverlappingChild) {
  Problem problem;
  addBuffer(problem, 0, 1, 128);
  addBuffer(problem, 1, 3, 64);
  addBuffer(problem, 2, 4, 64);
  addBuffer(problem, 3, 6, 64);
  Plan plan = planTree(problem, Pools::Intermediates, false);
  EXPECT_EQ(plan.totalPeak(), 192);
  EXPECT_EQ(plan.totalBound(), 128);
}

TEST(Tree, SlackInflates) {
  // A block of 10 in a slot of 100 leaves 90, which begin at 64; another
  // buffer of 90 there ends at 154.
  Problem problem;
  addBuffer(problem, 0, 1, 100);
  addBuffer(problem, 1, 2, 10);
  addBuffer(problem, 1, 2, 90);
  Options options;
  options.strategy = "tree";
  options.alignment = 64;
  Problem order = problem;
  std::swap(order.buffers[1], order.buffers[2]);
  EXPECT_EQ(plan(order, options).totalPeak(), 138);
}

TEST(Tree, CombinedOutputsShareOneGrowingPool) {
  Problem problem;
  addBuffer(problem, 0, 2, 64);
  addBuffer(problem, 0, 4, 32);
  addBuffer(problem, 2, 4, 128);
  EXPECT_EQ(planTree(problem, Pools::Combined, true).pools.size(), 1u);
  EXPECT_EQ(planTree(problem, Pools::Intermediates, true).pools.size(), 2u);
  EXPECT_EQ(planTree(problem, Pools::Outputs, true).pools.size(), 1u);
}

TEST(Tree, FourThousandNestedLivesAreNoDepth) {
  Problem problem;
  for (int64_t i = 0; i < 4000; ++i)
    addBuffer(problem, i, 8000 - i, 1 + i);
  Plan plan = planTree(problem, Pools::Intermediates, false);
  EXPECT_TRUE(plan.fits());
}

} // namespace
