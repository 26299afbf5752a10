//===- Algebra.cpp - sums and systems of equations ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Sums are long double: an oracle should be more accurate than what it judges.
//
//===----------------------------------------------------------------------===//

#include "Algebra.h"

#include <cmath>

using namespace tamc::reference;

void tamc::reference::addGram(const Matrix &a, const Matrix &b,
                              const Vector *weights, Matrix &sum) {
  for (size_t i = 0; i < a.columns; ++i)
    for (size_t j = 0; j < b.columns; ++j) {
      long double total = sum.at(i, j);
      for (size_t row = 0; row < a.rows; ++row)
        total += static_cast<long double>(a.at(row, i)) * b.at(row, j) *
                 (weights ? (*weights)[row] : 1.0);
      sum.at(i, j) = static_cast<double>(total);
    }
}

void tamc::reference::addRhs(const Matrix &a, const Vector &y,
                             const Vector *weights, Vector &sum) {
  for (size_t i = 0; i < a.columns; ++i) {
    long double total = sum[i];
    for (size_t row = 0; row < a.rows; ++row)
      total += static_cast<long double>(a.at(row, i)) * y[row] *
               (weights ? (*weights)[row] : 1.0);
    sum[i] = static_cast<double>(total);
  }
}

void tamc::reference::addSquares(const Matrix &a, const Vector *weights,
                                 Vector &sum) {
  for (size_t row = 0; row < a.rows; ++row)
    for (size_t i = 0; i < a.columns; ++i)
      sum[i] += (weights ? (*weights)[row] : 1) * a.at(row, i) * a.at(row, i);
}

using Rows = std::vector<std::vector<long double>>;

static std::optional<Rows> factor(const Matrix &a, size_t *pivot) {
  size_t n = a.rows;
  Rows l(n, std::vector<long double>(n));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      long double rest = a.at(i, j);
      for (size_t k = 0; k < j; ++k)
        rest -= l[i][k] * l[j][k];
      if (i != j) {
        l[i][j] = rest / l[j][j];
        continue;
      }
      if (!(rest > 0)) {
        if (pivot)
          *pivot = i;
        return std::nullopt;
      }
      l[i][i] = std::sqrt(rest);
    }
  return l;
}

static Vector solve(const Rows &l, const Vector &b) {
  size_t n = l.size();
  std::vector<long double> x(b.begin(), b.end());
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k)
      x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k)
      x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return Vector(x.begin(), x.end());
}

std::optional<Matrix> tamc::reference::factorCholesky(const Matrix &a,
                                                      size_t *pivot) {
  auto rows = factor(a, pivot);
  if (!rows)
    return std::nullopt;
  Matrix l(a.rows, a.rows);
  for (size_t i = 0; i < l.rows; ++i)
    for (size_t j = 0; j <= i; ++j)
      l.at(i, j) = static_cast<double>((*rows)[i][j]);
  return l;
}

Vector tamc::reference::solveFactored(const Matrix &l, const Vector &b) {
  Rows rows(l.rows, std::vector<long double>(l.rows));
  for (size_t i = 0; i < l.rows; ++i)
    for (size_t j = 0; j <= i; ++j)
      rows[i][j] = l.at(i, j);
  return solve(rows, b);
}

std::optional<Vector> tamc::reference::solveCholesky(const Matrix &a,
                                                     const Vector &b,
                                                     size_t *pivot) {
  auto rows = factor(a, pivot);
  if (!rows)
    return std::nullopt;
  return solve(*rows, b);
}

std::optional<Matrix> tamc::reference::invertCholesky(const Matrix &a,
                                                      double &logDeterminant,
                                                      size_t *pivot) {
  auto rows = factor(a, pivot);
  if (!rows)
    return std::nullopt;
  Matrix inverse(a.rows, a.rows);
  long double sum = 0;
  for (size_t j = 0; j < a.rows; ++j) {
    sum += 2 * std::log((*rows)[j][j]);
    Vector unit(a.rows);
    unit[j] = 1;
    const Vector column = solve(*rows, unit);
    for (size_t i = 0; i < a.rows; ++i)
      inverse.at(i, j) = column[i];
  }
  logDeterminant = static_cast<double>(sum);
  return inverse;
}
