//===- core/run/SymmetricEigen.cpp - eigenvectors of symmetric matrices ---===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/SymmetricEigen.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamrt {
namespace {

/// a'b in four parts, which a compiler can add at once.
double product(const double *a, const double *b, size_t count) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (size_t k = 0; k < 4; ++k)
      sums[k] += a[i + k] * b[i + k];
  for (; i < count; ++i)
    sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Rows p and q become c p - s q and s p + c q.
void rotate(double *__restrict p, double *__restrict q, double c, double s,
            size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double a = p[i], b = q[i];
    p[i] = c * a - s * b;
    q[i] = s * a + c * b;
  }
}

} // namespace

SymmetricEigen eigenOf(Matrix a) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  constexpr int kSweeps = 60;
  const size_t n = a.rows;
  // The rows of V, and of a those of VA, which are made orthogonal.
  SymmetricEigen eigen = {std::vector<double>(n), Matrix(n, n)};
  Matrix &vectors = eigen.vectors;
  for (size_t i = 0; i < n; ++i)
    vectors.row(i)[i] = 1;
  std::vector<double> squares(n);
  bool isOrthogonal = false;
  for (int sweep = 0; sweep < kSweeps && !isOrthogonal; ++sweep) {
    isOrthogonal = true;
    for (size_t i = 0; i < n; ++i)
      squares[i] = product(a.row(i), a.row(i), n);
    // Rows of the null space are rounding errors, which have every angle.
    const double least =
        n == 0
            ? 0
            : double(n) * kEpsilon *
                  std::sqrt(*std::max_element(squares.begin(), squares.end()));
    for (size_t p = 0; p < n; ++p)
      for (size_t q = p + 1; q < n; ++q) {
        if (std::min(squares[p], squares[q]) <= least * least)
          continue;
        const double cross = product(a.row(p), a.row(q), n);
        if (!(std::fabs(cross) > std::sqrt(double(n)) * kEpsilon *
                                     std::sqrt(squares[p]) *
                                     std::sqrt(squares[q])))
          continue;
        isOrthogonal = false;
        const double zeta = (squares[q] - squares[p]) / (2 * cross);
        // The smaller of the two angles.
        const double t = std::copysign(1.0, zeta) /
                         (std::fabs(zeta) + std::sqrt(zeta * zeta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        rotate(a.row(p), a.row(q), c, s, n);
        rotate(vectors.row(p), vectors.row(q), c, s, n);
        squares[p] -= t * cross;
        squares[q] += t * cross;
      }
  }
  for (size_t i = 0; i < n; ++i)
    eigen.values[i] = std::sqrt(product(a.row(i), a.row(i), n));
  return eigen;
}

} // namespace tamrt
