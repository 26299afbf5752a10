//===- TargetSumTest.cpp - sums of a group's target -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How the sums of a target are joined: as those of its segments, so that it
/// does not matter where rows are cut into whole segments.
///
//===----------------------------------------------------------------------===//

#include "core/data/TargetSum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace tamrt::test {
namespace {

constexpr size_t kSegmentRows = TAMRT_SEGMENT_ROWS;

struct Row {
  double weight, target;
};

/// Rows of very different sizes, some of them without weight.
std::vector<Row> randomRows(size_t count) {
  std::mt19937_64 random(count);
  std::vector<Row> rows(count);
  for (Row &row : rows) {
    const double size = std::ldexp(1, int(random() % 60) - 30);
    row.target = (double(random()) / 0x1p63 - 1) * size;
    row.weight = random() % 7 == 0 ? 0 : double(random()) / 0x1p63;
  }
  return rows;
}

TargetSums sumsOf(const std::vector<Row> &rows, size_t first, size_t count) {
  TargetSums sums;
  for (size_t i = first; i < first + count; ++i)
    sums.add(rows[i].weight, rows[i].target);
  return sums;
}

/// The bytes of a sum.
std::vector<uint64_t> bitsOf(const TargetSum &sum) {
  double numbers[TargetSum::kNumbers];
  sum.store(numbers);
  std::vector<uint64_t> bits(TargetSum::kNumbers);
  std::memcpy(bits.data(), numbers, sizeof numbers);
  return bits;
}

/// Neighbours are joined, then those, and so on.
TargetSum treeOf(std::vector<TargetSum> nodes) {
  while (nodes.size() > 1) {
    std::vector<TargetSum> next;
    for (size_t i = 0; i < nodes.size(); i += 2) {
      next.push_back(nodes[i]);
      if (i + 1 < nodes.size())
        next.back().join(nodes[i + 1]);
    }
    nodes = next;
  }
  return nodes.front();
}

TEST(TargetSum, IsThatOfTheTreeOfSegments) {
  for (size_t count :
       {size_t(1), kSegmentRows - 1, kSegmentRows, kSegmentRows + 1,
        2 * kSegmentRows, 3 * kSegmentRows, 3 * kSegmentRows + 5,
        4 * kSegmentRows, 6 * kSegmentRows + 1, 7 * kSegmentRows,
        11 * kSegmentRows + 17}) {
    const std::vector<Row> rows = randomRows(count);
    std::vector<TargetSum> segments;
    for (size_t first = 0; first < count; first += kSegmentRows) {
      TargetSum &sum = segments.emplace_back();
      for (size_t i = first; i < std::min(first + kSegmentRows, count); ++i)
        sum.add(rows[i].weight, rows[i].target);
    }
    EXPECT_EQ(bitsOf(sumsOf(rows, 0, count).all()), bitsOf(treeOf(segments)))
        << count;
  }
}

TEST(TargetSum, HasTheBitsOfItsLargestNodes) {
  // As parts are summed: a node of 2^l segments by itself.
  const size_t count = 13 * kSegmentRows + 100;
  const std::vector<Row> rows = randomRows(count);
  const TargetSum whole = sumsOf(rows, 0, count).all();
  // Segments 0 to 7, 8 to 11, and 12 and 13.
  TargetSum joined = sumsOf(rows, 12 * kSegmentRows, kSegmentRows + 100).all();
  joined.join(sumsOf(rows, 8 * kSegmentRows, 4 * kSegmentRows).all());
  joined.join(sumsOf(rows, 0, 8 * kSegmentRows).all());
  EXPECT_EQ(bitsOf(joined), bitsOf(whole));
  // The two sums of a join may be exchanged, and a node may be cut in halves.
  TargetSum half = sumsOf(rows, 4 * kSegmentRows, 4 * kSegmentRows).all();
  half.join(sumsOf(rows, 0, 4 * kSegmentRows).all());
  EXPECT_EQ(bitsOf(half), bitsOf(sumsOf(rows, 0, 8 * kSegmentRows).all()));
}

TEST(TargetSum, IsRoundedAboutOnce) {
  const size_t count = 9 * kSegmentRows + 3;
  const std::vector<Row> rows = randomRows(count);
  long double exact = 0;
  size_t positive = 0;
  for (const Row &row : rows) {
    exact += (long double)(row.weight * row.target * row.target);
    positive += row.weight > 0;
  }
  const TargetSum sum = sumsOf(rows, 0, count).all();
  EXPECT_NEAR(double(sum.squares() / exact - 1), 0, 2.3e-16);
  EXPECT_EQ(sum.positiveRows(), double(positive));
}

TEST(TargetSum, IsStoredWithAllItsDigits) {
  const TargetSum sum =
      sumsOf(randomRows(3 * kSegmentRows), 0, 3 * kSegmentRows).all();
  double numbers[TargetSum::kNumbers];
  sum.store(numbers);
  // The sum by itself is not enough for the bits of the next join.
  EXPECT_NE(numbers[1], 0);
  EXPECT_EQ(bitsOf(TargetSum::load(numbers)), bitsOf(sum));
  EXPECT_EQ(bitsOf(TargetSums(sum).all()), bitsOf(sum));
}

TEST(TargetSum, OverflowsToNoFiniteNumber) {
  TargetSum sum;
  sum.add(1, 1e200);
  sum.add(1, 1);
  EXPECT_FALSE(std::isfinite(sum.squares()));
  TargetSum other;
  other.add(1, 2);
  other.join(sum);
  EXPECT_FALSE(std::isfinite(other.squares()));
}

} // namespace
} // namespace tamrt::test
