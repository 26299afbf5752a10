//===- Planning/ConflictGraph.h - conflict graphs as problems ---*- C++ -*-===//
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

/// Sets of pairwise conflicting vertices that together contain every pair of
/// `missing`, a symmetric part of the symmetric `conflicts`. Nothing if the
/// sets would have more than `most` members together.
std::optional<std::vector<std::vector<int32_t>>>
coverByCliques(const BitMatrix &conflicts, BitMatrix missing, size_t most);

/// Pairwise conflicting vertices of large total weight: the largest if there
/// are few `vertices`. Vertices of weight 0 are left out. The graph's
/// complement is the comparability graph of a partial order, so the heaviest
/// clique is an antichain, which a maximum flow finds (Dilworth 1950; weights
/// by Ford and Fulkerson 1962). `precedes(a, b)` is that order.
std::vector<int32_t> heaviestClique(const BitMatrix &conflicts,
                                    std::span<const int64_t> weights,
                                    std::span<const int32_t> vertices,
                                    const BitMatrix &precedes);

/// Places the items in this order, pinned items first, each as low as the
/// conflicting items placed before it allow. O(items^2).
std::vector<int64_t> placeByConflicts(const Instance &instance,
                                      const BitMatrix &conflicts,
                                      std::span<const int32_t> order);

} // namespace tamc::planning

#endif // TAMC_PLANNING_CONFLICTGRAPH_H
