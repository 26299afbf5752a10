//===- core/run/StrengthChange.cpp - changes of one penalty ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/StrengthChange.h"

#include "kernels/InstructionSets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tamrt {
namespace {

/// Replaces a symmetric matrix C by H C H, H = I - 2 u u'; u is 0 before
/// `first`. Rows and columns before `from` are left as they are. `w` is memory.
TAMRT_HOT void reflect(const double *u, size_t first, size_t from, Matrix &c,
                       double *w) {
  const size_t n = c.rows;
  std::fill(w + from, w + n, 0.0);
  for (size_t k = first; k < n; ++k)
    addTimes(2 * u[k], c.row(k) + from, n - from, w + from);
  const double half = dot(u + first, w + first, n - first);
  for (size_t k = first; k < n; ++k)
    w[k] -= half * u[k];
  for (size_t i = from; i < n; ++i) {
    addTimes(-w[i], u + first, n - first, c.row(i) + first);
    if (i >= first)
      addTimes(-u[i], w + from, n - from, c.row(i) + from);
  }
}

/// Finds a change by the factor R of I + c M. \returns false if it would lose
/// digits.
TAMRT_HOT bool findByFactor(const Visit &visit, double c, Change &change) {
  const size_t r = visit.middle.rows;
  Matrix factor(r, r), inverse(r, r);
  for (size_t i = 0; i < r; ++i) {
    for (size_t k = 0; k <= i; ++k) {
      const double sum = (i == k ? 1.0 : 0.0) + c * visit.middle.row(i)[k] -
                         dot(factor.row(i), factor.row(k), k);
      if (i == k && !(sum >= kLeastPivot))
        return false;
      factor.row(i)[k] = i == k ? std::sqrt(sum) : sum / factor.row(k)[k];
    }
    double *row = inverse.row(i);
    for (size_t k = 0; k < i; ++k)
      addTimes(-factor.row(i)[k], inverse.row(k), k + 1, row);
    for (size_t k = 0; k < i; ++k)
      row[k] /= factor.row(i)[i];
    row[i] = 1 / factor.row(i)[i];
  }
  std::vector<double> &q = change.vector;
  q.assign(r, 0);
  for (size_t i = 0; i < r; ++i)
    addTimes(c * dot(inverse.row(i), visit.vector.data(), i + 1),
             inverse.row(i), i + 1, q.data());
  std::vector<double> row(r);
  for (size_t i = 0; i < r; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (size_t k = 0; k <= i; ++k)
      addTimes(inverse.row(i)[k], visit.gram.row(k), i + 1, row.data());
    change.trace += c * dot(row.data(), inverse.row(i), i + 1);
    change.quadratic += q[i] * dot(visit.gram.row(i), q.data(), r);
  }
  return true;
}

/// The same where M is tridiagonal. O(r^2).
TAMRT_HOT bool findReduced(const Visit &visit, double c, Change &change) {
  const size_t r = visit.middle.rows;
  // I + c M = R D R', R having `below` under its unit diagonal.
  std::vector<double> pivots(r), below(r), row(r);
  for (size_t i = 0; i < r; ++i) {
    pivots[i] = 1 + c * visit.middle.row(i)[i];
    if (i > 0) {
      const double side = c * visit.middle.row(i)[i - 1];
      below[i - 1] = side / pivots[i - 1];
      pivots[i] -= below[i - 1] * side;
    }
    if (!(pivots[i] >= kLeastPivot))
      return false;
  }
  std::vector<double> &q = change.vector;
  q = visit.vector;
  for (size_t i = 1; i < r; ++i)
    q[i] -= below[i - 1] * q[i - 1];
  for (size_t i = 0; i < r; ++i)
    q[i] *= c / pivots[i];
  for (size_t i = r; i-- > 1;)
    q[i - 1] -= below[i - 1] * q[i];
  // The rows of the inverse of I + c M, the last one first, of which each is a
  // multiple of the next right of the diagonal.
  for (size_t i = r; i-- > 0;) {
    const double *gram = visit.gram.row(i);
    const double factor = i + 1 < r ? -below[i] : 0;
    for (size_t k = i + 1; k < r; ++k)
      row[k] *= factor;
    row[i] = 1 / pivots[i] + (i + 1 < r ? factor * row[i + 1] : 0);
    const size_t right = i + 1;
    change.trace += c * (row[i] * gram[i] +
                         2 * dot(row.data() + right, gram + right, r - right));
    change.quadratic += q[i] * dot(gram, q.data(), r);
  }
  return true;
}

} // namespace

void reduce(Visit &visit) {
  Matrix &m = visit.middle;
  const size_t r = m.rows;
  std::vector<double> u(r), memory(r);
  for (size_t column = 0; column + 2 < r; ++column) {
    const size_t first = column + 1, length = r - first;
    double *const v = u.data() + first;
    for (size_t i = first; i < r; ++i)
      u[i] = m.row(i)[column];
    const double norm = std::sqrt(dot(v, v, length));
    const double side = -std::copysign(norm, *v);
    *v -= side;
    const double scale = std::sqrt(dot(v, v, length));
    if (!(scale > 0))
      continue;
    for (size_t i = 0; i < length; ++i)
      v[i] /= scale;
    m.row(first)[column] = side;
    reflect(u.data(), first, first, m, memory.data());
    reflect(u.data(), first, 0, visit.gram, memory.data());
    for (std::vector<double> *of : {&visit.vector, &visit.fitted})
      addTimes(-2 * dot(v, of->data() + first, length), v, length,
               of->data() + first);
    u[first] = 0;
  }
  visit.isReduced = true;
}

bool findChange(const Visit &visit, double c, Change &change) {
  return visit.isReduced ? findReduced(visit, c, change)
                         : findByFactor(visit, c, change);
}

Fit fitOf(const Visit &visit, const Change &change) {
  const std::vector<double> &q = change.vector;
  const Fit &from = visit.fit;
  return {from.vectorBeta - dot(visit.vector.data(), q.data(), q.size()),
          from.betaSBeta - 2 * dot(visit.fitted.data(), q.data(), q.size()) +
              change.quadratic,
          from.trace - change.trace};
}

} // namespace tamrt
