//===- Planning/TreeTest.cpp - strategy tree against PyTorch's own --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Placement/AllocationTree.h"

#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
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

/// The buffers as items, in their order.
Instance makeItems(const Problem &problem) {
  return makeInstance(problem, 0, buffersBySpace(problem)[0], {});
}

/// A tree with all items of an instance, at the end if there is no place. Bits
/// of `searched` and `grows` say for which it is searched, and may grow.
AllocationTree makeTree(const Instance &instance, bool cured,
                        uint64_t searched = -1, uint64_t grows = -1) {
  AllocationTree tree(instance, 1, 0, cured);
  for (int32_t i = 1; i < int32_t(instance.size()); ++i)
    if (!(searched >> i % 64 & 1) || !tree.allocate(i, grows >> i % 64 & 1))
      tree.allocateAtEnd(i);
  return tree;
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

TEST(Tree, EqualBuffersTakeFewSteps) {
  const int64_t n = 2000;
  for (bool inOneSlot : {false, true}) {
    // Long lives become n slots, one above the other or in the first buffer;
    // each short one fits into the slot of the life that begins after it.
    Problem problem;
    addBuffer(problem, 2 * n, 2 * n + 1, inOneSlot ? 64 * n : 64);
    for (int64_t i = 0; i < n; ++i)
      addBuffer(problem, 2 * i, inOneSlot ? 2 * n : 2 * n + 1, 64);
    for (int64_t i = 0; i + 2 < n; ++i)
      addBuffer(problem, 2 * i + 1, 2 * i + 3, 64);
    Instance instance = makeItems(problem);
    EXPECT_LE(makeTree(instance, false).steps(), 20 * n);
  }
}

TEST(Tree, GoingOnWithASearchChangesNoOffset) {
  // Searches of a cured tree start at the root; else the two are alike if
  // nothing is padded.
  std::mt19937_64 random(31);
  for (int round = 0; round < 4000; ++round) {
    test::Kinds kinds{.buffers = round % 4 ? 12 : 60,
                      .times = round % 3 ? 9 : 40,
                      .size = round % 2 ? 1 : 4};
    kinds.gaps = round & 8;
    Problem problem = test::randomProblem(random, kinds);
    Instance instance = makeItems(problem);
    if (instance.size() == 0)
      continue;
    uint64_t searched = round & 16 ? random() | random() : -1;
    uint64_t grows = round & 32 ? random() : -1;
    std::vector<int64_t> offsets(instance.size()), expected(instance.size());
    makeTree(instance, false, searched, grows).finalize(0, offsets);
    makeTree(instance, true, searched, grows).finalize(0, expected);
    EXPECT_EQ(offsets, expected) << round;
  }
}

} // namespace
