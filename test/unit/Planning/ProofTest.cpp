//===- Planning/ProofTest.cpp - what no plan can do -----------------------===//
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

using namespace tamc::planning;

namespace {

/// Random problems of rectangles whose least peak lies above the largest load,
/// with that peak by brute force.
class AboveTheLoad : public testing::Test {
protected:
  struct Sample {
    Problem problem;
    int64_t best;
  };

  /// Buffers that fill one load at all times: some die, and others of
  /// the same sum are born. What is freed lies in pieces.
  static Problem drawFull(std::mt19937_64 &random) {
    Problem problem;
    std::vector<size_t> alive;
    auto free = static_cast<int64_t>(10 + random() % 30);
    size_t count = 12 + random() % 5;
    int64_t time = 0;
    while (problem.buffers.size() < count) {
      while (free > 0 && problem.buffers.size() < count) {
        bool rest = problem.buffers.size() + 1 == count || random() % 3 == 0;
        int64_t size = rest ? free : 1 + static_cast<int64_t>(random() % free);
        alive.push_back(addBuffer(problem, time, INT64_MAX, size));
        free -= size;
      }
      ++time;
      for (size_t deaths = 1 + random() % 2; deaths > 0; --deaths) {
        std::swap(alive[random() % alive.size()], alive.back());
        Buffer &dead = problem.buffers[alive.back()];
        dead.live[0].upper = time;
        free += dead.size;
        alive.pop_back();
        if (alive.empty())
          break;
      }
    }
    for (Buffer &buffer : problem.buffers)
      buffer.live[0].upper = std::min(buffer.live[0].upper, time + 1);
    return problem;
  }

  static void SetUpTestSuite() {
    std::mt19937_64 random(4711);
    Options quick;
    quick.strategy = "skyline";
    while (samples.size() < 120) {
      Problem problem = drawFull(random);
      int64_t load = lowerBounds(problem)[0].bytes;
      if (plan(problem, quick).totalPeak() == load)
        continue;
      int64_t best = load;
      while (!test::fitsWithin(problem, best))
        ++best;
      if (best > load)
        samples.push_back({std::move(problem), best});
    }
  }

  static Plan run(Problem problem, std::string_view strategy, uint64_t seed,
                  std::optional<int64_t> capacity = {}) {
    problem.spaces[0].capacity = capacity;
    Options options;
    options.strategy = strategy;
    options.seed = seed;
    options.threads = 1;
    return plan(problem, options);
  }

  static inline std::vector<Sample> samples;
};

TEST_F(AboveTheLoad, TheOptimumIsFoundAndProved) {
  for (const auto &[problem, best] : samples)
    for (uint64_t seed : {1, 2})
      for (const char *strategy : {"exact", "auto"}) {
        Plan made = run(problem, strategy, seed);
        ASSERT_EQ(made.totalPeak(), best) << strategy << "\n"
                                          << writeCsv(problem);
        EXPECT_EQ(made.status, Status::Optimal) << writeCsv(problem);
        // What was proved is the bound.
        EXPECT_EQ(made.totalBound(), best);
      }
}

TEST_F(AboveTheLoad, OneByteLessIsProvedNotToFit) {
  for (const auto &[problem, best] : samples)
    for (const char *strategy : {"exact", "auto"}) {
      Plan tight = run(problem, strategy, 3, best);
      EXPECT_TRUE(tight.fits()) << tight.reason << "\n" << writeCsv(problem);
      Plan less = run(problem, strategy, 3, best - 1);
      ASSERT_EQ(less.status, Status::Infeasible)
          << strategy << ": " << less.reason << "\n"
          << writeCsv(problem);
      EXPECT_NE(less.reason.find(std::to_string(best) + " byte"),
                std::string::npos)
          << less.reason;
    }
}

/// A heuristic may miss a plan that fits; it must never claim that there is
/// none.
TEST_F(AboveTheLoad, NoStrategyProvesWhatIsWrong) {
  for (const auto &[problem, best] : samples)
    for (const Strategy &strategy : strategies()) {
      Plan made = run(problem, strategy.name, 4, best);
      EXPECT_NE(made.status, Status::Infeasible)
          << strategy.name << ": " << made.reason << "\n"
          << writeCsv(problem);
      EXPECT_LE(made.totalBound(), best) << strategy.name;
      if (made.status == Status::Optimal) {
        EXPECT_EQ(made.totalPeak(), best) << strategy.name;
      }
    }
}

/// The packing of the search has no alignment and gaps; its proofs must not be
/// used as proofs for the problem.
TEST(Proof, HoldsWithGapsAlignmentAndSpaces) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 3000; ++round) {
    Problem problem =
        test::randomProblem(random, {.buffers = 6,
                                     .times = 6,
                                     .gaps = round % 2 == 0,
                                     .alignment = round % 3 == 0});
    int64_t best = test::bruteForce(problem);
    Options options;
    options.strategy = round % 4 < 2 ? "exact" : "auto";
    options.threads = 1;
    options.seed = round;
    problem.spaces[0].capacity = best;
    Plan fits = plan(problem, options);
    ASSERT_TRUE(fits.fits()) << fits.reason << "\n" << writeCsv(problem);
    if (best == 0)
      continue;
    problem.spaces[0].capacity = best - 1;
    EXPECT_EQ(plan(problem, options).status, Status::Infeasible)
        << writeCsv(problem);
  }
}

