//===- Planning/Choice.h - choice of memory spaces --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_H
#define TAMC_PLANNING_CHOICE_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"
#include "tamc/Planning/Strategy.h"

#include <string>

namespace tamc::planning {

/// An error message if spaces cannot be chosen with these options; empty
/// otherwise.
std::string whyNotChosen(const Problem &problem, const Options &options);

/// A plan of a problem with a choice, as a plan of a problem without: each
/// buffer is in the space that was chosen, and each further stay of a buffer
/// that moves is a buffer of its own, "name@time".
struct Resolved {
  Problem problem;
  Plan plan;
  /// By buffer of `problem`: the buffer of the original problem.
  std::vector<int32_t> owner;
};
Resolved resolve(const Problem &problem, const Plan &plan);

/// The reason as a sentence without a full stop: "'x' is outside 'sram' from 3
/// to 9: at time 4 it lacks 128 bytes, 3 buffers are there: 'y' (512), .."
std::string toText(const Problem &problem, const Reason &reason);

/// The cost, the stays of buffers that move, the copies and the reasons, in
/// lines of text; at most `most` of each.
std::string describeChoice(const Problem &problem, const Plan &plan,
                           size_t most = 20);

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_H
