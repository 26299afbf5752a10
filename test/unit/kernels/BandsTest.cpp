//===- kernels/BandsTest.cpp - tests of banded matrices side by side ------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kernels of bands against those of their banded matrices.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

namespace tamrt::test {

namespace {

/// Banded matrices of one width, and the same side by side.
struct Bands {
  std::vector<Matrix> parts;
  int64_t rows, z;
  Doubles values = {};
  std::vector<int32_t> start = {};

  int64_t count() const { return static_cast<int64_t>(parts.size()); }
  /// The first column of a part.
  int64_t first(size_t part) const {
    int64_t column = 0;
    for (size_t i = 0; i < part; ++i)
      column += parts[i].n;
    return column;
  }
  int64_t columns() const { return first(parts.size()); }
};

class BandsTest : public KernelTest {
protected:
  Bands bands(const std::vector<int64_t> &columns, int64_t rows, int64_t z) {
    Bands all{{}, rows, z};
    for (int64_t n : columns) {
      Matrix part = randomMatrix(Encoding::Banded, rows, n, z, generator);
      // Some start at other columns in each row, others seldom.
      const int64_t rest[] = {1, 30, 3, 10};
      for (int64_t r = 0; r < rows; ++r)
        part.start[r] = part.start[r - r % rest[all.parts.size() % 4]];
      all.parts.push_back(std::move(part));
    }
    all.values.resize(all.count() * rows * z, std::nan(""));
    all.start.resize(all.count() * rows, -1);
    // In any order.
    for (size_t i = all.parts.size(); i-- > 0;)
      tamrt_place_band(&ctx, all.parts[i].values.data(),
                       all.parts[i].start.data(), rows, z, all.first(i),
                       int64_t(i), all.values.data(), all.start.data());
    return all;
  }

  /// The products of two matrices or of one with itself, by their kernel.
  Doubles product(const Matrix &a, const Matrix *b, const double *w,
                  int64_t rows) {
    Doubles sums(a.n * (b ? b->n : a.n));
    gram(&ctx, a, b, w, 0, rows, sums.data());
    return sums;
  }

  /// Compares the block of sums of `width` columns that starts in a row and
  /// column with the sums of two parts, in bytes; of one with itself from the
  /// diagonal on.
  void expectBlock(const Doubles &sums, int64_t width, int64_t row,
                   int64_t column, const Matrix &a, const Matrix &b,
                   const Doubles &expected, bool isSelf = false) {
    for (int64_t i = 0; i < a.n; ++i)
      for (int64_t j = isSelf ? i : 0; j < b.n; ++j)
        ASSERT_EQ(sums[(row + i) * width + column + j], expected[i * b.n + j])
            << "row " << row + i << ", column " << column + j;
  }

