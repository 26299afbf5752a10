//===- memory/OrderedAllocator.cpp - blocks in stream order ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/memory/OrderedAllocator.h"

#include "memory/AddressTable.h"
#include "memory/ChunkTable.h"
#include "memory/Regions.h"
#include "memory/Sizes.h"
#include "memory/StreamUses.h"
#include "memory/TagTable.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <vector>

using namespace tamrt;

class OrderedAllocator::Implementation {
public:
  Implementation(Streams &streams, std::string name, size_t granularity)
      : streams(streams), name(std::move(name)), unit(granularity),
        uses(streams) {}

  ~Implementation() {
    for (uint32_t i = 0; i < chunks.records().size(); ++i)
      if (chunks[i].state == Chunk::State::Used)
        free(i);
  }

  void *allocate(size_t requested, Stream stream, uint32_t tag) noexcept {
    const size_t bytes = roundUp(std::max<size_t>(requested, 1), unit);
    std::lock_guard lock(mutex);
    const uint32_t owner = indexOf(stream);
    void *address = nullptr;
    if (bytes != 0 && owner != noChunk && chunks.reserve(1) && table.reserve())
      address = streams.allocate(bytes, unit, stream);
    if (!address) {
      ++counts.failures;
      return nullptr;
    }
    const auto at = reinterpret_cast<uintptr_t>(address);
    const uint32_t index = chunks.add(at, bytes);
    Chunk &block = chunks[index];
    block.state = Chunk::State::Used;
    block.pool = owner;
    block.requested = requested;
    block.tag = tags.known(tag);
    block.born = ++clock;
    table.insert(at, index);
    tags.allocated(block.tag, requested);
    counts.used.add(bytes);
    counts.reserved.add(bytes);
    counts.requested.add(requested);
    ++counts.usedBlocks;
    ++counts.regions;
    ++counts.regionsObtained;
    ++counts.allocations;
    owners[owner].used.add(bytes);
    ++owners[owner].allocations;
    return address;
  }

  bool release(uintptr_t address) noexcept {
    std::lock_guard lock(mutex);
    const uint32_t index = table.take(address);
    if (index == noChunk)
      return address == 0;
    Chunk &block = chunks[index];
    StreamStatistics &owner = owners[block.pool];
    ++clock;
    tags.released(block.tag, block.requested);
    counts.used.subtract(block.bytes);
    counts.requested.subtract(block.requested);
    --counts.usedBlocks;
    counts.regionReturned(block.bytes);
    ++counts.releases;
    owner.used.subtract(block.bytes);
    ++owner.releases;
    free(index);
    return true;
  }

  bool recordUse(uintptr_t address, Stream stream) noexcept {
    std::lock_guard lock(mutex);
    const uint32_t index = table.find(address);
    if (index == noChunk)
      return false;
    if (owners[chunks[index].pool].stream != stream &&
        !uses.note(chunks[index].uses, stream))
      streams.synchronize(stream);
    return true;
  }

  MemorySnapshot snapshot() const {
    std::lock_guard lock(mutex);
    MemorySnapshot result;
    result.name = name;
    result.now = clock;
    result.statistics = counts;
    std::vector<uint32_t> firsts;
    result.regions = regionsOf(chunks, &firsts);
    for (size_t i = 0; i < firsts.size(); ++i)
      result.regions[i].stream = owners[chunks[firsts[i]].pool].stream;
    result.bins = binsOf(chunks);
    result.streams = owners;
    result.tags = tags.all();
    return result;
  }

private:
  friend class OrderedAllocator;

  /// noChunk if there is no memory. O(streams).
  uint32_t indexOf(Stream stream) noexcept {
    uint32_t index = 0;
    while (index < owners.size() && owners[index].stream != stream)
      ++index;
    try {
      if (index == owners.size())
        owners.emplace_back().stream = stream;
    } catch (const std::exception &) {
      return noChunk;
    }
    return index;
  }

  void free(uint32_t index) noexcept {
    const Stream owner = owners[chunks[index].pool].stream;
    uses.forget(chunks[index].uses, [&](Stream other) {
      if (StreamEvent event = streams.record(other)) {
        streams.order(owner, event);
        streams.destroy(event);
      } else {
        streams.synchronize(other);
      }
    });
    streams.release(reinterpret_cast<void *>(chunks[index].address),
                    chunks[index].bytes, owner);
    chunks.remove(index);
  }

  Streams &streams;
  const std::string name;
  const size_t unit;

  mutable std::mutex mutex;
  /// Each block is a region of its own.
  ChunkTable chunks;
  /// The streams in the order in which they were first seen; the `pool` of a
  /// chunk is an index into them.
  std::vector<StreamStatistics> owners;
  AddressTable table;
  StreamUses uses;
  TagTable tags;
  uint64_t clock = 0;
  MemoryStatistics counts;
};

OrderedAllocator::OrderedAllocator(Streams &streams, std::string name,
                                   size_t granularity)
    : implementation(std::make_unique<Implementation>(streams, std::move(name),
                                                      granularity)) {}

OrderedAllocator::~OrderedAllocator() = default;

void *OrderedAllocator::allocate(size_t bytes, Stream stream,
                                 uint32_t tag) noexcept {
  return implementation->allocate(bytes, stream, tag);
}

bool OrderedAllocator::release(void *address) noexcept {
  return implementation->release(reinterpret_cast<uintptr_t>(address));
}

bool OrderedAllocator::recordUse(void *address, Stream stream) noexcept {
  return implementation->recordUse(reinterpret_cast<uintptr_t>(address),
                                   stream);
}

uint32_t OrderedAllocator::openTag(std::string_view name) noexcept {
  std::lock_guard lock(implementation->mutex);
  return implementation->tags.open(name);
}

void OrderedAllocator::closeTag(uint32_t tag) noexcept {
  std::lock_guard lock(implementation->mutex);
  implementation->tags.close(tag);
}

MemoryStatistics OrderedAllocator::statistics() const noexcept {
  std::lock_guard lock(implementation->mutex);
  return implementation->counts;
}

MemorySnapshot OrderedAllocator::snapshot() const {
  return implementation->snapshot();
}
