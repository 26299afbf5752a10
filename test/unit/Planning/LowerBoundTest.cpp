//===- Planning/LowerBoundTest.cpp - bounds that no plan goes below -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/LowerBound.h"

#include "Support.h"

#include <gtest/gtest.h>

using namespace tamc::planning;

namespace {

TEST(LowerBound, IsTheLargestLoad) {
  Problem problem;
  addBuffer(problem, 0, 3, 10);
  addBuffer(problem, 2, 5, 20);
  addBuffer(problem, 3, 6, 15);
  Bound bound = lowerBounds(problem).front();
  EXPECT_EQ(bound.bytes, 35);
  EXPECT_EQ(bound.time, 3);
  EXPECT_EQ(aliveAt(problem, 0, 3), (std::vector<int32_t>{1, 2}));
}

TEST(LowerBound, AllButTheTopmostArePadded) {
  Problem problem;
  addBuffer(problem, 0, 3, 10);
  addBuffer(problem, 0, 3, 20);
  EXPECT_EQ(lowerBounds(problem, 16).front().bytes, 16 + 20);
  addBuffer(problem, 0, 3, 16);
  EXPECT_EQ(lowerBounds(problem, 16).front().bytes, 16 + 16 + 20);
}

TEST(LowerBound, CountsPins) {
  Problem problem;
  addBuffer(problem, 0, 3, 10);
  problem.buffers[0].pin = 100;
  EXPECT_EQ(lowerBounds(problem).front().bytes, 110);
}

TEST(LowerBound, GapsAndWindowsCountWhatIsInUse) {
  Problem problem;
  addBuffer(problem, 0, 9, 10);
  addBuffer(problem, 3, 6, 8);
  problem.buffers[0].live = {{0, 3}, {6, 9}};
  EXPECT_EQ(lowerBounds(problem).front().bytes, 10);
  problem.buffers[0].windows = {{{3, 6}, 4, 8}};
  EXPECT_EQ(lowerBounds(problem).front().bytes, 12);
}

TEST(LowerBound, AnAliasClassCountsOnce) {
  Problem problem;
  addBuffer(problem, 0, 3, 10);
  addBuffer(problem, 1, 3, 7);
  problem.buffers[0].aliasClass = problem.buffers[1].aliasClass = 0;
  EXPECT_EQ(lowerBounds(problem).front().bytes, 10);
}

TEST(LowerBound, OverflowIsReported) {
  Problem problem;
  addBuffer(problem, 0, 3, INT64_MAX);
  EXPECT_FALSE(lowerBounds(problem).front().overflow);
  addBuffer(problem, 0, 3, 1);
  EXPECT_TRUE(lowerBounds(problem).front().overflow);
}

TEST(LowerBound, OfPublicInstances) {
  EXPECT_EQ(lowerBounds(test::load("minimalloc/A.1048576"))[0].bytes, 1048576);
  EXPECT_EQ(lowerBounds(test::load("minimalloc/D.1048576"))[0].bytes, 986112);
  EXPECT_EQ(lowerBounds(test::load("tvm/five"))[0].bytes, 176923);
}

TEST(LowerBound, IsNeverAboveBruteForce) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 3000; ++round) {
    Problem problem = test::randomProblem(
        random, {.buffers = 6, .gaps = true, .alignment = true});
    EXPECT_LE(lowerBounds(problem)[0].bytes, test::bruteForce(problem));
  }
}

} // namespace
