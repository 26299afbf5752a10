//===- memory/BestFitCore.cpp - implements BestFitAllocator ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/BestFitCore.h"

#include "memory/Regions.h"
#include "memory/Sizes.h"

using namespace tamrt;

using State = Chunk::State;

/// The smallest free chunk in which an aligned block fits. For an alignment
/// above the unit, first tries some of the smallest chunks one by one, then
/// takes one that is large enough at any address; only if there is none, tries
/// all others.
FreeBins::Found BestFitAllocator::Implementation::find(size_t bytes,
                                                       size_t alignment) {
  FreeBins::Found found = bins.find(chunks, bytes);
  if (alignment <= unit)
    return found;
  constexpr int patience = 8;
  for (int tries = 0; found; ++tries) {
    const Chunk &free = chunks[found.chunk];
    size_t padding = -free.address & (alignment - 1);
    if (padding <= free.bytes && free.bytes - padding >= bytes)
      return found;
    if (tries == patience && alignment <= SIZE_MAX - bytes)
      if (FreeBins::Found large = bins.find(chunks, bytes + alignment - unit))
        return large;
    found = bins.find(chunks, free.bytes, free.address + 1);
  }
  return found;
}

void *BestFitAllocator::Implementation::take(size_t bytes, size_t alignment,
                                             const MemoryRequest &request) {
  // Two ends may be split off, and a region may be obtained.
  if (!chunks.reserve(3) || !table.reserve())
    return nullptr;
  FreeBins::Found found = find(bytes, alignment);
  if (!found) {
    if (!grow(bytes, alignment))
      return nullptr;
    found = find(bytes, alignment);
  }
  takeFree(found);
  uint32_t chunk = found.chunk;
  if (size_t padding = -chunks[chunk].address & (alignment - 1)) {
    uint32_t aligned = chunks.split(chunk, padding);
    addFree(chunk);
    chunk = aligned;
  }
  if (chunks[chunk].bytes > bytes)
    addFree(chunks.split(chunk, bytes));

  Chunk &block = chunks[chunk];
  block.state = State::Used;
  block.requested = request.bytes;
  block.tag = tags.known(request.tag);
  block.born = ++clock;
  table.insert(block.address, chunk);
  tags.allocated(block.tag, request.bytes);
  counts.used.add(bytes);
  counts.requested.add(request.bytes);
  ++counts.usedBlocks;
  ++counts.allocations;
  return reinterpret_cast<void *>(block.address);
}

void *BestFitAllocator::Implementation::allocate(
    const MemoryRequest &request) noexcept {
  const size_t bytes = roundUp(std::max<size_t>(request.bytes, 1), unit);
  const size_t alignment = std::max(request.alignment, unit);
  const std::lock_guard lock(mutex);
  void *address = bytes != 0 ? take(bytes, alignment, request) : nullptr;
  if (!address)
    ++counts.failures;
  return address;
}

bool BestFitAllocator::Implementation::reserve(size_t bytes) noexcept {
  std::lock_guard lock(mutex);
  bytes = roundUp(std::max<size_t>(bytes, 1), unit);
  return bytes != 0 && chunks.reserve(1) && obtain(bytes, bytes, unit);
}

/// Obtains a region for a request; false if there is none.
bool BestFitAllocator::Implementation::grow(size_t bytes, size_t alignment) {
  if (!options.grows)
    return false;
  // Double the last size until the request fits: otherwise each request larger
  // than the regions would get its own.
  size_t wanted = nextRegion;
  while (wanted < bytes && wanted <= options.maxRegion / 2)
    wanted *= 2;
  wanted = std::max(roundDown(wanted, unit), bytes);
  if (!obtain(wanted, bytes, alignment)) {
    // Unused regions that are too small may be returned to make room.
    const bool isMore = giveBack(/*all=*/false) > 0;
    if (!raw.purge() && !isMore)
      return false;
    ++counts.retries;
    if (!chunks.reserve(3) || !obtain(wanted, bytes, alignment))
      return false;
  }
  if (wanted <= options.maxRegion / 2)
    nextRegion = wanted * 2;
  return true;
}

/// Obtains a region of `wanted` bytes, or fewer, but at least `needed`.
bool BestFitAllocator::Implementation::obtain(size_t wanted, size_t needed,
                                              size_t alignment) {
  const size_t left =
      options.limit - std::min(options.limit, counts.reserved.now);
  if (needed > left)
    return false;
  wanted = std::min(wanted, roundDown(left, unit));
  void *address = raw.allocate(wanted, alignment);
  while (!address && wanted > needed) {
    wanted = wanted / 4 < unit
                 ? needed
                 : std::max(needed, roundDown(wanted - wanted / 4, unit));
    address = raw.allocate(wanted, alignment);
  }
  if (!address)
    return false;
  addFree(chunks.add(reinterpret_cast<uintptr_t>(address), wanted));
  counts.reserved.add(wanted);
  ++counts.regions;
  ++counts.regionsObtained;
  return true;
}

/// Returns regions without a block in use, or all regions; returns their bytes.
size_t BestFitAllocator::Implementation::giveBack(bool all) noexcept {
  size_t sum = 0;
  for (uint32_t i = 0; i < chunks.records().size(); ++i) {
    const bool isFree = chunks[i].state == State::Free && chunks.isRegion(i);
    const bool isFirst =
        chunks[i].state != State::Unused && chunks[i].before == noChunk;
    if (!isFree && !(all && isFirst))
      continue;
    size_t bytes = chunks[i].bytes;
    if (isFree) {
      takeFree(i);
      chunks.remove(i);
    } else {
      for (uint32_t at = chunks[i].after; at != noChunk; at = chunks[at].after)
        bytes += chunks[at].bytes;
    }
    raw.release(reinterpret_cast<void *>(chunks[i].address), bytes);
    counts.regionReturned(bytes);
    sum += bytes;
  }
  return sum;
}

bool BestFitAllocator::Implementation::release(uintptr_t address) noexcept {
  std::lock_guard lock(mutex);
  uint32_t chunk = table.take(address);
  if (chunk == noChunk)
    return address == 0;
  Chunk &block = chunks[chunk];
  ++clock;
  tags.released(block.tag, block.requested);
  counts.used.subtract(block.bytes);
  counts.requested.subtract(block.requested);
  --counts.usedBlocks;
  ++counts.releases;
  addFree(joinNeighbours(chunk));
  return true;
}

/// Joins a chunk with its free neighbours; the result is not in a bin.
uint32_t BestFitAllocator::Implementation::joinNeighbours(uint32_t chunk) {
  if (uint32_t after = chunks[chunk].after;
      after != noChunk && chunks[after].state == State::Free) {
    takeFree(after);
    chunks.join(chunk);
  }
  if (uint32_t before = chunks[chunk].before;
      before != noChunk && chunks[before].state == State::Free) {
    takeFree(before);
    chunks.join(before);
    return before;
  }
  return chunk;
}

MemoryStatistics BestFitAllocator::Implementation::statistics() const {
  MemoryStatistics result = counts;
  result.free = counts.reserved.now - counts.used.now;
  uint32_t largest = bins.largest(chunks);
  result.largestFree = largest == noChunk ? 0 : chunks[largest].bytes;
  return result;
}

MemorySnapshot BestFitAllocator::Implementation::snapshot() const {
  std::lock_guard lock(mutex);
  MemorySnapshot result;
  result.name = raw.attributes().name;
  result.now = clock;
  result.statistics = statistics();
  result.regions = regionsOf(chunks);
  result.bins = binsOf(chunks);
  result.tags = tags.all();
  return result;
}
