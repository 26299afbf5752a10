//===- kernels/MultiHotTest.cpp - tests of Gram kernels on trees ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gram blocks of the leaves of trees have the same bits as plain loops.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <cstring>

namespace tamrt::test {

namespace {

struct Forest {
  int64_t trees, leaves;
};

const Forest forests[] = {{1, 1},   {1, 7},  {3, 5},   {20, 4},  {8, 32},
                          {9, 32},  {50, 3}, {17, 20}, {19, 32}, {5, 33},
                          {4, 64},  {9, 64}, {3, 100}, {2, 256}, {3, 129},
                          {2, 257}, {10, 2}, {3, 31},  {33, 1},  {16, 32}};

class MultiHotTest : public KernelTest {
protected:
  /// One leaf of each tree in every row; the closer `skew` is to one, the more
  /// rows share theirs.
  Matrix leaves(const Forest &forest, int64_t rows, double skew) {
    Matrix m{Encoding::MultiHot, forest.trees * forest.leaves, forest.trees};
    m.scale = 1.0 / std::sqrt(static_cast<double>(forest.trees));
    m.index.resize(static_cast<size_t>(rows * forest.trees));
    for (size_t i = 0; i < m.index.size(); ++i) {
      const auto tree = static_cast<int64_t>(i) % forest.trees;
      const auto leaf =
          uniform(0.0, 1.0) < skew
              ? forest.leaves / 2
              : static_cast<int64_t>(uniform(0.0, double(forest.leaves)));
      m.index[i] = static_cast<int32_t>(tree * forest.leaves + leaf);
    }
    return m;
  }

  static std::string nameOf(const Forest &forest) {
    return std::to_string(forest.trees) + " trees of " +
           std::to_string(forest.leaves) + " leaves";
  }

  /// Calls `each(row, i, j, times)` for every pair of columns i <= j of every
  /// row: (i, j) is to get `times` times the row's share.
  template <typename Each>
  static void forEachPair(const Matrix &m, int64_t rows, Each each) {
    for (int64_t r = 0; r < rows; ++r) {
      const int32_t *row = m.index.data() + r * m.z;
      for (int64_t i = 0; i < m.z; ++i)
        for (int64_t j = i; j < m.z; ++j)
          each(r, std::min(row[i], row[j]), std::max(row[i], row[j]),
               i != j && row[i] == row[j] ? 2 : 1);
    }
  }

  /// The expected accumulator from counts.
  static Doubles expectedCounts(const Matrix &m, int64_t rows) {
    Doubles sums(static_cast<size_t>(m.n * m.n));
    forEachPair(m, rows, [&](int64_t, int64_t i, int64_t j, int times) {
      sums[static_cast<size_t>(i * m.n + j)] += times;
    });
    for (double &sum : sums)
      sum *= m.scale * m.scale;
    return sums;
  }

  /// The expected accumulator of rows with weights, added one after another.
  static Doubles expectedWeighted(const Matrix &m, int64_t rows,
                                  const Doubles &w) {
    Doubles sums(static_cast<size_t>(m.n * m.n));
    forEachPair(m, rows, [&](int64_t r, int64_t i, int64_t j, int times) {
      const double share = w[static_cast<size_t>(r)] * m.scale * m.scale;
      sums[static_cast<size_t>(i * m.n + j)] += times * share;
    });
    return sums;
  }

  /// Sums of the rows in chunks of `chunk`; elements below the diagonal, which
  /// are undefined, are set to zero.
  Doubles sumsOf(const Matrix &m, int64_t rows, const double *w,
                 int64_t chunk) {
    Doubles sums(static_cast<size_t>(m.n * m.n));
    for (int64_t begin = 0; begin < rows; begin += chunk)
      gram(&ctx, m, nullptr, w, begin, std::min(rows, begin + chunk),
           sums.data());
    for (int64_t i = 0; i < m.n; ++i)
      for (int64_t j = 0; j < i; ++j)
        sums[static_cast<size_t>(i * m.n + j)] = 0.0;
    return sums;
  }

