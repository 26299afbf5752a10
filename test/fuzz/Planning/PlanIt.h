//===- Planning/PlanIt.h - every strategy on a fuzzed problem ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_FUZZ_PLANNING_PLANIT_H
#define TAMC_FUZZ_PLANNING_PLANIT_H

#include "tamc/Planning/Explain.h"
#include "tamc/Planning/Strategy.h"

#include <cstdlib>

inline void require(bool condition) {
  if (!condition)
    std::abort();
}

/// plan() checks the plan of every strategy and aborts if it is wrong. Larger
/// problems are skipped: they take time and do not test the reader.
inline void planIt(const tamc::planning::Problem &problem) {
  using namespace tamc::planning;
  if (problem.buffers.size() > 12)
    return;
  for (const Strategy &strategy : strategies()) {
    Options options;
    options.strategy = strategy.name;
    options.nodes = 40;
    options.threads = 1;
    options.pools = static_cast<Pools>(problem.buffers.size() % 4);
    options.lastAreOutputs = problem.buffers.size() % 3 == 0;
    Plan made = plan(problem, options);
    require(made.status != Status::Invalid);
    if (made.fits())
      require(made.totalPeak() >= made.totalBound());
    explain(problem, made);
  }
}

#endif // TAMC_FUZZ_PLANNING_PLANIT_H
