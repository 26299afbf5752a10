//===- LearnTest.cpp - what learners are made of --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/TrainingRows.h"
#include "core/learn/Quantiles.h"
#include "core/learn/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace tamrt::test {
namespace {

// As docs/math.md has it, with all numbers there.
TEST(Random, PermutationIsTheFirstPlacesOfAWhole) {
  for (uint32_t n : {1u, 2u, 7u, 64u, 1000u})
    for (uint32_t count : {0u, 1u, 2u, n / 2, n - 1, n}) {
      count = std::min(count, n);
      Random whole(n), some(n);
      std::vector<uint32_t> expected(n);
      std::iota(expected.begin(), expected.end(), 0u);
      for (uint32_t i = 0; i + 1 < n; ++i)
        std::swap(expected[i], expected[i + whole.integer(n - i)]);
      expected.resize(count);
      std::vector<uint32_t> got(count);
      std::vector<Random::Moved> memory(Random::movedRoom(count));
      some.permutation(n, got, memory);
      EXPECT_EQ(got, expected) << count << " of " << n;
      EXPECT_EQ(some.uniform(), whole.uniform()) << count << " of " << n;
    }
}

TEST(Quantiles, AreThoseOfSortedValues) {
  std::vector<double> sorted(1000);
  for (size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = double(i / 3) * double(i);
  std::vector<double> values = sorted;
  std::shuffle(values.begin(), values.end(), std::mt19937(1));
  std::vector<double> levels = {1, 0, 0.5, 0.3, 0.3, 0.9603};
  std::vector<double> expected;
  for (double level : levels) {
    const double h = level * 999;
    const auto i = size_t(h);
    const double t = h - double(i), a = sorted[i],
                 b = sorted[std::min<size_t>(i + 1, 999)];
    expected.push_back(t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t));
  }
  std::vector<size_t> ranks(2 * levels.size());
  quantiles(values, levels, ranks);
  EXPECT_EQ(levels, expected);
}

// Two alternating groups; the rows of the second are in reverse order in its
// column.
TEST(TrainingRows, ArePointsWhereverTheyLie) {
  const std::vector<double> a = {0, 1, 2, 3, 40, 30, 20},
                            b = {7, 6, 5, 4, 3, 2, 1};
  const std::vector<uint32_t> order = {0, 1, 2, 3, 6, 5, 4};
  const std::vector<double> ranges = {1, 2, 0, 1, 10, 10, 1, 2};
  auto forEachRun = [&](TrainingRows::Visit visit) {
    for (auto [group, first, rows] :
         {std::array<size_t, 3>{0, 0, 2}, {1, 4, 1}, {0, 2, 2}, {1, 5, 2}}) {
      visit({group, first, rows, [&](int32_t input) {
               return Values{input ? b.data() : a.data(), order.data()}.from(
                   first);
             }});
    }
    return true;
  };
  const TrainingRows rows(7, ranges.data(), 2, forEachRun);
  std::vector<TrainingRows::Wanted> wanted = {{6, 0}, {0, 1}, {3, 2}, {6, 3}};
  const int32_t inputs[] = {1, 0};
  std::vector<double> points(8);
  EXPECT_TRUE(rows.points(wanted, inputs, points.data()));
  EXPECT_EQ(points, (std::vector<double>{1, 3, 7, -0.5, 4, 1, 1, 3}));
}

} // namespace
} // namespace tamrt::test
