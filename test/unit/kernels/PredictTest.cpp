//===- kernels/PredictTest.cpp - tests of predict and expand --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Predictions and expanded design matrices, entry by entry.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

namespace tamrt::test {

namespace {

class PredictTest : public KernelTest {
protected:
  /// One matrix of each kind the kernels treat differently, with unseen levels.
  std::vector<Matrix> matrices(int64_t rows) {
    std::vector<Matrix> result;
    for (int64_t n : {1, 3, 4, 9})
      result.push_back(randomMatrix(Encoding::Dense, rows, n, 0, generator));
    for (int64_t z : {1, 3, 4, 7})
      result.push_back(
          randomMatrix(Encoding::Banded, rows, z + 5, z, generator));
    for (int64_t z : {1, 3, 4, 12})
      for (Encoding encoding : {Encoding::MultiHot, Encoding::Sparse})
        result.push_back(randomMatrix(encoding, rows, 2 * z, z, generator));
    for (int64_t n : {1, 6}) {
      result.push_back(randomMatrix(Encoding::OneHot, rows, n, 0, generator));
      for (int64_t r = 0; r + 1 < rows; r += 5) {
        result.back().index[r] = TAMRT_INDEX_NONE;
        // All levels, or fewer where the last ones were not trained.
        result.back().index[r + 1] = TAMRT_INDEX_MEAN(1 + (r + n - 1) % n);
      }
    }
    return result;
  }
};

TEST_F(PredictTest, WritesOrAddsOneColumn) {
  for (int64_t rows : {0, 1, 17})
    for (const Matrix &m : matrices(rows))
      for (auto [width, column] : {std::pair{1, 0}, {3, 0}, {3, 2}})
        for (int64_t accumulate : {0, 1}) {
          const Doubles beta = uniforms(m.n);
          const Doubles before = uniforms(rows * width);
          Doubles out = before;
          predict(&ctx, m, beta, rows, width, column, accumulate, out.data());
          for (int64_t r = 0; r < rows; ++r)
            for (int64_t c = 0; c < width; ++c) {
              const double old = before[r * width + c];
              if (c != column) {
                EXPECT_EQ(out[r * width + c], old);
                continue;
              }
              long double expected = accumulate ? old : 0.0;
              for (int64_t j = 0; j < m.n; ++j)
                expected += static_cast<long double>(m.at(r, j)) * beta[j];
              EXPECT_NEAR(out[r * width + c], expected, 1e-14);
            }
        }
}

TEST_F(PredictTest, ExpandsColumnsInPlace) {
  for (int64_t rows : {0, 1, 17})
    for (const Matrix &m : matrices(rows))
      for (int64_t column : {0, 2}) {
        const int64_t width = m.n + 4;
        const Doubles before = uniforms(rows * width);
        Doubles out = before;
        expand(&ctx, m, rows, width, column, out.data());
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < width; ++c) {
            const bool inside = c >= column && c < column + m.n;
            EXPECT_EQ(out[r * width + c],
                      inside ? m.at(r, c - column) : before[r * width + c]);
          }
      }
}

} // namespace

} // namespace tamrt::test
