//===- kernels/PointsTest.cpp - tests of points and their borders ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Points, their extrapolation beyond the range (docs/math.md section 3), and
/// layers of neurons.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <cmath>
#include <functional>
#include <limits>

namespace tamrt::test {

namespace {

class PointsTest : public KernelTest {
protected:
  struct Borders {
    Doubles border, inside, amount;
  };
  Borders borders(const Doubles &points, int64_t d, int64_t mode) {
    const int64_t rows = points.size() / d;
    Borders b{Doubles(rows * d), Doubles(rows * d), Doubles(rows)};
    tamrt_boundary(&ctx, points.data(), rows, d, mode, b.border.data(),
                   b.inside.data(), b.amount.data());
    return b;
  }
};

TEST_F(PointsTest, Stack) {
  for (int64_t d = 1; d < 14; ++d)
    for (int64_t rows = 0; rows < 12; ++rows) {
      std::vector<Doubles> columns;
      std::vector<const double *> pointers;
      for (int64_t j = 0; j < d; ++j)
        columns.push_back(uniforms(rows));
      for (const Doubles &column : columns)
        pointers.push_back(column.data());
      Doubles points(rows * d + 1, -7.0);
      tamrt_stack(&ctx, pointers.data(), d, rows, points.data());
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < d; ++j)
          ASSERT_EQ(points[r * d + j], columns[j][r]) << d << " x " << rows;
      EXPECT_EQ(points[rows * d], -7.0);
    }
}

TEST_F(PointsTest, Slice) {
  const int64_t rows = 11, d = 4;
  const Doubles points = uniforms(rows * d);
  for (int64_t column = 0; column < d; ++column)
    for (int64_t n = 0; n <= d - column; ++n) {
      Doubles out(rows * n);
      tamrt_slice(&ctx, points.data(), rows, d, column, n, out.data());
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < n; ++j)
          EXPECT_EQ(out[r * n + j], points[r * d + column + j]);
    }
  tamrt_slice(&ctx, points.data(), rows, d, 5, 0, nullptr);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 4);
  tamrt_slice(&ctx, points.data(), rows, d, 2, 3, nullptr);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 5);
}

TEST_F(PointsTest, Boundary) {
  const int64_t rows = 200;
  for (int64_t d : {1, 2, 5}) {
    const Doubles points = uniforms(rows * d, -1.3, 1.3);
    for (int64_t mode : {TAMRT_CONSTANT, TAMRT_LINEAR, TAMRT_SATURATION}) {
      const Borders b = borders(points, d, mode);
      int64_t beyond = 0;
      for (int64_t r = 0; r < rows; ++r) {
        long double square = 0;
        for (int64_t j = 0; j < d; ++j) {
          const double v = points[r * d + j];
          const double clamped = std::min(1.0, std::max(-1.0, v));
          EXPECT_EQ(b.border[r * d + j], clamped);
          square += std::pow(static_cast<long double>(v) - clamped, 2);
        }
        const long double away = std::sqrt(square);
        beyond += away > 0;
        for (int64_t j = 0; j < d; ++j) {
          const double border = b.border[r * d + j];
          const long double u =
              away > 0 ? (points[r * d + j] - border) / away : 0;
          EXPECT_NEAR(b.inside[r * d + j], border - 1e-5L * u, 3e-16);
        }
        EXPECT_NEAR(b.amount[r],
                    mode == TAMRT_LINEAR       ? away
                    : mode == TAMRT_SATURATION ? (1 - std::exp(-2 * away)) / 2
                                               : 0,
                    1e-15);
        if (away == 0) {
          EXPECT_EQ(b.amount[r], 0.0);
        }
      }
      EXPECT_GT(beyond, rows / 10);
      EXPECT_TRUE(d == 5 || beyond < rows / 2);
    }
  }
}

TEST_F(PointsTest, BoundaryOfFarPoints) {
  const Borders b = borders({1e300, -1e300, 0.5, 1e308}, 2, TAMRT_LINEAR);
  EXPECT_EQ(b.border, (Doubles{1.0, -1.0, 0.5, 1.0}));
  EXPECT_NEAR(b.amount[0], std::sqrt(2.0) * 1e300, 1e285);
  EXPECT_EQ(b.amount[1], 1e308);
  EXPECT_NEAR(b.inside[0], 1.0 - 1e-5 / std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(b.inside[1], -1.0 + 1e-5 / std::sqrt(2.0), 1e-15);
  for (int64_t mode : {int64_t(TAMRT_CONTINUE), int64_t(4), int64_t(-1)}) {
    borders({0.0}, 1, mode);
    expectError(TAMRT_ERROR_INVALID_ARGUMENT, 4);
  }
}

TEST_F(PointsTest, BlendDense) {
  const int64_t rows = 30, n = 3;
  const Doubles border = uniforms(rows * n), amount = uniforms(rows, 0.0, 2.0);
  Doubles inside = border, amounts = amount;
  for (int64_t i = 0; i < rows * n; ++i)
    inside[i] += uniform(-1e-5, 1e-5);
  // Where nothing is added, the second evaluation is not read.
  for (int64_t r = 0; r < rows; r += 2) {
    amounts[r] = 0.0;
    inside[r * n] = std::nan("");
  }
  Doubles values(rows * n);
  tamrt_blend_dense(&ctx, border.data(), inside.data(), amounts.data(), rows, n,
                    values.data());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < n; ++j) {
      const double at = border[r * n + j];
      if (r % 2 == 0)
        EXPECT_EQ(values[r * n + j], at);
      else
        EXPECT_NEAR(values[r * n + j],
                    at + amount[r] * ((at - inside[r * n + j]) / 1e-5), 1e-15);
    }
}

