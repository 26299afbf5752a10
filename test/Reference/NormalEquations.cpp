//===- NormalEquations.cpp - systems of fits ------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalEquations.h"

#include "Algebra.h"

#include "tamrt/steps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

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

void tamc::reference::addPairs(ArrayRef<const Matrix *> designs, Pairs pairs,
                               const Vector *weights, Vector &sums) {
  size_t first = 0;
  for (auto [a, b] : pairs) {
    Matrix sum(designs[a]->columns, designs[b]->columns);
    auto own = sums.begin() + static_cast<std::ptrdiff_t>(first);
    std::copy_n(own, sum.values.size(), sum.values.begin());
    addGram(*designs[a], *designs[b], weights, sum);
    std::copy_n(sum.values.begin(), sum.values.size(), own);
    first += tamrt::pairSize(sum.rows, sum.columns);
  }
}

std::vector<Matrix>
tamc::reference::allBlocks(ArrayRef<const Matrix *> blocks, Pairs pairs,
                           const Vector &sums,
                           ArrayRef<const Matrix *> penalties) {
  std::map<std::pair<int64_t, int64_t>, Matrix> paired;
  size_t next = 0;
  for (auto [a, b] : pairs) {
    const size_t rows = penalties[a]->rows, columns = penalties[b]->rows;
    Matrix block(a < b ? rows : columns, a < b ? columns : rows);
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c)
        block.at(a < b ? r : c, a < b ? c : r) = sums[next + r * columns + c];
    next += tamrt::pairSize(rows, columns);
    paired.emplace(std::minmax(a, b), std::move(block));
  }
  std::vector<Matrix> all;
  const auto count = static_cast<int64_t>(penalties.size());
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = i; j < count; ++j)
      if (auto found = paired.find({i, j}); found != paired.end()) {
        all.push_back(found->second);
      } else if (!blocks.empty()) {
        all.push_back(*blocks.front());
        blocks = blocks.drop_front();
      }
  return all;
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
