//===- KeptMemoryTest.cpp -------------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/KeptMemory.h"
#include "io/GrowingArray.h"

#include <gtest/gtest.h>

namespace tamrt {
namespace {

constexpr size_t kBytes = size_t(1) << 20;

/// Memory is kept as long as this lives.
struct Keeping {
  explicit Keeping(size_t most) { keepMemory(most); }
  ~Keeping() { keepMemory(0); }
};

/// An array of so many bytes lives and dies; returns where it was.
const void *useBytes(size_t bytes) {
  GrowingArray<char> array;
  return array.extend(bytes);
}

TEST(KeptMemory, KeepsNothingUnlessAsked) {
  useBytes(kBytes);
  EXPECT_EQ(keptBytes(), 0U);
  EXPECT_EQ(takeKeptBlock(kBytes), nullptr);
}

TEST(KeptMemory, IsUsedAgain) {
  const Keeping keeping(4 * kBytes);
  const void *at = useBytes(kBytes);
  EXPECT_GE(keptBytes(), kBytes);
  EXPECT_LT(keptBytes(), kBytes + kBytes / 8);
  // At most twice as large as it must be.
  EXPECT_EQ(takeKeptBlock(kBytes / 4), nullptr);
  EXPECT_EQ(takeKeptBlock(2 * kBytes), nullptr);
  EXPECT_EQ(useBytes(kBytes - 100), at);
  {
    // An array that has it may grow and shrink.
    GrowingArray<char> array;
    array.extend(kBytes);
    EXPECT_EQ(keptBytes(), 0U);
    array[kBytes - 1] = 'x';
    array.extend(kBytes);
    EXPECT_EQ(array[kBytes - 1], 'x');
    array.truncate(10);
    array.shrink();
  }
  EXPECT_EQ(keptBytes(), 0U);
}

TEST(KeptMemory, HasALimit) {
  const Keeping keeping(2 * kBytes + kBytes / 2);
  {
    GrowingArray<char> first, second, third;
    first.extend(kBytes);
    second.extend(kBytes);
    third.extend(kBytes);
  }
  EXPECT_LE(keptBytes(), 2 * kBytes + kBytes / 2);
  EXPECT_GE(keptBytes(), 2 * kBytes);
  keepMemory(0);
  EXPECT_EQ(keptBytes(), 0U);
}

TEST(KeptMemory, IsGivenBackWhenNotUsed) {
  const Keeping keeping(8 * kBytes);
  useBytes(kBytes);
  useBytes(4 * kBytes);
  trimKeptMemory();
  EXPECT_GE(keptBytes(), 5 * kBytes);
  useBytes(kBytes);
  trimKeptMemory();
  EXPECT_GE(keptBytes(), kBytes);
  EXPECT_LT(keptBytes(), 2 * kBytes);
  trimKeptMemory();
  EXPECT_EQ(keptBytes(), 0U);
}

} // namespace
} // namespace tamrt
