//===- Planning/ShelvesTest.cpp - first fit by address --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/Shelves.h"

#include "Problem/Arithmetic.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace tamc::planning;

namespace {

using Rectangle = Shelves::Rectangle;

/// As Shelves::firstFit(), by trying every end.
int64_t bruteFit(const std::vector<Rectangle> &all, int32_t lower,
                 int32_t upper, int64_t size, int64_t alignment,
                 int64_t limit) {
  std::vector<int64_t> candidates = {0};
  for (const Rectangle &r : all)
    candidates.push_back(alignUp(r.end, alignment));
  std::sort(candidates.begin(), candidates.end());
  for (int64_t at : candidates)
    if (at + size <= limit &&
        std::none_of(all.begin(), all.end(), [&](const Rectangle &r) {
          return r.lower < upper && lower < r.upper && r.begin < at + size &&
                 at < r.end;
        }))
      return at;
  return infinite;
}

TEST(Shelves, AgreeWithBruteForce) {
  std::mt19937_64 random(1);
  auto below = [&](int64_t end) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(end));
  };
  for (int round = 0; round < 20; ++round) {
    Shelves shelves;
    std::vector<Rectangle> all;
    for (int step = 0; step < 1500; ++step) {
      if (!all.empty() && below(3) == 0) {
        std::swap(all[static_cast<size_t>(below(int64_t(all.size())))],
                  all.back());
        shelves.erase(all.back());
        all.pop_back();
      } else {
        // Many begin at one address, more than a block holds.
        Rectangle r;
        r.lower = static_cast<int32_t>(below(50));
        r.upper = r.lower + 1 + static_cast<int32_t>(below(20));
        r.begin = below(3) ? below(2000) : 0;
        r.end = r.begin + 1 + below(30);
        r.item = step;
        all.push_back(r);
        shelves.insert(r);
      }
      if (step % 10 != 0)
        continue;
      auto lower = static_cast<int32_t>(below(60));
      auto upper = lower + 1 + static_cast<int32_t>(below(10));
      int64_t size = 1 + below(60), alignment = 1 + below(3) * 7;
      int64_t limit = below(2) ? infinite / 2 : below(2500);
      ASSERT_EQ(shelves.firstFit(lower, upper, size, alignment, limit),
                bruteFit(all, lower, upper, size, alignment, limit));
      std::vector<Rectangle> found;
      shelves.collect(lower, upper, found);
      ASSERT_EQ(found.size(),
                std::count_if(all.begin(), all.end(), [&](const auto &r) {
                  return r.lower < upper && lower < r.upper;
                }));
      ASSERT_TRUE(std::is_sorted(
          found.begin(), found.end(),
          [](const auto &a, const auto &b) { return a.begin < b.begin; }));
    }
    shelves.clear();
    EXPECT_EQ(shelves.firstFit(0, 60, 5, 1, 5), 0);
    EXPECT_EQ(shelves.firstFit(0, 60, 5, 1, 4), infinite);
  }
}

} // namespace
