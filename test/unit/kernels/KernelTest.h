//===- kernels/KernelTest.h - what kernel tests share -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the tests of the kernels share: a context, random encoded matrices, and
/// one call for every kernel that accumulates.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_KERNELS_KERNELTEST_H
#define TAMRT_TEST_KERNELS_KERNELTEST_H

#include "kernels/cpu/CpuKernels.h"

#include <gtest/gtest.h>

#include <cstdint>
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

enum class Encoding { Dense, Banded, OneHot };

/// A matrix in one of the encodings of kernels.def.
struct Matrix {
  Encoding encoding;
  int64_t n;
  /// Banded: width of the band.
  int64_t z = 0;
  Doubles values;
  std::vector<int32_t> start;
  std::vector<int32_t> index;

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
    }
    return 0.0;
  }
};

/// A random matrix; `z` of a banded one.
inline Matrix randomMatrix(Encoding encoding, int64_t rows, int64_t n,
                           int64_t z, std::mt19937_64 &generator) {
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Matrix m{encoding, n, z, {}, {}, {}};
  switch (encoding) {
  case Encoding::Dense:
    m.values.resize(rows * n);
    break;
  case Encoding::Banded:
    m.values.resize(rows * z);
    m.start.resize(rows);
    for (int32_t &start : m.start)
      start = std::uniform_int_distribution<int32_t>(0, n - z)(generator);
    break;
  case Encoding::OneHot:
    m.index.resize(rows);
    for (int32_t &index : m.index)
      index = std::uniform_int_distribution<int32_t>(0, n - 1)(generator);
    break;
  }
  for (double &v : m.values)
    v = value(generator);
  return m;
}

/// Adds rows [begin, end) of a' W b to an accumulator by the kernel for the two
/// encodings. `b` null: a' W a. The rows are copied, so that a sanitizer sees
/// reads beyond the chunk.
inline void gram(tamrt_context *ctx, const Matrix &a, const Matrix *b,
                 const double *w, int64_t begin, int64_t end, int64_t first,
                 double *sums) {
  const int64_t rows = end - begin;
  auto cut = [&](const auto &all, int64_t width) {
    return std::remove_cvref_t<decltype(all)>(all.begin() + begin * width,
                                              all.begin() + end * width);
  };
  auto part = [&](const Matrix &m) {
    Matrix p{m.encoding, m.n, m.z, {}, {}, {}};
    p.values = cut(m.values, m.encoding == Encoding::Dense    ? m.n
                             : m.encoding == Encoding::Banded ? m.z
                                                              : 0);
    p.start = cut(m.start, m.encoding == Encoding::Banded ? 1 : 0);
    p.index = cut(m.index, m.encoding == Encoding::OneHot ? 1 : 0);
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
      return tamrt_gram_dense(ctx, v, w, rows, first, x.n, sums);
    case Encoding::Banded:
      return tamrt_gram_banded(ctx, v, s, w, rows, first, x.z, x.n, sums);
    case Encoding::OneHot:
      return tamrt_gram_onehot(ctx, i, w, rows, first, x.n, sums);
    }
  }
  const Matrix y = part(*b);
  const double *u = y.values.data();
  const int32_t *t = y.start.data(), *k = y.index.data();
  switch (a.encoding) {
  case Encoding::Dense:
    return tamrt_gram_dense_dense(ctx, v, u, w, rows, first, x.n, y.n, sums);
  case Encoding::Banded:
    if (b->encoding == Encoding::Dense)
      return tamrt_gram_banded_dense(ctx, v, s, u, w, rows, first, x.z, x.n,
                                     y.n, sums);
    return tamrt_gram_banded_banded(ctx, v, s, u, t, w, rows, first, x.z, x.n,
                                    y.z, y.n, sums);
  case Encoding::OneHot:
    if (b->encoding == Encoding::Dense)
      return tamrt_gram_onehot_dense(ctx, i, u, w, rows, first, x.n, y.n, sums);
    if (b->encoding == Encoding::Banded)
      return tamrt_gram_onehot_banded(ctx, i, u, t, w, rows, first, x.n, y.z,
                                      y.n, sums);
    return tamrt_gram_onehot_onehot(ctx, i, k, w, rows, first, x.n, y.n, sums);
  }
}

/// Adds rows [begin, end) of a' W y to an accumulator.
inline void rhs(tamrt_context *ctx, const Matrix &a, const double *y,
                const double *w, int64_t begin, int64_t end, int64_t first,
                double *sums) {
  const int64_t rows = end - begin;
  if (w)
    w += begin;
  y += begin;
  switch (a.encoding) {
  case Encoding::Dense:
    return tamrt_rhs_dense(ctx, a.values.data() + begin * a.n, y, w, rows,
                           first, a.n, sums);
  case Encoding::Banded:
    return tamrt_rhs_banded(ctx, a.values.data() + begin * a.z,
                            a.start.data() + begin, y, w, rows, first, a.z, a.n,
                            sums);
  case Encoding::OneHot:
    return tamrt_rhs_onehot(ctx, a.index.data() + begin, y, w, rows, first, a.n,
                            sums);
  }
}

} // namespace tamrt::test

#endif // TAMRT_TEST_KERNELS_KERNELTEST_H
