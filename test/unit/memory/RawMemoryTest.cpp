//===- memory/RawMemoryTest.cpp - the host and a fake address space -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/memory/RawMemory.h"
#include "tamrt/memory/FakeMemory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <vector>

using namespace tamrt;

namespace {

TEST(HostMemory, AlignsAndNeverThrows) {
  HostMemory host;
  EXPECT_TRUE(host.attributes().onHost);
  EXPECT_EQ(host.attributes().name, "host");
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    void *address = host.allocate(100, alignment);
    ASSERT_NE(address, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % alignment, 0u);
    std::memset(address, 1, 100);
    host.release(address, 100);
  }
  EXPECT_EQ(host.allocate(SIZE_MAX, 64), nullptr);
  EXPECT_EQ(host.allocate(SIZE_MAX - 64, 1), nullptr);
}

TEST(FakeMemory, HandsOutTheLowestPlaceThatFits) {
  FakeMemory memory(1000);
  auto offset = [&](size_t bytes, size_t alignment = 1) {
    return memory.offsetOf(memory.allocate(bytes, alignment));
  };
  EXPECT_EQ(offset(10), 0u);
  EXPECT_EQ(offset(10, 64), 64u);
  EXPECT_EQ(offset(54), 10u);
  EXPECT_EQ(memory.allocate(927, 1), nullptr);
  EXPECT_EQ(offset(926), 74u);
  EXPECT_EQ(memory.info()->free, 0u);
  EXPECT_EQ(memory.allocate(1, 1), nullptr);
  EXPECT_FALSE(memory.isWhole());
}

TEST(FakeMemory, RoundsToItsGranularity) {
  FakeMemory memory(1024, 256);
  void *first = memory.allocate(1, 1);
  void *second = memory.allocate(257, 1);
  EXPECT_EQ(memory.offsetOf(second), 256u);
  EXPECT_EQ(memory.info()->free, 256u);
  memory.release(first, 1);
  memory.release(second, 257);
  EXPECT_TRUE(memory.isWhole());
}

TEST(FakeMemory, ExcludesRanges) {
  FakeMemory memory(100);
  memory.exclude(10, 10);
  memory.exclude(15, 15);
  memory.exclude(90, 1000);
  EXPECT_EQ(memory.info()->total, 70u);
  void *above = memory.allocate(20, 1);
  EXPECT_EQ(memory.offsetOf(above), 30u);
  void *below = memory.allocate(10, 1);
  EXPECT_EQ(memory.offsetOf(below), 0u);
  EXPECT_EQ(memory.allocate(41, 1), nullptr);
  memory.release(above, 20);
  memory.release(below, 10);
  EXPECT_TRUE(memory.isWhole());
}

TEST(FakeMemory, ReachesToTheEndOfAddresses) {
  FakeMemory memory(size_t(INT64_MAX));
  void *half = memory.allocate(size_t(1) << 62, size_t(1) << 62);
  EXPECT_EQ(memory.offsetOf(half), 0u);
  // Aligned so, the second half begins where it does not fit.
  EXPECT_EQ(memory.allocate(size_t(1) << 62, 1), nullptr);
  EXPECT_NE(memory.allocate((size_t(1) << 62) - 1, 1), nullptr);
  EXPECT_EQ(memory.info()->free, 0u);
  EXPECT_EQ(memory.allocate(SIZE_MAX, 1), nullptr);
}

/// Against a map of what is out.
TEST(FakeMemory, KeepsBlocksApart) {
  std::mt19937_64 random(1);
  FakeMemory memory(100000, 4);
  std::map<size_t, size_t> blocks;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 2 && !blocks.empty()) {
      auto block = blocks.lower_bound(random() % 100000);
      if (block == blocks.end())
        block = blocks.begin();
      memory.release(
          reinterpret_cast<void *>(FakeMemory::usualBase + block->first),
          block->second);
      blocks.erase(block);
      continue;
    }
    size_t bytes = 1 + random() % 5000, alignment = 1 << random() % 8;
    void *address = memory.allocate(bytes, alignment);
    if (!address)
      continue;
    size_t offset = memory.offsetOf(address);
    EXPECT_EQ(offset % alignment, 0u);
    EXPECT_LE(offset + bytes, 100000u);
    auto next = blocks.lower_bound(offset);
    if (next != blocks.end()) {
      EXPECT_LE(offset + bytes, next->first);
    }
    if (next != blocks.begin()) {
      EXPECT_LE(std::prev(next)->first + std::prev(next)->second, offset);
    }
    blocks[offset] = bytes;
  }
  for (auto [offset, bytes] : blocks)
    memory.release(reinterpret_cast<void *>(FakeMemory::usualBase + offset),
                   bytes);
  EXPECT_TRUE(memory.isWhole());
}

} // namespace
