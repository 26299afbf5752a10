//===- memory/BestFitTest.cpp - best fit with coalescing ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

#include "tamrt/memory/BestFitAllocator.h"
#include "tamrt/memory/FakeMemory.h"

#include <vector>

using namespace tamrt;

namespace {

BestFitOptions oneRegion() {
  BestFitOptions options;
  options.granularity = 64;
  options.grows = false;
  return options;
}

struct BestFit : testing::Test {
  FakeMemory space{1 << 20};
  test::CountingMemory memory{space};
  BestFitAllocator allocator{memory, oneRegion()};

  BestFit() { EXPECT_TRUE(allocator.reserve(1 << 16)); }
  size_t at(void *address) const { return space.offsetOf(address); }
};

TEST_F(BestFit, TakesTheSmallestFreeBlockThatIsLargeEnough) {
  void *blocks[7];
  for (size_t i = 0; i < 7; ++i)
    blocks[i] = allocator.allocate(64 * (i + 1));
  // Free: 64, 192 and 320 bytes, and the rest.
  allocator.release(blocks[0]);
  allocator.release(blocks[2]);
  allocator.release(blocks[4]);
  EXPECT_EQ(allocator.allocate(100), blocks[2]);
  EXPECT_EQ(allocator.allocate(300), blocks[4]);
  EXPECT_EQ(allocator.allocate(1), blocks[0]);
  // What was split off the 192.
  EXPECT_EQ(at(allocator.allocate(64)), at(blocks[2]) + 128);
  test::expectConsistent(allocator.snapshot());
}

TEST_F(BestFit, OfEqualBlocksTakesTheLowest) {
  void *blocks[5];
  for (void *&block : blocks)
    block = allocator.allocate(64);
  allocator.release(blocks[3]);
  allocator.release(blocks[1]);
  EXPECT_EQ(allocator.allocate(64), blocks[1]);
}

TEST_F(BestFit, JoinsAReleasedBlockWithItsNeighbours) {
  void *blocks[4];
  for (void *&block : blocks)
    block = allocator.allocate(1000);
  EXPECT_TRUE(allocator.release(blocks[0]));
  EXPECT_TRUE(allocator.release(blocks[2]));
  EXPECT_EQ(allocator.statistics().freeBlocks, 3u);
  EXPECT_GT(allocator.statistics().fragmentation(), 0);
  EXPECT_TRUE(allocator.release(blocks[1]));
  EXPECT_EQ(allocator.statistics().freeBlocks, 2u);
  EXPECT_TRUE(allocator.release(blocks[3]));
  MemoryStatistics statistics = allocator.statistics();
  EXPECT_EQ(statistics.freeBlocks, 1u);
  EXPECT_EQ(statistics.largestFree, size_t(1) << 16);
  EXPECT_EQ(statistics.fragmentation(), 0);
}

TEST_F(BestFit, KnowsItsBlocks) {
  void *block = allocator.allocate(100);
  EXPECT_EQ(allocator.sizeOf(block), 128u);
  EXPECT_FALSE(allocator.release(static_cast<char *>(block) + 64));
  EXPECT_TRUE(allocator.release(block));
  EXPECT_FALSE(allocator.release(block));
  EXPECT_TRUE(allocator.release(nullptr));
  EXPECT_EQ(allocator.sizeOf(block), 0u);
  EXPECT_EQ(allocator.statistics().releases, 1u);
}

TEST_F(BestFit, Aligns) {
  void *first = allocator.allocate(64);
  void *aligned = allocator.allocate({100, 4096, 0});
  EXPECT_EQ(at(aligned), 4096u);
  // The front stays free, and small requests go there.
  EXPECT_EQ(at(allocator.allocate(64)), 64u);
  test::expectConsistent(allocator.snapshot());
  EXPECT_EQ(allocator.allocate({1, size_t(1) << 62, 0}), nullptr);
  // The multiples of 4096 that are left in the region.
  for (int i = 2; i < 16; ++i)
    EXPECT_NE(allocator.allocate({64, 4096, 0}), nullptr) << i;
  EXPECT_EQ(allocator.allocate({64, 4096, 0}), nullptr);
  allocator.release(first);
  EXPECT_EQ(allocator.allocate({64, 4096, 0}), first);
}

TEST_F(BestFit, RefusesWhatThereIsNot) {
  EXPECT_EQ(allocator.allocate((1 << 16) + 1), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX - 100), nullptr);
  EXPECT_EQ(allocator.statistics().failures, 3u);
  void *all = allocator.allocate(1 << 16);
  EXPECT_NE(all, nullptr);
  EXPECT_EQ(allocator.allocate(0), nullptr);
  EXPECT_EQ(allocator.statistics().free, 0u);
  EXPECT_EQ(allocator.statistics().largestFree, 0u);
}

