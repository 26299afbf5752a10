//===- Planning/OnLineTest.cpp - allocators as strategies -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

using namespace tamc::planning;

namespace {

constexpr int64_t MiB = 1 << 20;

Plan run(const Problem &problem, const char *strategy, int64_t alignment = 1) {
  Options options;
  options.strategy = strategy;
  options.alignment = alignment;
  return plan(problem, options);
}

std::vector<int64_t> offsets(const Problem &problem, const char *strategy,
                             int64_t alignment = 1) {
  return run(problem, strategy, alignment).offsets;
}

TEST(OnLine, BlocksAreThoseOfTheAllocators) {
  Problem problem;
  addBuffer(problem, 0, 2, 100);
  addBuffer(problem, 0, 4, 300);
  // Takes the bytes of the first, which end when it begins.
  addBuffer(problem, 2, 4, 200);
  addBuffer(problem, 3, 4, 1);
  EXPECT_EQ(offsets(problem, "bfc"), (std::vector<int64_t>{0, 256, 0, 768}));
  EXPECT_EQ(offsets(problem, "caching"),
            (std::vector<int64_t>{0, 512, 0, 1024}));
}

TEST(OnLine, TheSmallestFreeBlockIsTaken) {
  Problem problem;
  addBuffer(problem, 0, 2, 1024);
  addBuffer(problem, 0, 9, 256);
  addBuffer(problem, 0, 2, 512);
  addBuffer(problem, 0, 9, 256);
  addBuffer(problem, 2, 9, 500);
  EXPECT_EQ(offsets(problem, "bfc").back(), 1024 + 256);
}

TEST(OnLine, SmallAndLargeAreApart) {
  Problem problem;
  addBuffer(problem, 0, 9, 3 * MiB);
  addBuffer(problem, 0, 9, 3);
  addBuffer(problem, 0, 9, 18 * MiB);
  addBuffer(problem, 0, 9, 3 * MiB);
  EXPECT_EQ(offsets(problem, "caching"),
            (std::vector<int64_t>{0, 20 * MiB, 22 * MiB, 3 * MiB}));
}

TEST(OnLine, AlignsToAnyNumber) {
  Problem problem;
  addBuffer(problem, 0, 9, 10);
  addBuffer(problem, 0, 9, 10);
  problem.buffers[1].alignment = 4096;
  addBuffer(problem, 0, 9, 10);
  problem.buffers[2].alignment = 3 * 1024;
  for (const char *strategy : {"bfc", "caching"}) {
    EXPECT_TRUE(run(problem, strategy).fits()) << strategy;
    EXPECT_TRUE(run(problem, strategy, 5).fits()) << strategy;
  }
  // One allocator gets requests of these bytes, the other of more.
  EXPECT_EQ(offsets(problem, "bfc")[1], 4096);
  EXPECT_EQ(offsets(problem, "caching")[1], 4096);
  EXPECT_EQ(offsets(problem, "bfc")[2], 3 * 1024);
}

TEST(OnLine, BytesOfPinsAreNeverHandedOut) {
  Problem problem;
  addBuffer(problem, 0, 1, 1000);
  problem.buffers[0].pin = 256;
  addBuffer(problem, 5, 9, 300);
  addBuffer(problem, 5, 9, 200);
  for (const char *strategy : {"bfc", "caching"}) {
    Plan plan = run(problem, strategy);
    EXPECT_GE(plan.offsets[1], 1256) << strategy;
    EXPECT_TRUE(plan.fits());
  }
  // Below the pin is room for one.
  EXPECT_EQ(offsets(problem, "bfc")[2], 0);
}

TEST(OnLine, ACapacityIsTheDevices) {
  Problem problem;
  addBuffer(problem, 0, 1, MiB);
  addBuffer(problem, 1, 2, 3 * MiB);
  EXPECT_EQ(run(problem, "caching").totalPeak(), 5 * MiB);
  // Out of memory the cache is emptied.
  problem.spaces[0].capacity = 3 * MiB;
  Plan plan = run(problem, "caching");
  EXPECT_EQ(plan.totalPeak(), 3 * MiB);
  EXPECT_EQ(plan.status, Status::Optimal);
}

TEST(OnLine, WhatDoesNotFitSaysWhatItNeeds) {
  Problem problem;
  addBuffer(problem, 0, 1, 100);
  addBuffer(problem, 0, 1, 100);
  problem.spaces[0].capacity = 300;
  Plan plan = run(problem, "bfc");
  EXPECT_EQ(plan.status, Status::NotFound);
  EXPECT_EQ(plan.totalPeak(), 356);
  EXPECT_EQ(plan.reason, "the best plan found needs 356 bytes, 56 bytes over "
                         "the capacity of 300 bytes; the bound is 200 bytes");
  // The plan would fit, but not the block that the allocator makes of it.
  problem.spaces[0].capacity = 500;
  plan = run(problem, "bfc");
  EXPECT_EQ(plan.status, Status::NotFound);
  EXPECT_TRUE(plan.offsets.empty());
  EXPECT_EQ(plan.reason,
            "with the blocks and segments of the allocator there are no 100 "
            "bytes at time 0; without the capacity it would use 356 bytes");
  problem.spaces[0].capacity = 512;
  EXPECT_TRUE(run(problem, "bfc").fits());
}

TEST(OnLine, ATimeLimitPilesUpTheRest) {
  Problem problem;
  for (int i = 0; i < 20000; ++i)
    addBuffer(problem, i, i + 3, 1000);
  Options options;
  options.timeLimit = 0;
  for (const char *strategy : {"bfc", "caching"}) {
    options.strategy = strategy;
    Plan made = plan(problem, options);
    EXPECT_TRUE(made.fits());
    EXPECT_TRUE(made.stopped);
    EXPECT_GT(made.totalPeak(), run(problem, strategy).totalPeak());
  }
}

} // namespace
