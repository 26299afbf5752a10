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
  EXPECT_FALSE(memory.release(static_cast<char *>(first) + 8));
  EXPECT_TRUE(memory.release(first));
  EXPECT_FALSE(memory.release(first));
  EXPECT_EQ(memory.usedBytes(), 400);
  EXPECT_TRUE(memory.release(second));
  EXPECT_EQ(memory.allocate(0), nullptr);
}

TEST(Memory, NoAddressIsUsedTwice) {
  Memory memory(1000), other(1000, 1);
  void *first = memory.allocate(100);
  EXPECT_TRUE(memory.release(first));
  void *second = memory.allocate(100);
  EXPECT_NE(first, second);
  EXPECT_THROW(memory.place(first, 8), Fault);
  EXPECT_TRUE(memory.isOwn(second));
  EXPECT_FALSE(other.isOwn(second));
  EXPECT_TRUE(other.isOwn(other.allocate(8)));
}

TEST(Memory, AddressesOutsideBlocks) {
  Memory memory(1000);
  char *block = static_cast<char *>(memory.allocate(100));
  void *records = nullptr;
  const auto find = [&](const void *address, size_t bytes) {
    try {
      return memory.find(address, bytes, records) != nullptr;
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
  double own = 1.0;
  EXPECT_FALSE(find(&own, sizeof own));
  EXPECT_TRUE(memory.release(block));
  EXPECT_FALSE(find(block, 100));
}
