//===- Planning/RandomTest.cpp - every strategy on random problems --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "tamc/Planning/Csv.h"
#include "tamc/Planning/LowerBound.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace tamc::planning;

namespace {

/// TAMC_RANDOM_PROBLEMS, or this default.
int problemCount(int usual) {
  const char *asked = std::getenv("TAMC_RANDOM_PROBLEMS");
  return asked ? std::stoi(asked) : usual;
}

/// plan() checks plans with the checker; here they are checked by definition
/// too.
TEST(Random, EveryPlanOfEveryStrategyKeepsEveryRule) {
  std::mt19937_64 random(2026);
  for (int round = 0, end = problemCount(10000); round < end; ++round) {
    test::Kinds kinds{.buffers = round % 4 ? 9 : 30,
                      .times = round % 3 ? 8 : 30};
    kinds.gaps = round & 1;
    kinds.windows = round & 2;
    kinds.pins = round & 4;
    kinds.classes = round & 8;
    kinds.spaces = round & 16;
    kinds.alignment = round & 32;
    Problem problem = test::randomProblem(random, kinds);
    Options options;
    options.alignment = round % 5 ? 1 : 8;
    options.nodes = 200;
    options.seed = round;
    options.threads = 1;
    options.pools = static_cast<Pools>(round % 4);
    if (validate(problem, options.alignment))
      continue;
    for (const Strategy &strategy : strategies()) {
      options.strategy = strategy.name;
      Plan made = plan(problem, options);
      if (made.status == Status::Infeasible) {
        EXPECT_EQ(made.reason.substr(0, 8), "two pins") << made.reason;
        break;
      }
      ASSERT_TRUE(made.fits()) << strategy.name << ": " << made.reason;
      EXPECT_TRUE(test::isCorrect(problem, made.offsets, options.alignment))
          << strategy.name << " round " << round;
      EXPECT_GE(made.totalPeak(), made.totalBound())
          << strategy.name << ", alignment " << options.alignment << "\n"
          << writeCsv(problem, made.offsets);
    }
  }
}

/// Peak and proof, on everything that brute force understands.
TEST(Random, ExactAgreesWithBruteForce) {
  std::mt19937_64 random(99);
  int aboveBound = 0;
  for (int round = 0; round < 6000; ++round) {
    test::Kinds kinds{.buffers = 7, .times = round % 2 ? 6 : 12};
    kinds.gaps = round % 8 == 1;
    kinds.alignment = round % 8 == 2;
    kinds.size = round % 3 ? 12 : 5;
    Problem problem = test::randomProblem(random, kinds);
    Options options;
    options.strategy = round % 2 ? "exact" : "auto";
    options.seed = round;
    Plan made = plan(problem, options);
    int64_t best = test::bruteForce(problem);
    if (!kinds.gaps && !kinds.alignment) {
      // The two that the tests compare with agree.
      EXPECT_TRUE(test::fitsWithin(problem, best));
      EXPECT_FALSE(best > 0 && test::fitsWithin(problem, best - 1));
    }
    ASSERT_EQ(made.totalPeak(), best) << writeCsv(problem);
    EXPECT_EQ(made.status, Status::Optimal) << writeCsv(problem);
    aboveBound += best > lowerBounds(problem)[0].bytes;
  }
  // This test must include proofs above the bound.
  EXPECT_GT(aboveBound, 20);
}

/// Packings made by cutting a rectangle: the bound is reached by construction.
TEST(Random, ExactSolvesPlantedPackings) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 40; ++round) {
    struct Rectangle {
      int64_t lower, upper, begin, end;
    };
    std::vector<Rectangle> parts = {{0, 40, 0, 1000}};
    while (parts.size() < 25) {
      size_t at = random() % parts.size();
      Rectangle &r = parts[at];
      Rectangle other = r;
      if (random() % 2 && r.upper - r.lower > 1) {
        int64_t cut = r.lower + 1 + random() % (r.upper - r.lower - 1);
        r.upper = other.lower = cut;
      } else if (r.end - r.begin > 1) {
        int64_t cut = r.begin + 1 + random() % (r.end - r.begin - 1);
        r.end = other.begin = cut;
      } else {
        continue;
      }
      parts.push_back(other);
    }
    Problem problem;
    for (const Rectangle &r : parts)
      addBuffer(problem, r.lower, r.upper, r.end - r.begin);
    Options options;
    options.strategy = "exact";
    Plan made = plan(problem, options);
    EXPECT_EQ(made.totalPeak(), 1000) << round;
    EXPECT_EQ(made.status, Status::Optimal);
  }
}

TEST(Random, TreePlusIsNeverWorseThanTree) {
  std::mt19937_64 random(23);
  for (int round = 0; round < 6000; ++round) {
    test::Kinds kinds{.buffers = round % 5 ? 20 : 60,
                      .times = round % 7 ? 15 : 60,
                      .size = 200};
    // Five independent bits, and all four modes under each of them.
    kinds.gaps = round & 4;
    kinds.pins = round & 8;
    kinds.alignment = round & 16;
    kinds.spaces = round & 32;
    kinds.windows = round & 64;
    kinds.classes = round & 128;
    Problem problem = test::randomProblem(random, kinds);
    Options options;
    options.alignment = round % 3 ? 1 : 8;
    options.pools = static_cast<Pools>(round % 4);
    options.lastAreOutputs = round & 256;
    if (validate(problem, options.alignment))
      continue;
    options.strategy = "tree";
    Plan tree = plan(problem, options);
    options.strategy = "tree+";
    Plan plus = plan(problem, options);
    if (tree.status == Status::Infeasible)
      continue;
    ASSERT_EQ(plus.peak.size(), tree.peak.size());
    for (size_t space = 0; space < tree.peak.size(); ++space)
      EXPECT_LE(plus.peak[space], tree.peak[space])
          << "mode " << round % 4 << "\n"
          << writeCsv(problem);
  }
}

} // namespace
