//===- memory/BestFitCore.h - implements BestFitAllocator -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_BESTFITCORE_H
#define TAMRT_MEMORY_BESTFITCORE_H

#include "memory/AddressTable.h"
#include "memory/ChunkTable.h"
#include "memory/FreeBins.h"
#include "memory/TagTable.h"
#include "tamrt/memory/BestFitAllocator.h"

#include <algorithm>
#include <mutex>

namespace tamrt {

/// The allocator behind its interface: records, bins and counts, under one
/// lock.
class BestFitAllocator::Implementation {
public:
  Implementation(RawMemory &raw, BestFitOptions given)
      : raw(raw), options(std::move(given)),
        unit(std::max(options.granularity, raw.attributes().granularity)),
        nextRegion(options.firstRegion) {}

  ~Implementation() { giveBack(/*all=*/true); }

  void *allocate(const MemoryRequest &request) noexcept;
  bool release(uintptr_t address) noexcept;
  size_t sizeOf(uintptr_t address) const noexcept {
    std::lock_guard lock(mutex);
    uint32_t chunk = table.find(address);
    return chunk == noChunk ? 0 : chunks[chunk].bytes;
  }
  bool reserve(size_t bytes) noexcept;
  size_t trim() noexcept {
    std::lock_guard lock(mutex);
    return giveBack(/*all=*/false);
  }
  MemorySnapshot snapshot() const;

private:
  friend class BestFitAllocator;

  void *take(size_t bytes, size_t alignment, const MemoryRequest &request);
  FreeBins::Found find(size_t bytes, size_t alignment);
  bool grow(size_t bytes, size_t alignment);
  bool obtain(size_t wanted, size_t needed, size_t alignment);
  size_t giveBack(bool all) noexcept;
  uint32_t joinNeighbours(uint32_t chunk);
  MemoryStatistics statistics() const;

  void addFree(uint32_t chunk) {
    chunks[chunk].state = Chunk::State::Free;
    bins.insert(chunks, chunk);
    ++counts.freeBlocks;
  }
  void takeFree(uint32_t chunk) {
    bins.remove(chunks, chunk);
    --counts.freeBlocks;
  }
  void takeFree(const FreeBins::Found &found) {
    bins.take(chunks, found);
    --counts.freeBlocks;
  }

  RawMemory &raw;
  const BestFitOptions options;
  /// Sizes and addresses are multiples of this.
  const size_t unit;

  mutable std::mutex mutex;
  ChunkTable chunks;
  FreeBins bins;
  /// The blocks in use.
  AddressTable table;
  TagTable tags;
  size_t nextRegion;
  uint64_t clock = 0;
  /// All counts that do not follow from the bins.
  MemoryStatistics counts;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_BESTFITCORE_H
