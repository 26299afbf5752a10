//===- memory/DeviceCacheTest.cpp - best fit and the device's own order ---===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "FakeStreams.h"

#include "tamrt/memory/BestFitCache.h"
#include "tamrt/memory/CachingAllocator.h"
#include "tamrt/memory/FakeMemory.h"
#include "tamrt/memory/OrderedAllocator.h"

#include <memory>
#include <utility>

using namespace tamrt;

namespace {

TEST(Ordered, WaitsForOtherStreamsOnTheDevice) {
  test::FakeStreams streams;
  OrderedAllocator allocator(streams, "cuda:0");
  void *block = allocator.allocate(1000, 1, allocator.openTag("x"));
  EXPECT_TRUE(allocator.recordUse(block, 1));
  EXPECT_TRUE(allocator.recordUse(block, 2));
  EXPECT_FALSE(allocator.recordUse(&streams, 2));
  test::expectConsistent(allocator.snapshot());
  EXPECT_TRUE(allocator.release(block));
  EXPECT_FALSE(allocator.release(block));
  EXPECT_EQ(streams.log, "allocate@1 1 after 2 release@1 ");
  EXPECT_TRUE(test::isWhole(streams.memory, streams.memoryBytes));
  MemorySnapshot snapshot = allocator.snapshot();
  test::expectConsistent(snapshot);
  EXPECT_EQ(snapshot.name, "cuda:0");
  EXPECT_EQ(snapshot.statistics.used.peak, 1024u);
  EXPECT_EQ(snapshot.tags[1].requested.peak, 1000u);
}

TEST(Ordered, WithoutEventsTheStreamIsWaitedFor) {
  test::FakeStreams streams;
  OrderedAllocator allocator(streams, "cuda:0");
  void *block = allocator.allocate(1000, 1);
  allocator.recordUse(block, 2);
  streams.noEvents = true;
  allocator.release(block);
  EXPECT_EQ(streams.synchronizations, 1);
  EXPECT_EQ(allocator.allocate(size_t(1) << 21, 1), nullptr);
  EXPECT_EQ(allocator.statistics().failures, 1u);
}

TEST(Ordered, FreesWhatIsLeft) {
  test::FakeStreams streams;
  {
    OrderedAllocator allocator(streams, "cuda:0");
    allocator.allocate(1000, 1);
    allocator.release(allocator.allocate(2000, 2));
    allocator.recordUse(allocator.allocate(1000, 3), 2);
  }
  EXPECT_TRUE(test::isWhole(streams.memory, streams.memoryBytes));
}

TEST(Ordered, CountsARegionForEachBlock) {
  test::FakeStreams streams;
  OrderedAllocator allocator(streams, "cuda:0");
  void *kept = allocator.allocate(1000, 1);
  allocator.release(allocator.allocate(2000, 2));
  const MemoryStatistics counts = allocator.statistics();
  EXPECT_EQ(counts.regionsObtained, 2u);
  EXPECT_EQ(counts.regionsReturned, 1u);
  EXPECT_EQ(counts.regions, 1u);
  EXPECT_EQ(counts.reserved.now, 1024u);
  EXPECT_EQ(counts.reserved.peak, 3072u);
  allocator.release(kept);
}

TEST(BestFitCache, WaitsForTheStreamsOfABlock) {
  constexpr size_t bytes = 1 << 24;
  FakeMemory memory(bytes);
  test::FakeStreams streams;
  {
    BestFitCache cache(memory, streams);
    void *block = cache.allocate(1000, 0);
    streams.give(1);
    streams.give(2);
    EXPECT_TRUE(cache.recordUse(block, 2));
    EXPECT_TRUE(cache.recordUse(block, 2));
    EXPECT_EQ(streams.open(2), 1u);
    EXPECT_TRUE(cache.release(block));
    EXPECT_EQ(streams.open(1), 1u);
    EXPECT_EQ(streams.open(2), 0u);
    EXPECT_EQ(streams.synchronizations, 1);
    EXPECT_FALSE(cache.release(block));
    EXPECT_FALSE(cache.recordUse(block, 2));
    EXPECT_TRUE(cache.release(nullptr));
    // Its own stream, too; and whoever comes next has the block.
    EXPECT_EQ(cache.allocate(1000, 1), block);
    EXPECT_TRUE(cache.release(block));
    EXPECT_EQ(streams.open(1), 0u);
    EXPECT_EQ(cache.allocate(1000, 2, cache.openTag("x")), block);
    EXPECT_EQ(cache.snapshot().tags[1].requested.now, 1000u);
    test::expectConsistent(cache.snapshot());
    cache.release(block);
    EXPECT_EQ(cache.emptyCache(), size_t(1) << 20);
  }
  EXPECT_TRUE(test::isWhole(memory, bytes));
}

/// Memory below which something is kept for reuse.
class Keeping final : public RawMemory {
public:
  void *allocate(size_t bytes, size_t alignment) noexcept override {
    ++calls;
    return isPurged ? below.allocate(bytes, alignment) : nullptr;
  }
  void release(void *address, size_t bytes) noexcept override {
    below.release(address, bytes);
  }
  bool purge() noexcept override { return !std::exchange(isPurged, true); }
  const MemoryAttributes &attributes() const noexcept override {
    return below.attributes();
  }

  FakeMemory below{size_t(1) << 26};
  bool isPurged = false;
  int calls = 0;
};

TEST(DeviceCache, PurgesWhatIsBelowAndTriesOnceMore) {
  for (bool isCaching : {false, true}) {
    Keeping memory;
    test::FakeStreams streams;
    std::unique_ptr<DeviceCache> cache;
    if (isCaching)
      cache = std::make_unique<CachingAllocator>(memory, streams);
    else
      cache = std::make_unique<BestFitCache>(memory, streams);
    EXPECT_NE(cache->allocate(size_t(8) << 20, 1), nullptr);
    EXPECT_TRUE(memory.isPurged);
    EXPECT_EQ(cache->statistics().retries, 1u);
    // Twice what was wanted, or less, and then again.
    EXPECT_LE(memory.calls, 8);
  }
}

} // namespace
