//===- Inference.cpp - inverses, traces and forms, the plain way ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inference.h"

#include <algorithm>
#include <cmath>

using namespace tamc::reference;

double tamc::reference::conditionOf(const Matrix &a, const Matrix &inverse) {
  long double most = 0, mostInverse = 0;
  for (size_t j = 0; j < a.rows; ++j) {
    long double sum = 0, sumInverse = 0;
    for (size_t i = 0; i < a.rows; ++i) {
      const long double unit =
          std::sqrt(static_cast<long double>(a.at(i, i)) * a.at(j, j));
      sum += std::abs(a.at(std::max(i, j), std::min(i, j))) / unit;
      sumInverse += std::abs(inverse.at(i, j)) * unit;
    }
    most = std::max(most, sum);
    mostInverse = std::max(mostInverse, sumInverse);
  }
  return static_cast<double>(most * mostInverse);
}

Vector tamc::reference::triangleOf(const Matrix &a) {
  Vector triangle;
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j <= i; ++j)
      triangle.push_back(a.at(i, j));
  return triangle;
}

Matrix tamc::reference::symmetricOf(const Vector &triangle, size_t n) {
  Matrix whole(n, n);
  for (size_t i = 0, at = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j, ++at)
      whole.at(i, j) = whole.at(j, i) = triangle[at];
  return whole;
}

double tamc::reference::quadraticForm(const Vector &x, const Matrix &v,
                                      size_t first, size_t end) {
  long double sum = 0;
  for (size_t i = first; i < end; ++i)
    for (size_t j = first; j < end; ++j)
      sum += static_cast<long double>(x[i]) * v.at(i, j) * x[j];
  return static_cast<double>(sum);
}

Vector tamc::reference::tracesOf(const Matrix &x, const Matrix &a,
                                 llvm::ArrayRef<int64_t> columns) {
  Vector traces;
  size_t i = 0;
  for (int64_t count : columns) {
    long double sum = 0;
    for (const size_t end = i + count; i < end; ++i)
      for (size_t k = 0; k < a.rows; ++k)
        sum += static_cast<long double>(x.at(i, k)) * a.at(k, i);
    traces.push_back(static_cast<double>(sum));
  }
  return traces;
}

Vector tamc::reference::columnMeans(const Matrix &a, int64_t rows) {
  Vector means(a.rows);
  for (size_t i = 1; i < a.rows; ++i)
    means[i] = a.at(i, 0) / static_cast<double>(rows);
  return means;
}

Vector tamc::reference::effectiveDf(const Vector &inverse,
                                    llvm::ArrayRef<Matrix> penalties,
                                    int64_t rows,
                                    llvm::ArrayRef<int64_t> columns) {
  const auto t = static_cast<double>(rows);
  size_t size = 0;
  for (const Matrix &penalty : penalties)
    size += penalty.rows;
  Matrix whole(size, size);
  size_t first = 0;
  for (const Matrix &penalty : penalties) {
    for (size_t r = 0; r < penalty.rows; ++r) {
      for (size_t c = 0; c < penalty.columns; ++c)
        whole.at(first + r, first + c) = t * penalty.at(r, c);
      whole.at(first + r, first + r) += 1e-6 * t;
    }
    first += penalty.rows;
  }
  Vector edf = tracesOf(symmetricOf(inverse, size), whole, columns);
  for (size_t i = 0; i < edf.size(); ++i)
    edf[i] = static_cast<double>(columns[i]) - edf[i];
  return edf;
}

Matrix tamc::reference::quadraticForms(llvm::ArrayRef<Matrix> designs,
                                       const Vector &triangle) {
  size_t columns = 0;
  for (const Matrix &design : designs)
    columns += design.columns;
  const Matrix v = symmetricOf(triangle, columns);
  Matrix forms(designs.front().rows, 1 + designs.size());
  for (size_t row = 0; row < forms.rows; ++row) {
    Vector phi;
    std::vector<size_t> starts;
    for (const Matrix &design : designs) {
      starts.push_back(phi.size());
      for (size_t i = 0; i < design.columns; ++i)
        phi.push_back(design.at(row, i));
    }
    starts.push_back(phi.size());
    forms.at(row, 0) = quadraticForm(phi, v, 0, phi.size());
    for (size_t i = 0; i < designs.size(); ++i)
      forms.at(row, 1 + i) = quadraticForm(phi, v, starts[i], starts[i + 1]);
  }
  return forms;
}
