//===- OracleTest.cpp - what fits, at the edges ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Oracle.h"

#include <gtest/gtest.h>

namespace tamrt::test {
namespace {

constexpr MemoryPlace kPlaces[] = {MemoryPlace::Device, MemoryPlace::Ram};
constexpr WorkKind kKinds[] = {WorkKind::Static, WorkKind::Sliding};

/// A model of `columns` columns whose direct solver takes `bytes` bytes at
/// least, and whose other solver takes one.
Question question(int64_t columns, int64_t bytes, int64_t freeBytes) {
  Question question;
  question.columns = columns;
  question.direct = Need{{{1024, 2 * bytes}, {1, bytes}}, 0};
  question.conjugateGradients = Need{{{1024, 2}, {1, 1}}, 0};
  question.freeBytes = freeBytes;
  return question;
}

SolverChoice solverOf(const Question &question,
                      const OracleOptions &options = {}) {
  return decide(question, options).solver;
}

TEST(Oracle, DefaultsAreThoseOfTheBook) {
  const OracleOptions options;
  EXPECT_EQ(options.share(MemoryPlace::Device, WorkKind::Static), 0.9);
  EXPECT_EQ(options.share(MemoryPlace::Ram, WorkKind::Static), 0.7);
  EXPECT_EQ(options.share(MemoryPlace::Device, WorkKind::Sliding), 0.8);
  EXPECT_EQ(options.share(MemoryPlace::Ram, WorkKind::Sliding), 0.6);
  EXPECT_EQ(options.directColumns, 7500);
  EXPECT_EQ(options.estimateFactor, 4);
}

TEST(Oracle, TheSpecGoesOverTheDefaults) {
  EXPECT_EQ(oracleOptions(nullptr).deviceShare, 0.9);
  tamrt_oracle spec = {};
  OracleOptions options = oracleOptions(&spec);
  EXPECT_EQ(options.rule, OracleRule::Plan);
  EXPECT_EQ(options.slidingRamShare, 0.6);
  EXPECT_EQ(options.directColumns, 7500);
  spec = {TAMRT_ORACLE_ESTIMATE, 0, 0.1, 0.2, 0.3, 0.4, 5, 6};
  options = oracleOptions(&spec);
  EXPECT_EQ(options.rule, OracleRule::Estimate);
  EXPECT_EQ(options.share(MemoryPlace::Device, WorkKind::Static), 0.1);
  EXPECT_EQ(options.share(MemoryPlace::Ram, WorkKind::Static), 0.2);
  EXPECT_EQ(options.share(MemoryPlace::Device, WorkKind::Sliding), 0.3);
  EXPECT_EQ(options.share(MemoryPlace::Ram, WorkKind::Sliding), 0.4);
  EXPECT_EQ(options.directColumns, 5);
  EXPECT_EQ(options.estimateFactor, 6);
}

TEST(Oracle, ColumnsAtTheLimit) {
  for (OracleRule rule : {OracleRule::Plan, OracleRule::Estimate}) {
    OracleOptions options;
    options.rule = rule;
    for (int64_t columns : {7499, 7500})
      EXPECT_EQ(solverOf(question(columns, 10, int64_t(1) << 40), options),
                SolverChoice::Direct)
          << columns;
    EXPECT_EQ(solverOf(question(7501, 10, int64_t(1) << 40), options),
              SolverChoice::ConjugateGradients);
    options.directColumns = 7501;
    EXPECT_EQ(solverOf(question(7501, 10, int64_t(1) << 40), options),
              SolverChoice::Direct);
  }
}

TEST(Oracle, BytesAtEachShare) {
  constexpr int64_t kFree = 1000000;
  const int64_t shares[2][2] = {{900000, 800000}, {700000, 600000}};
  for (int place = 0; place < 2; ++place)
    for (int kind = 0; kind < 2; ++kind)
      for (int64_t over : {-1, 0, 1}) {
        Question asked = question(100, shares[place][kind] + over, kFree);
        asked.place = kPlaces[place];
        asked.work = kKinds[kind];
        const Decision decision = decide(asked, {});
        EXPECT_EQ(decision.budget, shares[place][kind]);
        EXPECT_EQ(decision.solver, over <= 0 ? SolverChoice::Direct
                                             : SolverChoice::ConjugateGradients)
            << place << kind << over;
        EXPECT_TRUE(decision.fits);
        // Without another solver it does not fit.
        asked.conjugateGradients.reset();
        EXPECT_EQ(decide(asked, {}).fits, over <= 0);
      }
}

TEST(Oracle, SharesAreOptions) {
  OracleOptions options;
  options.ramShare = 0.5;
  EXPECT_EQ(solverOf(question(10, 500, 1000), options), SolverChoice::Direct);
  EXPECT_EQ(solverOf(question(10, 501, 1000), options),
            SolverChoice::ConjugateGradients);
}

TEST(Oracle, EstimateIsStrictlyLessThanTheDevicesShare) {
  OracleOptions options;
  options.rule = OracleRule::Estimate;
  // 4 * 8 * 30^2 = 28800 = 0.9 * 32000, whatever the plan and the place.
  for (MemoryPlace place : kPlaces)
    for (int64_t planned : {int64_t(1), int64_t(1) << 50}) {
      Question asked = question(30, planned, 32000);
      asked.place = place;
      EXPECT_EQ(solverOf(asked, options), SolverChoice::ConjugateGradients);
      asked.freeBytes = 32002;
      EXPECT_EQ(solverOf(asked, options), SolverChoice::Direct);
      EXPECT_TRUE(decide(asked, options).fits);
    }
  options.estimateFactor = 3;
  EXPECT_EQ(solverOf(question(30, 1, 32000), options), SolverChoice::Direct);
}

TEST(Oracle, RungsBeforeThreadsUntilChunksAreSmall) {
  Question asked;
  asked.direct = Need{{{1024, 1000}, {512, 600}, {256, 400}, {128, 300}}, 100};
  asked.threads = 4;
  OracleOptions options;
  options.ramShare = 1;
  auto expect = [&](int64_t freeBytes, size_t rung, unsigned threads) {
    asked.freeBytes = freeBytes;
    const Decision decision = decide(asked, options);
    EXPECT_TRUE(decision.fits) << freeBytes;
    EXPECT_EQ(decision.rung, rung) << freeBytes;
    EXPECT_EQ(decision.threads, threads) << freeBytes;
    EXPECT_LE(decision.bytes, freeBytes);
  };
  expect(4100, 0, 4);
  expect(4099, 1, 4);
  expect(2499, 2, 4);
  expect(1699, 1, 2);
  expect(1299, 2, 2);
  expect(899, 1, 1);
  expect(699, 2, 1);
  expect(400, 3, 1);
  asked.freeBytes = 399;
  const Decision none = decide(asked, options);
  EXPECT_FALSE(none.fits);
  EXPECT_EQ(none.bytes, 400);
}

TEST(Oracle, SparesGetWhatIsLeft) {
  Question asked;
  asked.direct = Need{{{1024, 1000}, {512, 600}}, 100};
  asked.direct->spareBytes = 300;
  OracleOptions options;
  options.ramShare = 1;
  auto expect = [&](unsigned threads, int64_t freeBytes, unsigned spares) {
    asked.threads = threads;
    asked.freeBytes = freeBytes;
    const Decision decision = decide(asked, options);
    EXPECT_EQ(decision.rung, 0u);
    EXPECT_EQ(decision.threads, threads);
    EXPECT_EQ(decision.spares, spares) << freeBytes;
    EXPECT_EQ(decision.bytes, 100 + int64_t(threads) * 1000 + spares * 300);
  };
  expect(1, 1 << 20, 0);
  expect(2, 2100, 0);
  expect(2, 2399, 0);
  expect(2, 2400, 1);
  expect(2, 1 << 20, 2);
  asked.direct->spareLimit = 599;
  expect(2, 1 << 20, 1);
}

TEST(Oracle, OneWayAlone) {
  Question asked = question(9000, 10, 1000);
  asked.conjugateGradients.reset();
  // The user's choice: no limit on columns.
  EXPECT_EQ(solverOf(asked), SolverChoice::Direct);
  asked = question(10, 10, 1000);
  asked.direct.reset();
  EXPECT_EQ(solverOf(asked), SolverChoice::ConjugateGradients);
}

TEST(Oracle, BlocksAreGivenUpWhereNoneElseFit) {
  Question asked = question(500, 5000, 10000);
  asked.conjugateGradients = Need{{{1024, 4000}, {1, 3000}}, 0};
  asked.smallBlocks = Need{{{1024, 400}, {1, 300}}, 0};
  auto solverOf = [&](int64_t freeBytes) {
    asked.freeBytes = freeBytes;
    return decide(asked, {}).solver;
  };
  EXPECT_EQ(solverOf(10000), SolverChoice::Direct);
  // Smaller chunks are better than smaller blocks.
  EXPECT_EQ(solverOf(7000), SolverChoice::ConjugateGradients);
  EXPECT_EQ(solverOf(4286), SolverChoice::ConjugateGradients);
  EXPECT_EQ(solverOf(4285), SolverChoice::SmallBlocks);
  EXPECT_TRUE(decide(asked, {}).fits);
  EXPECT_EQ(decide(asked, {}).bytes, 400);
  EXPECT_EQ(solverOf(428), SolverChoice::SmallBlocks);
  const Decision none = decide(asked, {});
  EXPECT_FALSE(none.fits);
  EXPECT_EQ(none.bytes, 300);
  // Nor do they depend on the number of threads.
  asked.threads = 8;
  EXPECT_EQ(solverOf(4286), SolverChoice::ConjugateGradients);
}

TEST(Oracle, SaysWhyItIsConjugateGradients) {
  Question asked = question(6400, 985400000, 188000000);
  asked.smallBlocks = asked.conjugateGradients;
  asked.conjugateGradients = Need{{{1, 3900000}}, 0};
  auto noteOf = [&](const OracleOptions &options = {}) {
    return routeNote(asked, decide(asked, options), options);
  };
  EXPECT_EQ(noteOf(), "fits by conjugate gradients: the direct solver needs "
                      "985.4 MB, 188.0 MB are free");
  asked.freeBytes = 1000000000;
  EXPECT_EQ(noteOf(), "fits by conjugate gradients: the direct solver needs "
                      "985.4 MB, 1000.0 MB are free, of which 70% may be "
                      "taken");
  asked.freeBytes = 1000000;
  EXPECT_EQ(noteOf(), "fits by conjugate gradients with small blocks: the "
                      "direct solver needs 985.4 MB, 1.0 MB are free; a "
                      "preconditioner of all blocks needs 3.9 MB");
  OracleOptions options;
  options.directColumns = 6399;
  asked.freeBytes = int64_t(1) << 40;
  EXPECT_EQ(noteOf(options), "fits by conjugate gradients: 6400 coefficients, "
                             "more than the direct limit of 6399");
  options = {};
  options.rule = OracleRule::Estimate;
  asked.freeBytes = 1310720000;
  EXPECT_EQ(noteOf(options), "fits by conjugate gradients: the direct solver "
                             "is estimated to need 1310.7 MB, 1310.7 MB are "
                             "free, of which 90% may be taken");
  // Nothing to say of what was not chosen for memory.
  asked.freeBytes = int64_t(1) << 40;
  EXPECT_EQ(noteOf(), "");
  asked.direct.reset();
  EXPECT_EQ(noteOf(), "");
  asked.freeBytes = 1000000;
  EXPECT_EQ(noteOf(), "fits by conjugate gradients with small blocks: a "
                      "preconditioner of all blocks needs 3.9 MB, 1.0 MB are "
                      "free");
}

TEST(Oracle, BudgetIsRoundedDownAndNeverNegative) {
  EXPECT_EQ(budgetOf(10, 0.7), 7);
  EXPECT_EQ(budgetOf(11, 0.7), 7);
  EXPECT_EQ(budgetOf(-5, 0.7), 0);
  EXPECT_EQ(budgetOf(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(budgetOf((int64_t(1) << 60) + 1, 1), (int64_t(1) << 60) + 1);
}

TEST(Oracle, SaysWhatWouldHelp) {
  Question asked = question(3, 800, 1000);
  asked.conjugateGradients.reset();
  const std::string text =
      tooLittle(asked, decide(asked, {}), {}, "limit on data");
  EXPECT_EQ(text, "expected 800 bytes of memory for the direct solver in "
                  "chunks of 1 row, got 700, which is 70% of 1000 bytes free "
                  "(limit on data); 143 bytes more would do, or a share of "
                  "0.80");
  Question reserved = asked;
  reserved.direct->reserveBytes = 300;
  EXPECT_EQ(tooLittle(reserved, decide(reserved, {}), {}, "").substr(0, 113),
            "expected 800 bytes of memory for the direct solver in chunks of 1 "
            "row, of which the device's kernels reserve 300,");
  // It does.
  asked.freeBytes += 143;
  EXPECT_TRUE(decide(asked, {}).fits);
  asked.freeBytes -= 1;
  EXPECT_FALSE(decide(asked, {}).fits);
}

} // namespace
} // namespace tamrt::test
