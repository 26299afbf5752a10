//===- memory/ChunkTable.h - records of blocks, out of band -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Regions as chains of chunks. A chunk's record has the indices of its
/// neighbours' records. This replaces boundary tags, so that the bytes
/// themselves are not accessed.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_CHUNKTABLE_H
#define TAMRT_MEMORY_CHUNKTABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamrt {

/// Index for "no record".
constexpr uint32_t noChunk = ~uint32_t(0);

/// A part of a region, free or not. A record is one cache line, because a
/// search for a free chunk visits one record after another.
struct alignas(64) Chunk {
  enum class State : uint8_t { Unused, Free, Used, Waiting };

  uintptr_t address = 0;
  size_t bytes = 0;
  /// Children in the tree of a FreeBins.
  uint32_t left = noChunk, right = noChunk;
  /// Neighbours in the region. In an unused record, `after` is the next unused
  /// one.
  uint32_t before = noChunk, after = noChunk;
  size_t requested = 0;
  /// The allocator's clock when it was allocated.
  uint64_t born = 0;
  uint32_t tag = 0;
  /// For the caching allocator: the pool of a free chunk.
  uint32_t pool = 0;
  /// For the caching allocator: the list of uses by other streams; in a waiting
  /// chunk, the number of events that have not passed.
  uint32_t uses = noChunk;
  State state = State::Unused;
};
static_assert(sizeof(Chunk) == 64);

/// Records in an array that grows, with a list of unused records.
class ChunkTable {
public:
  /// Reserves room for `more` further records; false if there is no memory.
  bool reserve(size_t more) noexcept;

  /// A new chunk without neighbours. reserve() must have been called.
  uint32_t add(uintptr_t address, size_t bytes) noexcept;
  /// Removes a chunk; its record may be reused.
  void remove(uint32_t chunk) noexcept;

  /// Splits a chunk after `bytes`; the new chunk has the rest, and the same
  /// pool. reserve() must have been called.
  uint32_t split(uint32_t chunk, size_t bytes) noexcept;
  /// Joins `chunk` with the chunk after it, whose record may then be reused.
  void join(uint32_t chunk) noexcept;

  /// Whether the chunk is a whole region.
  bool isRegion(uint32_t chunk) const {
    return chunks[chunk].before == noChunk && chunks[chunk].after == noChunk;
  }

  Chunk &operator[](uint32_t chunk) { return chunks[chunk]; }
  const Chunk &operator[](uint32_t chunk) const { return chunks[chunk]; }
  /// All records; those not in use have the state Unused.
  const std::vector<Chunk> &records() const { return chunks; }

private:
  std::vector<Chunk> chunks;
  uint32_t firstUnused = noChunk;
  size_t unused = 0;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_CHUNKTABLE_H
