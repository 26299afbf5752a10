//===- Planning/Plan.h - memory plans ---------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PLAN_H
#define TAMC_PLANNING_PLAN_H

#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamc::planning {

/// The outcome of planning.
enum class Status {
  /// A plan, and no plan has a lower peak in any space.
  Optimal,
  /// A plan; Plan::peak and Plan::bound give the gap.
  Feasible,
  /// No plan fits the capacities (proved). There may be offsets of a plan that
  /// respects everything but the capacities.
  Infeasible,
  /// The strategy ended, or its node budget was used up, without a plan that
  /// fits the capacities and without a proof that there is none. There may be
  /// offsets, as above.
  NotFound,
  /// The time ran out without a plan that fits the capacities and without a
  /// proof that there is none. There may be offsets, as above.
  TimedOut,
  /// The problem breaks a rule of Problem.h; Plan::reason says which.
  Invalid,
};

/// The status as text, for example "optimal".
std::string_view toString(Status status);

/// The status of a text; Status::Invalid if there is none.
Status statusOf(std::string_view text);

/// Memory that is allocated and freed as one: a root of strategy `tree`.
struct Pool {
  int32_t space = 0;
  /// Offset of the pool in its space.
  int64_t base = 0;
  int64_t size = 0;
};

/// A stay of a buffer in one space.
struct Residence {
  int32_t buffer = 0;
  int32_t space = 0;
  Interval time;
  int64_t offset = 0;
};

/// A buffer moves to another space before the moment `time`. Between the moment
/// before and this one it holds its bytes in both spaces.
struct Copy {
  int32_t buffer = 0;
  int64_t time = 0;
  int32_t from = 0;
  int32_t to = 0;
  int64_t bytes = 0;
};

/// Why a buffer does not live in its cheapest space.
struct Reason {
  enum class Kind {
    /// At `time` the buffers `there` leave `lacking` bytes too few.
    Bytes,
    /// There are enough bytes at every time, but no free stretch of addresses
    /// is long enough: `lacking` bytes are missing, because of `there`.
    Stretch,
    /// There are enough bytes at every time, but no better plan with the buffer
    /// there was found.
    Plan,
  };
  int32_t buffer = 0;
  /// During these times the buffer is elsewhere.
  Interval outside;
  /// The cheapest space.
  int32_t space = 0;
  Kind kind = Kind::Bytes;
  int64_t time = 0;
  int64_t lacking = 0;
  /// The largest buffers that hold bytes of the space at `time`, at most 8, and
  /// the number of all of them.
  std::vector<int32_t> there;
  int64_t count = 0;
};

/// "bytes", "stretch" or "plan".
std::string_view toString(Reason::Kind kind);

/// The offset of each buffer.
struct Plan {
  Status status = Status::Invalid;
  /// The strategy that found it; for a portfolio, the member that won.
  std::string strategy;
  /// By buffer; empty if there is no plan. Bytes from the space's begin.
  std::vector<int64_t> offsets;
  /// By space: the end of the last byte that is used.
  std::vector<int64_t> peak;
  /// By space: no plan has a lower peak than this. It is the largest load, or a
  /// higher bound that a search proved; equal to the peak of an optimal plan.
  std::vector<int64_t> bound;
  /// Why there is no plan, or no better one; lower case, no full stop.
  std::string reason;
  /// In the order of their bases; one for each space if the strategy has no
  /// pools.
  std::vector<Pool> pools;
  /// By buffer: the space that was chosen; empty if no buffer has a choice. For
  /// a buffer that moves it is that of the first residence.
  std::vector<int32_t> spaces;
  /// Sum of the costs, and a number that no plan within the capacities is
  /// below; nothing if no buffer has a choice. They saturate at 2^63-1, a cost
  /// that is never called optimal.
  std::optional<int64_t> cost, costBound;
  /// The stays of the buffers that move, by buffer and time.
  std::vector<Residence> residences;
  /// Ascending by time.
  std::vector<Copy> copies;
  /// By buffer and time.
  std::vector<Reason> reasons;
  /// Decisions that a search made.
  int64_t nodes = 0;
  /// The time limit ended the search: more time might give a better plan.
  bool stopped = false;
  /// Wall time in seconds.
  double seconds = 0;

  /// True when the offsets respect every rule, capacities included.
  bool fits() const {
    return status == Status::Optimal || status == Status::Feasible;
  }
  /// Sum over the spaces; saturates at 2^63-1.
  int64_t totalPeak() const;
  /// Sum over the spaces; saturates at 2^63-1.
  int64_t totalBound() const;
  /// Sum of the pools' sizes, if each is allocated on its own.
  /// Differs from the peak by the padding between pools.
  int64_t poolBytes() const;
  /// Relative gap between peak and bound: 0.1 is ten per cent.
  double gap() const;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_PLAN_H
