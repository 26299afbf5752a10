//===- kernels/SparsifyTest.cpp - tests of sparse rows and products -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Encoded matrices made sparse, and row-wise Kronecker products, against the
/// same matrices written out.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

namespace tamrt::test {

namespace {

class SparsifyTest : public KernelTest {
protected:
  /// Writes a matrix to the numbers of sparse rows from `at` on, at columns
  /// from `first` on; z numbers of a one-hot one.
  void write(const Matrix &m, int64_t rows, int64_t z, int64_t first,
             int64_t width, int64_t at, double *values, int32_t *index) {
    const double *v = m.values.data();
    switch (m.encoding) {
    case Encoding::Dense:
      tamrt_sparsify_dense(&ctx, v, rows, m.n, first, width, at, values, index);
      break;
    case Encoding::Banded:
      tamrt_sparsify_banded(&ctx, v, m.start.data(), rows, m.z, m.n, first,
                            width, at, values, index);
      break;
    case Encoding::OneHot:
      tamrt_sparsify_onehot(&ctx, m.index.data(), rows, m.n, z, first, width,
                            at, values, index);
      break;
    case Encoding::MultiHot:
      tamrt_sparsify_multihot(&ctx, m.index.data(), rows, m.z, m.n, m.scale,
                              first, width, at, values, index);
      break;
    case Encoding::Sparse:
      tamrt_sparsify_sparse(&ctx, v, m.index.data(), rows, m.z, m.n, first,
                            width, at, values, index);
      break;
    }
  }

  /// Numbers of a row of a matrix, `width` for a one-hot one.
  static int64_t numbers(const Matrix &m, int64_t width) {
    return m.encoding == Encoding::Dense    ? m.n
           : m.encoding == Encoding::OneHot ? width
                                            : m.z;
  }

  /// A matrix as a sparse one; `width` numbers a row of a one-hot one.
  Matrix sparse(const Matrix &m, int64_t rows, int64_t width = 1) {
    Matrix result{Encoding::Sparse, m.n};
    result.z = numbers(m, width);
    result.values.resize(rows * result.z);
    result.index.resize(rows * result.z, -1);
    write(m, rows, width, 0, result.z, 0, result.values.data(),
          result.index.data());
    return result;
  }

  void expectSame(const Matrix &m, const Matrix &sparse, int64_t rows) {
    for (int32_t column : sparse.index)
      EXPECT_TRUE(column >= 0 && column < m.n) << column;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < m.n; ++j)
        EXPECT_EQ(sparse.at(r, j), m.at(r, j))
            << "row " << r << " column " << j;
  }

  const int64_t rows = 23;
};

TEST_F(SparsifyTest, AnyEncoding) {
  for (auto [encoding, n, z] : {std::tuple{Encoding::Dense, 4, 0},
                                {Encoding::Dense, 1, 0},
                                {Encoding::Banded, 9, 4},
                                {Encoding::Banded, 5, 2},
                                {Encoding::OneHot, 6, 0},
                                {Encoding::MultiHot, 12, 5},
                                {Encoding::Sparse, 11, 3}}) {
    const Matrix m = randomMatrix(encoding, rows, n, z, generator);
    expectSame(m, sparse(m, rows), rows);
  }
}

TEST_F(SparsifyTest, PartsOfWiderRows) {
  const int64_t levels = 6;
  Matrix unseen = randomMatrix(Encoding::OneHot, rows, levels, 0, generator);
  for (int64_t r = 0; r < rows; r += 3)
    unseen.index[r] = r % 2 ? TAMRT_INDEX_NONE : TAMRT_INDEX_MEAN(4);
  const std::vector<Matrix> parts = {
      randomMatrix(Encoding::Dense, rows, 4, 0, generator),
      randomMatrix(Encoding::Banded, rows, 9, 4, generator),
      randomMatrix(Encoding::OneHot, rows, 5, 0, generator),
      unseen,
      randomMatrix(Encoding::MultiHot, rows, 12, 5, generator),
      randomMatrix(Encoding::Sparse, rows, 11, 3, generator)};
  auto numbersOf = [&](const Matrix &part) {
    return numbers(part, &part == &parts[3] ? levels : 1);
  };
  // Two numbers and three columns before the first part, one number after the
  // last, which no part may write.
  int64_t width = 3, columns = 3;
  for (const Matrix &part : parts)
    width += numbersOf(part), columns += part.n;
  Matrix whole{Encoding::Sparse,
               columns,
               width,
               Doubles(rows * width, 99.0),
               {},
               std::vector<int32_t>(rows * width, -7)};
  int64_t first = 3, at = 2;
  for (const Matrix &part : parts) {
    const int64_t z = numbersOf(part);
    write(part, rows, z, first, width, at, whole.values.data(),
          whole.index.data());
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t j = 0; j < part.n; ++j)
        EXPECT_EQ(whole.at(r, first + j), part.at(r, j)) << r << " " << j;
      for (int64_t i = at; i < at + z; ++i) {
        EXPECT_GE(whole.index[r * width + i], first);
        EXPECT_LT(whole.index[r * width + i], first + part.n);
      }
    }
    first += part.n;
    at += z;
  }
  ASSERT_EQ(at, width - 1);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i : {int64_t(0), int64_t(1), width - 1}) {
      EXPECT_EQ(whole.values[r * width + i], 99.0);
      EXPECT_EQ(whole.index[r * width + i], -7);
    }
}

