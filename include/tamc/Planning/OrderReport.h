//===- Planning/OrderReport.h - plans with an order report ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_ORDERREPORT_H
#define TAMC_PLANNING_ORDERREPORT_H

#include "tamc/Planning/OrderSafety.h"
#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Schedule.h"
#include "tamc/Planning/Strategy.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tamc::planning {

/// The result of reordering the operations.
struct Scheduling {
  Schedule schedule;
  /// Peaks of the plans, over all spaces; -1 if there is none.
  int64_t peakBefore = -1, peakAfter = -1;
  /// Whether the problem has the new order: only if its plan is better.
  bool changed = false;
};

/// As plan(), for the better of two orders of the operations: the given one,
/// and that of minimizeLoad(). A plan that fits the capacities is better than
/// one that does not; else the lower peak is better. Puts the problem into that
/// order. whyNotScheduled() must be empty. A time limit is for the whole call.
Plan planMinPeak(Problem &problem, const Options &options,
                 Scheduling &scheduling);

/// How a plan and the order of the operations affect each other.
struct OrderReport {
  Reuse reuse = Reuse::Program;
  /// Peak over all spaces; -1 if there is no plan.
  int64_t peak = -1;
  /// With Reuse::BranchSafe: the peak of the same strategy with Reuse::Program;
  /// -1 if it found no plan.
  int64_t programPeak = -1;
  /// With Reuse::Program, if the order is known.
  std::optional<HiddenDependencies> hidden;
  std::optional<Scheduling> scheduling;
};

/// The report on a plan that plan() made. With Reuse::BranchSafe it plans once
/// more with Reuse::Program, in at most `seconds` if the options have a time
/// limit. Nothing if the problem has no operations.
std::optional<OrderReport> reportOrder(const Problem &problem, const Plan &plan,
                                       const Options &options,
                                       double seconds = 0);

/// The report as lines of text; each ends with a newline.
std::string toText(const Problem &problem, const OrderReport &report);

} // namespace tamc::planning

#endif // TAMC_PLANNING_ORDERREPORT_H