/// A small problem that may have everything, with pins low enough to be in the
/// way of others.
Problem drawAll(std::mt19937_64 &random, int round) {
  test::Kinds kinds{.buffers = 7, .times = round % 2 ? 4 : 7, .size = 5};
  kinds.gaps = round & 4;
  kinds.windows = round % 16 == 15;
  kinds.classes = round % 8 != 7;
  kinds.spaces = round % 8 == 3;
  kinds.alignment = round % 3 == 0;
  Problem problem = test::randomProblem(random, kinds);
  for (Buffer &buffer : problem.buffers)
    if (round % 5 < 2 && random() % 6 == 0)
      buffer.pin = buffer.alignment * static_cast<int64_t>(random() % 6) *
                   problem.spaces[buffer.space].alignment;
  return problem;
}

/// Alias classes of buffers of unequal sizes, gaps, pins, alignments, spaces:
/// the optimum is found and proved. With windows, all claims are true.
TEST(Proof, AgreesWithEveryOffset) {
  std::mt19937_64 random(31);
  int compared = 0;
  for (int round = 0; round < 3000; ++round) {
    Problem problem = drawAll(random, round);
    if (validate(problem))
      continue;
    bool windows = false;
    for (const Buffer &buffer : problem.buffers)
      windows |= !buffer.windows.empty();
    std::optional<std::vector<int64_t>> least = test::minPeaks(problem);
    Options options;
    options.threads = 1;
    options.seed = round;
    options.nodes = 20000;
    for (const Strategy &strategy : strategies()) {
      options.strategy = strategy.name;
      Plan made = plan(problem, options);
      if (!least) {
        ASSERT_EQ(made.status, Status::Infeasible) << writeCsv(problem);
        continue;
      }
      ASSERT_TRUE(made.fits()) << made.reason << "\n" << writeCsv(problem);
      ++compared;
      for (size_t space = 0; space < least->size(); ++space) {
        ASSERT_LE(made.bound[space], (*least)[space]) << strategy.name << "\n"
                                                      << writeCsv(problem);
        ASSERT_GE(made.peak[space], (*least)[space]) << strategy.name << "\n"
                                                     << writeCsv(problem);
        if (made.status == Status::Optimal) {
          ASSERT_EQ(made.peak[space], (*least)[space]) << strategy.name << "\n"
                                                       << writeCsv(problem);
        }
      }
      if (!windows && (strategy.name == "exact" || strategy.name == "auto")) {
        ASSERT_EQ(made.status, Status::Optimal)
            << strategy.name << ", not " << made.totalPeak() << "\n"
            << writeCsv(problem);
      }
    }
    if (!least)
      continue;
    // One byte less is proved not to fit, and no byte less is never excluded.
    for (const char *strategy : {"exact", "auto"})
      for (size_t space = 0; space < least->size(); ++space) {
        options.strategy = strategy;
        problem.spaces[space].capacity = (*least)[space];
        Plan tight = plan(problem, options);
        ASSERT_NE(tight.status, Status::Infeasible)
            << strategy << ": " << tight.reason << "\n"
            << writeCsv(problem);
        ASSERT_TRUE(windows || tight.fits()) << tight.reason;
        problem.spaces[space].capacity = (*least)[space] - 1;
        if ((*least)[space] > 0 && !windows) {
          ASSERT_EQ(plan(problem, options).status, Status::Infeasible)
              << strategy << "\n"
              << writeCsv(problem);
        }
        problem.spaces[space].capacity.reset();
      }
  }
  EXPECT_GT(compared, 25000);
}

