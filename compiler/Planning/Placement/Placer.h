//===- Planning/Placer.h - first fit and best fit ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PLACER_H
#define TAMC_PLANNING_PLACER_H

#include "Problem/Instance.h"
#include "Strategies/Deadline.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tamc::planning {

/// The placed items and the gaps between them. Takes pieces, pins and alignment
/// into account exactly. A query takes O((k + 1) log n) for k placed pieces
/// that live at the same time.
class Placer {
public:
  /// Places the pinned items.
  explicit Placer(const Instance &instance);

  /// The lowest offset that is free for `item`; `infinite` if there is none
  /// below 2^63.
  int64_t firstFit(int32_t item);

  /// The offset at the low end of the gap that leaves the least room; above
  /// everything else if no gap is large enough.
  int64_t bestFit(int32_t item);

  /// True when `item` may lie at `offset`.
  bool isFree(int32_t item, int64_t offset);

  void place(int32_t item, int64_t offset);

  /// By item; -1 for those not placed.
  const std::vector<int64_t> &offsets() const { return offset; }

  /// Steps of the last query: a measure of time that is the same on every
  /// machine.
  size_t lastWork() const { return work; }

private:
  /// Offsets strictly between first and second are in use.
  void collect(int32_t item);

  const Instance &instance;
  std::vector<int64_t> offset;
  std::vector<std::pair<int64_t, int64_t>> taken;
  /// Pieces by ascending `lower`, and a tree over them with the largest `upper`
  /// of the placed ones.
  std::vector<int32_t> order, position, owner, latest;
  std::vector<int32_t> lowers;
  size_t leaves = 1, work = 0;
  std::vector<std::pair<size_t, size_t>> stack;
};

/// Items from the lowest to the highest offset.
std::vector<int32_t> orderByOffset(std::span<const int64_t> offsets);

/// Places the items in this order by Placer::firstFit; pinned ones are skipped.
/// Items that are not placed at the deadline are stacked above everything else.
/// O((n + conflicts) log n).
std::vector<int64_t> placeInOrder(const Instance &instance,
                                  std::span<const int32_t> order,
                                  const Deadline &deadline);

/// Moves every item, from the lowest to the highest, as low as possible. The
/// peak never rises; after the deadline nothing changes. O((n + conflicts) log
/// n).
void compact(const Instance &instance, std::vector<int64_t> &offsets,
             const Deadline &deadline);

/// Places the unplaced items (offset -1) one above another, above everything
/// else: the fallback of the other strategies. O(n).
void pileUp(const Instance &instance, std::vector<int64_t> &offsets);

/// Twice the number of pairs of items whose live ranges, from first to last
/// piece, overlap: the work of a strategy that visits each pair. O(n log n).
int64_t totalConflicts(const Instance &instance);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PLACER_H
