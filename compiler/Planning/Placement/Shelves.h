//===- Planning/Shelves.h - first fit by address ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_SHELVES_H
#define TAMC_PLANNING_SHELVES_H

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tamc::planning {

/// The placed rectangles, in the order of their addresses.
///
/// A query scans small blocks of plain arrays upwards from address 0 and ends
/// at the first gap: O(n), but with some tens of rectangles in a nanosecond.
/// The Placer searches a tree and sorts, which takes longer for each rectangle
/// found and is faster only if few of many rectangles are alive during the
/// query's time.
class Shelves {
public:
  /// In use during [lower, upper), at the addresses [begin, end).
  struct Rectangle {
    int32_t lower = 0, upper = 0;
    int64_t begin = 0, end = 0;
    int32_t item = 0;
  };

  void clear() { blocks.clear(); }

  /// Rectangles may overlap each other. O(sqrt n) in practice.
  void insert(const Rectangle &rectangle);

  /// Removes a rectangle that was inserted.
  void erase(const Rectangle &rectangle);

  /// The lowest multiple of `alignment` at which `size` bytes are free during
  /// [lower, upper); `infinite` if they would end above `limit`.
  int64_t firstFit(int32_t lower, int32_t upper, int64_t size,
                   int64_t alignment, int64_t limit) const;

  /// Replaces `found` by those in use at some time of [lower, upper), by
  /// ascending begin.
  void collect(int32_t lower, int32_t upper,
               std::vector<Rectangle> &found) const;

private:
  static constexpr size_t width = 256;
  struct Block {
    std::array<int32_t, width> lower, upper, item;
    std::array<int64_t, width> begin, end;
    size_t count = 0;
    // Over all rectangles that ever were in the block.
    int32_t earliest, latest;
  };
  using Hits = std::array<uint8_t, width>;

  /// Marks those in use during [lower, upper); false if there is none.
  static bool mark(const Block &block, int32_t lower, int32_t upper,
                   Hits &hits);
  /// The last block that begins at or below an address, or the first one.
  size_t blockOf(int64_t begin) const;
  static void put(Block &block, size_t at, const Rectangle &rectangle);
  static Rectangle get(const Block &block, size_t at);
  /// Moves the entries [from, count) by `by`.
  static void shift(Block &block, size_t from, std::ptrdiff_t by);

  std::vector<std::unique_ptr<Block>> blocks;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_SHELVES_H
