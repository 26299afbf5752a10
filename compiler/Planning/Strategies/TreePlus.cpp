//===- Planning/TreePlus.cpp - strategy tree+: the tree without its weaknesses
//===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllocationTree.h"
#include "Arithmetic.h"
#include "Bounds.h"
#include "Deadline.h"
#include "Placer.h"
#include "Skyline.h"

#include <algorithm>
#include <numeric>

using namespace tamc::planning;

namespace {

/// One pool, grown by the items in this order. An item goes to the first slot
/// that holds it as it is; else to the first that does after joining children;
/// else the pool grows where the tree is lowest.
std::vector<int64_t> grow(const Instance &instance,
                          const std::vector<int32_t> &order) {
  std::vector<int64_t> offsets(instance.size(), 0);
  int64_t base = 0;
  for (size_t i = 0; i < instance.size(); ++i)
    if (instance.items[i].pin >= 0) {
      offsets[i] = instance.items[i].pin;
      base = std::max(base, offsets[i] + instance.items[i].size);
    }
  if (order.empty())
    return offsets;
  int64_t alignment = treeAlignment(instance);
  AllocationTree tree(instance, alignment, order.front(), true);
  for (size_t i = 1; i < order.size(); ++i)
    if (!tree.allocate(order[i], false) &&
        !tree.allocateOverSeveral(order[i], false) &&
        !tree.allocateOverSeveral(order[i], true))
      tree.allocateAtEnd(order[i]);
  tree.finalize(alignUp(base, alignment), offsets);
  return offsets;
}

std::vector<std::vector<int32_t>> ordersOf(const Instance &instance) {
  std::vector<int32_t> items;
  for (size_t i = 0; i < instance.size(); ++i)
    if (instance.items[i].pin < 0)
      items.push_back(static_cast<int32_t>(i));
  std::vector<std::vector<int32_t>> orders;
  // Inductor's own order first, then those of strip packing.
  orders.push_back(items);
  std::stable_sort(orders[0].begin(), orders[0].end(),
                   [&](int32_t a, int32_t b) {
                     const Item &x = instance.items[a], &y = instance.items[b];
                     return std::pair(x.size, instance.life(x)) >
                            std::pair(y.size, instance.life(y));
                   });
  for (const std::vector<int32_t> &rank :
       priorities(instance, Sections(instance))) {
    std::vector<int32_t> order = items;
    std::sort(order.begin(), order.end(),
              [&](int32_t a, int32_t b) { return rank[a] < rank[b]; });
    orders.push_back(std::move(order));
  }
  return orders;
}

Placement place(const Instance &instance, const Options &options) {
  Deadline deadline(options);
  int64_t bound = boundOf(instance).bytes;
  // The tree itself comes first: with its offsets settled, nothing below can
  // make the answer worse than its own.
  Placement best = placeByTree(instance, options);
  best.pools.clear();
  settle(instance, best.offsets);
  int64_t peak = peakOf(instance, best.offsets);
  for (const std::vector<int32_t> &order : ordersOf(instance)) {
    if (peak <= bound || deadline.passed())
      break;
    ++best.nodes;
    std::vector<int64_t> offsets = grow(instance, order);
    settle(instance, offsets);
    if (int64_t reached = peakOf(instance, offsets); reached < peak) {
      peak = reached;
      best.offsets = std::move(offsets);
    }
  }
  best.optimal = peak <= bound;
  return best;
}

} // namespace

namespace tamc::planning {
Plan planTreePlus(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options, place);
}
} // namespace tamc::planning
