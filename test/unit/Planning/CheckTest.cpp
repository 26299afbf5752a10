//===- Planning/CheckTest.cpp - the checker finds what is broken ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Check.h"

#include "Support.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

using namespace tamc::planning;
using Kind = Finding::Kind;

namespace {

/// Two buffers that live together at 0 and 8.
struct Pair {
  Pair() {
    addBuffer(problem, 0, 4, 8, "a");
    addBuffer(problem, 2, 6, 8, "b");
  }
  Problem problem;
  std::vector<int64_t> offsets = {0, 8};

  std::vector<Finding> run(CheckOptions options = {}) {
    return check(problem, offsets, options);
  }
  Finding only(CheckOptions options = {}) {
    std::vector<Finding> findings = run(options);
    EXPECT_EQ(findings.size(), 1u);
    return findings.empty() ? Finding{} : findings.front();
  }
};

TEST(Check, AcceptsACorrectPlan) { EXPECT_TRUE(Pair().run().empty()); }

TEST(Check, ReportsAnOverlapByNameAndTime) {
  Pair pair;
  pair.offsets[1] = 7;
  Finding finding = pair.only();
  EXPECT_EQ(finding.kind, Kind::Overlap);
  EXPECT_EQ(finding.message, "buffers 'a' at 0 of 8 bytes and 'b' at 7 of 8 "
                             "bytes overlap at time 2");
}

TEST(Check, TouchingLivesShareBytes) {
  Pair pair;
  pair.problem.buffers[1].live = {{4, 6}};
  pair.offsets[1] = 0;
  EXPECT_TRUE(pair.run().empty());
}

TEST(Check, FindsABufferInsideAnother) {
  Pair pair;
  pair.problem.buffers[1].size = 1;
  pair.offsets[1] = 3;
  EXPECT_EQ(pair.only().kind, Kind::Overlap);
}

TEST(Check, ReportsAlignmentOfBufferSpaceAndOptions) {
  for (int which = 0; which < 3; ++which) {
    Pair pair;
    CheckOptions options;
    if (which == 0)
      pair.problem.buffers[1].alignment = 16;
    if (which == 1)
      pair.problem.spaces[0].alignment = 16;
    if (which == 2)
      options.alignment = 16;
    EXPECT_EQ(pair.only(options).message,
              "buffer 'b' at 8 is not aligned to 16");
  }
}

TEST(Check, ReportsCapacity) {
  Pair pair;
  pair.problem.spaces[0] = {"sram", 15, 1};
  EXPECT_EQ(pair.only().message,
            "buffer 'b' at 8 ends at 16, the capacity of 'sram' is 15");
  CheckOptions without;
  without.capacities = false;
  EXPECT_TRUE(pair.run(without).empty());
}

TEST(Check, ReportsPinsCountsNegativesAndOverflow) {
  Pair pair;
  pair.problem.buffers[0].pin = 32;
  EXPECT_EQ(pair.only().message, "buffer 'a' at 0 is pinned to 32");
  pair = Pair();
  pair.offsets.pop_back();
  EXPECT_EQ(pair.only().message, "expected 2 offsets, got 1");
  pair = Pair();
  pair.offsets[0] = -1;
  EXPECT_EQ(pair.only().kind, Kind::Negative);
  pair = Pair();
  pair.offsets[0] = INT64_MAX - 7;
  EXPECT_EQ(pair.only().kind, Kind::Overflow);
}

TEST(Check, AliasClassesShareAnOffsetAndMayOverlap) {
  Pair pair;
  pair.problem.buffers[0].aliasClass = pair.problem.buffers[1].aliasClass = 3;
  EXPECT_EQ(pair.only().kind, Kind::AliasClass);
  pair.offsets[1] = 0;
  EXPECT_TRUE(pair.run().empty());
  // A third buffer is compared with the longest member, not with the last.
  pair.problem.buffers[1].size = 1;
  addBuffer(pair.problem, 3, 4, 2, "c");
  pair.offsets.push_back(5);
  EXPECT_EQ(pair.only().kind, Kind::Overlap);
}

TEST(Check, GapsAndWindowsFreeBytes) {
  Pair pair;
  pair.problem.buffers[0].live = {{0, 2}, {6, 8}};
  pair.offsets[1] = 0;
  EXPECT_TRUE(pair.run().empty());
  pair.problem.buffers[0].windows = {{{2, 6}, 0, 3}};
  EXPECT_EQ(pair.only().kind, Kind::Overlap);
  pair.offsets[1] = 3;
  EXPECT_TRUE(pair.run().empty());
}

TEST(Check, StopsAtTheLimit) {
  Problem problem;
  for (int i = 0; i < 50; ++i)
    addBuffer(problem, 0, 1, 1);
  std::vector<int64_t> offsets(50, 0);
  EXPECT_EQ(check(problem, offsets).size(), 10u);
}

/// The sweep against the quadratic definition, on plans that are broken by
/// moving one buffer.
TEST(Check, AgreesWithTheDefinitionOnBrokenPlans) {
  std::mt19937_64 random(7);
  int broken = 0;
  for (int round = 0; round < 4000; ++round) {
    test::Kinds kinds{.gaps = true,
                      .windows = true,
                      .pins = true,
                      .classes = true,
                      .spaces = true,
                      .alignment = true};
    Problem problem = test::randomProblem(random, kinds);
    Options options;
    options.strategy = "naive";
    Plan made = plan(problem, options);
    if (made.offsets.empty())
      continue;
    EXPECT_TRUE(check(problem, made.offsets).empty());
    size_t victim = random() % made.offsets.size();
    made.offsets[victim] = static_cast<int64_t>(random() % 40);
    bool correct = test::isCorrect(problem, made.offsets);
    EXPECT_EQ(check(problem, made.offsets).empty(), correct) << round;
    broken += !correct;
  }
  EXPECT_GT(broken, 500);
}

TEST(Check, AMillionBuffers) {
  Problem problem;
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < 1000000; ++i) {
    addBuffer(problem, i, i + 50, 64);
    offsets.push_back(i % 50 * 64);
  }
  EXPECT_TRUE(check(problem, offsets).empty());
  offsets[777777] += 1;
  EXPECT_FALSE(check(problem, offsets).empty());
}

} // namespace
