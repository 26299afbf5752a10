//===- memory/FreeBins.h - free chunks, ordered by size ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_FREEBINS_H
#define TAMRT_MEMORY_FREEBINS_H

#include "memory/ChunkTable.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tamrt {

/// Free chunks in bins, eight for each power of two. Each bin is a tree over
/// size and address: a treap whose priorities are hashes of the records'
/// indices, so that the same calls give the same trees. The links are in the
/// records, so that nothing is allocated. O(log n) expected for n chunks of one
/// bin.
class FreeBins {
public:
  /// A chunk and the link to it; valid until a chunk is added or removed.
  struct Found {
    uint32_t chunk = noChunk;
    unsigned bin = 0;
    uint32_t *link = nullptr;

    explicit operator bool() const { return chunk != noChunk; }
  };

  FreeBins() { roots.fill(noChunk); }

  void insert(ChunkTable &chunks, uint32_t chunk);
  void remove(ChunkTable &chunks, uint32_t chunk);

  /// The first chunk by size, then address, from (bytes, address) on.
  Found find(ChunkTable &chunks, size_t bytes, uintptr_t address = 0);
  /// Removes the chunk that was found. O(1) expected.
  void take(ChunkTable &chunks, const Found &found);

  /// The last chunk by size, then address; noChunk if there is none.
  uint32_t largest(const ChunkTable &chunks) const;

private:
  static constexpr unsigned steps = 8;
  static constexpr unsigned count = 64 * steps;

  /// The bin of chunks of `bytes`, 1 or more; larger chunks are never in a
  /// lower bin.
  static unsigned binOf(size_t bytes) {
    const auto power = static_cast<unsigned>(std::bit_width(bytes)) - 1;
    const auto step = power >= 3 ? bytes >> (power - 3) : bytes << (3 - power);
    return power * steps + static_cast<unsigned>(step % steps);
  }
  /// The first bin from `bin` on that has a chunk; `count` if there is none.
  unsigned nextFilled(unsigned bin) const;
  void mark(unsigned bin) {
    filled[bin / 64] |= uint64_t(1) << bin % 64;
    words |= 1u << bin / 64;
  }
  void unmark(unsigned bin) {
    filled[bin / 64] &= ~(uint64_t(1) << bin % 64);
    if (filled[bin / 64] == 0)
      words &= ~(1u << bin / 64);
  }

  /// By bin: the root of its tree, and a bit that is set if it has a tree. By
  /// 64 bins: a bit that is set if one of them has a tree.
  std::array<uint32_t, count> roots;
  std::array<uint64_t, count / 64> filled{};
  uint32_t words = 0;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_FREEBINS_H
