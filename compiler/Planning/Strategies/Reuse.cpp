//===- Planning/Reuse.cpp - strategy reuse: free lists in program order ---===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/Arithmetic.h"
#include "Problem/Instance.h"
#include "Strategies/Events.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace tamc::planning;

namespace {

/// The most bytes alive at any rank of an interval; supports additions.
class LoadTree {
public:
  explicit LoadTree(size_t times) {
    while (leaves < times)
      leaves *= 2;
    most.assign(2 * leaves, 0);
    added.assign(2 * leaves, 0);
  }
  void add(int32_t lower, int32_t upper, int64_t bytes) {
    add(1, 0, leaves, lower, upper, bytes);
  }
  int64_t max(int32_t lower, int32_t upper) const {
    return max(1, 0, leaves, lower, upper);
  }

private:
  void add(size_t node, size_t from, size_t to, size_t lower, size_t upper,
           int64_t bytes) {
    if (to <= lower || upper <= from)
      return;
    if (lower <= from && to <= upper) {
      most[node] = saturatingAdd(most[node], bytes);
      added[node] = saturatingAdd(added[node], bytes);
      return;
    }
    size_t middle = (from + to) / 2;
    add(2 * node, from, middle, lower, upper, bytes);
    add(2 * node + 1, middle, to, lower, upper, bytes);
    most[node] = saturatingAdd(std::max(most[2 * node], most[2 * node + 1]),
                               added[node]);
  }
  int64_t max(size_t node, size_t from, size_t to, size_t lower,
              size_t upper) const {
    if (to <= lower || upper <= from)
      return 0;
    if (lower <= from && to <= upper)
      return most[node];
    size_t middle = (from + to) / 2;
    return saturatingAdd(std::max(max(2 * node, from, middle, lower, upper),
                                  max(2 * node + 1, middle, to, lower, upper)),
                         added[node]);
  }

  size_t leaves = 1;
  std::vector<int64_t> most, added;
};

/// Each block of memory is used by buffers of one size, alignment and kind, one
/// after another, and its bytes by no other buffers. A freed block stays
/// allocated until it is used again only if that does not raise the peak.
Placement placeByReuse(const Instance &instance, const Options &) {
  Placement placement;
  placement.offsets.assign(instance.size(), 0);
  LoadTree load(instance.times.size());
  for (const Item &item : instance.items)
    load.add(item.lower, item.upper, item.size);
  int64_t peak = instance.size()
                     ? load.max(0, static_cast<int32_t>(instance.times.size()))
                     : 0;

  int64_t top = 0;
  for (size_t i = 0; i < instance.size(); ++i)
    if (const Item &item = instance.items[i]; item.pin >= 0) {
      placement.offsets[i] = item.pin;
      top = std::max(top, item.pin + item.size);
    }
  using Key = std::tuple<int32_t, int64_t, int64_t>;
  std::map<Key, std::vector<int32_t>> free;
  for (const Event &event : eventsOf(instance)) {
    const Item &item = instance.items[event.item];
    std::vector<int32_t> &list = free[{item.kind, item.size, item.alignment}];
    if (!event.begins) {
      list.push_back(event.item);
      continue;
    }
    int32_t idle = list.empty() ? 0 : instance.items[list.back()].upper;
    if (!list.empty() && (idle == item.lower ||
                          load.max(idle, item.lower) <= peak - item.size)) {
      placement.offsets[event.item] = placement.offsets[list.back()];
      load.add(idle, item.lower, item.size);
      list.pop_back();
      continue;
    }
    int64_t at = alignUp(top, item.alignment);
    placement.offsets[event.item] = at;
    top = saturatingAdd(at, item.size);
  }
  return placement;
}

} // namespace

namespace tamc::planning {
Plan planReuse(const Problem &problem, const Options &options) {
  return planEachSpace(problem, options, placeByReuse);
}
} // namespace tamc::planning
