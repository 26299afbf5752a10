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

class CompressionTest : public KernelTest {};

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
    for (int64_t inner : {1, 4, 7}) {
      const Doubles from = uniforms(outer * levels * inner);
      Doubles out(outer * columns * inner, 77);
      tamrt_expand_levels(&ctx, from.data(), basis.data(), outer, levels, inner,
                          columns, out.data());
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t c = 0; c < columns; ++c)
          for (int64_t i = 0; i < inner; ++i) {
            double expected = 0;
            for (int64_t l = 0; l < levels; ++l)
              expected +=
                  basis[l * columns + c] * from[(o * levels + l) * inner + i];
            EXPECT_NEAR(out[(o * columns + c) * inner + i], expected, 1e-14);
          }
    }
}

TEST_F(CompressionTest, ExpandsCounts) {
  const int64_t levels = 6, m = 3, n = 4;
  const Doubles a = uniforms(levels * m), b = uniforms(levels * n),
                counts = uniforms(levels);
  Doubles out(m * n, 77);
  tamrt_expand_counts(&ctx, counts.data(), a.data(), b.data(), levels, m, n,
                      out.data());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double expected = 0;
      for (int64_t l = 0; l < levels; ++l)
        expected += a[l * m + i] * b[l * n + j] * counts[l];
      EXPECT_NEAR(out[i * n + j], expected, 1e-14);
    }
}

} // namespace
} // namespace tamrt::test
