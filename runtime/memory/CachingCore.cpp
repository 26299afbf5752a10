//===- memory/CachingCore.cpp - implements CachingAllocator ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/CachingCore.h"

#include "memory/Regions.h"
#include "memory/Sizes.h"

#include <bit>

using namespace tamrt;

using State = Chunk::State;

/// 0 if the size exceeds any memory.
size_t CachingAllocator::Implementation::roundedSize(size_t bytes) const {
  const size_t rounded = roundUp(std::max<size_t>(bytes, 1), unit);
  if (!options.powersOfTwo || rounded == 0)
    return rounded;
  constexpr size_t most = std::numeric_limits<size_t>::max() / 2 + 1;
  return rounded > most ? 0 : std::bit_ceil(rounded);
}

size_t CachingAllocator::Implementation::segmentFor(size_t bytes) const {
  if (options.powersOfTwo)
    return bytes;
  if (bytes <= options.small)
    return std::max(bytes, roundUp(options.smallSegment, unit));
  if (bytes < options.large)
    return std::max(bytes, roundUp(options.largeSegment, unit));
  return std::max(bytes, roundUp(bytes, std::max(options.segmentUnit, unit)));
}

/// Takes the best free block of a pool for a request; noChunk if there is none.
uint32_t CachingAllocator::Implementation::takeFitting(uint32_t pool,
                                                       size_t bytes) {
  FreeBins &bins = pools[pool].bins;
  const FreeBins::Found found = bins.find(chunks, bytes);
  if (!found)
    return noChunk;
  if (options.powersOfTwo && chunks[found.chunk].bytes != bytes)
    return noChunk;
  bins.take(chunks, found);
  countTaken(found.chunk);
  return found.chunk;
}

/// A new segment, as a chunk that is not in a bin; noChunk if there is none.
uint32_t CachingAllocator::Implementation::obtain(uint32_t pool, size_t bytes) {
  void *address = raw.allocate(bytes, unit);
  if (!address)
    return noChunk;
  const uint32_t chunk =
      chunks.add(reinterpret_cast<uintptr_t>(address), bytes);
  chunks[chunk].pool = pool;
  counts.reserved.add(bytes);
  ++counts.regions;
  ++counts.regionsObtained;
  return chunk;
}

uint32_t CachingAllocator::Implementation::findOrObtain(uint32_t pool,
                                                        size_t bytes) {
  uint32_t chunk = takeFitting(pool, bytes);
  if (chunk == noChunk)
    chunk = obtain(pool, segmentFor(bytes));
  if (chunk != noChunk)
    return chunk;
  ++counts.retries;
  const bool isReturned = empty() > 0;
  const bool isMore = raw.purge() || isReturned;
  // After the wait a block of a segment in use may be free.
  chunk = takeFitting(pool, bytes);
  if (chunk == noChunk && isMore)
    chunk = obtain(pool, segmentFor(bytes));
  // Do not try the same size twice.
  const bool isTried = isMore && segmentFor(bytes) == bytes;
  return chunk != noChunk || isTried ? chunk : obtain(pool, bytes);
}

/// Splits off the part of a block that is not needed.
void CachingAllocator::Implementation::cutRest(uint32_t chunk, size_t bytes) {
  const size_t rest = chunks[chunk].bytes - bytes;
  const size_t least =
      pools[chunks[chunk].pool].small ? unit : options.minRest + 1;
  if (rest >= least && !options.powersOfTwo)
    addFree(chunks.split(chunk, bytes));
}

void *CachingAllocator::Implementation::allocate(size_t requested,
                                                 Stream stream,
                                                 uint32_t tag) noexcept {
  const size_t bytes = roundedSize(requested);
  std::lock_guard lock(mutex);
  if (!options.ownedByStreams)
    stream = 0;
  uses.poll([&](uint32_t passed) { eventPassed(passed); });
  const uint32_t pool = pools.find(stream, bytes <= options.small);
  uint32_t chunk = noChunk;
  // Room for a segment, a rest that is split off, and the block's address.
  if (bytes != 0 && pool != noChunk && chunks.reserve(2) && table.reserve())
    chunk = findOrObtain(pool, bytes);
  if (chunk == noChunk) {
    ++counts.failures;
    return nullptr;
  }
  cutRest(chunk, bytes);

  Chunk &block = chunks[chunk];
  block.state = State::Used;
  block.requested = requested;
  block.tag = tags.known(tag);
  block.born = ++clock;
  block.uses = noChunk;
  table.insert(block.address, chunk);
  tags.allocated(block.tag, requested);
  counts.used.add(block.bytes);
  counts.requested.add(requested);
  ++counts.usedBlocks;
  ++counts.allocations;
  StreamStatistics &owner = pools.streamOf(pool);
  owner.used.add(block.bytes);
  ++owner.allocations;
  return reinterpret_cast<void *>(block.address);
}

