//===- Planning/OrderSearch.cpp - all orders of a few items ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds/Bounds.h"
#include "Problem/Arithmetic.h"
#include "Strategies/Portfolio.h"

#include <algorithm>

using namespace tamc::planning;

namespace {

/// Among the best plans take one with the least sum of offsets. None of its
/// items can move down, not even past others, so that each is at the first fit
/// above the items below it. So first fit in the order of the offsets finds
/// this plan. This is true for gaps, pins, alignments and alias classes, whose
/// bytes in use change with time, because all pieces begin at their item's
/// first byte: an item that moves down stays below the items above it. It is
/// not true for windows, where a lower item may extend above a higher one.
class OrderSearch {
public:
  OrderSearch(const Instance &instance, int64_t limit, const Deadline &deadline,
              Placement &best)
      : instance(instance), deadline(deadline), best(best), limit(limit),
        offsets(instance.size(), -1), conflicts(instance.size()),
        bound(boundOf(instance).bytes), peak(peakOf(instance, best.offsets)) {
    for (size_t i = 0; i < instance.size(); ++i) {
      for (size_t j = 0; j < instance.size(); ++j)
        if (Conflict conflict = meet(i, j); i != j && conflict.other >= 0)
          conflicts[i].push_back(conflict);
      if (instance.items[i].pin >= 0) {
        offsets[i] = instance.items[i].pin;
        pinned = std::max(pinned, offsets[i] + instance.items[i].size);
      }
    }
  }

  void run() {
    step(0, -1, pinned);
    best.nodes += nodes;
    best.optimal |= peak <= bound || !stopped;
  }

private:
  /// Another item, or -1, and the most bytes that each of the two has in use
  /// while both are alive. The offsets that the other item excludes for this
  /// one are an interval, because the interval of each time contains the
  /// other's offset.
  struct Conflict {
    int32_t other = -1;
    int64_t mine = 0, others = 0;
  };

  Conflict meet(size_t a, size_t b) const {
    Conflict conflict;
    for (const Piece &x : instance.piecesOf(instance.items[a]))
      for (const Piece &y : instance.piecesOf(instance.items[b]))
        if (x.lower < y.upper && y.lower < x.upper)
          conflict = {static_cast<int32_t>(b), std::max(conflict.mine, x.to),
                      std::max(conflict.others, y.to)};
    return conflict;
  }

  int64_t firstFit(size_t i) {
    const Item &item = instance.items[i];
    int64_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (auto [j, mine, others] : conflicts[i])
        if (offsets[j] >= 0 && offsets[j] < saturatingAdd(at, mine) &&
            at < offsets[j] + others) {
          at = alignUp(offsets[j] + others, item.alignment);
          moved = true;
        }
    }
    return at;
  }

  /// Places the remaining items, none below `floor`; ties by index.
  void step(int64_t floor, int32_t last, int64_t top) {
    if (peak <= bound || stopped)
      return;
    std::vector<std::pair<int64_t, int32_t>> next;
    bool complete = true;
    for (size_t i = 0; i < instance.size(); ++i) {
      if (offsets[i] >= 0)
        continue;
      complete = false;
      int64_t at = firstFit(i);
      // First-fit offsets only rise as more items are placed.
      if (saturatingAdd(at, instance.items[i].size) >= peak)
        return;
      auto index = static_cast<int32_t>(i);
      if (std::pair(at, index) > std::pair(floor, last))
        next.push_back({at, index});
    }
    if (complete) {
      if (top < peak) {
        peak = top;
        best.offsets = offsets;
      }
      return;
    }
    if (++nodes > limit || (nodes % 1024 == 0 && deadline.passed())) {
      stopped = true;
      return;
    }
    std::sort(next.begin(), next.end());
    for (auto [at, item] : next) {
      offsets[item] = at;
      step(at, item, std::max(top, at + instance.items[item].size));
      offsets[item] = -1;
    }
  }

  const Instance &instance;
  const Deadline &deadline;
  Placement &best;
  int64_t limit, nodes = 0, pinned = 0;
  std::vector<int64_t> offsets;
  std::vector<std::vector<Conflict>> conflicts;
  int64_t bound, peak;
  bool stopped = false;
};

} // namespace

void tamc::planning::improveByOrders(const Instance &instance, int64_t nodes,
                                     const Deadline &deadline,
                                     Placement &best) {
  if (instance.size() == 0 || instance.size() > 64)
    return;
  for (const Item &item : instance.items)
    for (const Piece &piece : instance.piecesOf(item))
      if (piece.from != 0)
        return;
  OrderSearch(instance, nodes, deadline, best).run();
}