  /// Calls body(rows, weights) for several numbers of rows.
  template <typename Body> void forRows(Body body) {
    const Doubles w = uniforms(200, 0.0, 3.0);
    for (int64_t rows : {0, 1, 2, 61, 200})
      for (const double *weights : {(const double *)nullptr, w.data()}) {
        SCOPED_TRACE(std::to_string(rows) + " rows" +
                     (weights ? ", weighted" : ""));
        body(rows, weights);
      }
  }
};

/// More than are added together.
const std::vector<int64_t> kColumns = {4, 13, 6, 6, 23, 5, 7, 4, 9, 4, 8};
const std::vector<int64_t> kOthers = {9, 5};

TEST_F(BandsTest, PlacesBands) {
  const Bands a = bands(kColumns, 7, 4);
  for (size_t i = 0; i < a.parts.size(); ++i)
    for (int64_t r = 0; r < a.rows; ++r) {
      EXPECT_EQ(a.start[i * a.rows + r], a.first(i) + a.parts[i].start[r]);
      for (int64_t k = 0; k < a.z; ++k)
        EXPECT_EQ(a.values[(i * a.rows + r) * a.z + k],
                  a.parts[i].values[r * a.z + k]);
    }
}

TEST_F(BandsTest, GramMatrix) {
  for (int64_t z : {1, 3, 4})
    forRows([&](int64_t rows, const double *w) {
      const Bands a = bands(kColumns, rows, z);
      const int64_t n = a.columns();
      Doubles sums(n * n);
      tamrt_gram_bands(&ctx, a.values.data(), a.start.data(), w, rows, z,
                       a.count(), n, sums.data());
      for (size_t i = 0; i < a.parts.size(); ++i)
        for (size_t j = i; j < a.parts.size(); ++j)
          expectBlock(
              sums, n, a.first(i), a.first(j), a.parts[i], a.parts[j],
              product(a.parts[i], i == j ? nullptr : &a.parts[j], w, rows),
              i == j);
    });
}

TEST_F(BandsTest, ProductsOfBands) {
  for (auto [za, zb] : {std::pair{4, 4}, {4, 2}, {3, 4}})
    forRows([&, za = za, zb = zb](int64_t rows, const double *w) {
      const Bands a = bands(kColumns, rows, za), b = bands(kOthers, rows, zb);
      Doubles sums(a.columns() * b.columns());
      tamrt_gram_bands_bands(&ctx, a.values.data(), a.start.data(),
                             b.values.data(), b.start.data(), w, rows, za,
                             a.count(), a.columns(), zb, b.count(), b.columns(),
                             sums.data());
      for (size_t i = 0; i < a.parts.size(); ++i)
        for (size_t j = 0; j < b.parts.size(); ++j)
          expectBlock(sums, b.columns(), a.first(i), b.first(j), a.parts[i],
                      b.parts[j], product(a.parts[i], &b.parts[j], w, rows));
    });
}

TEST_F(BandsTest, ProductsWithABand) {
  forRows([&](int64_t rows, const double *w) {
    const Bands a = bands(kColumns, rows, 4);
    const Matrix b = randomMatrix(Encoding::Banded, rows, 7, 2, generator);
    const int64_t n = a.columns();
    Doubles below(n * b.n), above(b.n * n);
    tamrt_gram_bands_banded(&ctx, a.values.data(), a.start.data(),
                            b.values.data(), b.start.data(), w, rows, 4,
                            a.count(), n, b.z, b.n, below.data());
    tamrt_gram_banded_bands(&ctx, b.values.data(), b.start.data(),
                            a.values.data(), a.start.data(), w, rows, b.z, b.n,
                            4, a.count(), n, above.data());
    for (size_t i = 0; i < a.parts.size(); ++i) {
      expectBlock(below, b.n, a.first(i), 0, a.parts[i], b,
                  product(a.parts[i], &b, w, rows));
      expectBlock(above, n, 0, a.first(i), b, a.parts[i],
                  product(b, &a.parts[i], w, rows));
    }
  });
}

TEST_F(BandsTest, ProductsWithOtherEncodings) {
  forRows([&](int64_t rows, const double *w) {
    const Bands a = bands(kColumns, rows, 4);
    const int64_t n = a.columns();
    for (int64_t columns : {1, 2, 9}) {
      const Matrix b =
          randomMatrix(Encoding::Dense, rows, columns, 0, generator);
      Doubles sums(n * columns);
      tamrt_gram_bands_dense(&ctx, a.values.data(), a.start.data(),
                             b.values.data(), w, rows, 4, a.count(), n, columns,
                             sums.data());
      for (size_t i = 0; i < a.parts.size(); ++i)
        expectBlock(sums, columns, a.first(i), 0, a.parts[i], b,
                    product(a.parts[i], &b, w, rows));
    }
    Matrix levels = randomMatrix(Encoding::OneHot, rows, 6, 0, generator);
    for (int64_t r = 0; r < rows; r += 3)
      levels.index[r] = r % 2 ? TAMRT_INDEX_NONE : TAMRT_INDEX_MEAN(4);
    Doubles sums(levels.n * n);
    tamrt_gram_onehot_bands(&ctx, levels.index.data(), a.values.data(),
                            a.start.data(), w, rows, levels.n, 4, a.count(), n,
                            sums.data());
    const Matrix leaves =
        randomMatrix(Encoding::MultiHot, rows, 12, 5, generator);
    Doubles leafSums(leaves.n * n);
    tamrt_gram_multihot_bands(&ctx, leaves.index.data(), a.values.data(),
                              a.start.data(), w, rows, leaves.z, leaves.n,
                              leaves.scale, 4, a.count(), n, leafSums.data());
    for (size_t i = 0; i < a.parts.size(); ++i) {
      expectBlock(sums, n, 0, a.first(i), levels, a.parts[i],
                  product(levels, &a.parts[i], w, rows));
      expectBlock(leafSums, n, 0, a.first(i), leaves, a.parts[i],
                  product(leaves, &a.parts[i], w, rows));
    }
  });
}

TEST_F(BandsTest, RightHandSide) {
  forRows([&](int64_t rows, const double *w) {
    const Bands a = bands(kColumns, rows, 4);
    const Doubles y = uniforms(rows);
    Doubles sums(a.columns());
    tamrt_rhs_bands(&ctx, a.values.data(), a.start.data(), y.data(), w, rows, 4,
                    a.count(), a.columns(), sums.data());
    for (size_t i = 0; i < a.parts.size(); ++i) {
      Doubles expected(a.parts[i].n);
      rhs(&ctx, a.parts[i], y.data(), w, 0, rows, expected.data());
      for (int64_t j = 0; j < a.parts[i].n; ++j)
        ASSERT_EQ(sums[a.first(i) + j], expected[j]);
    }
  });
}

// Sums go on from those of the chunk before, as for other encodings.
TEST_F(BandsTest, BytesDoNotDependOnChunks) {
  const int64_t rows = 100, half = 37;
  Bands whole = bands(kColumns, rows, 4);
  Bands chunks[] = {bands(kColumns, half, 4), bands(kColumns, rows - half, 4)};
  for (size_t i = 0; i < whole.parts.size(); ++i) {
    int64_t row = 0;
    for (Bands &chunk : chunks) {
      const Matrix &part = whole.parts[i];
      tamrt_place_band(&ctx, part.values.data() + 4 * row,
                       part.start.data() + row, chunk.rows, 4, whole.first(i),
                       int64_t(i), chunk.values.data(), chunk.start.data());
      row += chunk.rows;
    }
  }
  const int64_t n = whole.columns();
  Doubles expected(n * n), sums(n * n);
  tamrt_gram_bands(&ctx, whole.values.data(), whole.start.data(), nullptr, rows,
                   4, whole.count(), n, expected.data());
  for (const Bands &chunk : chunks)
    tamrt_gram_bands(&ctx, chunk.values.data(), chunk.start.data(), nullptr,
                     chunk.rows, 4, chunk.count(), n, sums.data());
  EXPECT_EQ(sums, expected);
}

TEST_F(BandsTest, BecomesPartOfSparseRows) {
  const Bands a = bands(kColumns, 9, 4);
  const int64_t numbers = 4 * a.count(), width = numbers + 3, first = 2;
  Matrix sparse{Encoding::Sparse,
                a.columns() + first,
                width,
                Doubles(a.rows * width, 0.0),
                {},
                std::vector<int32_t>(a.rows * width, 0)};
  tamrt_sparsify_bands(&ctx, a.values.data(), a.start.data(), a.rows, 4,
                       a.count(), a.columns(), first, width, 1,
                       sparse.values.data(), sparse.index.data());
  for (int64_t r = 0; r < a.rows; ++r) {
    for (size_t i = 0; i < a.parts.size(); ++i)
      for (int64_t j = 0; j < a.parts[i].n; ++j)
        EXPECT_EQ(sparse.at(r, first + a.first(i) + j), a.parts[i].at(r, j));
    for (int64_t other : {int64_t(0), width - 2, width - 1})
      EXPECT_EQ(sparse.values[r * width + other], 0.0);
  }
}

} // namespace

} // namespace tamrt::test
