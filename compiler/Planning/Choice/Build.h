//===- Planning/Choice/Build.h - the model of a problem ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_BUILD_H
#define TAMC_PLANNING_CHOICE_BUILD_H

#include "Choice/Model.h"
#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"
#include "tamc/Planning/Strategy.h"

namespace tamc::planning {

/// A problem whose buffers choose spaces, as a ChoiceModel. Resources are
/// spaces, items are buffers or alias classes.
struct BuiltModel {
  ChoiceModel model;
  /// By item: its buffers.
  std::vector<std::vector<int32_t>> buffers;
  /// By item: members of its alias class that hold no byte.
  std::vector<std::vector<int32_t>> idle;
  /// By item: the spaces that its options stand for.
  std::vector<std::vector<int32_t>> spaces;
  /// By stage: its times in the problem.
  std::vector<Interval> times;
  /// What the buffers outside the model cost: those that hold no byte, each in
  /// its space of `resting`, -1 for the others.
  Cost fixed = 0;
  std::vector<int32_t> resting;
};

/// Whether the buffer may move: it has uses, several spaces, one live interval,
/// no window and no alias class.
bool mayMove(const Buffer &buffer);

/// The cost of a stay of `uses` uses; of a life if the buffer has no uses.
Cost costOfChoice(const Buffer &buffer, const SpaceChoice &choice);

/// The spaces of a buffer with their costs; for a buffer without choices its
/// space, at no cost.
std::vector<SpaceChoice> choicesOf(const Buffer &buffer);

/// The stretches that a buffer may change its space between, with whether each
/// is a use.
std::vector<std::pair<Interval, bool>> stretchesOf(const Buffer &buffer);

BuiltModel buildModel(const Problem &problem, const Options &options);

/// The selection as spaces, residences without offsets, copies and cost of a
/// plan.
void setSpaces(const Problem &problem, const BuiltModel &built,
               const Selection &selection, Plan &plan);

/// A problem without choices whose buffers are the stays of a plan; `owner` has
/// the buffer of each. With `ticks`, moment t is the time 2 t and the copies
/// before it are at 2 t - 1.
struct PlacedProblem {
  Problem problem;
  std::vector<int32_t> owner;
};
PlacedProblem placeStays(const Problem &problem, const Plan &plan, bool ticks);

/// Calls body(stay, index) for the residences of a plan in their order. `index`
/// is that of the stay in the placed problem: a buffer's first stay takes its
/// place, and the further ones are behind all `buffers`.
template <typename Residences, typename Body>
void forEachStay(Residences &residences, size_t buffers, Body body) {
  for (size_t k = 0; k < residences.size(); ++k) {
    const bool first =
        k == 0 || residences[k - 1].buffer != residences[k].buffer;
    body(residences[k], first ? size_t(residences[k].buffer) : buffers++);
  }
}

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_BUILD_H
