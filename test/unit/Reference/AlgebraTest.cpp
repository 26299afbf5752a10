//===- AlgebraTest.cpp - tests of sums and systems ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Algebra.h"

#include "Inference.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tamc::reference;

static Matrix matrixOf(size_t rows, size_t columns, Vector values) {
  Matrix m(rows, columns);
  m.values = std::move(values);
  return m;
}

TEST(Algebra, GramAddsToWhatIsThere) {
  Matrix a = matrixOf(3, 2, {1, 2, 3, 4, 5, 6});
  Matrix b = matrixOf(3, 1, {1, 0, -1});
  Matrix sum = matrixOf(2, 1, {100, 200});
  addGram(a, b, nullptr, sum);
  EXPECT_EQ(matrixOf(2, 1, {96, 196}), sum);
  Vector weights{1, 5, 2};
  sum = Matrix(2, 1);
  addGram(a, b, &weights, sum);
  EXPECT_EQ(matrixOf(2, 1, {-9, -10}), sum);
}

TEST(Algebra, Rhs) {
  Matrix a = matrixOf(2, 2, {1, 2, 3, 4});
  Vector sum{10, 0};
  addRhs(a, {1, -1}, nullptr, sum);
  EXPECT_EQ((Vector{8, -2}), sum);
  Vector weights{0.5, 2};
  addRhs(a, {1, -1}, &weights, sum);
  EXPECT_EQ((Vector{2.5, -9}), sum);
}

TEST(Algebra, CholeskyReadsTheLowerTriangle) {
  // L = [2 0; 1 3], A = L L' = [4 2; 2 10], A (1, -1)' = (2, -8)'.
  auto x = solveCholesky(matrixOf(2, 2, {4, 999, 2, 10}), {2, -8});
  ASSERT_TRUE(x);
  EXPECT_DOUBLE_EQ(1, (*x)[0]);
  EXPECT_DOUBLE_EQ(-1, (*x)[1]);
}

TEST(Algebra, CholeskyNamesThePivot) {
  size_t pivot = 99;
  EXPECT_FALSE(solveCholesky(matrixOf(2, 2, {1, 2, 2, 4}), {1, 1}, &pivot));
  EXPECT_EQ(1u, pivot);
}

TEST(Algebra, Inverse) {
  // |A| = 36; the inverse is [10 -2; -2 4] / 36.
  double logDeterminant = 0;
  auto inverse =
      invertCholesky(matrixOf(2, 2, {4, 999, 2, 10}), logDeterminant);
  ASSERT_TRUE(inverse);
  EXPECT_DOUBLE_EQ(std::log(36.0), logDeterminant);
  const Vector expected{10. / 36, -2. / 36, -2. / 36, 4. / 36};
  for (size_t i = 0; i < 4; ++i)
    EXPECT_DOUBLE_EQ(expected[i], inverse->values[i]);
  // Scaled, A is [1 r; r 1] with r = 2 / sqrt(40): (1 + r) / (1 - r).
  const double r = 2 / std::sqrt(40.0);
  EXPECT_DOUBLE_EQ((1 + r) / (1 - r),
                   conditionOf(matrixOf(2, 2, {4, 999, 2, 10}), *inverse));
  size_t pivot = 99;
  EXPECT_FALSE(
      invertCholesky(matrixOf(2, 2, {1, 2, 2, 4}), logDeterminant, &pivot));
  EXPECT_EQ(1u, pivot);
}

TEST(Algebra, Triangles) {
  const Matrix whole = matrixOf(3, 3, {1, 2, 4, 2, 3, 5, 4, 5, 6});
  EXPECT_EQ((Vector{1, 2, 3, 4, 5, 6}), triangleOf(whole));
  EXPECT_EQ(whole, symmetricOf({1, 2, 3, 4, 5, 6}, 3));
  EXPECT_EQ(1 + 3 + 6 - 2 * 2 + 2 * 4 - 2 * 5,
            quadraticForm({1, -1, 1}, whole, 0, 3));
  EXPECT_EQ(3 + 6 - 2 * 5, quadraticForm({1, -1, 1}, whole, 1, 3));
  // X A has the rows 1, 2 and 1 of A.
  EXPECT_EQ(
      (Vector{2, 5 + 5}),
      tracesOf(matrixOf(3, 3, {0, 1, 0, 0, 0, 1, 0, 1, 0}), whole, {1, 2}));
}