bool CachingAllocator::Implementation::release(uintptr_t address) noexcept {
  std::lock_guard lock(mutex);
  const uint32_t chunk = table.take(address);
  if (chunk == noChunk)
    return address == 0;
  Chunk &block = chunks[chunk];
  ++clock;
  tags.released(block.tag, block.requested);
  counts.used.subtract(block.bytes);
  counts.requested.subtract(block.requested);
  --counts.usedBlocks;
  ++counts.releases;
  StreamStatistics &owner = pools.streamOf(block.pool);
  owner.used.subtract(block.bytes);
  ++owner.releases;
  if (block.uses == noChunk) {
    makeFree(chunk);
    return true;
  }
  block.state = State::Waiting;
  counts.waiting += block.bytes;
  ++counts.waitingBlocks;
  owner.waiting += block.bytes;
  block.uses = uses.record(block.uses, chunk);
  if (block.uses == 0)
    stopWaiting(chunk);
  return true;
}

void CachingAllocator::Implementation::stopWaiting(uint32_t chunk) {
  const Chunk &block = chunks[chunk];
  counts.waiting -= block.bytes;
  --counts.waitingBlocks;
  pools.streamOf(block.pool).waiting -= block.bytes;
  makeFree(chunk);
}

/// Joins a chunk with its free neighbours.
void CachingAllocator::Implementation::makeFree(uint32_t chunk) {
  if (uint32_t after = chunks[chunk].after;
      after != noChunk && chunks[after].state == State::Free) {
    takeFree(after);
    chunks.join(chunk);
  }
  if (uint32_t before = chunks[chunk].before;
      before != noChunk && chunks[before].state == State::Free) {
    takeFree(before);
    chunks.join(before);
    chunk = before;
  }
  addFree(chunk);
}

bool CachingAllocator::Implementation::recordUse(uintptr_t address,
                                                 Stream stream) noexcept {
  std::lock_guard lock(mutex);
  const uint32_t chunk = table.find(address);
  if (chunk == noChunk)
    return false;
  if (options.ownedByStreams &&
      pools.streamOf(chunks[chunk].pool).stream == stream)
    return true;
  // If the use cannot be recorded, wait for it.
  if (!uses.note(chunks[chunk].uses, stream))
    streams.synchronize(stream);
  return true;
}

size_t CachingAllocator::Implementation::empty() noexcept {
  uses.waitForAll([&](uint32_t chunk) { eventPassed(chunk); });
  return giveBack(/*all=*/false);
}

/// Whether `chunk` is the first of a segment that has no block in use, or, for
/// all, of any segment.
bool CachingAllocator::Implementation::isReturnable(uint32_t chunk,
                                                    bool all) const {
  const Chunk &first = chunks[chunk];
  if (first.state == State::Unused || first.before != noChunk)
    return false;
  return all || (first.state == State::Free && chunks.isRegion(chunk));
}

/// Returns segments without a block in use, or all segments; returns their
/// bytes. Waits for the streams, because their work may still use released
/// blocks.
size_t CachingAllocator::Implementation::giveBack(bool all) noexcept {
  const auto count = static_cast<uint32_t>(chunks.records().size());
  if (options.ownedByStreams) {
    for (uint32_t i = 0; i < count; ++i)
      if (isReturnable(i, all))
        pools[chunks[i].pool].returns = true;
    pools.waitForMarked([&](Stream stream) { streams.synchronize(stream); });
  }
  size_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!isReturnable(i, all))
      continue;
    size_t bytes = 0;
    for (uint32_t at = i; at != noChunk; at = chunks[at].after)
      bytes += chunks[at].bytes;
    auto *address = reinterpret_cast<void *>(chunks[i].address);
    if (chunks[i].state == State::Free) {
      takeFree(i);
      if (chunks.isRegion(i))
        chunks.remove(i);
    }
    raw.release(address, bytes);
    counts.regionReturned(bytes);
    sum += bytes;
  }
  return sum;
}

MemoryStatistics CachingAllocator::Implementation::statistics() const {
  MemoryStatistics result = counts;
  result.largestFree = pools.largestFree(chunks);
  return result;
}

MemorySnapshot CachingAllocator::Implementation::snapshot() const {
  std::lock_guard lock(mutex);
  MemorySnapshot result;
  result.name = raw.attributes().name;
  result.now = clock;
  result.statistics = statistics();
  std::vector<uint32_t> firsts;
  result.regions = regionsOf(chunks, &firsts);
  for (size_t i = 0; i < firsts.size(); ++i)
    result.regions[i].stream = pools.streamOf(chunks[firsts[i]].pool).stream;
  result.bins = binsOf(chunks);
  result.streams = pools.streams();
  result.tags = tags.all();
  return result;
}
