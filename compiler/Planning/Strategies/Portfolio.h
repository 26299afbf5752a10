//===- Planning/Portfolio.h - strategies as parts of others -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PORTFOLIO_H
#define TAMC_PLANNING_PORTFOLIO_H

#include "Problem/Instance.h"
#include "Strategies/Deadline.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tamc::planning {

/// Strategy `skyline`.
Placement placeBySkyline(const Instance &instance, const Options &options,
                         const Deadline &deadline);

/// Strategy `bfc` without a capacity: what there is time for when there is
/// none. Looks at the deadline now and then; what is left is piled up. Empty
/// when an offset would be 2^63-1 or more. O(n log n), 40 ms for 10^5 items.
std::vector<int64_t> placeByBestFit(const Instance &instance,
                                    const Deadline &deadline);

/// A search that goes on where it was left.
class Improver {
public:
  virtual ~Improver() = default;

  /// Replaces the incumbent's offsets by better ones, raises what is proved
  /// about it, and adds to its nodes. Ends at the bound, at a proof, when the
  /// budget is spent (`infinite`: never), or at the deadline.
  virtual void run(int64_t budget, const Deadline &deadline,
                   Placement &best) = 0;
};

/// Strategy `exact`; the budget counts decisions. The instance is one of which
/// canSearchExactly() holds, and outlives the improver.
std::unique_ptr<Improver> makeExact(const Instance &instance, uint64_t seed);

/// Strategy `search`; the budget counts decodes. The instance is not empty, and
/// outlives the improver.
std::unique_ptr<Improver> makeSearch(const Instance &instance, uint64_t seed);

/// Part of `auto`: what is alive where the load is largest first, then the
/// rest; the budget counts plans. The instance is simple and not empty, and
/// outlives the improver.
std::unique_ptr<Improver> makeCrowd(const Instance &instance, uint64_t seed);

/// Tries the orders in which a few items can be stacked, by first fit; knows
/// pins, gaps and alignment. Says optimal after all of them. Does nothing to
/// instances with windows or of more than 64 items.
void improveByOrders(const Instance &instance, int64_t nodes,
                     const Deadline &deadline, Placement &best);

/// No pins, and few and small enough items with few enough conflicts.
bool canSearchExactly(const Instance &instance);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PORTFOLIO_H
