//===- memory/BestFitCache.cpp - best fit for streams ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/memory/BestFitCache.h"

#include "memory/AddressTable.h"
#include "memory/StreamUses.h"

#include <mutex>
#include <vector>

using namespace tamrt;

class BestFitCache::Implementation {
public:
  Implementation(RawMemory &raw, Streams &streams, BestFitOptions options)
      : allocator(raw, std::move(options)), streams(streams), uses(streams) {}

  /// Adds a use to those of the block; false if there is no memory for it.
  bool note(void *address, Stream stream) noexcept {
    const auto at = reinterpret_cast<uintptr_t>(address);
    std::lock_guard lock(mutex);
    uint32_t list = lists.take(at);
    const bool isNoted = lists.reserve() && uses.note(list, stream);
    if (list != noChunk)
      lists.insert(at, list);
    return isNoted;
  }

  /// Waits for the streams that use a block and removes the uses.
  void waitForUses(void *address) noexcept {
    std::lock_guard lock(mutex);
    const uint32_t list = lists.take(reinterpret_cast<uintptr_t>(address));
    uses.forget(list, [&](Stream stream) { streams.synchronize(stream); });
  }

  BestFitAllocator allocator;
  Streams &streams;

private:
  std::mutex mutex;
  StreamUses uses;
  /// By block, the first of its uses.
  AddressTable lists;
};

BestFitCache::BestFitCache(RawMemory &raw, Streams &streams,
                           BestFitOptions options)
    : implementation(
          std::make_unique<Implementation>(raw, streams, std::move(options))) {}

BestFitCache::~BestFitCache() = default;

void *BestFitCache::allocate(size_t bytes, Stream stream,
                             uint32_t tag) noexcept {
  void *address = implementation->allocator.allocate({bytes, 1, tag});
  if (!address || stream == 0 || implementation->note(address, stream))
    return address;
  implementation->allocator.release(address);
  return nullptr;
}

bool BestFitCache::release(void *address) noexcept {
  if (address)
    implementation->waitForUses(address);
  return implementation->allocator.release(address);
}

bool BestFitCache::recordUse(void *address, Stream stream) noexcept {
  if (implementation->allocator.sizeOf(address) == 0)
    return false;
  // If the use cannot be recorded, wait for it.
  if (!implementation->note(address, stream))
    implementation->streams.synchronize(stream);
  return true;
}

size_t BestFitCache::emptyCache() noexcept {
  return implementation->allocator.trim();
}

uint32_t BestFitCache::openTag(std::string_view name) noexcept {
  return implementation->allocator.openTag(name);
}

void BestFitCache::closeTag(uint32_t tag) noexcept {
  implementation->allocator.closeTag(tag);
}

MemoryStatistics BestFitCache::statistics() const noexcept {
  return implementation->allocator.statistics();
}

MemorySnapshot BestFitCache::snapshot() const {
  return implementation->allocator.snapshot();
}
