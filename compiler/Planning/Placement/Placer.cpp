//===- Planning/Placer.cpp - first fit and best fit -----------------------===//
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

/// Below a node of at most so many leaves all are looked at in order, which is
/// faster than a descent.
static constexpr size_t kScannedLeaves = 16;

Placer::Placer(const Instance &instance)
    : instance(instance), offset(instance.size(), -1) {
  size_t count = instance.pieces.size();
  order.resize(count);
  position.resize(count);
  owner.resize(count);
  lowers.resize(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return instance.pieces[a].lower < instance.pieces[b].lower;
  });
  for (size_t i = 0; i < count; ++i) {
    position[order[i]] = static_cast<int32_t>(i);
    lowers[i] = instance.pieces[order[i]].lower;
  }
  for (size_t i = 0; i < instance.size(); ++i) {
    const Item &item = instance.items[i];
    for (int32_t p = 0; p < item.pieces; ++p)
      owner[item.firstPiece + p] = static_cast<int32_t>(i);
  }
  while (leaves < count)
    leaves *= 2;
  latest.assign(2 * leaves, -1);
  for (size_t i = 0; i < instance.size(); ++i)
    if (instance.items[i].pin >= 0)
      place(static_cast<int32_t>(i), instance.items[i].pin);
}

void Placer::place(int32_t item, int64_t at) {
  offset[item] = at;
  const Item &placed = instance.items[item];
  for (int32_t p = 0; p < placed.pieces; ++p) {
    int32_t upper = instance.pieces[placed.firstPiece + p].upper;
    for (size_t node = leaves + position[placed.firstPiece + p];
         node > 0 && latest[node] < upper; node /= 2)
      latest[node] = upper;
  }
}

void Placer::collect(int32_t item) {
  taken.clear();
  for (const Piece &piece : instance.piecesOf(instance.items[item])) {
    auto end = static_cast<size_t>(
        std::lower_bound(lowers.begin(), lowers.end(), piece.upper) -
        lowers.begin());
    // Node and leaves below it; only leaves before `end` begin early enough.
    stack.assign(1, {1, leaves});
    size_t first = 0;
    // The first leaf of a node follows from its index and its width.
    while (!stack.empty()) {
      auto [node, width] = stack.back();
      stack.pop_back();
      first = node * width - leaves;
      if (first >= end || latest[node] <= piece.lower)
        continue;
      if (width > kScannedLeaves) {
        stack.push_back({2 * node + 1, width / 2});
        stack.push_back({2 * node, width / 2});
        continue;
      }
      for (size_t leaf = first, last = std::min(first + width, end);
           leaf < last; ++leaf) {
        if (latest[leaves + leaf] <= piece.lower)
          continue;
        int32_t other = order[leaf];
        if (owner[other] == item)
          continue;
        const Piece &placed = instance.pieces[other];
        int64_t at = offset[owner[other]];
        taken.push_back({saturatingAdd(at, placed.from) - piece.to,
                         saturatingAdd(at, placed.to) - piece.from});
      }
    }
  }
  std::sort(taken.begin(), taken.end());
  work = 16 + taken.size();
}

int64_t Placer::firstFit(int32_t item) {
  collect(item);
  const Item &placed = instance.items[item];
  int64_t at = 0;
  for (auto [after, before] : taken) {
    if (after >= at)
      break;
    if (before > at)
      at = alignUp(before, placed.alignment);
  }
  return saturatingAdd(at, placed.size) == infinite &&
                 at != infinite - placed.size
             ? infinite
             : at;
}

int64_t Placer::bestFit(int32_t item) {
  collect(item);
  const Item &placed = instance.items[item];
  int64_t at = 0, best = -1, least = infinite;
  for (auto [after, before] : taken) {
    if (after >= at && after - at < least) {
      least = after - at;
      best = at;
    }
    if (before > at)
      at = alignUp(before, placed.alignment);
  }
  return best >= 0 ? best : at;
}

bool Placer::isFree(int32_t item, int64_t at) {
  if (at < 0 || at % instance.items[item].alignment != 0 ||
      at > infinite - instance.items[item].size)
    return false;
  collect(item);
  for (auto [after, before] : taken)
    if (after < at && at < before)
      return false;
  return true;
}

std::vector<int32_t>
tamc::planning::orderByOffset(std::span<const int64_t> offsets) {
  std::vector<int32_t> order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return offsets[a] < offsets[b];
  });
  return order;
}

std::vector<int64_t>
tamc::planning::placeInOrder(const Instance &instance,
                             std::span<const int32_t> order,
                             const Deadline &deadline) {
  Placer placer(instance);
  size_t work = 0;
  for (int32_t item : order)
    if (instance.items[item].pin < 0) {
      placer.place(item, placer.firstFit(item));
      work += placer.lastWork();
      if (work > 1 << 16) {
        work = 0;
        if (deadline.passed())
          break;
      }
    }
  std::vector<int64_t> offsets = placer.offsets();
  pileUp(instance, offsets);
  return offsets;
}

void tamc::planning::compact(const Instance &instance,
                             std::vector<int64_t> &offsets,
                             const Deadline &deadline) {
  if (deadline.passed())
    return;
  std::vector<int64_t> compacted =
      placeInOrder(instance, orderByOffset(offsets), deadline);
  // Windows can interlock, so that a lower item may block a higher one.
  if (peakOf(instance, compacted) <= peakOf(instance, offsets))
    offsets = std::move(compacted);
}

void tamc::planning::pileUp(const Instance &instance,
                            std::vector<int64_t> &offsets) {
  int64_t top = 0;
  for (size_t i = 0; i < instance.size(); ++i)
    if (offsets[i] >= 0)
      top = std::max(top, saturatingAdd(offsets[i], instance.items[i].size));
  for (size_t i = 0; i < instance.size(); ++i)
    if (offsets[i] < 0) {
      offsets[i] = alignUp(top, instance.items[i].alignment);
      top = saturatingAdd(offsets[i], instance.items[i].size);
    }
}

int64_t tamc::planning::totalConflicts(const Instance &instance) {
  // All of the n^2 pairs overlap, except those of which one ends before the
  // other begins.
  auto [lowers, uppers] = sortedTimes(instance);
  auto count = static_cast<int64_t>(instance.size());
  int64_t conflicts = count * count - count;
  size_t ended = 0;
  for (int32_t lower : lowers) {
    while (ended < uppers.size() && uppers[ended] <= lower)
      ++ended;
    conflicts -= 2 * static_cast<int64_t>(ended);
  }
  return conflicts;
}
