//===- kernels/KernelTest.h - what kernel tests share -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Common parts of the kernels' tests: a context, random encoded matrices, and
/// one call for every kernel that accumulates.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_KERNELS_KERNELTEST_H
#define TAMRT_TEST_KERNELS_KERNELTEST_H

#include "kernels/cpu/CpuKernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tamrt::test {

using Doubles = std::vector<double>;

/// A context of the CPU without an error.
inline tamrt_context cpuContext() {
  return {&tamrt_cpu_kernels, TAMRT_OK, 0, 0, nullptr};
}

/// Fails the test when it ends with an error in `ctx` that it did not clear.
class KernelTest : public ::testing::Test {
protected:
  void TearDown() override {
    EXPECT_EQ(ctx.status, TAMRT_OK) << "detail " << ctx.detail;
  }

  /// Checks for an error and clears it.
  void expectError(tamrt_status status, int64_t detail) {
    EXPECT_EQ(ctx.status, status);
    EXPECT_EQ(ctx.detail, detail);
    ctx.status = TAMRT_OK;
    ctx.detail = 0;
  }

  /// Uniform in [lo, hi).
  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(generator);
  }
  Doubles uniforms(int64_t count, double lo = -1.0, double hi = 1.0) {
    Doubles result(count);
    for (double &value : result)
      value = uniform(lo, hi);
    return result;
  }

  tamrt_context ctx = cpuContext();
  std::mt19937_64 generator{20240229};
};

/// A workspace of `size` doubles, aligned as in a plan, with arbitrary
/// contents.
class Workspace {
public:
  explicit Workspace(int64_t size) {
    void *memory = nullptr;
    const size_t bytes = std::max<int64_t>(size, 1) * sizeof(double);
    EXPECT_EQ(posix_memalign(&memory, TAMRT_ALIGNMENT, bytes), 0);
    numbers.reset(static_cast<double *>(memory));
    std::fill_n(numbers.get(), size, std::nan(""));
  }
  double *data() { return numbers.get(); }

private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<double, Free> numbers;
};

enum class Encoding { Dense, Banded, OneHot, MultiHot, Sparse };

/// A matrix in one of the encodings of kernels.def.
struct Matrix {
  Encoding encoding;
  int64_t n;
  /// Banded: width of the band. Multi-hot and sparse: numbers of a row.
  int64_t z = 0;
  Doubles values = {};
  std::vector<int32_t> start = {};
  std::vector<int32_t> index = {};
  /// Multi-hot: what all its numbers are.
  double scale = 0.0;

  /// How many values and indices a row has.
  int64_t valuesPerRow() const {
    return encoding == Encoding::Dense                                    ? n
           : encoding == Encoding::Banded || encoding == Encoding::Sparse ? z
                                                                          : 0;
  }
  int64_t indicesPerRow() const {
    return encoding == Encoding::OneHot                                     ? 1
           : encoding == Encoding::MultiHot || encoding == Encoding::Sparse ? z
                                                                            : 0;
  }

  /// The element of row r and column j.
  double at(int64_t r, int64_t j) const {
    switch (encoding) {
    case Encoding::Dense:
      return values[r * n + j];
    case Encoding::Banded:
      return j >= start[r] && j < start[r] + z ? values[r * z + j - start[r]]
                                               : 0.0;
    case Encoding::OneHot:
      if (index[r] < 0) {
        const int64_t columns = -1 - index[r];
        return j < columns ? 1.0 / static_cast<double>(columns) : 0.0;
      }
      return index[r] == j ? 1.0 : 0.0;
    case Encoding::MultiHot:
    case Encoding::Sparse: {
      double sum = 0.0;
      for (int64_t i = r * z; i < (r + 1) * z; ++i)
        if (index[i] == j)
          sum += encoding == Encoding::Sparse ? values[i] : scale;
      return sum;
    }
    }
    return 0.0;
  }
};

/// Random columns of one row with z numbers. The kernels may treat three kinds
/// differently, and each turns up: any columns, ascending ones, and runs of
/// four neighbours.
inline void randomColumns(int32_t *index, int64_t z, int64_t n,
                          std::mt19937_64 &generator) {
  auto below = [&](int64_t bound) {
    return std::uniform_int_distribution<int32_t>(
        0, static_cast<int32_t>(bound - 1))(generator);
  };
  for (int64_t i = 0; i < z; ++i)
    index[i] = below(n);
  const int32_t kind = below(4);
  if (kind == 0 || n < z)
    return;
  // Ascending: a step of at least one from each to the next.
  int64_t spare = n - z;
  int32_t column = 0;
  for (int64_t i = 0; i < z; ++i) {
    if (kind == 1 || i % 4 == 0) {
      const int32_t step = below(spare + 1);
      column += step;
      spare -= step;
    }
    index[i] = column++;
  }
  // Runs, the first of them last.
  if (kind == 3 && z % 4 == 0)
    std::rotate(index, index + 4 * (z > 4), index + z);
}

