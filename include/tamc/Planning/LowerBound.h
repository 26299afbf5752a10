//===- Planning/LowerBound.h - lower bounds of plans ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_LOWERBOUND_H
#define TAMC_PLANNING_LOWERBOUND_H

#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <vector>

namespace tamc::planning {

/// A lower bound of one space's peak and where it comes from.
struct Bound {
  /// Bytes; above 2^63-1 it saturates and `overflow` is set.
  int64_t bytes = 0;
  bool overflow = false;
  /// A time at which this much is needed; for a bound that comes from a pin,
  /// the time at which the pinned buffer begins to live.
  int64_t time = 0;
};

/// The largest load of each space: bytes alive at one time. If all offsets are
/// multiples of one number (the greatest common divisor of alignments and
/// pins), each live buffer except the topmost counts with its size rounded up
/// to that number. Never below the end of a pinned buffer. O(n log n).
std::vector<Bound> lowerBounds(const Problem &problem, int64_t alignment = 1);

/// The buffers of `space` that are alive at `time`, by index.
std::vector<int32_t> aliveAt(const Problem &problem, int32_t space,
                             int64_t time);

} // namespace tamc::planning

#endif // TAMC_PLANNING_LOWERBOUND_H
