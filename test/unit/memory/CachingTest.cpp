//===- memory/CachingTest.cpp - blocks reused by stream -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "FakeStreams.h"

#include "tamrt/memory/CachingAllocator.h"
#include "tamrt/memory/FakeMemory.h"

#include <vector>

using namespace tamrt;

namespace {

constexpr size_t KiB = 1024, MiB = 1024 * KiB, spaceBytes = 1024 * MiB;

struct Caching : testing::Test {
  FakeMemory space{spaceBytes};
  test::CountingMemory memory{space};
  test::FakeStreams streams;
  CachingAllocator allocator{memory, streams};

  std::vector<size_t> segments() const {
    std::vector<size_t> sizes;
    for (const MemoryRegion &region : allocator.snapshot().regions)
      sizes.push_back(region.bytes);
    return sizes;
  }
  size_t sizeOf(const void *block) const {
    return test::sizeOf(allocator.snapshot(), block);
  }
};

TEST_F(Caching, CutsBlocksOutOfSegments) {
  allocator.allocate(1, 0);
  allocator.allocate(1 * MiB, 0);
  EXPECT_EQ(segments(), (std::vector<size_t>{2 * MiB}));
  allocator.allocate(1 * MiB + 1, 0);
  allocator.allocate(9 * MiB, 0);
  EXPECT_EQ(segments(), (std::vector<size_t>{2 * MiB, 20 * MiB}));
  allocator.allocate(10 * MiB + 1, 0);
  EXPECT_EQ(segments(), (std::vector<size_t>{2 * MiB, 20 * MiB, 12 * MiB}));
  test::expectConsistent(allocator.snapshot());
}

TEST_F(Caching, RoundsSizes) {
  EXPECT_EQ(sizeOf(allocator.allocate(0, 0)), 512u);
  EXPECT_EQ(sizeOf(allocator.allocate(513, 0)), 1024u);
  void *large = allocator.allocate(11 * MiB, 0);
  // A rest of one MiB is not worth a block.
  EXPECT_EQ(sizeOf(large), 12 * MiB);
  EXPECT_EQ(sizeOf(allocator.allocate(5 * MiB, 0)), 5 * MiB);
}

TEST_F(Caching, AStreamReusesItsBlocksAtOnce) {
  void *block = allocator.allocate(1000, 7);
  EXPECT_TRUE(allocator.release(block));
  EXPECT_FALSE(allocator.release(block));
  EXPECT_EQ(allocator.allocate(1000, 7), block);
  EXPECT_EQ(memory.calls, 1u);
}

TEST_F(Caching, AnotherStreamDoesNot) {
  void *block = allocator.allocate(1000, 1);
  allocator.release(block);
  EXPECT_NE(allocator.allocate(1000, 2), block);
  EXPECT_EQ(memory.calls, 2u);
  EXPECT_EQ(streams.open(1), 0u);
}

TEST_F(Caching, ARecordedUseHoldsABlockUntilItsEvent) {
  void *block = allocator.allocate(1000, 1);
  EXPECT_TRUE(allocator.recordUse(block, 2));
  EXPECT_TRUE(allocator.recordUse(block, 2));
  EXPECT_TRUE(allocator.recordUse(block, 3));
  EXPECT_TRUE(allocator.recordUse(block, 1));
  allocator.release(block);
  EXPECT_EQ(streams.open(2), 1u);
  EXPECT_EQ(streams.open(3), 1u);
  EXPECT_EQ(streams.open(1), 0u);
  EXPECT_EQ(allocator.statistics().waiting, 1024u);
  test::expectConsistent(allocator.snapshot());
  EXPECT_NE(allocator.allocate(1000, 1), block);
  streams.finish(3);
  EXPECT_NE(allocator.allocate(1000, 1), block);
  streams.finish(2);
  EXPECT_EQ(allocator.allocate(1000, 1), block);
  EXPECT_EQ(allocator.statistics().waiting, 0u);
  EXPECT_FALSE(allocator.recordUse(&space, 2));
}

TEST_F(Caching, EventsOfAStreamAreLookedAtInTheirOrder) {
  void *first = allocator.allocate(1000, 1);
  void *second = allocator.allocate(2000, 1);
  allocator.recordUse(second, 2);
  allocator.release(second);
  streams.finish(2);
  allocator.recordUse(first, 2);
  allocator.release(first);
  EXPECT_EQ(allocator.allocate(2000, 1), second);
  EXPECT_EQ(allocator.statistics().waitingBlocks, 1u);
}

TEST_F(Caching, WithoutEventsTheStreamIsWaitedFor) {
  void *block = allocator.allocate(1000, 1);
  allocator.recordUse(block, 2);
  streams.noEvents = true;
  allocator.release(block);
  EXPECT_EQ(streams.synchronizations, 1);
  EXPECT_EQ(allocator.allocate(1000, 1), block);
}

TEST_F(Caching, EmptyCacheReturnsAllThatIsNotInUse) {
  void *kept = allocator.allocate(1000, 1);
  void *waiting = allocator.allocate(30 * MiB, 1);
  void *free = allocator.allocate(40 * MiB, 2);
  allocator.recordUse(waiting, 2);
  allocator.release(waiting);
  allocator.release(free);
  EXPECT_EQ(allocator.emptyCache(), 70 * MiB);
  EXPECT_EQ(streams.waits, 1);
  EXPECT_EQ(segments(), (std::vector<size_t>{2 * MiB}));
  allocator.release(kept);
  EXPECT_EQ(allocator.emptyCache(), 2 * MiB);
  EXPECT_EQ(memory.obtained, 0u);
  EXPECT_TRUE(test::isWhole(space, spaceBytes));
}

/// A stream may still use the blocks that it released.
TEST_F(Caching, SegmentsAreReturnedWhenTheirStreamsAreDone) {
  allocator.allocate(1000, 3);
  allocator.release(allocator.allocate(1000, 1));
  allocator.release(allocator.allocate(30 * MiB, 1));
  streams.give(1);
  streams.give(2);
  streams.give(3);
  EXPECT_EQ(allocator.emptyCache(), 32 * MiB);
  EXPECT_EQ(streams.open(1), 0u);
  EXPECT_EQ(streams.open(2), 1u);
  EXPECT_EQ(streams.open(3), 1u);
}

TEST_F(Caching, OutOfMemoryEmptiesTheCacheAndRetriesOnce) {
  void *held = allocator.allocate(600 * MiB, 1);
  allocator.recordUse(held, 2);
  allocator.release(held);
  // Stream 3 may not have it; the raw memory has 424 MiB.
  void *block = allocator.allocate(700 * MiB, 3);
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(memory.calls, 3u);
  EXPECT_EQ(streams.waits, 1);
  EXPECT_EQ(allocator.statistics().retries, 1u);
  EXPECT_EQ(allocator.allocate(700 * MiB, 3), nullptr);
  EXPECT_EQ(memory.calls, 5u);
  EXPECT_EQ(allocator.statistics().failures, 1u);
  // Where there is no room for a segment there may be for the block.
  EXPECT_NE(allocator.allocate(322 * MiB, 3), nullptr);
  EXPECT_NE(allocator.allocate(2 * MiB, 3), nullptr);
  EXPECT_EQ(allocator.allocate(1, 3), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX, 3), nullptr);
}

