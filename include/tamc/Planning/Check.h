//===- Planning/Check.h - checks a plan -------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHECK_H
#define TAMC_PLANNING_CHECK_H

#include "tamc/Planning/Problem.h"
#include "tamc/Planning/Strategy.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamc::planning {

/// A rule that a plan breaks.
struct Finding {
  enum class Kind {
    Count,      // not one offset a buffer
    Negative,   // an offset below 0
    Overflow,   // offset + size above 2^63-1
    Alignment,  // an offset that is not a multiple
    Pin,        // a pinned buffer elsewhere
    AliasClass, // buffers of a class at different offsets
    Capacity,   // a buffer that ends beyond its space
    Overlap,    // two buffers share bytes at one time
    Order,      // two buffers share bytes and may be needed at one time
    Space,      // a buffer in a space that it cannot choose
    Residence,  // stays that do not make up a life, or change at a wrong time
    Copy,       // a missing, unnecessary or wrong copy
    Cost,       // a cost that is not that of the plan
    CostBound,  // a bound above the cost, or a status that it does not prove
    Peak,       // a peak that is not that of the plan
    Bound,      // a bound above the peak, or a status that it does not prove
    Reason,     // a missing, unnecessary or wrong reason
  };
  Kind kind;
  /// Indices of the buffers; -1 when there is none.
  int64_t first = -1;
  int64_t second = -1;
  /// Lower case, no full stop, with the buffers' names.
  std::string message;
};

/// Options of a check.
struct CheckOptions {
  /// Every offset is a multiple of this too.
  int64_t alignment = 1;
  bool capacities = true;
  /// BranchSafe: in no order of the operations that their dependencies allow is
  /// a buffer used after another one was written over it. The problem must have
  /// operations.
  Reuse reuse = Reuse::Program;
  /// The cost decides whether a plan is optimal (Objective::Cost).
  bool costDecides = true;
  /// Stop after this many findings.
  size_t limit = 10;
  /// Two or more: two threads check a large problem.
  int threads = 1;
};

/// The first rules that `offsets` break; none means that the plan is correct.
/// The problem must be valid. Shares no code with the strategies. Sweeps each
/// space over time with the live buffers ordered by address: O(n log n) for a
/// correct plan. After one overlap, further ones may be missed.
/// Reuse::BranchSafe takes another O(operations * dependencies + pairs that
/// share bytes * their uses) and one bit for each pair of operations.
std::vector<Finding> check(const Problem &problem,
                           std::span<const int64_t> offsets,
                           const CheckOptions &options = {});

/// Checks a plan of any problem: checkChoice() if there is a choice of spaces;
/// else the offsets as above, and, as far as the plan has them, its peaks,
/// bounds and status. Whether no plan is below a bound is not looked at.
std::vector<Finding> check(const Problem &problem, const Plan &plan,
                           const CheckOptions &options = {});

/// Checks a plan of a problem with a choice of spaces: every rule above; the
/// spaces, the stays of buffers that move, with their copies between two
/// moments; and, as far as the plan has them, cost, bound, status, peaks and
/// reasons. Shares no code with the planner. O(n log n + reasons n).
std::vector<Finding> checkChoice(const Problem &problem, const Plan &plan,
                                 const CheckOptions &options = {});

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHECK_H