TEST_F(PointsTest, BlendSparse) {
  const int64_t rows = 40, n = 12, z = 4;
  Matrix border = randomMatrix(Encoding::Sparse, rows, n, z, generator);
  Matrix inside = randomMatrix(Encoding::Sparse, rows, n, z, generator);
  Doubles amount = uniforms(rows, 0.0, 2.0);
  // The usual case: the same columns, and numbers near each other.
  for (int64_t i = 0; i < rows / 2 * z; ++i) {
    inside.index[i] = border.index[i];
    inside.values[i] = border.values[i] + uniform(-1e-5, 1e-5);
  }
  for (int64_t r = 0; r < rows; r += 3)
    amount[r] = 0.0;
  Matrix blended{Encoding::Sparse, n, 2 * z, Doubles(rows * 2 * z)};
  blended.index.assign(rows * 2 * z, -1);
  Matrix second = inside;
  for (int64_t r = 0; r < rows; r += 3)
    for (int64_t i = 0; i < z; ++i) {
      second.values[r * z + i] = std::nan("");
      second.index[r * z + i] = -1000;
    }
  tamrt_blend_sparse(&ctx, border.values.data(), border.index.data(),
                     second.values.data(), second.index.data(), amount.data(),
                     rows, z, n, blended.values.data(), blended.index.data());
  for (int32_t column : blended.index)
    ASSERT_TRUE(column >= 0 && column < n);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < n; ++j) {
      const double at = border.at(r, j);
      const double expected = at + amount[r] * ((at - inside.at(r, j)) / 1e-5);
      EXPECT_NEAR(blended.at(r, j), expected, r < rows / 2 ? 1e-10 : 1e-9);
    }
}

// A leaf that is the same on both sides has no slope, to the last bit.
TEST_F(PointsTest, BlendSparseOfEqualRows) {
  const Doubles values = {0.1, 0.7}, amount = {1.234};
  const std::vector<int32_t> index = {5, 2};
  Doubles out(4);
  std::vector<int32_t> columns(4);
  tamrt_blend_sparse(&ctx, values.data(), index.data(), values.data(),
                     index.data(), amount.data(), 1, 2, 6, out.data(),
                     columns.data());
  EXPECT_EQ(out, (Doubles{0.1, 0.7, 0.0, 0.0}));
}

// So are the columns of a row with fewer numbers than the other. Those of one
// row alone stay at their places, which decide in what order they are added.
TEST_F(PointsTest, BlendSparseOfRowsWithZeros) {
  const Doubles border = {0.5, 0.25, 0.0, 0.0}, inside = {0.1, 0.5, 0.25, 0.2};
  const std::vector<int32_t> at = {1, 2, 0, 0}, inner = {0, 1, 2, 3};
  const Doubles amount = {1.5};
  Doubles out(8);
  std::vector<int32_t> columns(8);
  tamrt_blend_sparse(&ctx, border.data(), at.data(), inside.data(),
                     inner.data(), amount.data(), 1, 4, 6, out.data(),
                     columns.data());
  const double first = 1.5 * (-0.1 / 1e-5), last = 1.5 * (-0.2 / 1e-5);
  EXPECT_EQ(out, (Doubles{0.5, 0.25, 0.0, 0.0, first, 0.0, 0.0, last}));
  EXPECT_EQ(columns, (std::vector<int32_t>{1, 2, 0, 0, 0, 2, 0, 3}));
}

TEST_F(PointsTest, NeuralLayer) {
  const std::function<long double(long double)> activations[] = {
      [](long double v) { return v > 0 ? v : 0; },
      [](long double v) { return std::cos(v); },
      [](long double v) { return std::tanh(v); },
  };
  for (int64_t rows : {1, 3, 4, 9})
    for (int64_t d : {1, 2, 17})
      for (int64_t n : {1, 7, 8, 30})
        for (int64_t activation : {TAMRT_RELU, TAMRT_COS, TAMRT_TANH}) {
          Doubles h = uniforms(rows * d);
          const Doubles weights = uniforms(d * n, -2.0, 2.0);
          const Doubles bias = uniforms(n, -1.0, 1.0);
          Doubles only = uniforms(rows, 0.0, 1.0);
          for (int64_t r = 1; r < rows; r += 3)
            only[r] = 0.0;
          Doubles values(rows * n), some(rows * n, 7.0);
          tamrt_neural_layer(&ctx, h.data(), weights.data(), bias.data(),
                             nullptr, rows, d, n, activation, 0.3,
                             values.data());
          for (int64_t r = 0; r < rows; ++r)
            for (int64_t j = 0; j < n; ++j) {
              long double sum = bias[j];
              for (int64_t k = 0; k < d; ++k)
                sum +=
                    static_cast<long double>(h[r * d + k]) * weights[k * n + j];
              ASSERT_NEAR(values[r * n + j],
                          0.3L * activations[activation](sum), 1e-14);
            }
          for (int64_t r = 1; r < rows; r += 3)
            h[r * d] = std::nan("");
          tamrt_neural_layer(&ctx, h.data(), weights.data(), bias.data(),
                             only.data(), rows, d, n, activation, 0.3,
                             some.data());
          for (int64_t r = 0; r < rows; ++r)
            for (int64_t j = 0; j < n; ++j)
              ASSERT_EQ(some[r * n + j],
                        only[r] == 0.0 ? 7.0 : values[r * n + j]);
        }
}

TEST_F(PointsTest, ArgumentsOutsideTheContract) {
  for (int64_t activation : {-1, 3}) {
    tamrt_neural_layer(&ctx, nullptr, nullptr, nullptr, nullptr, 0, 1, 1,
                       activation, 1.0, nullptr);
    expectError(TAMRT_ERROR_INVALID_ARGUMENT, 8);
  }
}

} // namespace

} // namespace tamrt::test
