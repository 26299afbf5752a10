//===- RemlTest.cpp - the REML score and its basis ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/RemlScore.h"
#include "core/run/SymmetricEigen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tamrt::test {
namespace {

/// A symmetric matrix.
using Square = std::vector<std::vector<double>>;

Square identity(size_t n) {
  Square m(n, std::vector<double>(n));
  for (size_t i = 0; i < n; ++i)
    m[i][i] = 1;
  return m;
}

/// D'D of differences of an order, whose null space are polynomials.
Square differences(size_t n, size_t order) {
  Square d = identity(n);
  for (size_t round = 0; round < order; ++round) {
    for (size_t i = 0; i + 1 < d.size(); ++i)
      for (size_t k = 0; k < n; ++k)
        d[i][k] = d[i + 1][k] - d[i][k];
    d.pop_back();
  }
  Square m(n, std::vector<double>(n));
  for (const std::vector<double> &row : d)
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < n; ++k)
        m[i][k] += row[i] * row[k];
  return m;
}

Square kronecker(const Square &a, const Square &b) {
  const size_t n = b.size();
  Square m(a.size() * n, std::vector<double>(a.size() * n));
  for (size_t i = 0; i < m.size(); ++i)
    for (size_t k = 0; k < m.size(); ++k)
      m[i][k] = a[i / n][k / n] * b[i % n][k % n];
  return m;
}

UnitPenalty penalty(size_t first, const Square &m) {
  UnitPenalty unit{first, m.size(), 1e300, {}};
  for (const std::vector<double> &row : m) {
    std::vector<SparseNumber> &numbers = unit.rows.emplace_back();
    for (size_t k = 0; k < row.size(); ++k)
      if (row[k] != 0)
        numbers.push_back({k, row[k]});
  }
  return unit;
}

/// An offset, a spline, a product of three factors, and categories.
std::vector<UnitPenalty> penalties() {
  const Square a = differences(3, 1), b = identity(2), c = differences(4, 2);
  return {penalty(0, identity(1)),
          penalty(1, differences(7, 2)),
          penalty(8, kronecker(kronecker(a, identity(2)), identity(4))),
          penalty(8, kronecker(kronecker(identity(3), b), identity(4))),
          penalty(8, kronecker(kronecker(identity(3), identity(2)), c)),
          penalty(32, identity(3))};
}
constexpr size_t kColumns = 35;

Matrix dense(const UnitPenalty &unit, size_t columns) {
  Matrix m(columns, columns);
  for (size_t i = 0; i < unit.columns; ++i)
    for (const SparseNumber &number : unit.rows[i])
      m.row(unit.first + i)[unit.first + number.at] = number.value;
  return m;
}

/// Checks that V' diag(values) V = wanted, with orthonormal V.
void checkEigen(const SymmetricEigen &eigen, const Matrix &wanted) {
  const size_t n = wanted.rows;
  double largest = 0;
  for (double value : wanted.values)
    largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k) {
      double sum = 0;
      for (size_t e = 0; e < n; ++e)
        sum +=
            eigen.values[e] * eigen.vectors.row(e)[i] * eigen.vectors.row(e)[k];
      EXPECT_NEAR(sum, wanted.row(i)[k], 1e-14 * double(n + 10) * largest);
      EXPECT_NEAR(dot(eigen.vectors.row(i), eigen.vectors.row(k), n), i == k,
                  1e-14 * double(n + 10));
    }
}

Matrix product(const Matrix &a, const Matrix &b) {
  Matrix m(a.rows, b.columns);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t k = 0; k < a.columns; ++k)
      addTimes(a.row(i)[k], b.row(k), b.columns, m.row(i));
  return m;
}

TEST(SymmetricEigen, RestoresTheMatrix) {
  std::mt19937 random(1);
  for (size_t n : {1, 2, 3, 10, 60}) {
    Matrix a(n, n);
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k <= i; ++k)
        a.row(i)[k] = a.row(k)[i] = double(random()) / 4e9 - .5;
    // A null space, and one large eigenvalue.
    if (n > 5)
      for (size_t k = 0; k < n; ++k) {
        a.row(2)[k] = a.row(k)[2] = 0;
        a.row(3)[k] = a.row(k)[3] = k == 3 ? 1e6 : 0;
      }
    const Matrix square = product(a, a);
    checkEigen(eigenOf(square), square);
    // With eigenvalues of both signs it is |A|, whose square is that of A.
    SymmetricEigen eigen = eigenOf(a);
    for (double &value : eigen.values)
      value *= value;
    checkEigen(eigen, square);
  }
}

