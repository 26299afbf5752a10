//===- kernels/GramTest.cpp - tests of the Gram kernels -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gram blocks and right-hand sides against plain loops, and their independence
/// of where chunks end.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

namespace tamrt::test {

namespace {

/// Number `entry` of an accumulator of a' W b, or of a' W a when `b` is null.
struct Entry {
  int64_t i, j;
};

/// The layout of an accumulator: its entries, in memory order.
std::vector<Entry> entriesOf(const Matrix &a, const Matrix *b) {
  std::vector<Entry> entries;
  for (int64_t i = 0; i < a.n; ++i) {
    if (!b && a.encoding == Encoding::OneHot) {
      entries.push_back({i, i});
      continue;
    }
    for (int64_t j = 0; j < (b ? b->n : a.n); ++j)
      entries.push_back({i, j});
  }
  return entries;
}

/// Whether kernels.def defines this entry.
bool isKept(const Entry &entry, const Matrix *b) {
  return b || entry.j >= entry.i;
}

/// Calls `add(begin, end)` for chunks of `chunk` rows.
void inChunks(int64_t rows, int64_t chunk,
              const std::function<void(int64_t, int64_t)> &add) {
  for (int64_t begin = 0; begin < rows; begin += chunk)
    add(begin, std::min(rows, begin + chunk));
}

struct Shape {
  Encoding encoding;
  int64_t n, z;
};

std::string nameOf(const Shape &shape) {
  const char *names[] = {"dense", "banded", "onehot", "multihot", "sparse"};
  return std::string(names[static_cast<int>(shape.encoding)]) +
         " n=" + std::to_string(shape.n) + " z=" + std::to_string(shape.z);
}

const Shape shapes[] = {
    {Encoding::Dense, 1, 0},    {Encoding::Dense, 2, 0},
    {Encoding::Dense, 3, 0},    {Encoding::Dense, 4, 0},
    {Encoding::Dense, 7, 0},    {Encoding::Dense, 13, 0},
    {Encoding::Dense, 20, 0},   {Encoding::Banded, 1, 1},
    {Encoding::Banded, 4, 4},   {Encoding::Banded, 6, 2},
    {Encoding::Banded, 13, 4},  {Encoding::Banded, 23, 4},
    {Encoding::Banded, 9, 7},   {Encoding::Banded, 30, 21},
    {Encoding::OneHot, 1, 0},   {Encoding::OneHot, 7, 0},
    {Encoding::OneHot, 24, 0},  {Encoding::MultiHot, 1, 1},
    {Encoding::MultiHot, 9, 4}, {Encoding::MultiHot, 40, 11},
    {Encoding::Sparse, 1, 1},   {Encoding::Sparse, 3, 5},
    {Encoding::Sparse, 10, 2},  {Encoding::Sparse, 25, 4},
    {Encoding::Sparse, 40, 16},
};

/// Whether there is a kernel for the cross product.
bool hasKernel(const Shape &a, const Shape &b) {
  return hasCrossKernel(a.encoding, b.encoding);
}

class GramTest : public KernelTest {
protected:
  Matrix matrix(const Shape &shape, int64_t rows) {
    return randomMatrix(shape.encoding, rows, shape.n, shape.z, generator);
  }

  /// Compares an accumulator with sums in long double. Rounding errors, all of
  /// one sign at worst, are far below this.
  void expectSums(const Matrix &a, const Matrix *b, const double *w,
                  int64_t rows, const Doubles &sums) {
    const std::vector<Entry> entries = entriesOf(a, b);
    ASSERT_EQ(sums.size(), entries.size());
    for (size_t e = 0; e < entries.size(); ++e) {
      if (!isKept(entries[e], b))
        continue;
      long double expected = 0;
      for (int64_t r = 0; r < rows; ++r)
        expected += static_cast<long double>(a.at(r, entries[e].i)) *
                    (b ? *b : a).at(r, entries[e].j) * (w ? w[r] : 1.0);
      EXPECT_NEAR(sums[e], expected, 1e-11 + 1e-13L * std::abs(expected))
          << "entry " << e;
    }
  }

