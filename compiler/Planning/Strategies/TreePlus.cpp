//===- Planning/TreePlus.cpp - strategy tree+: an improved tree -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds/Bounds.h"
#include "Placement/AllocationTree.h"
#include "Placement/Placer.h"
#include "Placement/Skyline.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Deadline.h"

#include <algorithm>
#include <numeric>

using namespace tamc::planning;

namespace {

/// Most steps to improve the tree without Options::nodes, so that no instance
/// takes much longer than with `tree` itself. A step takes 10 to 30 ns.
constexpr int64_t kMaxSteps = 40000000;

/// Tries one order after another until its steps are used up.
class Cure {
public:
  Cure(const Instance &instance, const Options &options,
       const Deadline &deadline)
      : instance(instance), deadline(deadline),
        maxSteps(options.nodes ? options.nodes : kMaxSteps),
        settling(4 * totalConflicts(instance) +
                 16 * static_cast<int64_t>(instance.size())) {}

  bool isOver() const { return steps >= maxSteps || deadline.passed(); }

  /// Whatever the budget is, unless the instance is large.
  void compactOffsets(std::vector<int64_t> &offsets) {
    if (settling > kMaxSteps - steps)
      return;
    steps += settling;
    compact(instance, offsets, deadline);
  }

  /// Offsets in one pool to which the items are added in this order; empty if
  /// the steps are used up. An item goes to the first slot where it fits; else
  /// to the first where it fits after children are joined; else the pool grows
  /// where the tree is lowest.
  std::vector<int64_t> grow(const std::vector<int32_t> &order) {
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
    int64_t before = steps;
    for (size_t i = 1; i < order.size(); ++i) {
      if (!tree.allocate(order[i], false) &&
          !tree.allocateOverSeveral(order[i], false) &&
          !tree.allocateOverSeveral(order[i], true))
        tree.allocateAtEnd(order[i]);
      steps = before + tree.steps();
      if (steps >= maxSteps || (i % 64 == 0 && deadline.passed()))
        return {};
    }
    tree.finalize(alignUp(base, alignment), offsets);
    return offsets;
  }

private:
  const Instance &instance;
  const Deadline &deadline;
  int64_t maxSteps, settling, steps = 0;
};

/// Inductor's own order (0), or one of those of strip packing; without pinned
/// items.
std::vector<int32_t> orderOf(const Instance &instance,
                             const Priorities &priorities, size_t which) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < instance.size(); ++i)
    if (instance.items[i].pin < 0)
      order.push_back(static_cast<int32_t>(i));
  if (which == 0) {
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      const Item &x = instance.items[a], &y = instance.items[b];
      return std::pair(x.size, instance.life(x)) >
             std::pair(y.size, instance.life(y));
    });
    return order;
  }
  std::vector<int32_t> rank = priorities.ranks(which - 1);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return rank[a] < rank[b]; });
  return order;
}

Placement placeByTrees(const Instance &instance, const Options &options) {
  Deadline deadline(options);
  int64_t bound = boundOf(instance).bytes;
  // Start with the compacted offsets of the plain tree, so that the result is
  // never worse.
  Placement best = placeByTree(instance, options, deadline);
  best.pools.clear();
  Cure cure(instance, options, deadline);
  int64_t peak = peakOf(instance, best.offsets);
  if (peak > bound) {
    cure.compactOffsets(best.offsets);
    peak = peakOf(instance, best.offsets);
  }
  Priorities priorities(instance, Sections(instance));
  for (size_t which = 0; which <= Priorities::count; ++which) {
    if (peak <= bound || cure.isOver())
      break;
    ++best.nodes;
    std::vector<int64_t> offsets =
        cure.grow(orderOf(instance, priorities, which));
    if (offsets.empty())
      break;
    cure.compactOffsets(offsets);
    if (int64_t reached = peakOf(instance, offsets); reached < peak) {
      peak = reached;
      best.offsets = std::move(offsets);
    }
  }
  best.optimal = peak <= bound;
  best.stopped = !best.optimal && deadline.passed();
  return best;
}

} // namespace

namespace tamc::planning {
Plan planTreePlus(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options, placeByTrees);
}
} // namespace tamc::planning
