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

/// Sets the peaks, and one pool a space where there is none.
void fillPeaks(const Problem &problem, Plan &plan);

/// Sets status and reason of a plan whose offsets, peaks and bounds are known.
void judge(const Problem &problem, Plan &plan);

/// Ends the program when the plan breaks a rule: a strategy that does is a bug,
/// and no caller may go on with its plan.
void insistOnCorrectness(const Problem &problem, const Plan &plan,
                         const Options &options);

/// plan() for Reuse::BranchSafe; the problem is valid.
Plan planBranchSafe(const Problem &problem, const Options &options);

} // namespace tamc::planning

#endif // TAMC_PLANNING_JUDGE_H
