//===- Planning/DeterminismTest.cpp - equal input, equal plans ------------===//
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

void expectEqual(const Plan &a, const Plan &b, const std::string &what) {
  EXPECT_EQ(a.offsets, b.offsets) << what;
  EXPECT_EQ(a.status, b.status) << what;
  EXPECT_EQ(a.bound, b.bound) << what;
  EXPECT_EQ(a.nodes, b.nodes) << what;
}

/// The result must not depend on races of streams: neither on which ends first,
/// nor on what others have found by then.
TEST(Determinism, ThreadsDoNotShow) {
  std::mt19937_64 random(8);
  std::vector<std::pair<std::string, Problem>> problems;
  for (const char *name : {"A.1048576", "C.1048576", "D.1048576", "E.1048576"})
    problems.push_back({name, test::load(std::string("minimalloc/") + name)});
  for (int i = 0; i < 12; ++i) {
    test::Kinds kinds{.buffers = 90, .times = 40, .size = 1000};
    kinds.gaps = i % 2;
    kinds.alignment = i % 3 == 1;
    kinds.pins = i % 4 == 3;
    Problem problem = test::randomProblem(random, kinds);
    if (!validate(problem))
      problems.push_back({"random " + std::to_string(i), problem});
  }
  for (const auto &[name, problem] : problems)
    for (int64_t nodes : {300, 20000}) {
      Options options;
      options.nodes = nodes;
      options.seed = 5;
      options.threads = 1;
      Plan one = plan(problem, options);
      for (int threads : {2, 3, 8}) {
        options.threads = threads;
        expectEqual(one, plan(problem, options),
                    name + ", " + std::to_string(threads) + " threads, " +
                        std::to_string(nodes) + " nodes");
      }
    }
}

/// Large enough for all parts of the portfolio to take turns.
TEST(Determinism, ThreadsDoNotShowOnACrowd) {
  std::mt19937_64 random(3);
  Problem problem;
  for (int i = 0; i < 700; ++i) {
    auto lower = static_cast<int64_t>(random() % 300);
    addBuffer(problem, lower, lower + 1 + static_cast<int64_t>(random() % 60),
              1 + static_cast<int64_t>(random() % 100000));
  }
  Options options;
  options.nodes = 8 * 700 * 300;
  options.threads = 1;
  Plan one = plan(problem, options);
  // Otherwise there was no search.
  EXPECT_GT(one.nodes, 1000);
  for (int threads : {2, 8}) {
    options.threads = threads;
    expectEqual(one, plan(problem, options),
                std::to_string(threads) + " threads");
  }
}

TEST(Determinism, SeedsAreUsed) {
  // With a budget too small for the bound.
  Problem problem = test::load("minimalloc/D.1048576");
  std::vector<std::vector<int64_t>> plans;
  for (uint64_t seed : {1, 2, 3, 4}) {
    Options options;
    options.nodes = 20000;
    options.seed = seed;
    plans.push_back(plan(problem, options).offsets);
  }
  bool differ = false;
  for (const auto &each : plans)
    differ |= each != plans.front();
  EXPECT_TRUE(differ);
}

/// Nodes beyond what is needed change nothing, and a budget is a budget.
TEST(Determinism, NodesAreKept) {
  Problem problem = test::load("minimalloc/D.1048576");
  for (int64_t nodes : {1, 100, 5000}) {
    Options options;
    options.strategy = "exact";
    options.nodes = nodes;
    // The decodes of the skyline come on top of the search.
    EXPECT_LE(plan(problem, options).nodes, nodes + 8);
  }
}

} // namespace
