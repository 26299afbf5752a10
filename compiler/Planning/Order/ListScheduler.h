//===- Planning/ListScheduler.h - one ready operation after another -*- C++
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

/// Which of the ready operations runs next.
struct ListRule {
  /// Those that fit come first, with the one that leaves the least alive; when
  /// none fits, the one that needs the least. Fitting means: below this, or
  /// below what was needed before.
  Load target;
  /// Breaks ties, by operation, lower first.
  std::vector<int32_t> rank;
  /// Prefers, among equals, what became ready last: goes deep.
  bool deep = false;
  /// Ties are broken before what remains alive is compared, unless that is
  /// less than before.
  bool rankFirst = false;
};

/// An order of all operations. O(touches log operations), but for operations
/// that are passed over because they do not fit.
std::vector<int32_t> schedule(const Program &program, const ListRule &rule);

} // namespace tamc::planning

#endif // TAMC_PLANNING_LISTSCHEDULER_H
