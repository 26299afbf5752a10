//===- memory/CachingCore.h - implements CachingAllocator -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_CACHINGCORE_H
#define TAMRT_MEMORY_CACHINGCORE_H

#include "memory/AddressTable.h"
#include "memory/ChunkTable.h"
#include "memory/StreamPools.h"
#include "memory/StreamUses.h"
#include "memory/TagTable.h"
#include "tamrt/memory/CachingAllocator.h"

#include <algorithm>
#include <mutex>

namespace tamrt {

/// The allocator behind its interface: records, pools and counts, under one
/// lock.
class CachingAllocator::Implementation {
public:
  Implementation(RawMemory &raw, Streams &streams, CachingOptions given)
      : raw(raw), streams(streams), options(std::move(given)),
        unit(std::max(options.granularity, raw.attributes().granularity)),
        uses(streams) {}

  ~Implementation() {
    uses.waitForAll([](uint32_t) {});
    giveBack(/*all=*/true);
  }

  void *allocate(size_t bytes, Stream stream, uint32_t tag) noexcept;
  bool release(uintptr_t address) noexcept;
  bool recordUse(uintptr_t address, Stream stream) noexcept;
  size_t emptyCache() noexcept {
    std::lock_guard lock(mutex);
    return empty();
  }
  MemoryStatistics statistics() const;
  MemorySnapshot snapshot() const;

private:
  friend class CachingAllocator;

  size_t roundedSize(size_t bytes) const;
  size_t segmentFor(size_t bytes) const;
  uint32_t takeFitting(uint32_t pool, size_t bytes);
  uint32_t obtain(uint32_t pool, size_t bytes);
  uint32_t findOrObtain(uint32_t pool, size_t bytes);
  void cutRest(uint32_t chunk, size_t bytes);
  void makeFree(uint32_t chunk);
  size_t empty() noexcept;
  bool isReturnable(uint32_t chunk, bool all) const;
  size_t giveBack(bool all) noexcept;

  void addFree(uint32_t chunk) {
    Chunk &free = chunks[chunk];
    free.state = Chunk::State::Free;
    pools[free.pool].bins.insert(chunks, chunk);
    pools.streamOf(free.pool).free += free.bytes;
    counts.free += free.bytes;
    ++counts.freeBlocks;
  }
  void takeFree(uint32_t chunk) {
    pools[chunks[chunk].pool].bins.remove(chunks, chunk);
    countTaken(chunk);
  }
  void countTaken(uint32_t chunk) {
    const Chunk &free = chunks[chunk];
    pools.streamOf(free.pool).free -= free.bytes;
    counts.free -= free.bytes;
    --counts.freeBlocks;
  }
  /// A block that waits for events has one event less to wait for.
  void eventPassed(uint32_t chunk) {
    if (--chunks[chunk].uses == 0)
      stopWaiting(chunk);
  }
  void stopWaiting(uint32_t chunk);

  RawMemory &raw;
  Streams &streams;
  const CachingOptions options;
  /// Sizes and addresses are multiples of this.
  const size_t unit;

  mutable std::mutex mutex;
  ChunkTable chunks;
  StreamPools pools;
  /// The blocks in use.
  AddressTable table;
  StreamUses uses;
  TagTable tags;
  uint64_t clock = 0;
  /// All counts except the largest free block.
  MemoryStatistics counts;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_CACHINGCORE_H
