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

/// Free chunks in bins by powers of two, each a tree over size and address (a
/// treap whose priorities are hashes of the records' indices, so that equal
/// calls give equal trees). The links are in the records: nothing is allocated.
/// O(log n) expected for n chunks of one bin.
class FreeBins {
public:
  /// The number of bins; one for each power of two.
  static constexpr size_t count = 64;

  /// The bin of chunks of `bytes`, 1 or more: [2^bin, 2^(bin + 1)).
  static unsigned binOf(size_t bytes) {
    return static_cast<unsigned>(std::bit_width(bytes)) - 1;
  }

  FreeBins() { roots.fill(noChunk); }

  void insert(ChunkTable &chunks, uint32_t chunk);
  void remove(ChunkTable &chunks, uint32_t chunk);

  /// The first chunk by size, then address, from (bytes, address) on; noChunk
  /// when there is none.
  uint32_t find(const ChunkTable &chunks, size_t bytes,
                uintptr_t address = 0) const;
  /// The last by size, then address; noChunk when there is none.
  uint32_t largest(const ChunkTable &chunks) const;
  bool empty() const { return filled == 0; }

private:
  /// By bin: the root of its tree, and a bit where there is one.
  std::array<uint32_t, count> roots;
  uint64_t filled = 0;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_FREEBINS_H
