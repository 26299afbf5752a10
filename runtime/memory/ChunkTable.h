//===- memory/ChunkTable.h - records of blocks, out of band -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Regions as chains of chunks. A chunk knows its neighbours by the indices of
/// their records: what boundary tags are for, without touching the bytes.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_CHUNKTABLE_H
#define TAMRT_MEMORY_CHUNKTABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamrt {

/// The index of no record.
constexpr uint32_t noChunk = ~uint32_t(0);

/// A part of a region, free or not; one cache line, as a search for a free
/// chunk goes from one to the next.
struct alignas(64) Chunk {
  enum class State : uint8_t { Unused, Free, Used, Waiting };

  uintptr_t address = 0;
  size_t bytes = 0;
  /// Children in the tree of a FreeBins.
  uint32_t left = noChunk, right = noChunk;
  /// Neighbours in the region; of an unused record, `after` is the next unused.
  uint32_t before = noChunk, after = noChunk;
  size_t requested = 0;
  /// The allocator's clock when it was allocated.
  uint64_t born = 0;
  uint32_t tag = 0;
  /// Of the caching allocator: the list it is in when it is free.
  uint32_t pool = 0;
  /// Of the caching allocator: its uses by other streams; of a waiting chunk
  /// the number of events that have not passed.
  uint32_t uses = noChunk;
  State state = State::Unused;
};
static_assert(sizeof(Chunk) == 64);

/// Records in an array that grows, with a list of those not in use.
class ChunkTable {
public:
  /// Makes room for `more` further records; false when there is no memory.
  bool reserve(size_t more) noexcept;

  /// A new chunk, without neighbours. reserve() has made room.
  uint32_t add(uintptr_t address, size_t bytes) noexcept;
  /// The record may be used anew.
  void remove(uint32_t chunk) noexcept;

  /// Cuts a chunk after `bytes`; the new chunk has the rest, and the same pool.
  /// reserve() has made room.
  uint32_t split(uint32_t chunk, size_t bytes) noexcept;
  /// Adds the chunk after `chunk` to it, whose record may then be used anew.
  void join(uint32_t chunk) noexcept;

  /// The chunk is a whole region.
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
