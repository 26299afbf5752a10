//===- Planning/Skyline.h - strip packing with fixed times ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_SKYLINE_H
#define TAMC_PLANNING_SKYLINE_H

#include "Problem/Instance.h"
#include "Problem/Sections.h"
#include "Strategies/Deadline.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tamc::planning {

/// Computes a placement from a priority order of the items.
///
/// Keeps the skyline over time as segments of constant height. The lowest,
/// leftmost segment takes the unplaced item of best priority whose live range
/// is within it; if there is none, it rises to its lower neighbour. Ignores
/// pins and gaps: items are rectangles. O(n) memory and O(n log n) time: a
/// search that has found an item ends after a fixed number of steps, so that
/// with thousands of items it may miss the best one.
class SkylineDecoder {
public:
  explicit SkylineDecoder(const Instance &instance);

  /// Writes the offsets of all items and returns the peak; or returns
  /// `infinite` as soon as an item would end above `limit` or the deadline, if
  /// there is one, has passed. `rank` is a permutation: the position of each
  /// item in the order of priority, best first.
  int64_t decode(std::span<const int32_t> rank, int64_t limit,
                 std::vector<int64_t> &offsets,
                 const Deadline *deadline = nullptr);

  const Sections &sections() const { return parts; }

private:
  struct Segment {
    int32_t begin, end;
    int64_t height;
    int32_t left, right; // neighbours, -1 at the ends
    bool alive;
  };
  struct Entry {
    int64_t height;
    int32_t begin;
    int32_t segment;
    bool operator<(const Entry &other) const {
      return height != other.height ? height > other.height
                                    : begin > other.begin;
    }
  };

  /// Entries that share a parent in the next level: as many as fit in a cache
  /// line.
  static constexpr int32_t fan = 16;
  /// By entry: least upper end and least rank of the items below it that are
  /// not placed; `none` when all are. Both are read together.
  struct alignas(64) Block {
    std::array<int32_t, fan> upper, rank;
  };
  using Level = std::vector<Block>;

  /// The position of the item to place in the sections [begin, end), or -1.
  int32_t find(int32_t begin, int32_t end);
  void remove(size_t position);
  /// Computes all levels above the lowest, of `upper` or of `rank`.
  void build(std::array<int32_t, fan> Block::*values);
  int32_t addSegment(int32_t begin, int32_t end, int64_t height, int32_t left,
                     int32_t right);
  void drop(int32_t segment);
  /// Joins a segment with neighbours of its height and queues the result.
  void mergeSegment(int32_t segment);

  const Instance &instance;
  Sections parts;
  /// Items by ascending first section, and a tree over them.
  std::vector<int32_t> order;
  std::vector<int32_t> firstOf;        // by section: first position in `order`
  std::vector<Level> levels, unplaced; // now, and before any item is placed
  struct Visit {
    int32_t level, block, rank;
  };
  std::vector<Visit> stack;
  std::vector<Segment> segments;
  std::vector<int32_t> gone; // indices of segments that are not alive
  std::vector<Entry> heap;
};

/// Orders that are good first guesses: permutations of live range (W), area (A)
/// and largest load during it (T); then size and live range.
class Priorities {
public:
  static constexpr size_t count = 6;

  Priorities(const Instance &instance, const Sections &sections);

  /// The position of each item in one of the orders. O(n log n).
  std::vector<int32_t> ranks(size_t order) const;

private:
  std::vector<double> width, area, size, total;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_SKYLINE_H