/// Where nothing is complete, as with windows, `exact` is near what `auto`
/// finds.
TEST(Proof, ExactIsNearAutoWhereItProvesNothing) {
  std::mt19937_64 random(57);
  for (int round = 0; round < 150; ++round) {
    Problem problem = test::randomProblem(random, {.buffers = 25,
                                                   .times = 12,
                                                   .size = 9,
                                                   .gaps = true,
                                                   .windows = round % 2 == 0,
                                                   .classes = true,
                                                   .alignment = true});
    for (Buffer &buffer : problem.buffers)
      if (round % 3 == 0 && buffer.aliasClass < 0 && random() % 8 == 0)
        buffer.pin = buffer.alignment * static_cast<int64_t>(random() % 6);
    Options options;
    options.threads = 1;
    options.nodes = 20000;
    Plan found = plan(problem, options);
    options.strategy = "exact";
    Plan made = plan(problem, options);
    ASSERT_EQ(made.fits(), found.fits()) << made.reason;
    if (made.fits()) {
      EXPECT_LE(made.totalPeak(), found.totalPeak() * 1.08)
          << writeCsv(problem);
    }
  }
}

/// The proof for one space is one for the problem, whatever the others do.
TEST_F(AboveTheLoad, AProofForOneSpaceIsEnough) {
  for (size_t i = 0; i < 20; ++i) {
    auto [problem, best] = samples[i];
    problem.spaces.resize(2);
    problem.spaces[0].name = "sram";
    addBuffer(problem, 0, 1, 10, "other");
    problem.buffers.back().space = 1;
    Plan made = run(problem, "exact", 1, best - 1);
    EXPECT_EQ(made.status, Status::Infeasible);
    EXPECT_NE(made.reason.find(
                  std::to_string(best) +
                  " bytes, 1 byte over the capacity of space 'sram' of " +
                  std::to_string(best - 1) + " bytes"),
              std::string::npos)
        << made.reason;
  }
}

/// A search that a time limit ends has proved nothing.
TEST(Proof, TimeIsNoProof) {
  Problem problem = test::load("minimalloc/D.1048576");
  // One byte below the load is a proof; at the load the search has to look.
  problem.spaces[0].capacity = 986112;
  Options options;
  options.timeLimit = 0;
  for (const char *strategy : {"auto", "exact", "search", "skyline"}) {
    options.strategy = strategy;
    Plan made = plan(problem, options);
    EXPECT_EQ(made.status, Status::TimedOut) << strategy;
    EXPECT_FALSE(made.fits());
    EXPECT_TRUE(made.stopped);
    EXPECT_NE(made.reason.find("the bound is 986112 bytes"), std::string::npos)
        << made.reason;
  }
  // Without a capacity it is a plan with a gap.
  problem.spaces[0].capacity.reset();
  options.strategy = "auto";
  Plan open = plan(problem, options);
  EXPECT_EQ(open.status, Status::Feasible);
  EXPECT_TRUE(open.stopped);
  EXPECT_GT(open.gap(), 0);
}

TEST(Proof, NodesAreNoProof) {
  Problem problem = test::load("minimalloc/D.1048576");
  problem.spaces[0].capacity = 986112;
  Options options;
  options.nodes = 1;
  for (const char *strategy : {"auto", "exact", "search"}) {
    options.strategy = strategy;
    Plan made = plan(problem, options);
    EXPECT_EQ(made.status, Status::NotFound) << strategy;
  }
}

} // namespace
