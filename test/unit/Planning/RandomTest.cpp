//===- Planning/RandomTest.cpp - every strategy on random problems --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "tamc/Planning/Csv.h"
#include "tamc/Planning/Strategy.h"

#include <gtest/gtest.h>

using namespace tamc::planning;

namespace {

/// Plans pass the checker inside plan(); here they pass the definition too.
TEST(Random, EveryPlanOfEveryStrategyKeepsEveryRule) {
  std::mt19937_64 random(2026);
  for (int round = 0; round < 2000; ++round) {
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

} // namespace
