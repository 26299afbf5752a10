//===- Planning/Greedy.cpp - strategies greedy: best fit or first fit -----===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/Placer.h"
#include "Problem/Arithmetic.h"

#include <algorithm>
#include <numeric>

using namespace tamc::planning;

namespace {

enum class Key { Size, Life, Conflicts };

/// Number of items that begin before an item ends and end after it begins:
/// O(n log n) by counting the others. Gaps are ignored.
std::vector<int64_t> countConflicts(const Instance &instance) {
  auto [lowers, uppers] = sortedTimes(instance);
  std::vector<int64_t> conflicts;
  for (const Item &item : instance.items)
    conflicts.push_back(
        (std::lower_bound(lowers.begin(), lowers.end(), item.upper) -
         lowers.begin()) -
        (std::upper_bound(uppers.begin(), uppers.end(), item.lower) -
         uppers.begin()));
  return conflicts;
}

/// A query visits all items that are alive with an item. The deadline is
/// checked after this many visits.
constexpr size_t workBetweenLooks = 1 << 16;

Placement place(const Instance &instance, const Options &options, Key key,
                bool best) {
  Deadline deadline(options);
  std::vector<int32_t> order(instance.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<int64_t> conflicts;
  if (key == Key::Conflicts)
    conflicts = countConflicts(instance);
  auto rank = [&](int32_t i) {
    const Item &item = instance.items[i];
    int64_t life = instance.life(item);
    switch (key) {
    case Key::Size:
      return std::pair(item.size, life);
    case Key::Life:
      return std::pair(life, item.size);
    case Key::Conflicts:
      return std::pair(conflicts[i], item.size);
    }
    return std::pair(item.size, life);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return rank(a) > rank(b); });
  Placer placer(instance);
  Placement placement;
  size_t work = 0;
  for (int32_t item : order) {
    if (instance.items[item].pin >= 0)
      continue;
    work += placer.lastWork();
    if (work > workBetweenLooks) {
      work = 0;
      placement.stopped = deadline.passed();
      if (placement.stopped)
        break;
    }
    int64_t hint = instance.items[item].hint;
    int64_t at = best ? placer.bestFit(item) : placer.firstFit(item);
    // Use a hint if it is free and not above the offset found.
    if (hint >= 0 && hint <= at && placer.isFree(item, hint))
      at = hint;
    placer.place(item, at);
  }
  placement.offsets = placer.offsets();
  if (placement.stopped)
    pileUp(instance, placement.offsets);
  return placement;
}

} // namespace

namespace tamc::planning {
Plan planGreedy(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options,
                       [](const Instance &instance, const Options &given) {
                         return place(instance, given, Key::Size, true);
                       });
}

Plan planGreedyFirst(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options,
                       [](const Instance &instance, const Options &given) {
                         return place(instance, given, Key::Size, false);
                       });
}

Plan planGreedyLife(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options,
                       [](const Instance &instance, const Options &given) {
                         return place(instance, given, Key::Life, false);
                       });
}

Plan planGreedyConflicts(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options,
                       [](const Instance &instance, const Options &given) {
                         return place(instance, given, Key::Conflicts, false);
                       });
}
} // namespace tamc::planning
