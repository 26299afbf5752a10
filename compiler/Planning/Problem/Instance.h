//===- Planning/Instance.h - one space of a problem -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_INSTANCE_H
#define TAMC_PLANNING_INSTANCE_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Strategy.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tamc::planning {

/// A rectangle of an item: its bytes [from, to) during [lower, upper).
/// Times are ranks into Instance::times.
struct Piece {
  int32_t lower = 0;
  int32_t upper = 0;
  int64_t from = 0;
  int64_t to = 0;
};

/// A buffer, or the buffers of an alias class, which get one offset.
struct Item {
  /// Size of the largest of its buffers that ever lives.
  int64_t size = 0;
  /// Common multiple of the alignments of the buffers, the space and the
  /// options.
  int64_t alignment = 1;
  /// First and last time (ranks) of its pieces.
  int32_t lower = 0;
  int32_t upper = 0;
  int32_t firstPiece = 0;
  int32_t pieces = 0;
  /// -1 if the item is not pinned.
  int64_t pin = -1;
  /// -1 if there is none.
  int64_t hint = -1;
  int32_t kind = 0;
  bool output = false;
};

/// One space, with aliases merged, times replaced by their ranks, and without
/// the buffers that occupy nothing.
struct Instance {
  std::vector<Item> items;
  std::vector<Piece> pieces;
  /// Sorted, distinct.
  std::vector<int64_t> times;
  /// By item: its buffers.
  std::vector<int32_t> firstBuffer;
  std::vector<int32_t> buffers;
  /// No pin, and one piece from byte 0 in each item: a set of rectangles.
  bool simple = true;
  /// Every alignment is 1.
  bool unaligned = true;
  /// The space's capacity; 2^63-1 if it has none.
  int64_t capacity = std::numeric_limits<int64_t>::max();

  size_t size() const { return items.size(); }
  int64_t life(const Item &item) const {
    return times[item.upper] - times[item.lower];
  }
  std::span<const Piece> piecesOf(const Item &item) const {
    return {pieces.data() + item.firstPiece, size_t(item.pieces)};
  }
};

/// By space: its buffers, ascending. Loops over all spaces compute this once,
/// because there can be as many spaces as buffers. O(n).
std::vector<std::vector<int32_t>> buffersBySpace(const Problem &problem);

/// The items of `space`, in the order of their first buffers; `members` are the
/// space's buffers. O(n log n).
Instance makeInstance(const Problem &problem, int32_t space,
                      std::span<const int32_t> members, const Options &options);

/// A strategy's result for one instance.
struct Placement {
  /// By item; empty if nothing was found.
  std::vector<int64_t> offsets;
  /// Why the strategy ended without offsets; empty if the time ran out.
  std::string reason;
  /// Space and base relative to the instance.
  std::vector<Pool> pools;
  int64_t nodes = 0;
  /// No plan has a lower peak.
  bool optimal = false;
  /// No plan has a lower peak than this; 0 if nothing is known.
  int64_t bound = 0;
  /// The time limit ended the search: more time might give a better plan.
  bool stopped = false;
};

/// The times at which items begin, and those at which they end, each ascending.
/// O(n log n).
struct SortedTimes {
  std::vector<int32_t> lowers, uppers;
};
SortedTimes sortedTimes(const Instance &instance);

/// End of the highest item; `infinite` if an offset is.
int64_t peakOf(const Instance &instance, std::span<const int64_t> offsets);

/// Applies a strategy for one space to each space of a problem. The remaining
/// spaces share the rest of the time limit and of the nodes equally.
Plan planEachSpace(const Problem &problem, const Options &options,
                   Placement (*place)(const Instance &, const Options &));

} // namespace tamc::planning

#endif // TAMC_PLANNING_INSTANCE_H
