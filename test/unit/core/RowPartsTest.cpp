//===- RowPartsTest.cpp - rows divided into parts -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowParts.h"

#include "tamrt/abi.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace tamrt;

namespace {

constexpr auto kSegment = size_t(TAMRT_SEGMENT_ROWS);

/// The ranges as "group first rows part", a row of each.
std::vector<std::vector<size_t>> divide(const std::vector<size_t> &groupRows,
                                        size_t parts,
                                        const std::vector<bool> &isWhole) {
  std::vector<std::vector<size_t>> ranges;
  for (const PartRange &range :
       divideRows(groupRows, parts,
                  [&](size_t group) -> bool { return isWhole[group]; }))
    ranges.push_back({range.group, range.first, range.rows, range.part});
  return ranges;
}

TEST(RowParts, DivideAtSegments) {
  using Ranges = std::vector<std::vector<size_t>>;
  EXPECT_EQ(
      divide({4 * kSegment}, 2, {false}),
      (Ranges{{0, 0, 2 * kSegment, 0}, {0, 2 * kSegment, 2 * kSegment, 1}}));
  // The last segment of a group may be short.
  EXPECT_EQ(
      divide({kSegment + 1, 3, kSegment}, 2, {false, false, false}),
      (Ranges{{0, 0, kSegment + 1, 0}, {1, 0, 3, 0}, {2, 0, kSegment, 1}}));
  // A group that is whole is not divided, and some parts have no rows.
  EXPECT_EQ(divide({4 * kSegment, kSegment}, 4, {true, false}),
            (Ranges{{0, 0, 4 * kSegment, 0}, {1, 0, kSegment, 3}}));
  EXPECT_EQ(divide({0, 5}, 3, {true, false}), (Ranges{{1, 0, 5, 0}}));
  EXPECT_EQ(divide({}, 3, {}), Ranges());
}

TEST(RowParts, EachRowIsInOnePart) {
  const std::vector<size_t> rows = {3 * kSegment + 1, 10, 5 * kSegment, 1};
  const size_t all = std::accumulate(rows.begin(), rows.end(), size_t(0));
  for (size_t parts = 1; parts < 20; ++parts)
    for (const bool isWhole : {false, true}) {
      std::vector<size_t> next(rows.size()), of(parts);
      size_t last = 0;
      for (const PartRange &range :
           divideRows(rows, parts, [&](size_t) { return isWhole; })) {
        ASSERT_LT(range.part, parts);
        EXPECT_GE(range.part, last);
        last = range.part;
        EXPECT_EQ(range.first, next[range.group]);
        EXPECT_EQ(range.first % kSegment, 0U);
        next[range.group] += range.rows;
        of[range.part] += range.rows;
      }
      EXPECT_EQ(next, rows);
      const size_t most = isWhole ? all : all / parts + 2 * kSegment;
      for (const size_t count : of)
        EXPECT_LE(count, most);
    }
}

} // namespace
