//===- Planning/ListScheduler.h - a list scheduler --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_LISTSCHEDULER_H
#define TAMC_PLANNING_LISTSCHEDULER_H

#include "Problem/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tamc::planning {

/// The rule that chooses the next of the ready operations.
struct ListRule {
  /// If some operations fit, the one that leaves the fewest bytes alive is
  /// next, else the one that needs the fewest. An operation fits if it needs at
  /// most this, or at most what was needed before.
  Load target;
  /// Breaks ties, by operation, lower first.
  std::vector<int32_t> rank;
  /// Prefers, among equals, the operation that became ready last (depth first).
  bool deep = false;
  /// The rank is compared before the bytes that remain alive, unless these are
  /// fewer than before.
  bool rankFirst = false;
};

/// An order of all operations. O(accesses log operations), without the
/// operations that are skipped because they do not fit.
std::vector<int32_t> schedule(const Program &program, const ListRule &rule);

} // namespace tamc::planning

#endif // TAMC_PLANNING_LISTSCHEDULER_H