  static void expectSame(const Doubles &sums, const Doubles &expected,
                         int64_t n) {
    ASSERT_EQ(sums.size(), expected.size());
    for (size_t e = 0; e < sums.size(); ++e)
      ASSERT_EQ(sums[e], expected[e])
          << "row " << e / static_cast<size_t>(n) << ", column "
          << e % static_cast<size_t>(n);
  }
};

TEST_F(MultiHotTest, CountsAreExact) {
  for (const Forest &forest : forests)
    for (double skew : {0.0, 0.5, 1.0})
      for (int64_t rows : {1, 13, 200, 1100}) {
        SCOPED_TRACE(nameOf(forest) + ", skew " + std::to_string(skew) + ", " +
                     std::to_string(rows) + " rows");
        const Matrix m = leaves(forest, rows, skew);
        expectSame(sumsOf(m, rows, nullptr, rows), expectedCounts(m, rows),
                   m.n);
      }
}

TEST_F(MultiHotTest, CountsOfManyRows) {
  const int64_t S = TAMRT_SEGMENT_ROWS;
  for (const Forest &forest : {Forest{9, 32}, Forest{3, 40}, Forest{2, 1}})
    for (double skew : {0.1, 0.9, 1.0})
      for (int64_t rows : {S - 1, S, S + 1, 2 * S, 5 * S + 77}) {
        SCOPED_TRACE(nameOf(forest) + ", skew " + std::to_string(skew) + ", " +
                     std::to_string(rows) + " rows");
        const Matrix m = leaves(forest, rows, skew);
        const Doubles expected = expectedCounts(m, rows);
        for (int64_t chunk : {int64_t(1000), S, rows})
          expectSame(sumsOf(m, rows, nullptr, chunk), expected, m.n);
      }
}

// Rows that are no leaves of trees, between others that are.
TEST_F(MultiHotTest, CountsOfOtherRows) {
  const int64_t rows = TAMRT_SEGMENT_ROWS + 500;
  for (const Forest &forest : {Forest{8, 5}, Forest{6, 32}}) {
    Matrix m = leaves(forest, rows, 0.1);
    for (int64_t r = 100; r < rows; r += 700)
      for (int64_t i = 0; i < m.z; ++i)
        m.index[static_cast<size_t>(r * m.z + i)] =
            static_cast<int32_t>(uniform(0.0, double(m.n)));
    SCOPED_TRACE(nameOf(forest));
    const Doubles expected = expectedCounts(m, rows);
    for (int64_t chunk : {int64_t(1), int64_t(64), int64_t(1024), rows})
      expectSame(sumsOf(m, rows, nullptr, chunk), expected, m.n);
  }
}

TEST_F(MultiHotTest, WeightedRowsAreAddedInOrder) {
  const int64_t rows = 2 * TAMRT_SEGMENT_ROWS + 321;
  const Doubles w = uniforms(rows, 0.0, 3.0);
  for (const Forest &forest : {Forest{1, 1}, Forest{7, 3}, Forest{11, 32},
                               Forest{2, 60}, Forest{17, 2}}) {
    Matrix m = leaves(forest, rows, 0.3);
    for (int64_t i = 0; i < m.z; ++i)
      m.index[static_cast<size_t>(3000 * m.z + i)] =
          static_cast<int32_t>(uniform(0.0, double(m.n)));
    SCOPED_TRACE(nameOf(forest));
    const Doubles expected = expectedWeighted(m, rows, w);
    for (int64_t chunk : {int64_t(1), int64_t(100), int64_t(1024), rows})
      expectSame(sumsOf(m, rows, w.data(), chunk), expected, m.n);
  }
}

// A count can be computed from a sum for any number of trees and rows.
TEST_F(MultiHotTest, CountsAreReadOffSums) {
  const int32_t column = 0;
  Workspace workspace(TAMRT_LEAF_WORKSPACE(1));
  for (int64_t trees = 1; trees <= 2000; ++trees) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(trees));
    for (int64_t before :
         {int64_t(0), int64_t(1), int64_t(999'999'937), int64_t(1) << 49}) {
      double sum = static_cast<double>(before) * (scale * scale);
      tamrt_gram_multihot(&ctx, &column, nullptr, 1, 1, 1, scale, &sum,
                          workspace.data());
      ASSERT_EQ(sum, static_cast<double>(before + 1) * (scale * scale))
          << trees << " trees, " << before << " rows before";
    }
  }
}

} // namespace

} // namespace tamrt::test
