//===- Planning/Judge.h - verdict on a strategy's plan ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_JUDGE_H
#define TAMC_PLANNING_JUDGE_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"
#include "tamc/Planning/Strategy.h"

namespace tamc::planning {

/// Sets the peaks, and one pool for each space without pools.
void fillPeaks(const Problem &problem, Plan &plan);

/// Sets status and reason of a plan whose offsets, peaks and bounds are known.
void judge(const Problem &problem, Plan &plan);

/// Aborts the program if the plan breaks a rule: that is a bug of the strategy,
/// and no caller may use the plan.
void insistOnCorrectness(const Problem &problem, const Plan &plan,
                         const Options &options);

/// plan() for a problem with a choice of spaces; the problem must be valid.
Plan planChoice(const Problem &problem, const Options &options);

/// plan() for Reuse::BranchSafe; the problem must be valid.
Plan planBranchSafe(const Problem &problem, const Options &options);

} // namespace tamc::planning

#endif // TAMC_PLANNING_JUDGE_H
