//===- core/run/PenaltyBasis.cpp - a basis in which penalties are diagonal ===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/PenaltyBasis.h"

#include "core/run/SymmetricEigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tamrt {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

double largestOf(const UnitPenalty &unit) {
  double largest = 0;
  for (const std::vector<SparseNumber> &row : unit.rows)
    for (const SparseNumber &number : row)
      largest = std::max(largest, std::fabs(number.value));
  return largest;
}

/// Q if the penalty is I (x) Q (x) I with Q of `size` columns and the second I
/// of `right`.
std::optional<Matrix> factorOf(const UnitPenalty &unit, size_t size,
                               size_t right) {
  Matrix q(size, size);
  auto placeOf = [&](size_t i) { return i / right % size; };
  for (size_t at = 0; at < size; ++at)
    for (const SparseNumber &number : unit.rows[at * right])
      q.row(at)[placeOf(number.at)] = number.value;
  const double least = double(unit.columns) * kEpsilon * largestOf(unit);
  Matrix left(size, size);
  for (size_t i = 0; i < unit.columns; ++i) {
    const size_t at = placeOf(i);
    std::copy_n(q.row(at), size, left.row(at));
    for (const SparseNumber &number : unit.rows[i]) {
      const size_t to = placeOf(number.at);
      // In another copy of Q it should be 0.
      const bool isApart = number.at % right != i % right ||
                           number.at / (right * size) != i / (right * size);
      if (std::fabs(number.value - (isApart ? 0 : q.row(at)[to])) > least)
        return std::nullopt;
      if (!isApart)
        left.row(at)[to] = 0;
    }
    // Numbers of Q that this copy lacks.
    for (size_t k = 0; k < size; ++k)
      if (std::fabs(left.row(at)[k]) > least)
        return std::nullopt;
  }
  return q;
}

/// Factors of the penalties of one effect, one for each; none if there are
/// none. Of several choices, that with the least work.
class FactorSearch {
public:
  explicit FactorSearch(std::span<const UnitPenalty> units) : units(units) {
    descend(1, 0);
  }

  std::vector<Matrix> best;

private:
  /// The factors before have `left` columns in all.
  void descend(size_t left, double work) {
    const size_t at = factors.size(), n = units[at].columns;
    if (!best.empty() && work >= leastWork)
      return;
    for (size_t size = 1; size <= n / left; ++size) {
      const bool isLast = at + 1 == units.size();
      if (n / left % size != 0 || (isLast && left * size != n))
        continue;
      std::optional<Matrix> q = factorOf(units[at], size, n / left / size);
      if (!q)
        continue;
      factors.push_back(*std::move(q));
      const double more = work + double(size) * double(size) * double(size);
      if (!isLast) {
        descend(left * size, more);
      } else if (best.empty() || more < leastWork) {
        best = factors;
        leastWork = more;
      }
      factors.pop_back();
    }
  }

  std::span<const UnitPenalty> units;
  std::vector<Matrix> factors;
  double leastWork = 0;
};

bool isDiagonal(const Matrix &m) {
  for (size_t i = 0; i < m.rows; ++i)
    for (size_t k = 0; k < m.columns; ++k)
      if (i != k && m.row(i)[k] != 0)
        return false;
  return true;
}

/// The eigenvalues of Q, with exact zeros, and its eigenvectors, none for I.
std::pair<std::vector<double>, Matrix> diagonalize(const Matrix &q) {
  if (isDiagonal(q)) {
    std::vector<double> values(q.rows);
    for (size_t i = 0; i < q.rows; ++i)
      values[i] = q.row(i)[i];
    return {std::move(values), Matrix()};
  }
  SymmetricEigen eigen = eigenOf(q);
  const double largest =
      *std::max_element(eigen.values.begin(), eigen.values.end());
  for (double &value : eigen.values)
    if (value <= double(q.rows) * kEpsilon * largest)
      value = 0;
  return {std::move(eigen.values), std::move(eigen.vectors)};
}

/// U'x for the columns of one block.
void rotateBlock(const PenaltyBasis::Block &block, double *x,
                 std::vector<double> &memory) {
  size_t right = block.columns;
  for (size_t f = 0; f < block.factors.size(); ++f) {
    const size_t size = block.sizes[f];
    right /= size;
    const Matrix &vectors = block.factors[f];
    if (vectors.rows == 0)
      continue;
    memory.resize(size * right);
    for (size_t start = 0; start < block.columns; start += size * right) {
      std::fill(memory.begin(), memory.end(), 0.0);
      for (size_t k = 0; k < size; ++k)
        for (size_t i = 0; i < size; ++i)
          addTimes(vectors.row(k)[i], x + start + i * right, right,
                   memory.data() + k * right);
      std::copy(memory.begin(), memory.end(), x + start);
    }
  }
}

} // namespace

std::optional<PenaltyBasis>
PenaltyBasis::find(std::span<const UnitPenalty> units) {
  PenaltyBasis basis;
  for (size_t i = 0, end = 0; i < units.size(); i = end) {
    while (end < units.size() && units[end].first == units[i].first)
      ++end;
    Block block = {units[i].first, units[i].columns, i, end, {}, {}};
    const std::vector<Matrix> factors =
        std::move(FactorSearch(units.subspan(i, end - i)).best);
    if (factors.empty())
      return std::nullopt;
    size_t right = block.columns;
    for (const Matrix &q : factors) {
      right /= q.rows;
      auto [values, vectors] = diagonalize(q);
      std::vector<double> all(block.columns);
      for (size_t k = 0; k < block.columns; ++k)
        all[k] = values[k / right % q.rows];
      basis.eigenvalues.push_back(std::move(all));
      block.sizes.push_back(q.rows);
      block.factors.push_back(std::move(vectors));
    }
    basis.all.push_back(std::move(block));
  }
  return basis;
}

void PenaltyBasis::rotate(double *x) const {
  std::vector<double> memory;
  for (const Block &block : all)
    rotateBlock(block, x + block.first, memory);
}

void PenaltyBasis::rotate(Matrix &m) const {
  // M is symmetric: (MU)' = U'M.
  std::vector<double> memory;
  for (int side = 0; side < 2; ++side) {
    for (size_t i = 0; i < m.rows; ++i)
      for (const Block &block : all)
        rotateBlock(block, m.row(i) + block.first, memory);
    for (size_t i = 0; i < m.rows; ++i)
      for (size_t k = 0; k < i; ++k)
        std::swap(m.row(i)[k], m.row(k)[i]);
  }
}

} // namespace tamrt