TEST_F(Caching, WhatWasWaitedForServesTheRequest) {
  // A block within a segment of which another block is in use.
  void *first = allocator.allocate(8 * MiB, 1);
  void *second = allocator.allocate(8 * MiB, 1);
  ASSERT_EQ(segments().size(), 1u);
  allocator.recordUse(first, 2);
  allocator.release(first);
  memory.refuses = true;
  EXPECT_EQ(allocator.allocate(8 * MiB, 1), first);
  EXPECT_EQ(streams.waits, 1);
  EXPECT_EQ(allocator.allocate(8 * MiB, 1), nullptr);
  memory.refuses = false;
  allocator.release(second);
}

TEST(PinnedHost, HasBlocksOfPowersOfTwoForAllStreams) {
  FakeMemory space(spaceBytes);
  test::CountingMemory memory(space);
  test::FakeStreams streams;
  CachingAllocator allocator(memory, streams, CachingOptions::pinnedHost());
  void *block = allocator.allocate(3000, 5);
  EXPECT_EQ(test::sizeOf(allocator.snapshot(), block), 4096u);
  // It belongs to no stream: each use counts, also that of stream 0.
  allocator.recordUse(block, 0);
  allocator.recordUse(block, 5);
  allocator.release(block);
  EXPECT_NE(allocator.allocate(3000, 5), block);
  streams.finish(5);
  EXPECT_NE(allocator.allocate(3000, 5), block);
  streams.finish(0);
  EXPECT_EQ(allocator.allocate(4096, 6), block);
  allocator.release(block);
  // Never cut, and never for less.
  EXPECT_NE(allocator.allocate(1000, 6), block);
  EXPECT_EQ(allocator.allocate((size_t(1) << 63) + 1, 0), nullptr);
}

TEST_F(Caching, CountsByStreamAndTag) {
  uint32_t tag = allocator.openTag("gram");
  void *a = allocator.allocate(1000, 1, tag);
  void *b = allocator.allocate(2000, 2);
  allocator.release(a);
  MemorySnapshot snapshot = allocator.snapshot();
  ASSERT_EQ(snapshot.streams.size(), 2u);
  EXPECT_EQ(snapshot.streams[0].stream, 1u);
  EXPECT_EQ(snapshot.streams[0].used.now, 0u);
  EXPECT_EQ(snapshot.streams[0].used.peak, 1024u);
  EXPECT_EQ(snapshot.streams[0].free, 2 * MiB);
  EXPECT_EQ(snapshot.streams[1].used.now, 2048u);
  EXPECT_EQ(snapshot.streams[1].allocations, 1u);
  EXPECT_EQ(snapshot.regions[1].stream, 2u);
  EXPECT_EQ(snapshot.tags[tag].requested.peak, 1000u);
  EXPECT_EQ(allocator.statistics().largestFree, 2 * MiB);
  EXPECT_GT(allocator.statistics().fragmentation(), 0.4);
  allocator.closeTag(tag);
  test::expectConsistent(allocator.snapshot());
  allocator.release(b);
}

} // namespace
