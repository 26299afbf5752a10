//===- memory/ThreadsTest.cpp - allocators that threads share -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "WorkerStreams.h"

#include "tamrt/memory/BestFitAllocator.h"
#include "tamrt/memory/CachingAllocator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace tamrt;

namespace {

constexpr int threadCount = 8;

/// TAMC_MEMORY_SECONDS, or half a second.
std::chrono::duration<double> span() {
  const char *asked = std::getenv("TAMC_MEMORY_SECONDS");
  return std::chrono::duration<double>(asked ? std::atof(asked) : 0.5);
}

/// Calls work(thread, random) again and again in eight threads.
template <class Work> void inThreads(const Work &work) {
  const auto end = std::chrono::steady_clock::now() + span();
  std::vector<std::thread> threads;
  for (int i = 0; i < threadCount; ++i)
    threads.emplace_back([&, i] {
      std::mt19937_64 random(i);
      // At least once, also if a thread starts late.
      do {
        for (int turn = 0; turn < 100; ++turn)
          work(i, random);
      } while (std::chrono::steady_clock::now() < end);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Blocks of one thread, each filled with a byte that identifies its owner.
struct Owned {
  struct Block {
    unsigned char *address;
    size_t bytes;
    unsigned char mark;
  };
  std::vector<Block> blocks;
  unsigned char next = 0;

  void add(void *address, size_t bytes, int thread) {
    auto mark = static_cast<unsigned char>(thread * 31 + next++);
    std::memset(address, mark, bytes);
    blocks.push_back({static_cast<unsigned char *>(address), bytes, mark});
  }
  Block take(std::mt19937_64 &random) {
    std::swap(blocks[random() % blocks.size()], blocks.back());
    Block block = blocks.back();
    blocks.pop_back();
    EXPECT_EQ(
        std::count(block.address, block.address + block.bytes, block.mark),
        ptrdiff_t(block.bytes));
    return block;
  }
};

TEST(Threads, BestFitIsSharedByEight) {
  test::HostMemory host;
  test::CountingMemory memory(host);
  BestFitOptions options;
  options.limit = 1 << 20;
  options.firstRegion = 1 << 16;
  BestFitAllocator allocator(memory, options);
  Owned owned[threadCount];
  std::atomic<size_t> refused = 0;
  inThreads([&](int thread, std::mt19937_64 &random) {
    Owned &mine = owned[thread];
    if (mine.blocks.size() < 30 && random() % 2) {
      MemoryRequest request;
      request.bytes = test::randomSize(random, 8, 1 << 17);
      request.alignment = size_t(1) << random() % 12;
      request.tag = allocator.openTag(random() % 2 ? "even" : "odd");
      if (void *address = allocator.allocate(request))
        mine.add(address, request.bytes, thread);
      else
        ++refused;
      allocator.closeTag(request.tag);
    } else if (!mine.blocks.empty()) {
      EXPECT_TRUE(allocator.release(mine.take(random).address));
    }
    if (random() % 2000 == 0)
      test::expectConsistent(allocator.snapshot());
    if (random() % 2000 == 0)
      allocator.trim();
  });
  EXPECT_GT(refused, 0u);
  std::mt19937_64 random(1);
  for (Owned &mine : owned)
    while (!mine.blocks.empty())
      EXPECT_TRUE(allocator.release(mine.take(random).address));
  MemoryStatistics statistics = allocator.statistics();
  EXPECT_EQ(statistics.freeBlocks, statistics.regions);
  EXPECT_EQ(allocator.trim(), statistics.reserved.now);
}

/// Blocks are used on the streams as on a device: a stream must read the bytes
/// that were written for it.
TEST(Threads, CachingIsSharedByEightAndFourStreams) {
  constexpr size_t streamCount = 4;
  test::HostMemory host;
  test::CountingMemory memory(host);
  memory.limit = 48 << 20;
  test::WorkerStreams streams(streamCount);
  CachingAllocator allocator(memory, streams);
  std::atomic<size_t> wrong = 0, done = 0;
  inThreads([&](int thread, std::mt19937_64 &random) {
    const Stream writer = random() % streamCount,
                 reader = random() % streamCount;
    const size_t bytes = test::randomSize(random, 8, 1 << 20);
    auto *block =
        static_cast<unsigned char *>(allocator.allocate(bytes, writer));
    if (!block)
      return;
    const auto mark = static_cast<unsigned char>(random());
    auto written = std::make_shared<std::atomic<bool>>(false);
    const size_t sample = std::min<size_t>(bytes, 256);
    streams.give(writer, [=] {
      std::memset(block, mark, sample);
      *written = true;
    });
    // The reader's stream waits for the writer's by turns of its own.
    StreamEvent event = streams.record(writer);
    if (reader != writer) {
      streams.wait(event);
      streams.give(reader, [=, &wrong] {
        wrong += !*written ||
                 std::count(block, block + sample, mark) != ptrdiff_t(sample);
      });
      EXPECT_TRUE(allocator.recordUse(block, reader));
    }
    streams.destroy(event);
    EXPECT_TRUE(allocator.release(block));
    ++done;
    if (random() % 500 == 0)
      test::expectConsistent(allocator.snapshot());
    if (random() % 500 == 0)
      allocator.emptyCache();
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(done, 0u);
  MemoryStatistics statistics = allocator.statistics();
  EXPECT_EQ(statistics.used.now, 0u);
  EXPECT_EQ(allocator.emptyCache(), statistics.reserved.now);
}

/// A paused stream reads a block late: another owner of its bytes would
/// overwrite them before.
TEST(Threads, AHeldBackStreamStillReadsWhatWasThere) {
  test::HostMemory host;
  test::CountingMemory memory(host);
  test::WorkerStreams streams(2);
  CachingAllocator allocator(memory, streams);
  constexpr size_t bytes = 4096;
  for (int round = 0; round < 20; ++round) {
    auto *block = static_cast<unsigned char *>(allocator.allocate(bytes, 0));
    std::memset(block, 1, bytes);
    std::atomic<ptrdiff_t> intact = -1;
    streams.hold(1, true);
    streams.give(1, [&] { intact = std::count(block, block + bytes, 1); });
    allocator.recordUse(block, 1);
    allocator.release(block);
    // Its own stream goes on, and asks for as much.
    auto *other = static_cast<unsigned char *>(allocator.allocate(bytes, 0));
    EXPECT_NE(other, block);
    streams.give(0, [&] { std::memset(other, 2, bytes); });
    streams.synchronize(0);
    streams.hold(1, false);
    streams.synchronize(1);
    EXPECT_EQ(intact, ptrdiff_t(bytes));
    allocator.release(other);
    // Now it may be had, by that stream.
    void *again[] = {allocator.allocate(bytes, 0),
                     allocator.allocate(bytes, 0)};
    EXPECT_TRUE(again[0] == block || again[1] == block);
    allocator.release(again[0]);
    allocator.release(again[1]);
  }
}

} // namespace