  void checkValues(const Matrix &a, const Matrix *b, const double *w,
                   int64_t rows) {
    Doubles sums(entriesOf(a, b).size());
    gram(&ctx, a, b, w, 0, rows, sums.data());
    expectSums(a, b, w, rows, sums);
  }

  /// Runs the rows in chunks of several sizes and compares bytes.
  void checkChunks(const Matrix &a, const Matrix *b, const double *w,
                   int64_t rows) {
    const std::vector<Entry> entries = entriesOf(a, b);
    Doubles expected;
    auto compare = [&](Doubles sums, const std::string &what) {
      for (size_t e = 0; e < sums.size(); ++e)
        if (!isKept(entries[e], b))
          sums[e] = 0.0;
      if (expected.empty())
        expected = sums;
      EXPECT_EQ(0, std::memcmp(sums.data(), expected.data(),
                               sums.size() * sizeof(double)))
          << what;
    };
    for (int64_t chunk : {rows, int64_t(1), int64_t(7), int64_t(256)}) {
      Doubles sums(entries.size());
      inChunks(rows, chunk, [&](int64_t begin, int64_t end) {
        gram(&ctx, a, b, w, begin, end, sums.data());
      });
      compare(sums, "chunks of " + std::to_string(chunk));
    }
    // Row counts are the same in any order.
    if (b || a.encoding != Encoding::MultiHot || w)
      return;
    Doubles sums(entries.size());
    inChunks(rows, 1000, [&](int64_t begin, int64_t end) {
      Doubles part(entries.size());
      gram(&ctx, a, b, w, begin, end, part.data());
      tamrt_join_counts(&ctx, part.data(), int64_t(part.size()),
                        a.scale * a.scale, sums.data());
    });
    compare(sums, "counts apart");
  }
};

TEST_F(GramTest, MatchesPlainLoops) {
  const int64_t rows = 61;
  const Doubles w = uniforms(rows, 0.0, 3.0);
  for (const Shape &shapeA : shapes) {
    const Matrix a = matrix(shapeA, rows);
    for (const double *weights : {(const double *)nullptr, w.data()}) {
      SCOPED_TRACE(nameOf(shapeA) + (weights ? ", weighted" : ""));
      checkValues(a, nullptr, weights, rows);
      for (const Shape &shapeB : shapes) {
        if (!hasKernel(shapeA, shapeB))
          continue;
        SCOPED_TRACE(nameOf(shapeB));
        const Matrix b = matrix(shapeB, rows);
        checkValues(a, &b, weights, rows);
      }
    }
  }
}

TEST_F(GramTest, WideMatrices) {
  const int64_t rows = 233;
  const Doubles w = uniforms(rows, 0.0, 3.0);
  for (int64_t n : {160, 168, 203, 246}) {
    const Matrix a = matrix({Encoding::Dense, n, 0}, rows);
    for (const double *weights : {(const double *)nullptr, w.data()}) {
      SCOPED_TRACE(std::to_string(n) + (weights ? ", weighted" : ""));
      checkValues(a, nullptr, weights, rows);
      checkChunks(a, nullptr, weights, rows);
      for (int64_t others : {1, 3, 7, 12}) {
        const Matrix b = matrix({Encoding::Dense, others, 0}, rows);
        checkValues(b, &a, weights, rows);
        checkValues(a, &b, weights, rows);
        checkChunks(b, &a, weights, rows);
      }
    }
  }
}

// The bytes of gram_dense for each column alone, in chunks of any size.
TEST_F(GramTest, SquaresOfColumns) {
  const int64_t rows = TAMRT_SEGMENT_ROWS + 77;
  const Doubles w = uniforms(rows, 0.0, 3.0);
  for (int64_t n : {1, 2, 3, 4, 7, 8, 13, 16, 31, 67, 127, 203}) {
    const Matrix a = matrix({Encoding::Dense, n, 0}, rows);
    const Doubles before = uniforms(n);
    for (const double *weights : {(const double *)nullptr, w.data()}) {
      SCOPED_TRACE(std::to_string(n) + (weights ? ", weighted" : ""));
      Doubles expected = before;
      for (int64_t j = 0; j < n; ++j) {
        Doubles column(rows);
        for (int64_t r = 0; r < rows; ++r)
          column[r] = a.at(r, j);
        tamrt_gram_dense(&ctx, column.data(), weights, rows, 1, &expected[j]);
      }
      for (int64_t chunk : {rows, int64_t(1), int64_t(7), int64_t(256)}) {
        Doubles sums = before;
        sums.push_back(7.0);
        inChunks(rows, chunk, [&](int64_t begin, int64_t end) {
          const Doubles part(a.values.begin() + begin * n,
                             a.values.begin() + end * n);
          tamrt_squares_dense(&ctx, part.data(),
                              weights ? weights + begin : nullptr, end - begin,
                              n, sums.data());
        });
        EXPECT_EQ(sums.back(), 7.0);
        EXPECT_EQ(std::memcmp(sums.data(), expected.data(), n * sizeof(double)),
                  0)
            << "chunks of " << chunk;
      }
    }
  }
  Doubles sums = {3.0, 4.0};
  tamrt_squares_dense(&ctx, nullptr, nullptr, 0, 2, sums.data());
  EXPECT_EQ(sums, (Doubles{3.0, 4.0}));
}

TEST_F(GramTest, JoinsAndMoves) {
  for (int64_t n : {0, 1, 7, 15, 16, 31, 64, 512, 1601})
    for (size_t parts : {0, 1, 2, 5}) {
      std::vector<Doubles> earlier;
      std::vector<const double *> pointers;
      for (size_t part = 0; part < parts; ++part)
        earlier.push_back(uniforms(n));
      for (const Doubles &part : earlier)
        pointers.push_back(part.data());
      const Doubles own = uniforms(n);
      Doubles expected = own, sums = own, moved(n, 1e300);
      for (const Doubles &part : earlier)
        for (int64_t i = 0; i < n; ++i)
          expected[i] = part[i] + expected[i];
      tamrt_join_sums(&ctx, pointers.data(), int64_t(parts), n, sums.data());
      EXPECT_EQ(sums, expected);
      sums = own;
      tamrt_move_sums(&ctx, pointers.data(), int64_t(parts), n, sums.data(),
                      moved.data());
      EXPECT_EQ(moved, expected);
      EXPECT_EQ(sums, Doubles(n));
    }
}

TEST_F(GramTest, BytesDoNotDependOnChunks) {
  const int64_t rows = 2 * TAMRT_SEGMENT_ROWS + 777;
  const Doubles w = uniforms(rows, 0.0, 3.0);
  const Shape small[] = {
      {Encoding::Dense, 1, 0},     {Encoding::Dense, 7, 0},
      {Encoding::Dense, 13, 0},    {Encoding::Banded, 13, 4},
      {Encoding::Banded, 9, 3},    {Encoding::OneHot, 5, 0},
      {Encoding::MultiHot, 12, 5}, {Encoding::Sparse, 14, 3},
      {Encoding::Sparse, 20, 8},   {Encoding::Sparse, 18, 16},
  };
  for (const Shape &shapeA : small) {
    const Matrix a = matrix(shapeA, rows);
    for (const double *weights : {(const double *)nullptr, w.data()}) {
      SCOPED_TRACE(nameOf(shapeA) + (weights ? ", weighted" : ""));
      checkChunks(a, nullptr, weights, rows);
      for (const Shape &shapeB : small) {
        if (!hasKernel(shapeA, shapeB))
          continue;
        SCOPED_TRACE(nameOf(shapeB));
        const Matrix b = matrix(shapeB, rows);
        checkChunks(a, &b, weights, rows);
      }
    }
  }
}

// The dense kernels on the same matrix written out, in double: what the sparse
// ones save are products with zero.
TEST_F(GramTest, SparseMatchesDense) {
  const int64_t rows = TAMRT_SEGMENT_ROWS + 500;
  const Doubles w = uniforms(rows, 0.0, 3.0), y = uniforms(rows);
  auto written = [&](const Matrix &m) {
    Matrix dense{Encoding::Dense, m.n};
    dense.values.resize(rows * m.n);
    expand(&ctx, m, rows, m.n, 0, dense.values.data());
    return dense;
  };
  auto near = [&](const Doubles &sums, const Doubles &dense, int64_t n) {
    ASSERT_EQ(sums.size(), dense.size());
    // Terms are below 3; cancellation among them is no error of a kernel.
    for (size_t e = 0; e < sums.size(); ++e)
      if (n == 0 || int64_t(e) / n <= int64_t(e) % n) {
        EXPECT_NEAR(sums[e], dense[e], 1e-13 * rows) << "entry " << e;
      }
  };
  for (const Shape &shape :
       {Shape{Encoding::MultiHot, 40, 10}, Shape{Encoding::MultiHot, 5, 7},
        Shape{Encoding::Sparse, 60, 16}, Shape{Encoding::Sparse, 8, 6}}) {
    const Matrix a = matrix(shape, rows), full = written(a);
    for (const double *weights : {(const double *)nullptr, w.data()}) {
      SCOPED_TRACE(nameOf(shape) + (weights ? ", weighted" : ""));
      Doubles sums(a.n * a.n), dense(a.n * a.n);
      gram(&ctx, a, nullptr, weights, 0, rows, sums.data());
      gram(&ctx, full, nullptr, weights, 0, rows, dense.data());
      near(sums, dense, a.n);
      Doubles right(a.n), denseRight(a.n);
      rhs(&ctx, a, y.data(), weights, 0, rows, right.data());
      rhs(&ctx, full, y.data(), weights, 0, rows, denseRight.data());
      near(right, denseRight, 0);
    }
  }
}

// Two numbers of one column are one number, whatever lies between them.
TEST_F(GramTest, ColumnsThatComeTwice) {
  const double values[] = {2.0, 5.0, 3.0}, weight[] = {10.0};
  const int32_t index[] = {1, 0, 1};
  Doubles sums(2 * 2);
  tamrt_gram_sparse(&ctx, values, index, weight, 1, 3, 2, sums.data());
  EXPECT_EQ(sums[0], 250.0);
  EXPECT_EQ(sums[1], 250.0);
  EXPECT_EQ(sums[3], 250.0);
  Doubles counts(2 * 2);
  tamrt_gram_multihot(&ctx, index, weight, 1, 3, 2, 0.5, counts.data(),
                      Workspace(TAMRT_LEAF_WORKSPACE(1)).data());
  EXPECT_EQ(counts[0], 2.5);
  EXPECT_EQ(counts[1], 5.0);
  EXPECT_EQ(counts[3], 10.0);
}

// Products with runs of four columns have the bytes of the same numbers in rows
// with room for one more, for which there is no code of their own.
TEST_F(GramTest, RunsOfFour) {
  const int64_t rows = 200, n = 24;
  const Doubles w = uniforms(rows, 0.0, 3.0);
  std::uniform_int_distribution<int32_t> starts(0, n - 4);
  for (int64_t za : {3, 4, 16})
    for (int64_t zb : {4, 8, 16, 20}) {
      const Matrix a = randomMatrix(Encoding::Sparse, rows, n, za, generator);
      Matrix b = randomMatrix(Encoding::Sparse, rows, n, zb, generator);
      // Runs may overlap; every fifth row has other columns.
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; r % 5 != 0 && i < zb; i += 4)
          std::iota(&b.index[r * zb + i], &b.index[r * zb + i] + 4,
                    starts(generator));
      Matrix longer{Encoding::Sparse, n, zb + 1};
      for (int64_t r = 0; r < rows; ++r) {
        longer.values.insert(longer.values.end(), &b.values[r * zb],
                             &b.values[r * zb] + zb);
        longer.values.push_back(0.0);
        longer.index.insert(longer.index.end(), &b.index[r * zb],
                            &b.index[r * zb] + zb);
        longer.index.push_back(0);
      }
      for (const double *weights : {(const double *)nullptr, w.data()}) {
        SCOPED_TRACE(std::to_string(za) + " and " + std::to_string(zb) +
                     " numbers" + (weights ? ", weighted" : ""));
        Doubles sums(n * n), expected(n * n);
        gram(&ctx, a, &b, weights, 0, rows, sums.data());
        gram(&ctx, a, &longer, weights, 0, rows, expected.data());
        EXPECT_EQ(std::memcmp(sums.data(), expected.data(),
                              sums.size() * sizeof(double)),
                  0);
      }
    }
}

// The behaviour of training kernels for unseen levels, which they never get.
TEST_F(GramTest, UnseenLevels) {
  const int64_t rows = 40;
  const Doubles w = uniforms(rows, 0.0, 3.0);
  Matrix a = matrix({Encoding::OneHot, 6, 0}, rows);
  for (int64_t r = 0; r < rows; r += 3)
    a.index[r] = r % 2 ? TAMRT_INDEX_NONE : TAMRT_INDEX_MEAN(6 - r % 5);
  Matrix c = matrix({Encoding::OneHot, 4, 0}, rows);
  for (int64_t r = 0; r < rows; r += 4)
    c.index[r] = r % 8 ? TAMRT_INDEX_NONE : TAMRT_INDEX_MEAN(4 - r % 3);
  for (const double *weights : {(const double *)nullptr, w.data()}) {
    for (const Shape &shape :
         {Shape{Encoding::Dense, 5, 0}, Shape{Encoding::Dense, 1, 0},
          Shape{Encoding::Banded, 9, 4}, Shape{Encoding::Banded, 9, 2}}) {
      SCOPED_TRACE(nameOf(shape));
      const Matrix b = matrix(shape, rows);
      checkValues(a, &b, weights, rows);
    }
    checkValues(a, &c, weights, rows);
  }

  // A diagonal cannot store the products of a mean.
  Doubles sums(6);
  gram(&ctx, a, nullptr, nullptr, 0, rows, sums.data());
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 1);
  for (int32_t &index : a.index)
    if (index < 0)
      index = TAMRT_INDEX_NONE;
  checkValues(a, nullptr, w.data(), rows);
}

