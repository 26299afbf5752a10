//===- core/run/SymmetricEigen.cpp - eigenvectors of small matrices -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/SymmetricEigen.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// Rows p and q become c p - s q and s p + c q.
void rotate(double *p, double *q, double c, double s, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double a = p[i], b = q[i];
    p[i] = c * a - s * b;
    q[i] = s * a + c * b;
  }
}

/// Makes a[p][q] zero.
void annihilate(Matrix &a, Matrix &vectors, size_t p, size_t q) {
  const double apq = a.row(p)[q];
  const double theta = (a.row(q)[q] - a.row(p)[p]) / (2 * apq);
  // The smaller of the two angles; for a huge theta 1 / (2 theta).
  const double t = std::copysign(1.0, theta) /
                   (std::fabs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  const double app = a.row(p)[p] - t * apq, aqq = a.row(q)[q] + t * apq;
  rotate(a.row(p), a.row(q), c, s, a.columns);
  for (size_t i = 0; i < a.rows; ++i) {
    a.row(i)[p] = a.row(p)[i];
    a.row(i)[q] = a.row(q)[i];
  }
  a.row(p)[p] = app;
  a.row(q)[q] = aqq;
  a.row(p)[q] = a.row(q)[p] = 0;
  rotate(vectors.row(p), vectors.row(q), c, s, vectors.columns);
}

} // namespace

SymmetricEigen eigenOf(Matrix a) {
  const size_t n = a.rows;
  SymmetricEigen eigen = {std::vector<double>(n), Matrix(n, n)};
  double largest = 0;
  for (size_t i = 0; i < n; ++i) {
    eigen.vectors.row(i)[i] = 1;
    for (size_t k = 0; k <= i; ++k)
      largest = std::max(largest, std::fabs(a.row(i)[k]));
  }
  // Once rotations are small they converge quadratically, so that the last
  // sweep leaves far less than rounding errors.
  constexpr double kNegligible = 1e-20;
  constexpr int kSweeps = 60;
  bool isDiagonal = false;
  for (int sweep = 0; sweep < kSweeps && !isDiagonal; ++sweep) {
    isDiagonal = true;
    for (size_t p = 0; p < n; ++p)
      for (size_t q = p + 1; q < n; ++q)
        if (std::fabs(a.row(p)[q]) > kNegligible * largest) {
          annihilate(a, eigen.vectors, p, q);
          isDiagonal = false;
        }
  }
  for (size_t i = 0; i < n; ++i)
    eigen.values[i] = a.row(i)[i];
  return eigen;
}

} // namespace tamrt
