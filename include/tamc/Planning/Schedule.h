//===- Planning/Schedule.h - schedules of lower peak ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_SCHEDULE_H
#define TAMC_PLANNING_SCHEDULE_H

#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamc::planning {

/// Why the operations cannot be reordered: there are none, or too many (2^15),
/// or a buffer has a live range that does not follow from them, so that it is
/// unknown in another order. Lower case, no full stop; empty if they can.
std::string whyNotScheduled(const Problem &problem);

struct ScheduleOptions {
  /// Sets of operations that the search may expand; 0 is a default that
  /// decreases with the size of the problem.
  int64_t nodes = 0;
  uint64_t seed = 1;
  /// Seconds of wall time; without it equal arguments give equal schedules.
  std::optional<double> timeLimit;
};

/// An order of the operations. A load is the sum over the spaces of the most
/// bytes alive at one time; alignment is ignored.
struct Schedule {
  /// By position: index of the operation in the problem's list.
  std::vector<int32_t> order;
  /// Load of the list's own order, and of this order, which is never larger.
  int64_t given = 0, load = 0;
  /// No order has a lower load.
  int64_t bound = 0;
  int64_t nodes = 0;
  bool isOptimal() const { return load <= bound; }
};

/// An order of low load. First list scheduling from both ends, with variations;
/// then a best-first search through the sets of operations that may have run,
/// which proves the optimum if it ends within its budget. whyNotScheduled()
/// must be empty.
Schedule minimizeLoad(const Problem &problem, const ScheduleOptions &options);

/// The problem with its operations in this order and the live ranges that
/// follow from it.
Problem reorder(const Problem &problem, std::span<const int32_t> order);

} // namespace tamc::planning

#endif // TAMC_PLANNING_SCHEDULE_H