TEST_F(GramTest, NoRows) {
  for (const Shape &shapeA : shapes) {
    const Matrix a = matrix(shapeA, 0);
    Doubles before = uniforms(entriesOf(a, nullptr).size());
    Doubles sums = before;
    gram(&ctx, a, nullptr, nullptr, 0, 0, sums.data());
    EXPECT_EQ(sums, before);
    for (const Shape &shapeB : shapes) {
      if (!hasKernel(shapeA, shapeB))
        continue;
      const Matrix b = matrix(shapeB, 0);
      before = sums = uniforms(a.n * b.n);
      gram(&ctx, a, &b, nullptr, 0, 0, sums.data());
      EXPECT_EQ(sums, before);
    }
  }
}

// Sums of cosines and sines of multiples, and the square that they represent.
TEST_F(GramTest, FourierFrequencies) {
  const int64_t rows = 2 * TAMRT_SEGMENT_ROWS + 321;
  const Doubles w = uniforms(rows, 0.0, 3.0), x = uniforms(rows, -1.5, 1.5);
  for (int64_t m : {1, 2, 4, 7, 20}) {
    const int64_t n = 2 * m, count = 2 * n + 1;
    Doubles values(rows * n);
    tamrt_fourier(&ctx, x.data(), rows, m, 0, TAMRT_CONTINUE, values.data());
    for (const double *weights : {(const double *)nullptr, w.data()}) {
      SCOPED_TRACE(std::to_string(m) + (weights ? ", weighted" : ""));
      auto sumsIn = [&](int64_t chunk) {
        Doubles sums(count);
        inChunks(rows, chunk, [&](int64_t begin, int64_t end) {
          tamrt_gram_fourier(&ctx, values.data() + begin * n,
                             weights ? weights + begin : nullptr, end - begin,
                             n, sums.data());
        });
        return sums;
      };
      const Doubles sums = sumsIn(rows);
      for (int64_t chunk : {1, 7, 256})
        EXPECT_EQ(0, std::memcmp(sums.data(), sumsIn(chunk).data(),
                                 sums.size() * sizeof(double)))
            << "chunks of " << chunk;
      for (int64_t k = 0; k <= n; ++k) {
        long double cosine = 0, sine = 0;
        for (int64_t r = 0; r < rows; ++r) {
          const long double angle = std::acos(-1.0L) / 2 * k * x[r];
          cosine += (weights ? w[r] : 1.0) * std::cos(angle);
          sine += (weights ? w[r] : 1.0) * std::sin(angle);
        }
        EXPECT_NEAR(sums[k], cosine, 1e-10) << k;
        if (k > 0) {
          EXPECT_NEAR(sums[n + k], sine, 1e-10) << k;
        }
      }
      // The square, in the middle of a larger matrix.
      Doubles square(n * n), expected((n + 2) * (n + 2));
      Doubles a = expected;
      tamrt_gram_dense(&ctx, values.data(), weights, rows, n, square.data());
      const double *blocks[] = {square.data(), sums.data()};
      const int64_t upper[] = {1, 0, n, n, 1, 1}, own[] = {7, 0, n, n, 1, 1};
      tamrt_assemble_matrix(&ctx, upper, nullptr, nullptr, nullptr, blocks, 1,
                            rows, n + 2, 0, expected.data());
      tamrt_assemble_matrix(&ctx, own, nullptr, nullptr, nullptr, blocks + 1, 1,
                            rows, n + 2, 0, a.data());
      for (size_t e = 0; e < a.size(); ++e)
        EXPECT_NEAR(a[e], expected[e], 1e-10) << "entry " << e;
    }
  }
}

