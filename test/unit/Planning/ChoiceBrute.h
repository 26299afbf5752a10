//===- Planning/ChoiceBrute.h - brute force for choices ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_PLANNING_CHOICEBRUTE_H
#define TAMC_TEST_PLANNING_CHOICEBRUTE_H

#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <optional>
#include <random>

namespace tamc::planning::test {

/// What a random problem with a choice may contain.
struct ChoiceKinds {
  int buffers = 8;
  int spaces = 3;
  /// Uses, of few buffers, so that all moves can be tried.
  bool uses = false;
  bool gaps = false;
  bool alignment = false;
  bool classes = false;
};

/// A valid problem; capacities are tight, costs are often equal.
Problem randomChoice(std::mt19937_64 &random, const ChoiceKinds &kinds);

struct Best {
  int64_t cost = 0;
  int64_t peak = 0;
};

/// The least cost within the capacities and, of the plans with that cost, the
/// least sum of peaks, by trying every space of every stay and every offset;
/// with `byPeak` the least sum of peaks comes first. Nothing if no plan fits.
/// Without windows and pins.
std::optional<Best> bestChoice(const Problem &problem, bool evict,
                               bool byPeak = false);

} // namespace tamc::planning::test

#endif // TAMC_TEST_PLANNING_CHOICEBRUTE_H
