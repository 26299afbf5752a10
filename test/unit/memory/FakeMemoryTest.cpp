//===- memory/FakeMemoryTest.cpp - addresses without memory ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

#include "tamrt/memory/FakeMemory.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

using namespace tamrt;

namespace {

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
  EXPECT_EQ(memory.allocate(1, 1), nullptr);
}

TEST(FakeMemory, ExcludesRanges) {
  FakeMemory memory(100);
  memory.exclude(10, 10);
  memory.exclude(15, 15);
  memory.exclude(90, 1000);
  void *above = memory.allocate(20, 1);
  EXPECT_EQ(memory.offsetOf(above), 30u);
  void *below = memory.allocate(10, 1);
  EXPECT_EQ(memory.offsetOf(below), 0u);
  EXPECT_EQ(memory.allocate(41, 1), nullptr);
  memory.release(above, 20);
  memory.release(below, 10);
  // The free ranges are whole again: [0, 10) and [30, 90).
  EXPECT_EQ(memory.allocate(61, 1), nullptr);
  EXPECT_EQ(memory.offsetOf(memory.allocate(60, 1)), 30u);
  EXPECT_EQ(memory.offsetOf(memory.allocate(10, 1)), 0u);
  EXPECT_EQ(memory.allocate(1, 1), nullptr);
}

TEST(FakeMemory, ReachesToTheEndOfAddresses) {
  FakeMemory memory(size_t(INT64_MAX));
  void *half = memory.allocate(size_t(1) << 62, size_t(1) << 62);
  EXPECT_EQ(memory.offsetOf(half), 0u);
  // Aligned so, the second half begins where it does not fit.
  EXPECT_EQ(memory.allocate(size_t(1) << 62, 1), nullptr);
  EXPECT_NE(memory.allocate((size_t(1) << 62) - 1, 1), nullptr);
  EXPECT_EQ(memory.allocate(1, 1), nullptr);
  EXPECT_EQ(memory.allocate(SIZE_MAX, 1), nullptr);
}

/// Against a map of what is out.
TEST(FakeMemory, KeepsBlocksApart) {
  constexpr size_t spaceBytes = 100000;
  std::mt19937_64 random(1);
  FakeMemory memory(spaceBytes);
  std::map<size_t, size_t> blocks;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 2 && !blocks.empty()) {
      auto block = blocks.lower_bound(random() % spaceBytes);
      if (block == blocks.end())
        block = blocks.begin();
      memory.release(reinterpret_cast<void *>(FakeMemory::base + block->first),
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
    EXPECT_LE(offset + bytes, spaceBytes);
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
    memory.release(reinterpret_cast<void *>(FakeMemory::base + offset), bytes);
  EXPECT_TRUE(test::isWhole(memory, spaceBytes));
}

} // namespace
