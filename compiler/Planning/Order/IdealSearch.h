//===- Planning/IdealSearch.h - the best order, by sets that ran -*- C++
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

/// What is known about the least load of all orders.
struct LoadSearch {
  /// An order below the limit; empty when none was found.
  std::vector<int32_t> order;
  /// No order has a lower total than this.
  int64_t bound = 0;
  int64_t nodes = 0;
};

/// Looks for the order of least total load below `limit`, going on from the
/// set of operations whose load so far is least. `floor` is a bound of every
/// order, by space. After `nodes` sets, or when `stop` says so, the bound is
/// what is proved until then. An operation that neither needs more than was
/// needed before nor leaves more alive runs at once: moved to the front of any
/// order it raises the load nowhere.
LoadSearch searchIdeals(const Program &program, const Load &floor,
                        int64_t limit, int64_t nodes,
                        const std::function<bool()> &stop);

} // namespace tamc::planning

#endif // TAMC_PLANNING_IDEALSEARCH_H