TEST(SymmetricEigen, LeavesADiagonal) {
  Matrix a(3, 3);
  a.row(0)[0] = 2;
  a.row(2)[2] = -1e-100;
  const SymmetricEigen eigen = eigenOf(a);
  EXPECT_EQ(eigen.values, (std::vector<double>{2, 0, 1e-100}));
  EXPECT_EQ(eigen.vectors.values,
            (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(PenaltyBasis, MakesAllPenaltiesDiagonal) {
  const std::vector<UnitPenalty> units = penalties();
  const std::optional<PenaltyBasis> basis = PenaltyBasis::find(units);
  ASSERT_TRUE(basis);
  const size_t zeros[] = {0, 2, 8, 0, 12, 0};
  for (size_t i = 0; i < units.size(); ++i) {
    Matrix m = dense(units[i], kColumns);
    basis->rotate(m);
    const std::span<const double> values = basis->values(i);
    for (size_t j = 0; j < kColumns; ++j)
      for (size_t k = 0; k < kColumns; ++k) {
        const bool isOwn = j == k && j >= units[i].first &&
                           j < units[i].first + units[i].columns;
        EXPECT_NEAR(m.row(j)[k], isOwn ? values[j - units[i].first] : 0, 2e-14)
            << i << " " << j << " " << k;
      }
    EXPECT_EQ(size_t(std::count(values.begin(), values.end(), 0.0)), zeros[i]);
  }
}

TEST(PenaltyBasis, RefusesWhatIsNoProduct) {
  auto isFound = [](const Square &a, const Square &b) {
    const UnitPenalty units[] = {penalty(0, a), penalty(0, b)};
    return PenaltyBasis::find(units).has_value();
  };
  EXPECT_TRUE(isFound(identity(6), differences(6, 2)));
  EXPECT_TRUE(isFound(differences(6, 2), identity(6)));
  EXPECT_FALSE(isFound(differences(6, 2), differences(6, 1)));
  EXPECT_FALSE(isFound(kronecker(differences(2, 1), differences(3, 1)),
                       kronecker(identity(2), differences(3, 1))));
  Square a = kronecker(differences(3, 1), identity(2));
  const Square b = kronecker(identity(3), differences(2, 1));
  EXPECT_TRUE(isFound(a, b));
  EXPECT_FALSE(isFound(b, a));
  a[5][5] += 1e-9;
  EXPECT_FALSE(isFound(a, b));
}

/// Sums of a group of random rows.
System systemOf(std::mt19937 &random, size_t rows) {
  System system;
  system.matrix.resize(kColumns * kColumns);
  system.vector.resize(kColumns);
  system.rows = double(rows);
  auto draw = [&] { return double(random()) / 4e9 - .5; };
  for (size_t row = 0; row < rows; ++row) {
    std::vector<double> x(kColumns);
    for (double &value : x)
      value = draw();
    x[0] = 1;
    const double y = 3 * x[1] - 2 * x[2] + x[12] + x[33] + draw() + 1;
    // A row without weight counts for the penalty only.
    const double weight = row == 0 ? 0 : 1 + draw();
    system.target.add(weight, y);
    for (size_t i = 0; i < kColumns; ++i) {
      system.vector[i] += weight * x[i] * y;
      for (size_t k = 0; k < kColumns; ++k)
        system.matrix[i * kColumns + k] += weight * x[i] * x[k];
    }
  }
  for (size_t i = 0; i < kColumns; ++i)
    system.matrix[i * (kColumns + 1)] += TAMRT_PENALTY_FLOOR * double(rows);
  return system;
}

/// The factor of a matrix, and the logarithm of its determinant.
long double factor(std::vector<long double> &a, size_t n) {
  long double sum = 0;
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i < n; ++i) {
      for (size_t k = 0; k < j; ++k)
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] =
          i == j ? std::sqrt(a[i * n + i]) : a[i * n + j] / a[j * n + j];
      if (i == j)
        sum += 2 * std::log(a[i * n + i]);
    }
  return sum;
}

/// V of a group by its definition.
long double scoreOf(const System &system, std::span<const UnitPenalty> units,
                    const std::vector<double> &aps) {
  const size_t n = kColumns;
  std::vector<long double> a(n * n), s(n * n);
  for (size_t i = 0; i < n; ++i)
    s[i * (n + 1)] = TAMRT_PENALTY_FLOOR * system.rows;
  for (size_t c = 0; c < units.size(); ++c) {
    const Matrix p = dense(units[c], n);
    for (size_t i = 0; i < n * n; ++i)
      s[i] += system.rows * std::pow(10.0L, aps[c]) * p.values[i];
  }
  for (size_t i = 0; i < n * n; ++i)
    a[i] = system.matrix[i] + s[i];
  for (size_t i = 0; i < n; ++i)
    a[i * (n + 1)] -= TAMRT_PENALTY_FLOOR * system.rows;
  const long double left = factor(a, n), right = factor(s, n);
  long double deviance = system.target.all().squares();
  std::vector<long double> half(n);
  for (size_t i = 0; i < n; ++i) {
    half[i] = system.vector[i];
    for (size_t k = 0; k < i; ++k)
      half[i] -= a[i * n + k] * half[k];
    half[i] /= a[i * n + i];
    deviance -= half[i] * half[i];
  }
  const double rows = system.target.all().positiveRows();
  return (rows * std::log(deviance) + left - right) / 2;
}

TEST(RemlScore, HasTheDerivativesOfItsDefinition) {
  std::mt19937 random(7);
  const std::vector<UnitPenalty> units = penalties();
  const std::optional<PenaltyBasis> basis = PenaltyBasis::find(units);
  ASSERT_TRUE(basis);
  tamrt_model model = {};
  model.columns = int64_t(kColumns);
  Systems systems;
  for (size_t rows : {90, 20, 200})
    systems.groups.push_back(systemOf(random, rows));
  const std::string names[] = {"a", "b", "c"};
  const TuneProblem problem = {model, units, systems, names};
  SearchGroups groups(problem, 0, 3, 2);
  RemlScore score(groups, *basis);
  ASSERT_TRUE(score.prepare().ok());
  auto exact = [&](const std::vector<double> &aps) {
    long double sum = 0;
    for (const System &system : systems.groups)
      sum += scoreOf(system, units, aps);
    return sum;
  };
  const std::vector<double> places[] = {{-5.5, -5.5, -5.5, -5.5, -5.5, -5.5},
                                        {-9, -2, 1, -3, 0.5, -1},
                                        {-30, 6, -1, -30, 6, -4},
                                        {2, 0, -12, -1, -2, 4}};
  const double ln10 = std::log(10.0);
  for (const std::vector<double> &aps : places) {
    Result<RemlPoint> point = score.at(aps);
    ASSERT_TRUE(point.ok());
    // In long double the definition loses digits, too.
    const double most = *std::max_element(aps.begin(), aps.end());
    EXPECT_NEAR(point->score, double(exact(aps)),
                1e-12 + 4 * point->noise + 1e-16 * std::pow(10, most + 6));
    EXPECT_LT(point->noise, 1e-9);
    for (size_t i = 0; i < aps.size(); ++i) {
      const double step = 1e-4;
      std::vector<double> up = aps, down = aps;
      up[i] += step;
      down[i] -= step;
      Result<RemlPoint> above = score.at(up), below = score.at(down);
      ASSERT_TRUE(above.ok() && below.ok());
      EXPECT_NEAR(point->gradient[i],
                  (above->score - below->score) / (2 * step * ln10), 1e-6)
          << i;
      EXPECT_NEAR(point->gradient[i], (point->size[i] - point->freedom[i]) / 2,
                  1e-12);
      for (size_t k = 0; k < aps.size(); ++k)
        EXPECT_NEAR(
            point->hessian.row(i)[k],
            (above->gradient[k] - below->gradient[k]) / (2 * step * ln10), 1e-6)
            << i << " " << k;
    }
  }
}

TEST(RemlScore, RefusesTargetsOfZeros) {
  const std::vector<UnitPenalty> units = penalties();
  const std::optional<PenaltyBasis> basis = PenaltyBasis::find(units);
  tamrt_model model = {};
  model.columns = int64_t(kColumns);
  model.group = "g";
  std::mt19937 random(3);
  Systems systems;
  systems.groups.push_back(systemOf(random, 50));
  systems.groups.push_back(systemOf(random, 50));
  systems.groups[1].target = {};
  std::ranges::fill(systems.groups[1].vector, 0.0);
  const std::string names[] = {"a", "b"};
  const TuneProblem problem = {model, units, systems, names};
  SearchGroups groups(problem, 0, 2, 1);
  const Status status = RemlScore(groups, *basis).prepare();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "group 'b': expected a target other than 0, got zeros, of which "
            "every penalty is the best by REML");
}

} // namespace
} // namespace tamrt::test
