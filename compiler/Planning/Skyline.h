//===- Planning/Skyline.h - strip packing with fixed times ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_SKYLINE_H
#define TAMC_PLANNING_SKYLINE_H

#include "Instance.h"
#include "Sections.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tamc::planning {

/// Turns a priority of items into a placement.
///
/// Keeps the skyline over time as segments of one height. The lowest, leftmost
/// segment takes the unplaced item of best priority that lives within it; when
/// there is none it rises to its lower neighbour. Pins and gaps are not known
/// here: items are taken as rectangles. O(n) memory; O(n log n) time when the
/// searches for an item end early, as they do on programs' lives.
class SkylineDecoder {
public:
  explicit SkylineDecoder(const Instance &instance);

  /// Writes the offsets of all items and returns the peak; or returns
  /// `infinite` as soon as an item would end above `limit`. `rank` is a
  /// permutation: item by priority, best first, is order; rank[item] its place.
  int64_t decode(std::span<const int32_t> rank, int64_t limit,
                 std::vector<int64_t> &offsets);

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

  int32_t find(int32_t begin, int32_t end) const;
  void remove(int32_t position);
  int32_t addSegment(int32_t begin, int32_t end, int64_t height, int32_t left,
                     int32_t right);
  /// Joins a segment with neighbours of its height and queues the result.
  void settleSegment(int32_t segment);

  const Instance &instance;
  Sections parts;
  /// Items by ascending first section, and a tree over them.
  std::vector<int32_t> order;
  std::vector<int32_t> firstOf; // by section: first position in `order`
  size_t leaves = 1;
  std::vector<int32_t> minUpper, minRank;
  std::vector<int32_t> base; // minUpper with every item unplaced
  std::vector<Segment> segments;
  std::vector<Entry> heap;
};

/// Orders that are good first guesses: permutations of life (W), area (A) and
/// the largest load met (T), then area, size and life. By item: its place.
std::vector<std::vector<int32_t>> priorities(const Instance &instance,
                                             const Sections &sections);

} // namespace tamc::planning

#endif // TAMC_PLANNING_SKYLINE_H
