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

#include <algorithm>
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

/// Bits of these say for which items a tree is searched, may grow, and does not
/// get the item if there is no place, as if it came to another tree.
struct Ways {
  uint64_t searched = -1, grows = -1, elsewhere = 0;
};

/// A tree with the items of an instance, at the end if there is no place.
AllocationTree makeTree(const Instance &instance, bool cured, Ways ways = {}) {
  AllocationTree tree(instance, 1, 0, cured);
  for (int32_t i = 1; i < int32_t(instance.size()); ++i) {
    auto has = [&](uint64_t bits) { return (bits >> i % 64 & 1) != 0; };
    if (has(ways.searched) && tree.allocate(i, has(ways.grows)))
      continue;
    if (!has(ways.elsewhere))
      tree.allocateAtEnd(i);
  }
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

TEST(Tree, TemporariesBesideLongLivesTakeFewSteps) {
  // n parts of a program, each with buffers that live to its end and with
  // temporaries, which fit into the slots of the parts behind.
  auto stepsOf = [](int64_t n) {
    Problem problem;
    int64_t now = 0;
    for (int64_t part = 0; part < n; ++part) {
      for (int64_t size : {512, 256, 256, 128, 64, 64})
        addBuffer(problem, now++, 11 * n + 1, size);
      for (int64_t size : {256, 256, 64, 64, 64})
        addBuffer(problem, now, now + 2, size), ++now;
    }
    std::stable_sort(
        problem.buffers.begin(), problem.buffers.end(),
        [](const Buffer &a, const Buffer &b) {
          return std::pair(a.size, a.live[0].upper - a.live[0].lower) >
                 std::pair(b.size, b.live[0].upper - b.live[0].lower);
        });
    return makeTree(makeItems(problem), false).steps();
  };
  EXPECT_LE(stepsOf(400), 400 * 11 * 20);
  EXPECT_LE(stepsOf(800), 5 * stepsOf(400) / 2);
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
    Ways ways;
    if (round & 16)
      ways.searched = random() | random();
    if (round & 32)
      ways.grows = round & 128 ? 0 : random();
    if (round & 64)
      ways.elsewhere = random();
    std::vector<int64_t> offsets(instance.size()), expected(instance.size());
    makeTree(instance, false, ways).finalize(0, offsets);
    makeTree(instance, true, ways).finalize(0, expected);
    EXPECT_EQ(offsets, expected) << round;
  }
}

} // namespace
