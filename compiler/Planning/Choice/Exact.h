//===- Planning/Choice/Exact.h - complete search of choices -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_EXACT_H
#define TAMC_PLANNING_CHOICE_EXACT_H

#include "Choice/Build.h"
#include "Choice/Relaxation.h"
#include "Strategies/Deadline.h"

#include <optional>

namespace tamc::planning {

/// What a complete search found.
struct ExactChoice {
  /// Every choice was tried or excluded: `best`, or nothing, is the answer.
  bool complete = false;
  std::optional<Selection> best;
  Cost cost = 0;
  int64_t peak = 0;
  /// No plan within the capacities costs less; only with Objective::Cost.
  Cost bound = 0;
  int64_t nodes = 0;
};

/// Depth-first search over the options of all stages, with the bound of the
/// relaxation, the loads, and a packing of each space at the leaves. The packed
/// spaces are remembered.
ExactChoice searchChoices(const Problem &problem, const BuiltModel &built,
                          const Relaxation &relaxation, const Options &options,
                          int64_t nodes, const Deadline &deadline);

/// The largest sum of the loads of all spaces at one time: no plan has a lower
/// sum of peaks.
int64_t leastTotalPeak(const Problem &problem, const BuiltModel &built);

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_EXACT_H
