//===- Planning/IdealSearch.h - search for the best order -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_IDEALSEARCH_H
#define TAMC_PLANNING_IDEALSEARCH_H

#include "Problem/Program.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tamc::planning {

/// The result of a search for the least load of all orders.
struct LoadSearch {
  /// An order below the limit; empty if none was found.
  std::vector<int32_t> order;
  /// No order has a lower total than this.
  int64_t bound = 0;
  int64_t nodes = 0;
};

/// Searches for the order of least total load below `limit`. Expands the set of
/// operations whose load so far is least. `floor` is a lower bound for every
/// order, by space. After `nodes` sets, or if `stop` returns true, the bound is
/// the one proved so far. An operation that neither needs more bytes than were
/// needed before nor leaves more alive runs at once: moving it to the front of
/// an order never raises the load.
LoadSearch searchIdeals(const Program &program, const Load &floor,
                        int64_t limit, int64_t nodes,
                        const std::function<bool()> &stop);

} // namespace tamc::planning

#endif // TAMC_PLANNING_IDEALSEARCH_H