TEST_F(GramTest, RightHandSides) {
  const int64_t rows = 2 * TAMRT_SEGMENT_ROWS + 321;
  const Doubles w = uniforms(rows, 0.0, 3.0), y = uniforms(rows);
  Matrix target{Encoding::Dense, 1, 0, y};
  for (const Shape &shape : shapes) {
    Matrix a = matrix(shape, rows);
    if (a.encoding == Encoding::OneHot) {
      a.index[5] = TAMRT_INDEX_NONE;
      a.index[6] = TAMRT_INDEX_MEAN(1);
    }
    for (const double *weights : {(const double *)nullptr, w.data()}) {
      SCOPED_TRACE(nameOf(shape) + (weights ? ", weighted" : ""));
      Doubles whole(a.n);
      rhs(&ctx, a, y.data(), weights, 0, rows, whole.data());
      expectSums(a, &target, weights, rows, whole);
      for (int64_t chunk : {1, 7, 256}) {
        Doubles sums(a.n);
        inChunks(rows, chunk, [&](int64_t begin, int64_t end) {
          rhs(&ctx, a, y.data(), weights, begin, end, sums.data());
        });
        EXPECT_EQ(0, std::memcmp(sums.data(), whole.data(),
                                 whole.size() * sizeof(double)))
            << "chunks of " << chunk;
      }
    }
  }
}

} // namespace

} // namespace tamrt::test
