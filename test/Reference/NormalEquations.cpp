//===- NormalEquations.cpp - systems of fits ------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalEquations.h"

#include "Algebra.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace tamc::reference;
using llvm::ArrayRef;

std::vector<Matrix> tamc::reference::sumPairs(ArrayRef<const Matrix *> designs,
                                              const Vector *weights) {
  std::vector<Matrix> sums;
  for (size_t i = 0; i < designs.size(); ++i)
    for (const Matrix *b : designs.drop_front(i)) {
      sums.emplace_back(designs[i]->columns, b->columns);
      addGram(*designs[i], *b, weights, sums.back());
    }
  return sums;
}

Vector tamc::reference::sumTarget(ArrayRef<const Matrix *> designs,
                                  const Vector &y, const Vector *weights) {
  Vector sums;
  for (const Matrix *design : designs) {
    Vector own(design->columns);
    addRhs(*design, y, weights, own);
    sums.insert(sums.end(), own.begin(), own.end());
  }
  return sums;
}

Matrix tamc::reference::normalMatrix(ArrayRef<const Matrix *> sums,
                                     ArrayRef<const Matrix *> penalties,
                                     int64_t rows, bool isPenalized) {
  const auto t = static_cast<double>(rows);
  size_t n = 0;
  for (const Matrix *penalty : penalties)
    n += penalty->rows;
  Matrix a(n, n);
  size_t block = 0, top = 0;
  for (size_t i = 0; i < penalties.size(); ++i) {
    const Matrix &penalty = *penalties[i];
    for (size_t r = 0; isPenalized && r < penalty.rows; ++r) {
      for (size_t c = 0; c < penalty.columns; ++c)
        a.at(top + r, top + c) += t * penalty.at(r, c);
      a.at(top + r, top + r) += 1e-6 * t;
    }
    size_t left = top;
    for (size_t j = i; block < sums.size() && j < penalties.size();
         ++j, ++block) {
      const Matrix &own = *sums[block];
      for (size_t r = 0; r < own.rows; ++r)
        for (size_t c = 0; c < own.columns; ++c) {
          a.at(top + r, left + c) += own.at(r, c);
          if (i != j)
            a.at(left + c, top + r) += own.at(r, c);
        }
      left += own.columns;
    }
    top += penalty.rows;
  }
  return a;
}

std::optional<Vector> tamc::reference::factorDiagonal(const Vector *sums,
                                                      const Matrix &penalty,
                                                      int64_t rows,
                                                      size_t *pivot) {
  const Matrix matrix = normalMatrix({}, &penalty, rows);
  Vector factor;
  for (size_t i = 0; i < matrix.rows; ++i) {
    const double value = matrix.at(i, i) + (sums ? (*sums)[i] : 0);
    *pivot = i;
    if (!(value > 0) || std::isinf(value))
      return std::nullopt;
    factor.push_back(1 / std::sqrt(value));
  }
  return factor;
}

Vector tamc::reference::normalProduct(ArrayRef<const Vector *> sums,
                                      ArrayRef<const Matrix *> penalties,
                                      int64_t rows, const Vector &v) {
  const auto t = static_cast<double>(rows);
  Vector q;
  for (auto [own, penalty] : llvm::zip(sums, penalties)) {
    size_t first = q.size();
    for (size_t r = 0; r < penalty->rows; ++r) {
      double value = (*own)[r] + 1e-6 * t * v[first + r];
      for (size_t c = 0; c < penalty->columns; ++c)
        value += t * penalty->at(r, c) * v[first + c];
      q.push_back(value);
    }
  }
  return q;
}
