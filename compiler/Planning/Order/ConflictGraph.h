//===- Planning/ConflictGraph.h - conflicts that no line of time holds -*- C++
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CONFLICTGRAPH_H
#define TAMC_PLANNING_CONFLICTGRAPH_H

#include "Order/BitMatrix.h"
#include "Problem/Instance.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tamc::planning {

/// Sets of vertices, each pairwise in conflict, that together hold every pair
/// of `missing`, a symmetric part of the symmetric `conflicts`. Nothing when
/// the sets would have more than `most` members together.
std::optional<std::vector<std::vector<int32_t>>>
coverByCliques(const BitMatrix &conflicts, BitMatrix missing, size_t most);

/// Vertices that are pairwise in conflict, of large total weight; among them
/// the heaviest for `vertices` that are few. A weight of 0 is left out. The
/// graph's complement is the comparability graph of a partial order, so the
/// heaviest one is an antichain, which a maximum flow finds (Dilworth 1950;
/// weights by Ford and Fulkerson 1962). `precedes(a, b)` is that order.
std::vector<int32_t> heaviestClique(const BitMatrix &conflicts,
                                    std::span<const int64_t> weights,
                                    std::span<const int32_t> vertices,
                                    const BitMatrix &precedes);

/// Places the items in this order, each as low as those placed before it that
/// it is in conflict with allow; pinned items first. O(items^2).
std::vector<int64_t> placeByConflicts(const Instance &instance,
                                      const BitMatrix &conflicts,
                                      std::span<const int32_t> order);

} // namespace tamc::planning

#endif // TAMC_PLANNING_CONFLICTGRAPH_H
