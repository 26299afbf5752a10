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

/// Strategy `bfc` without a capacity: a fast plan if there is no time for
/// others. Checks the deadline from time to time; remaining items are stacked
/// on top. Empty if an offset would be 2^63-1 or more. O(n log n), 40 ms for
/// 10^5 items.
std::vector<int64_t> placeByBestFit(const Instance &instance,
                                    const Deadline &deadline);

/// A search that continues where it stopped.
class Improver {
public:
  virtual ~Improver() = default;

  /// Replaces the incumbent's offsets by better ones, raises its proved bound,
  /// and adds to its nodes. Ends at the bound, at a proof, when the budget is
  /// used up (`infinite`: never), or at the deadline.
  virtual void run(int64_t budget, const Deadline &deadline,
                   Placement &best) = 0;
};

/// Strategy `exact`; the budget counts decisions. canSearchExactly() must be
/// true of the instance, which must outlive the improver.
std::unique_ptr<Improver> makeExact(const Instance &instance, uint64_t seed);

/// Strategy `search`; the budget counts decodes. The instance must not be empty
/// and must outlive the improver.
std::unique_ptr<Improver> makeSearch(const Instance &instance, uint64_t seed);

/// Part of `auto`: places the items alive at the largest load first, then the
/// rest. The budget counts plans. The instance must be simple and not empty,
/// and must outlive the improver.
std::unique_ptr<Improver> makeCrowd(const Instance &instance, uint64_t seed);

/// Part of `auto`: ejects items until all are placed below a target. The budget
/// counts insertions. The instance must be simple and not empty, and must
/// outlive the improver.
std::unique_ptr<Improver> makeEjection(const Instance &instance, uint64_t seed);

/// Tries the orders in which a few items can be stacked, by first fit, with
/// pins, gaps and alignment. The result is optimal once all orders have been
/// tried. Does nothing for instances with windows or with more than 64 items.
void improveByOrders(const Instance &instance, int64_t nodes,
                     const Deadline &deadline, Placement &best);

/// Whether an instance has no pins, few and small enough items, and few enough
/// conflicts.
bool canSearchExactly(const Instance &instance);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PORTFOLIO_H