/// A random matrix; `z` of one that has it.
inline Matrix randomMatrix(Encoding encoding, int64_t rows, int64_t n,
                           int64_t z, std::mt19937_64 &generator) {
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Matrix m{encoding, n, z};
  m.values.resize(rows * m.valuesPerRow());
  m.index.resize(rows * m.indicesPerRow());
  switch (encoding) {
  case Encoding::Dense:
    break;
  case Encoding::Banded:
    m.start.resize(rows);
    for (int32_t &start : m.start)
      start = std::uniform_int_distribution<int32_t>(0, n - z)(generator);
    break;
  case Encoding::OneHot:
    for (int32_t &index : m.index)
      index = std::uniform_int_distribution<int32_t>(0, n - 1)(generator);
    break;
  case Encoding::MultiHot:
    m.scale = 1.0 / std::sqrt(static_cast<double>(z));
    [[fallthrough]];
  case Encoding::Sparse:
    for (int64_t r = 0; r < rows; ++r)
      randomColumns(m.index.data() + r * z, z, n, generator);
    break;
  }
  for (double &v : m.values)
    v = value(generator);
  // Rows that need less than z numbers have zeros, mostly at the end.
  if (encoding == Encoding::Sparse)
    for (int64_t r = 0; r < rows; r += 3) {
      std::fill_n(m.values.begin() + r * z + z / 2, z - z / 2, 0.0);
      m.values[r * z] = 0.0;
    }
  return m;
}

/// Adds rows [begin, end) of a' W b to an accumulator by the kernel for the two
/// encodings. `b` null: a' W a. The rows are copied, so that a sanitizer sees
/// reads beyond the chunk.
inline void gram(tamrt_context *ctx, const Matrix &a, const Matrix *b,
                 const double *w, int64_t begin, int64_t end, double *sums) {
  const int64_t rows = end - begin;
  auto cut = [&](const auto &all, int64_t width) {
    return std::remove_cvref_t<decltype(all)>(all.begin() + begin * width,
                                              all.begin() + end * width);
  };
  auto part = [&](const Matrix &m) {
    Matrix p{m.encoding, m.n, m.z, {}, {}, {}, m.scale};
    p.values = cut(m.values, m.valuesPerRow());
    p.start = cut(m.start, m.encoding == Encoding::Banded ? 1 : 0);
    p.index = cut(m.index, m.indicesPerRow());
    return p;
  };
  Doubles weights;
  if (w) {
    weights.assign(w + begin, w + end);
    w = weights.data();
  }
  const Matrix x = part(a);
  const double *v = x.values.data();
  const int32_t *s = x.start.data(), *i = x.index.data();
  if (!b) {
    switch (a.encoding) {
    case Encoding::Dense:
      if (TAMRT_IS_WIDE(x.n, x.n))
        return tamrt_gram_wide(ctx, v, w, rows, x.n, sums,
                               Workspace(TAMRT_WIDE_WORKSPACE).data());
      return tamrt_gram_dense(ctx, v, w, rows, x.n, sums);
    case Encoding::Banded:
      return tamrt_gram_banded(ctx, v, s, w, rows, x.z, x.n, sums);
    case Encoding::OneHot:
      return tamrt_gram_onehot(ctx, i, w, rows, x.n, sums);
    case Encoding::MultiHot:
      return tamrt_gram_multihot(ctx, i, w, rows, x.z, x.n, x.scale, sums,
                                 Workspace(TAMRT_LEAF_WORKSPACE(rows)).data());
    case Encoding::Sparse:
      return tamrt_gram_sparse(ctx, v, i, w, rows, x.z, x.n, sums);
    }
  }
  const Matrix y = part(*b);
  const double *u = y.values.data();
  const int32_t *t = y.start.data(), *k = y.index.data();
  switch (a.encoding) {
  case Encoding::Dense:
    if (TAMRT_IS_WIDE(x.n, y.n))
      return tamrt_gram_dense_wide(ctx, v, u, w, rows, x.n, y.n, sums,
                                   Workspace(TAMRT_WIDE_WORKSPACE).data());
    return tamrt_gram_dense_dense(ctx, v, u, w, rows, x.n, y.n, sums);
  case Encoding::Banded:
    if (b->encoding == Encoding::Dense)
      return tamrt_gram_banded_dense(ctx, v, s, u, w, rows, x.z, x.n, y.n,
                                     sums);
    return tamrt_gram_banded_banded(ctx, v, s, u, t, w, rows, x.z, x.n, y.z,
                                    y.n, sums);
  case Encoding::OneHot:
    if (b->encoding == Encoding::Dense)
      return tamrt_gram_onehot_dense(ctx, i, u, w, rows, x.n, y.n, sums);
    if (b->encoding == Encoding::Banded)
      return tamrt_gram_onehot_banded(ctx, i, u, t, w, rows, x.n, y.z, y.n,
                                      sums);
    return tamrt_gram_onehot_onehot(ctx, i, k, w, rows, x.n, y.n, sums);
  case Encoding::MultiHot:
    if (b->encoding == Encoding::Dense)
      return tamrt_gram_multihot_dense(ctx, i, u, w, rows, x.z, x.n, x.scale,
                                       y.n, sums);
    return tamrt_gram_multihot_banded(ctx, i, u, t, w, rows, x.z, x.n, x.scale,
                                      y.z, y.n, sums);
  case Encoding::Sparse:
    if (b->encoding == Encoding::Dense)
      return tamrt_gram_sparse_dense(ctx, v, i, u, w, rows, x.z, x.n, y.n,
                                     sums);
    return tamrt_gram_sparse_sparse(ctx, v, i, u, k, w, rows, x.z, x.n, y.z,
                                    y.n, sums);
  }
}