TEST_F(SparsifyTest, UnseenLevels) {
  const int64_t n = 6;
  Matrix m = randomMatrix(Encoding::OneHot, rows, n, 0, generator);
  for (int64_t r = 0; r < rows; r += 3)
    m.index[r] = TAMRT_INDEX_NONE;
  expectSame(m, sparse(m, rows), rows);
  for (int64_t r = 0; r < rows; r += 4)
    m.index[r] = TAMRT_INDEX_MEAN(static_cast<int32_t>(1 + r % n));
  const Matrix wide = sparse(m, rows, n);
  expectSame(m, wide, rows);
  // Padding comes last.
  EXPECT_NE(wide.values[1 * n], 0.0);
  EXPECT_EQ(wide.values[1 * n + 1], 0.0);
  // No room for a mean.
  m.index[0] = TAMRT_INDEX_MEAN(2);
  sparse(m, rows, 1);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 4);
  m.index.assign(rows, 0);
  sparse(m, rows, 0);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 4);
}

// The two parts of a slope cancel: their products would not do so exactly.
TEST_F(SparsifyTest, NumbersOfOneColumn) {
  Matrix m{Encoding::Sparse, 5, 4, {1e8, 2, 3, -1e8 + 1, 4, 5, 6, 7}};
  m.index = {1, 3, 0, 1, 4, 0, 0, 4};
  const Matrix sums = sparse(m, 2);
  EXPECT_EQ(sums.values, (Doubles{1, 2, 3, 0, 11, 11, 0, 0}));
  EXPECT_EQ(sums.index, m.index);
}

TEST_F(SparsifyTest, DenseProducts) {
  for (auto [na, nb] : {std::pair{1, 1}, {3, 5}, {4, 1}, {2, 9}}) {
    const Matrix a = randomMatrix(Encoding::Dense, rows, na, 0, generator);
    const Matrix b = randomMatrix(Encoding::Dense, rows, nb, 0, generator);
    Doubles values(rows * na * nb);
    tamrt_kronecker_dense(&ctx, a.values.data(), b.values.data(), rows, na, nb,
                          values.data());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < na; ++i)
        for (int64_t j = 0; j < nb; ++j)
          EXPECT_EQ(values[(r * na + i) * nb + j], a.at(r, i) * b.at(r, j));
  }
}

TEST_F(SparsifyTest, SparseProducts) {
  const int64_t n = 6;
  Matrix levels = randomMatrix(Encoding::OneHot, rows, n, 0, generator);
  levels.index[3] = TAMRT_INDEX_MEAN(4);
  levels.index[5] = TAMRT_INDEX_NONE;
  std::vector<Matrix> factors = {sparse(levels, rows, n)};
  for (int64_t z : {1, 2, 4, 5})
    factors.push_back(randomMatrix(Encoding::Sparse, rows, 9, z, generator));
  factors.push_back(
      sparse(randomMatrix(Encoding::Banded, rows, 8, 4, generator), rows));
  for (const Matrix &a : factors)
    for (const Matrix &b : factors) {
      Matrix product{Encoding::Sparse, a.n * b.n, a.z * b.z};
      product.values.assign(rows * product.z, 99.0);
      product.index.assign(rows * product.z, -1);
      tamrt_kronecker_sparse(&ctx, a.values.data(), a.index.data(),
                             b.values.data(), b.index.data(), rows, a.z, a.n,
                             b.z, b.n, product.values.data(),
                             product.index.data());
      for (int32_t column : product.index)
        ASSERT_TRUE(column >= 0 && column < product.n);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < product.n; ++j)
          ASSERT_NEAR(product.at(r, j), a.at(r, j / b.n) * b.at(r, j % b.n),
                      1e-14);
    }
  // A row in which one level of many is set has as many products as it needs,
  // and these come first.
  const Matrix &level = factors[0], &band = factors.back();
  Doubles values(rows * n * 4);
  std::vector<int32_t> index(rows * n * 4);
  tamrt_kronecker_sparse(&ctx, band.values.data(), band.index.data(),
                         level.values.data(), level.index.data(), rows, 4,
                         band.n, n, n, values.data(), index.data());
  for (int64_t i = 0; i < 4 * n; ++i)
    EXPECT_EQ(values[i] != 0.0, i < 4) << i;
}

TEST_F(SparsifyTest, ProductsBeyondTheIndex) {
  tamrt_kronecker_sparse(&ctx, nullptr, nullptr, nullptr, nullptr, 0, 1, 65536,
                         1, 32768, nullptr, nullptr);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 9);
  tamrt_kronecker_sparse(&ctx, nullptr, nullptr, nullptr, nullptr, 0, 1, 65536,
                         1, 32767, nullptr, nullptr);
}

} // namespace

} // namespace tamrt::test
