//===- Planning/Portfolio.h - strategies as parts of others -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PORTFOLIO_H
#define TAMC_PLANNING_PORTFOLIO_H

#include "Deadline.h"
#include "Instance.h"
#include "Packing.h"

namespace tamc::planning {

/// Strategy `skyline`.
Placement placeBySkyline(const Instance &instance, const Options &options,
                         const Deadline &deadline);

/// Strategy `exact` from an incumbent: replaces its offsets by better ones and
/// says whether they are optimal. Ends at the bound, at a proof, after
/// Options::nodes decisions (0: never) or at the deadline. Does nothing to an
/// instance that it cannot represent.
void improveExactly(const Instance &instance, const Options &options,
                    const Deadline &deadline, Placement &best);

/// Tries the orders in which a few items can be stacked, by first fit; knows
/// pins, gaps and alignment. Says optimal after all of them. Does nothing to
/// instances with windows or of more than 64 items.
void improveByOrders(const Instance &instance, int64_t nodes,
                     const Deadline &deadline, Placement &best);

/// Strategy `search` from an incumbent: at most `decodes` changed priorities.
void improveBySearch(const Instance &instance, const Options &options,
                     int64_t decodes, const Deadline &deadline,
                     Placement &best);

/// No pins, and few and small enough items.
bool canSearchExactly(const Instance &instance);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PORTFOLIO_H
