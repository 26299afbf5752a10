//===- CompressionTest.cpp - kernels of level compression -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

namespace tamrt::test {
namespace {

class CompressionTest : public KernelTest {
protected:
  /// An accumulator of `count` numbers in two halves, and the sums that it
  /// represents.
  struct Sums {
    Doubles both, value;
  };
  Sums sums(int64_t count) {
    Sums result{uniforms(2 * count), Doubles(count)};
    for (int64_t i = 0; i < count; ++i)
      result.value[i] = result.both[i] + result.both[count + i];
    return result;
  }

  static constexpr int64_t kLong = TAMRT_SEGMENT_ROWS + 1;
};

// Hours of a group that has those from 6 to 20 of a grid of 24.
TEST_F(CompressionTest, ValuesOfAGridAreLevels) {
  const int64_t levels = 24;
  const double step = 0.5, first = 3, last = 10;
  const double parameters[] = {(first + last) / 2, (last - first) / 2, -1, 1};
  Doubles v, x, y, points(levels);
  for (double value = first; value <= last; value += step)
    v.push_back(value);
  const auto rows = static_cast<int64_t>(v.size());
  x.resize(v.size());
  y.resize(v.size());
  std::vector<int32_t> index(v.size());
  tamrt_normalize(&ctx, v.data(), parameters, rows, x.data());
  tamrt_regrid(&ctx, x.data(), parameters, rows, levels, step, y.data());
  tamrt_onehot(&ctx, y.data(), rows, levels, index.data());
  tamrt_grid_points(&ctx, parameters, levels, step, points.data());
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_EQ(index[i], i);
    EXPECT_NEAR(points[i], x[i], 1e-15);
  }
  // Beyond the range there is no row, and no function of anything far away.
  for (int64_t i = rows; i < levels; ++i)
    EXPECT_EQ(points[i], 1.0);
}

TEST_F(CompressionTest, ExpandsOneSide) {
  const int64_t levels = 9, columns = 5;
  Doubles basis = uniforms(levels * columns);
  for (size_t i = 0; i < basis.size(); i += 3)
    basis[i] = 0;
  for (int64_t outer : {1, 3})
    for (int64_t inner : {1, 4, 7})
      for (int64_t groupRows : {int64_t(TAMRT_SEGMENT_ROWS), kLong}) {
        const bool isLong = groupRows == kLong;
        const Sums from = sums(outer * levels * inner);
        const int64_t count = outer * columns * inner;
        Doubles out(2 * count, 77);
        tamrt_expand_levels(&ctx, from.both.data(), basis.data(), groupRows,
                            outer, levels, inner, columns, out.data());
        for (int64_t o = 0; o < outer; ++o)
          for (int64_t c = 0; c < columns; ++c)
            for (int64_t i = 0; i < inner; ++i) {
              double expected = 0;
              for (int64_t l = 0; l < levels; ++l) {
                const int64_t at = (o * levels + l) * inner + i;
                expected += basis[l * columns + c] *
                            (isLong ? from.value : from.both)[at];
              }
              const int64_t at = (o * columns + c) * inner + i;
              EXPECT_NEAR(out[at] + (isLong ? out[count + at] : 0.0), expected,
                          1e-14);
            }
        // A group of one segment has no second half.
        if (!isLong) {
          EXPECT_EQ(out[count], 77);
        }
      }
}

TEST_F(CompressionTest, ExpandsCounts) {
  const int64_t levels = 6, m = 3, n = 4;
  const Doubles a = uniforms(levels * m), b = uniforms(levels * n);
  for (int64_t groupRows : {int64_t(TAMRT_SEGMENT_ROWS), kLong}) {
    const bool isLong = groupRows == kLong;
    const Sums counts = sums(levels);
    Doubles out(2 * m * n, 77);
    tamrt_expand_counts(&ctx, counts.both.data(), a.data(), b.data(), groupRows,
                        levels, m, n, out.data());
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double expected = 0;
        for (int64_t l = 0; l < levels; ++l)
          expected += a[l * m + i] * b[l * n + j] *
                      (isLong ? counts.value : counts.both)[l];
        EXPECT_NEAR(out[i * n + j] + (isLong ? out[m * n + i * n + j] : 0.0),
                    expected, 1e-14);
      }
    if (!isLong) {
      EXPECT_EQ(out[m * n], 77);
    }
  }
}

} // namespace
} // namespace tamrt::test
