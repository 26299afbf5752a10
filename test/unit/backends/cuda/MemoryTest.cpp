//===- MemoryTest.cpp - memory of the emulated device ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "backends/cuda/Memory.h"

#include "gtest/gtest.h"

using namespace tamrt::cuda;

TEST(Memory, BlocksUpToAllThatThereIs) {
  Memory memory(1000);
  void *first = memory.allocate(600);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(Memory::isOfDevice(first));
  EXPECT_EQ(memory.freeBytes(), 400);
  EXPECT_EQ(memory.allocate(401), nullptr);
  void *second = memory.allocate(400);
  ASSERT_NE(second, nullptr);
  EXPECT_FALSE(memory.release(first, 599));
  EXPECT_FALSE(memory.release(static_cast<char *>(first) + 8, 600));
  EXPECT_TRUE(memory.release(first, 600));
  EXPECT_FALSE(memory.release(first, 600));
  EXPECT_EQ(memory.usedBytes(), 400);
  EXPECT_TRUE(memory.release(second, 400));
}

TEST(Memory, AddressesOutsideBlocks) {
  Memory memory(1000);
  char *block = static_cast<char *>(memory.allocate(100));
  void *records = nullptr;
  uint64_t uploaded = 0;
  const auto find = [&](const void *address, size_t bytes) {
    try {
      return memory.find(address, bytes, records, uploaded) != nullptr;
    } catch (const Fault &) {
      return false;
    }
  };
  EXPECT_TRUE(find(block, 100));
  auto *first = static_cast<Record *>(records);
  EXPECT_TRUE(find(block + 92, 8));
  EXPECT_EQ(static_cast<Record *>(records) - first,
            ptrdiff_t(92 / kRecordedBytes));
  EXPECT_FALSE(find(block, 101));
  EXPECT_FALSE(find(block + 96, 8));
  EXPECT_FALSE(find(block - 8, 8));
  EXPECT_FALSE(find(block + 104, 8));
  EXPECT_EQ(uploaded, 0u);
  // A copy may use memory of the CPU as it is.
  double own = 1.0;
  EXPECT_EQ(memory.place(&own, sizeof own), &own);
  EXPECT_THROW(memory.place(block + 96, 8), Fault);
  EXPECT_TRUE(memory.release(block, 100));
  EXPECT_FALSE(find(block, 100));
}

TEST(Memory, ConstantsAreCopiedOnce) {
  Memory memory(1000);
  const int32_t numbers[] = {1, 2, 3, 4};
  void *records = &memory;
  uint64_t uploaded = 0;
  auto *some = static_cast<int32_t *>(
      memory.find(numbers, 2 * sizeof(int32_t), records, uploaded));
  EXPECT_NE(some, numbers);
  EXPECT_EQ(records, nullptr);
  EXPECT_EQ(uploaded, 8u);
  EXPECT_EQ(memory.find(numbers, 2 * sizeof(int32_t), records, uploaded), some);
  EXPECT_EQ(uploaded, 8u);
  // More of them is another copy: work that waits uses the first.
  auto *all = static_cast<int32_t *>(
      memory.find(numbers, sizeof numbers, records, uploaded));
  EXPECT_NE(all, some);
  EXPECT_EQ(some[1], 2);
  EXPECT_EQ(all[3], 4);
  EXPECT_EQ(uploaded, 24u);
}