TEST(BestFitGrowth, DoublesItsRegions) {
  FakeMemory space(1 << 20);
  test::CountingMemory memory(space);
  BestFitOptions options;
  options.firstRegion = 4096;
  options.maxRegion = 16384;
  BestFitAllocator allocator(memory, options);
  EXPECT_EQ(allocator.statistics().reserved.now, 0u);
  for (int i = 0; i < 44; ++i)
    ASSERT_NE(allocator.allocate(1024), nullptr);
  std::vector<size_t> sizes;
  for (const MemoryRegion &region : allocator.snapshot().regions)
    sizes.push_back(region.bytes);
  EXPECT_EQ(sizes, (std::vector<size_t>{4096, 8192, 16384, 16384}));
  // One that is larger than regions has its own.
  EXPECT_NE(allocator.allocate(100000), nullptr);
  EXPECT_EQ(allocator.snapshot().regions.back().bytes, 100096u);
}

TEST(BestFitGrowth, TakesLessWhereThereIsNoMore) {
  FakeMemory space(10000);
  test::CountingMemory memory(space);
  BestFitOptions options;
  options.firstRegion = 8192;
  BestFitAllocator allocator(memory, options);
  EXPECT_NE(allocator.allocate(8192), nullptr);
  EXPECT_NE(allocator.allocate(1000), nullptr);
  EXPECT_EQ(allocator.allocate(1000), nullptr);
  EXPECT_NE(allocator.allocate(500), nullptr);
}

TEST(BestFitGrowth, KeepsToItsLimit) {
  FakeMemory space(size_t(1) << 30);
  test::CountingMemory memory(space);
  BestFitOptions options;
  options.limit = size_t(1) << 28;
  BestFitAllocator allocator(memory, options);
  while (allocator.allocate(1000000)) {
  }
  EXPECT_LE(memory.obtained, options.limit);
  EXPECT_GT(allocator.statistics().used.now, options.limit / 100 * 98);
}

TEST(BestFitGrowth, WholeRegionsMakeWay) {
  FakeMemory space(1 << 16);
  test::CountingMemory memory(space);
  BestFitOptions options;
  options.firstRegion = 1 << 12;
  BestFitAllocator allocator(memory, options);
  std::vector<void *> blocks;
  while (void *block = allocator.allocate(4096))
    blocks.push_back(block);
  EXPECT_EQ(blocks.size(), 16u);
  for (void *block : blocks)
    allocator.release(block);
  EXPECT_GT(allocator.statistics().regions, 1u);
  EXPECT_NE(allocator.allocate(1 << 16), nullptr);
  EXPECT_EQ(allocator.statistics().retries, 1u);
  EXPECT_EQ(memory.obtained, size_t(1) << 16);
}

TEST(BestFitGrowth, TrimReturnsRegionsWithoutABlock) {
  FakeMemory space(1 << 22);
  test::CountingMemory memory(space);
  BestFitOptions options;
  options.firstRegion = 4096;
  BestFitAllocator allocator(memory, options);
  void *block = allocator.allocate(4096);
  for (int i = 0; i < 5; ++i)
    allocator.allocate(50000);
  const size_t obtained = memory.obtained;
  allocator.release(block);
  EXPECT_EQ(allocator.trim(), 4096u);
  EXPECT_EQ(memory.obtained, obtained - 4096);
  EXPECT_EQ(allocator.trim(), 0u);
  EXPECT_EQ(allocator.statistics().reserved.now, memory.obtained);
}

TEST(BestFitGrowth, RoundsAtLeastToTheGranularityOfTheMemory) {
  test::HostMemory host;
  BestFitAllocator allocator(host);
  EXPECT_EQ(allocator.snapshot().name, "host");
  EXPECT_EQ(allocator.sizeOf(allocator.allocate(1)), 256u);
  test::HostMemory coarse(4096);
  BestFitAllocator pages(coarse);
  EXPECT_EQ(pages.sizeOf(pages.allocate(1)), 4096u);
}

TEST_F(BestFit, CountsByTagWithHighWaterMarks) {
  uint32_t solve = allocator.openTag("solve");
  void *a = allocator.allocate({1000, 1, solve});
  void *b = allocator.allocate({500, 1, solve});
  allocator.release(a);
  allocator.closeTag(solve);
  allocator.allocate(7);
  auto tags = [&] { return allocator.snapshot().tags; };
  TagStatistics tag = tags()[solve];
  EXPECT_EQ(tag.name, "solve");
  EXPECT_EQ(tag.requested.now, 500u);
  EXPECT_EQ(tag.requested.peak, 1500u);
  EXPECT_EQ(tag.requests, 2u);
  EXPECT_EQ(tag.bytes, 1500u);
  EXPECT_EQ(tag.open, 0u);
  EXPECT_EQ(allocator.openTag("solve"), solve);
  EXPECT_EQ(tags()[solve].openings, 2u);
  EXPECT_EQ(tags()[solve].latestPeak, 500u);
  allocator.release(b);
  EXPECT_EQ(tags()[solve].requested.now, 0u);
  EXPECT_EQ(tags()[solve].requested.peak, 1500u);
  EXPECT_EQ(tags()[0].requested.now, 7u);
  // An unknown tag counts as no tag.
  allocator.allocate({5, 1, 99});
  EXPECT_EQ(tags()[0].requested.now, 12u);
}

} // namespace
