//===- memory/RandomTest.cpp - random calls against a slow account --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "FakeStreams.h"

#include "tamrt/memory/BestFitAllocator.h"
#include "tamrt/memory/CachingAllocator.h"
#include "tamrt/memory/FakeMemory.h"

#include <set>
#include <vector>

using namespace tamrt;

namespace {

constexpr size_t randomSpaceBytes = size_t(16) << 30;
constexpr double largest = 1 << 30;
constexpr size_t usualOperations = 200000;

struct Block {
  void *address;
  size_t bytes;
};

/// A block that is in use, chosen at random and taken out.
Block takeOne(std::vector<Block> &blocks, std::mt19937_64 &random) {
  std::swap(blocks[random() % blocks.size()], blocks.back());
  Block block = blocks.back();
  blocks.pop_back();
  return block;
}

/// Phases in which blocks become more, and fewer.
bool grows(std::mt19937_64 &random, size_t operation) {
  return random() % 100 < (operation / 5000 % 2 ? 45u : 55u);
}

/// Sizes from 8 bytes to 1 GiB, alignments to 64 KiB, out of 16 GiB that do not
/// always suffice.
TEST(Random, BestFitKeepsBlocksApartAndLosesNothing) {
  std::mt19937_64 random(2026);
  FakeMemory space(randomSpaceBytes);
  test::CountingMemory memory(space);
  BestFitAllocator allocator(memory);
  test::Ranges ranges;
  std::vector<Block> blocks;
  size_t requested = 0, refused = 0;
  for (size_t i = 0, end = test::operationCount(usualOperations); i < end;
       ++i) {
    if (grows(random, i) || blocks.empty()) {
      MemoryRequest request;
      request.bytes = test::randomSize(random, 8, largest);
      request.alignment = random() % 4 ? 1 : size_t(1) << random() % 17;
      void *address = allocator.allocate(request);
      if (!address) {
        ++refused;
        // There really is none: not even where it need not be aligned.
        ASSERT_TRUE(request.alignment > 256 ||
                    allocator.statistics().largestFree < request.bytes);
        continue;
      }
      auto at = reinterpret_cast<uintptr_t>(address);
      ASSERT_EQ(at % request.alignment, 0u);
      ASSERT_TRUE(ranges.add(at, request.bytes)) << "operation " << i;
      ASSERT_TRUE(memory.covers(address, request.bytes));
      blocks.push_back({address, request.bytes});
      requested += request.bytes;
    } else {
      Block block = takeOne(blocks, random);
      ASSERT_TRUE(allocator.release(block.address));
      ASSERT_TRUE(ranges.remove(reinterpret_cast<uintptr_t>(block.address)));
      requested -= block.bytes;
    }
    if (i % 16384 == 0) {
      ASSERT_EQ(allocator.statistics().requested.now, requested);
      test::expectConsistent(allocator.snapshot());
    }
    if (i % 50000 == 49999)
      allocator.trim();
  }
  EXPECT_GT(refused, 0u);
  for (const Block &block : blocks)
    EXPECT_TRUE(allocator.release(block.address));
  // One free block a region, and every byte of it.
  MemoryStatistics statistics = allocator.statistics();
  EXPECT_EQ(statistics.freeBlocks, statistics.regions);
  EXPECT_EQ(statistics.free, statistics.reserved.now);
  EXPECT_EQ(statistics.reserved.now, memory.obtained);
  EXPECT_EQ(allocator.trim(), statistics.reserved.now);
  EXPECT_EQ(memory.obtained, 0u);
  EXPECT_TRUE(test::isWhole(space, randomSpaceBytes));
}

/// Four streams that lag behind. Besides the blocks in use, blocks that a
/// stream may still use are in the map until the test lets that stream finish.
TEST(Random, CachingKeepsBlocksApartAndLosesNothing) {
  std::mt19937_64 random(7);
  FakeMemory space(randomSpaceBytes);
  test::CountingMemory memory(space);
  test::FakeStreams streams;
  CachingAllocator allocator(memory, streams);
  test::Ranges ranges;
  struct Used : Block {
    Stream stream = 0;
    std::set<Stream> users;
  };
  std::vector<Used> blocks, waiting;
  size_t refused = 0;
  // Released by everybody: streams that are done no longer matter.
  auto forgetFinished = [&] {
    std::erase_if(waiting, [&](Used &block) {
      std::erase_if(block.users,
                    [&](Stream stream) { return streams.open(stream) == 0; });
      if (!block.users.empty())
        return false;
      ranges.remove(reinterpret_cast<uintptr_t>(block.address));
      return true;
    });
  };
  for (size_t i = 0, end = test::operationCount(usualOperations); i < end;
       ++i) {
    if (grows(random, i) || blocks.empty()) {
      Used block;
      block.bytes = test::randomSize(random, 8, largest);
      block.stream = random() % 4;
      auto waits = [&] { return streams.waits + streams.synchronizations; };
      const int before = waits();
      block.address = allocator.allocate(block.bytes, block.stream);
      // Out of memory it waits for them.
      if (waits() > before)
        forgetFinished();
      if (!block.address) {
        ++refused;
        continue;
      }
      ASSERT_TRUE(
          ranges.add(reinterpret_cast<uintptr_t>(block.address), block.bytes))
          << "operation " << i;
      ASSERT_TRUE(memory.covers(block.address, block.bytes));
      while (random() % 3 == 0) {
        Stream user = random() % 4;
        ASSERT_TRUE(allocator.recordUse(block.address, user));
        if (user != block.stream)
          block.users.insert(user);
      }
      blocks.push_back(std::move(block));
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      Used block = std::move(blocks.back());
      blocks.pop_back();
      ASSERT_TRUE(allocator.release(block.address));
      if (block.users.empty())
        ranges.remove(reinterpret_cast<uintptr_t>(block.address));
      else
        waiting.push_back(std::move(block));
    }
    if (random() % 32 == 0) {
      streams.finish(random() % 4);
      forgetFinished();
    }
    if (i % 16384 == 0)
      test::expectConsistent(allocator.snapshot());
    if (i % 50000 == 49999) {
      allocator.emptyCache();
      forgetFinished();
      ASSERT_TRUE(waiting.empty());
    }
  }
  EXPECT_GT(refused, 0u);
  for (const Used &block : blocks)
    EXPECT_TRUE(allocator.release(block.address));
  for (Stream stream = 0; stream < 4; ++stream)
    streams.finish(stream);
  // One call more, so that the events are looked at.
  allocator.release(allocator.allocate(1, 0));
  MemoryStatistics statistics = allocator.statistics();
  EXPECT_EQ(statistics.freeBlocks, statistics.regions);
  EXPECT_EQ(statistics.free, statistics.reserved.now);
  EXPECT_EQ(statistics.waiting, 0u);
  EXPECT_EQ(statistics.reserved.now, memory.obtained);
  EXPECT_EQ(allocator.emptyCache(), statistics.reserved.now);
  EXPECT_EQ(memory.obtained, 0u);
  EXPECT_TRUE(test::isWhole(space, randomSpaceBytes));
}

/// The same calls give the same addresses.
TEST(Random, BestFitIsDeterministic) {
  auto run = [] {
    std::mt19937_64 random(5);
    FakeMemory space(size_t(1) << 40);
    BestFitAllocator allocator(space);
    std::vector<Block> blocks;
    std::vector<void *> all;
    for (int i = 0; i < 20000; ++i)
      if (random() % 2 || blocks.empty()) {
        size_t bytes = test::randomSize(random, 8, 1 << 20);
        blocks.push_back({allocator.allocate(bytes), bytes});
        all.push_back(blocks.back().address);
      } else {
        allocator.release(takeOne(blocks, random).address);
      }
    return all;
  };
  EXPECT_EQ(run(), run());
}

/// The raw memory fails at each call in turn, and from some call on.
TEST(Random, SurvivesEveryFailureOfTheRawMemory) {
  class Failing final : public RawMemory {
  public:
    Failing(RawMemory &below, size_t at, bool ever)
        : below(below), at(at), ever(ever) {}
    void *allocate(size_t bytes, size_t alignment) noexcept override {
      ++calls;
      if (calls == at || (ever && calls > at))
        return nullptr;
      return below.allocate(bytes, alignment);
    }
    void release(void *address, size_t bytes) noexcept override {
      below.release(address, bytes);
    }
    const MemoryAttributes &attributes() const noexcept override {
      return below.attributes();
    }
    RawMemory &below;
    const size_t at;
    const bool ever;
    size_t calls = 0;
  };
  for (bool ever : {false, true})
    for (size_t at = 1; at <= 40; ++at) {
      constexpr size_t fewBytes = size_t(4) << 30;
      FakeMemory space(fewBytes);
      Failing failing(space, at, ever);
      test::CountingMemory memory(failing);
      test::FakeStreams streams;
      {
        std::mt19937_64 random(at);
        BestFitAllocator bestFit(memory);
        CachingAllocator caching(memory, streams);
        test::Ranges ranges;
        std::vector<Block> blocks;
        for (int i = 0; i < 300; ++i) {
          size_t bytes = test::randomSize(random, 8, 1 << 26);
          void *address = i % 2 ? bestFit.allocate(bytes)
                                : caching.allocate(bytes, random() % 2);
          if (address) {
            ASSERT_TRUE(
                ranges.add(reinterpret_cast<uintptr_t>(address), bytes));
            blocks.push_back({address, bytes});
          }
          if (random() % 3 == 0 && !blocks.empty()) {
            Block block = takeOne(blocks, random);
            ranges.remove(reinterpret_cast<uintptr_t>(block.address));
            ASSERT_TRUE(bestFit.release(block.address) ||
                        caching.release(block.address));
          }
        }
        test::expectConsistent(bestFit.snapshot());
        test::expectConsistent(caching.snapshot());
      }
      EXPECT_TRUE(test::isWhole(space, fewBytes));
    }
}

} // namespace
