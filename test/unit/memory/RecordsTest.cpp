//===- memory/RecordsTest.cpp - what allocators themselves allocate -------===//
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

#include <cstdlib>
#include <new>
#include <vector>

using namespace tamrt;

namespace {

/// For this thread: number of calls of operator new, and the first call that
/// fails, with all after it.
thread_local size_t newCalls = 0, failsFrom = SIZE_MAX;

void *allocateOrThrow(size_t bytes, size_t alignment) {
  if (++newCalls >= failsFrom)
    throw std::bad_alloc();
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (void *address = std::aligned_alloc(alignment, bytes ? bytes : alignment))
    return address;
  throw std::bad_alloc();
}

} // namespace

void *operator new(size_t bytes) {
  return allocateOrThrow(bytes, alignof(std::max_align_t));
}
void *operator new(size_t bytes, std::align_val_t alignment) {
  return allocateOrThrow(bytes, size_t(alignment));
}
// Where they are inlined, a compiler warns of std::free without std::malloc.
[[gnu::noinline]] void operator delete(void *address) noexcept {
  std::free(address);
}
[[gnu::noinline]] void operator delete(void *address, size_t) noexcept {
  std::free(address);
}
[[gnu::noinline]] void operator delete(void *address,
                                       std::align_val_t) noexcept {
  std::free(address);
}
[[gnu::noinline]] void operator delete(void *address, size_t,
                                       std::align_val_t) noexcept {
  std::free(address);
}

namespace {

/// Calls of both allocators with blocks of up to `live` at a time; the blocks
/// that are left are returned.
template <class Allocate, class Release>
void churn(int calls, size_t live, const Allocate &allocate,
           const Release &release) {
  std::mt19937_64 random(3);
  std::vector<void *> blocks;
  blocks.reserve(live);
  for (int i = 0; i < calls; ++i) {
    if (blocks.size() < live && random() % 2) {
      if (void *block = allocate(test::randomSize(random, 8, 1 << 20)))
        blocks.push_back(block);
    } else if (!blocks.empty()) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      EXPECT_TRUE(release(blocks.back()));
      blocks.pop_back();
    }
  }
  for (void *block : blocks)
    EXPECT_TRUE(release(block));
}

TEST(Records, NothingIsAllocatedOnceTheArraysHaveGrown) {
  FakeMemory space(size_t(1) << 32);
  test::FakeStreams streams;
  BestFitAllocator bestFit(space);
  CachingAllocator caching(space, streams);
  auto runBestFit = [&] {
    churn(
        20000, 300, [&](size_t bytes) { return bestFit.allocate(bytes); },
        [&](void *block) { return bestFit.release(block); });
  };
  auto runCaching = [&] {
    churn(
        20000, 300, [&](size_t bytes) { return caching.allocate(bytes, 1); },
        [&](void *block) { return caching.release(block); });
  };
  runBestFit();
  runCaching();
  const size_t before = newCalls;
  runBestFit();
  // What the test itself allocates: the list of blocks.
  EXPECT_EQ(newCalls - before, 1u);
  runCaching();
  EXPECT_EQ(newCalls - before, 2u);
}

/// From the n-th operator new on there is no memory for records: requests fail,
/// nothing throws, and all obtained memory is returned.
TEST(Records, WithoutMemoryForThemThereIsNone) {
  for (size_t n = 1; n < 60; ++n) {
    constexpr size_t spaceBytes = size_t(1) << 32;
    FakeMemory space(spaceBytes);
    test::FakeStreams streams;
    streams.noEvents = true;
    for (Stream stream = 0; stream < 10; ++stream)
      streams.finish(stream);
    {
      BestFitAllocator bestFit(space);
      CachingAllocator caching(space, streams);
      void *blocks[400];
      size_t count = 0, refused = 0;
      failsFrom = newCalls + n;
      for (size_t bytes = 8; count < 400; ++bytes) {
        uint32_t tag = bestFit.openTag("a name that is longer than few bytes");
        void *block = count % 3 == 0 ? bestFit.allocate({bytes, 64, tag})
                                     : caching.allocate(bytes, count % 7, tag);
        bestFit.closeTag(tag);
        if (count % 3 != 0 && block) {
          EXPECT_TRUE(caching.recordUse(block, bytes % 5));
        }
        refused += block == nullptr;
        blocks[count++] = block;
      }
      for (size_t i = 0; i < count; ++i)
        EXPECT_TRUE(i % 3 == 0 ? bestFit.release(blocks[i])
                               : caching.release(blocks[i]));
      failsFrom = SIZE_MAX;
      EXPECT_TRUE(n > 10 || refused > 0);
      test::expectConsistent(bestFit.snapshot());
      test::expectConsistent(caching.snapshot());
      caching.emptyCache();
      EXPECT_EQ(caching.statistics().reserved.now, 0u);
      EXPECT_EQ(bestFit.trim(), bestFit.statistics().reserved.peak);
    }
    EXPECT_TRUE(test::isWhole(space, spaceBytes));
  }
}

} // namespace