/// Adds rows [begin, end) of a' W y to an accumulator.
inline void rhs(tamrt_context *ctx, const Matrix &a, const double *y,
                const double *w, int64_t begin, int64_t end, double *sums) {
  const int64_t rows = end - begin;
  if (w)
    w += begin;
  y += begin;
  switch (a.encoding) {
  case Encoding::Dense:
    return tamrt_rhs_dense(ctx, a.values.data() + begin * a.n, y, w, rows, a.n,
                           sums);
  case Encoding::Banded:
    return tamrt_rhs_banded(ctx, a.values.data() + begin * a.z,
                            a.start.data() + begin, y, w, rows, a.z, a.n, sums);
  case Encoding::OneHot:
    return tamrt_rhs_onehot(ctx, a.index.data() + begin, y, w, rows, a.n, sums);
  case Encoding::MultiHot:
    return tamrt_rhs_multihot(ctx, a.index.data() + begin * a.z, y, w, rows,
                              a.z, a.n, a.scale, sums);
  case Encoding::Sparse:
    return tamrt_rhs_sparse(ctx, a.values.data() + begin * a.z,
                            a.index.data() + begin * a.z, y, w, rows, a.z, a.n,
                            sums);
  }
}

/// Whether there is a kernel for a' W b: of dense, banded and one-hot, the one
/// that comes later is a; multi-hot ones meet dense and banded ones, sparse
/// ones dense and sparse ones.
inline bool hasCrossKernel(Encoding a, Encoding b) {
  if (a == Encoding::Sparse)
    return b == Encoding::Sparse || b == Encoding::Dense;
  if (a == Encoding::MultiHot)
    return b == Encoding::Banded || b == Encoding::Dense;
  return a <= Encoding::OneHot && a >= b;
}

/// Writes a matrix into columns of a dense one.
inline void expand(tamrt_context *ctx, const Matrix &m, int64_t rows,
                   int64_t width, int64_t column, double *out) {
  const double *values = m.values.data();
  const int32_t *index = m.index.data();
  switch (m.encoding) {
  case Encoding::Dense:
    return tamrt_expand_dense(ctx, values, rows, m.n, width, column, out);
  case Encoding::Banded:
    return tamrt_expand_banded(ctx, values, m.start.data(), rows, m.z, m.n,
                               width, column, out);
  case Encoding::OneHot:
    return tamrt_expand_onehot(ctx, index, rows, m.n, width, column, out);
  case Encoding::MultiHot:
    return tamrt_expand_multihot(ctx, index, rows, m.z, m.n, m.scale, width,
                                 column, out);
  case Encoding::Sparse:
    return tamrt_expand_sparse(ctx, values, index, rows, m.z, m.n, width,
                               column, out);
  }
}

/// Writes the products of a matrix and `beta` to a column, or adds them.
inline void predict(tamrt_context *ctx, const Matrix &m, const Doubles &beta,
                    int64_t rows, int64_t width, int64_t column,
                    int64_t accumulate, double *out) {
  const double *values = m.values.data();
  const int32_t *index = m.index.data();
  switch (m.encoding) {
  case Encoding::Dense:
    return tamrt_predict_dense(ctx, values, beta.data(), rows, m.n, width,
                               column, accumulate, out);
  case Encoding::Banded:
    return tamrt_predict_banded(ctx, values, m.start.data(), beta.data(), rows,
                                m.z, m.n, width, column, accumulate, out);
  case Encoding::OneHot:
    return tamrt_predict_onehot(ctx, index, beta.data(), rows, m.n, width,
                                column, accumulate, out);
  case Encoding::MultiHot:
    return tamrt_predict_multihot(ctx, index, beta.data(), rows, m.z, m.n,
                                  m.scale, width, column, accumulate, out);
  case Encoding::Sparse:
    return tamrt_predict_sparse(ctx, values, index, beta.data(), rows, m.z, m.n,
                                width, column, accumulate, out);
  }
}

} // namespace tamrt::test

#endif // TAMRT_TEST_KERNELS_KERNELTEST_H
