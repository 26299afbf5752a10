//===- GrowingArrayTest.cpp - arrays that grow without a copy -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/GrowingArray.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace tamrt;

namespace {

GrowingArray<uint32_t> counting(uint32_t first, size_t count) {
  GrowingArray<uint32_t> array;
  for (size_t i = 0; i < count; ++i)
    array.push_back(first + uint32_t(i));
  return array;
}

TEST(GrowingArray, KeepsWhatItIsGiven) {
  for (size_t count : {0, 1, 16, 17, 1000, 3000000}) {
    GrowingArray<uint32_t> array = counting(5, count);
    ASSERT_EQ(array.size(), count);
    EXPECT_EQ(array.empty(), count == 0);
    bool same = true;
    for (size_t i = 0; i < count; ++i)
      same &= array[i] == 5 + i;
    EXPECT_TRUE(same);
    array.shrink();
    EXPECT_EQ(array.size(), count);
    array.truncate(3);
    EXPECT_EQ(array.size(), std::min<size_t>(count, 3));
    GrowingArray<uint32_t> moved = std::move(array);
    EXPECT_EQ(moved.size(), std::min<size_t>(count, 3));
    EXPECT_EQ(array.size(), 0u);
    array.push_back(9);
    EXPECT_EQ(array.front(), 9u);
  }
}

} // namespace
