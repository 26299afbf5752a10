//===- core/run/Gcv.cpp - generalised cross-validation --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Gcv.h"

#include "core/Interruption.h"
#include "core/run/Matrix.h"
#include "core/run/StrengthChange.h"
#include "kernels/InstructionSets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace tamrt {
namespace {

/// With a stronger penalty the sums are multiplied by V itself: what is left of
/// A without its penalties would lose digits.
constexpr double kStrong = 10;

/// From so many candidates on it pays to make M tridiagonal.
constexpr size_t kReduced = 4;

/// Sets a matrix to zeros; memory that it has is used again.
void clear(size_t rows, size_t columns, Matrix &m) {
  m.rows = rows;
  m.columns = columns;
  m.values.assign(rows * columns, 0.0);
}

using SparseColumns = std::vector<std::vector<SparseNumber>>;

/// The columns of L with L L' = P, as many as P's rank. Each takes a pivot: the
/// next one, so that L is as sparse as P, or, with `pivots`, the largest one.
/// `apart` is the largest element of L L' - P over that of P.
SparseColumns factorOf(const UnitPenalty &penalty, bool pivots, double &apart) {
  const size_t n = penalty.columns;
  std::vector<double> rest(n * n);
  for (size_t i = 0; i < n; ++i)
    for (const SparseNumber &number : penalty.rows[i])
      rest[i * n + number.at] = number.value;
  double largest = 0;
  for (size_t i = 0; i < n; ++i)
    largest = std::max(largest, rest[i * n + i]);
  const double least =
      largest * double(n) * std::numeric_limits<double>::epsilon();
  SparseColumns columns;
  for (size_t step = 0; step < n; ++step) {
    size_t pivot = step;
    for (size_t i = 0; pivots && i < n; ++i)
      if (rest[i * n + i] > rest[pivot * n + pivot])
        pivot = i;
    if (!(rest[pivot * n + pivot] > least))
      continue;
    const double root = std::sqrt(rest[pivot * n + pivot]);
    std::vector<SparseNumber> column;
    for (size_t i = 0; i < n; ++i)
      if (const double value = rest[i * n + pivot] / root; value != 0)
        column.push_back({i, value});
    for (const SparseNumber &a : column)
      for (const SparseNumber &b : column)
        rest[a.at * n + b.at] -= a.value * b.value;
    // Exact zeros, so that no pivot comes twice.
    for (size_t i = 0; i < n; ++i)
      rest[i * n + pivot] = rest[pivot * n + i] = 0;
    columns.push_back(std::move(column));
  }
  apart = 0;
  for (double value : rest)
    apart = std::max(apart, std::fabs(value));
  apart /= std::max(largest, std::numeric_limits<double>::min());
  return columns;
}

/// The same, as sparse as can be; what is left of P is below its rounding
/// errors.
SparseColumns factorOf(const UnitPenalty &penalty) {
  double apart = 0;
  SparseColumns factor = factorOf(penalty, /*pivots=*/false, apart);
  constexpr double kMost = 1e-14;
  return apart <= kMost * double(penalty.columns)
             ? factor
             : factorOf(penalty, /*pivots=*/true, apart);
}

/// M x, M having n x n numbers.
TAMRT_HOT void multiply(const double *m, const double *x, size_t n,
                        double *out) {
  for (size_t i = 0; i < n; ++i)
    out[i] = dot(m + i * n, x, n);
}

/// The same for a symmetric matrix of which there is the lower triangle, row by
/// row.
TAMRT_HOT void multiplyTriangle(const double *triangle, const double *x,
                                size_t n, double *out) {
  for (size_t i = 0; i < n; triangle += ++i) {
    addTimes(x[i], triangle, i, out);
    out[i] = dot(triangle, x, i + 1);
  }
}

/// The trace of the product of a symmetric matrix of n x n numbers and one of
/// which there is the triangle.
TAMRT_HOT double traceOfProduct(const double *a, const double *triangle,
                                size_t n) {
  double below = 0, diagonal = 0;
  for (size_t i = 0; i < n; ++i, a += n) {
    below += dot(a, triangle, i);
    diagonal += a[i] * triangle[i];
    triangle += i + 1;
  }
  return diagonal + 2 * below;
}

/// V'x of a vector x, from V'.
TAMRT_HOT void multiplyRows(const Matrix &rows, const double *x,
                            std::vector<double> &out) {
  out.resize(rows.rows);
  for (size_t k = 0; k < rows.rows; ++k)
    out[k] = dot(rows.row(k), x, rows.columns);
}

TAMRT_HOT void transpose(const Matrix &from, Matrix &to) {
  for (size_t k = 0; k < from.rows; ++k)
    for (size_t i = 0; i < from.columns; ++i)
      to.row(i)[k] = from.row(k)[i];
}

/// Adds to row k of `to` the multiples of rows of `from` that column k of a
/// factor of a penalty has.
TAMRT_HOT void addRows(const SparseColumns &columns, double factor,
                       const Matrix &from, Matrix &to) {
  for (size_t k = 0; k < columns.size(); ++k)
    for (const SparseNumber &number : columns[k])
      addTimes(factor * number.value, from.row(number.at), from.columns,
               to.row(k));
}

/// Replaces rows by R^-1 times them, R being a lower triangle.
TAMRT_HOT void divideRows(const Matrix &factor, Matrix &rows) {
  for (size_t i = 0; i < rows.rows; ++i) {
    double *const row = rows.row(i);
    for (size_t k = 0; k < i; ++k)
      addTimes(-factor.row(i)[k], rows.row(k), rows.columns, row);
    const double scale = 1 / factor.row(i)[i];
    for (size_t c = 0; c < rows.columns; ++c)
      row[c] *= scale;
  }
}

/// A change of A^-1: `factor` times B'B is subtracted.
struct Correction {
  double factor;
  Matrix rows;
};

/// What is known of a group at given strengths.
struct Point : Fit {
  /// The lower triangle of A^-1, row by row, at the strengths at which it was
  /// computed, and its changes since then.
  std::vector<double> triangle;
  std::vector<Correction> corrections;
  /// S beta, S being the Gram matrix.
  std::vector<double> fitted;
};

/// What a thread needs to visit coordinates.
struct Scratch {
  /// A point that is not kept.
  Point spare;
  Visit visit;
  /// Rows of A^-1, those of the coordinate's columns, and the part of a
  /// correction that belongs to them.
  Matrix inverse, part;
  /// V, V', and what V' is multiplied by.
  Matrix columns, rows, other;
};

class Gcv {
public:
  Gcv(SearchGroups &groups, double gamma)
      : groups(groups), penalties(groups.problem.penalties), gamma(gamma),
        d(size_t(groups.problem.model.columns)), points(groups.size()),
        scratch(groups.threads()) {
    for (const UnitPenalty &penalty : penalties)
      factors.push_back(factorOf(penalty));
  }

  /// Moves to a point. \returns its score.
  Result<double> moveTo(const std::vector<double> &strengths);

  /// What is found for a candidate: the mean of the groups' scores, and their
  /// fits.
  struct Candidate {
    double score = 0;
    std::vector<Fit> fits;
  };

  /// The point with other strengths of one coordinate.
  Result<std::vector<Candidate>> tryAll(const std::vector<double> &strengths,
                                        size_t coordinate,
                                        const std::vector<double> &candidates);

  /// The first group of which a fit with these strengths, those of a candidate,
  /// is not possible; the number of groups if there is none.
  Result<size_t> firstWithoutFit(const std::vector<double> &strengths,
                                 const Candidate &candidate);

  /// The same for the point.
  Result<size_t> firstWithoutFit(const std::vector<double> &strengths) {
    return firstWithoutFit(strengths, {0, {points.begin(), points.end()}});
  }

  /// Moves to a candidate, with the coordinate's strength `from` before.
  Status moveTo(const std::vector<double> &strengths, size_t coordinate,
                double from, const Candidate &candidate);

private:
  bool invert(size_t group, const std::vector<double> &strengths,
              SearchScratch &own) const;
  bool compute(size_t group, const std::vector<double> &strengths,
               SearchScratch &own, Point &point) const;
  bool change(size_t group, size_t coordinate, double change,
              SearchScratch &own);
  void takeInverse(size_t coordinate, const std::vector<double> &triangle,
                   Matrix &rows) const;
  void correct(size_t coordinate, const Point &point, SearchScratch &own);
  void findRows(size_t group, size_t coordinate, SearchScratch &own);
  Matrix middleOf(size_t group, size_t coordinate, const Matrix &rows) const;
  void visit(size_t group, size_t coordinate,
             const std::vector<double> &strengths, bool isReduced,
             SearchScratch &own);
  bool visitBelow(size_t group, size_t coordinate,
                  const std::vector<double> &strengths, double least,
                  bool isReduced, SearchScratch &own);
  double squaresOf(size_t group, const Fit &fit) const;
  double scoreOf(size_t group, const Fit &fit) const;

  SearchGroups &groups;
  std::span<const UnitPenalty> penalties;
  double gamma;
  size_t d;
  /// The columns of L of each coordinate.
  std::vector<SparseColumns> factors;
  std::vector<Point> points;
  /// Of the threads.
  std::vector<Scratch> scratch;
};

/// Computes the inverse with given strengths, the triangle of `own`.
bool Gcv::invert(size_t group, const std::vector<double> &strengths,
                 SearchScratch &own) const {
  const System &system = groups[group];
  const double rows = system.rows;
  std::vector<double> &a = own.matrix;
  a = system.matrix;
  for (size_t i = 0; i < penalties.size(); ++i) {
    const UnitPenalty &unit = penalties[i];
    for (size_t k = 0; k < unit.columns; ++k)
      for (const SparseNumber &number : unit.rows[k])
        a[(unit.first + k) * d + unit.first + number.at] +=
            rows * strengths[i] * number.value;
  }
  double logDeterminant = 0;
  return own.invert(logDeterminant);
}

/// Computes what is known of a group with given strengths.
bool Gcv::compute(size_t group, const std::vector<double> &strengths,
                  SearchScratch &own, Point &point) const {
  if (!invert(group, strengths, own))
    return false;
  point.triangle.resize(own.triangle.size());
  std::swap(point.triangle, own.triangle);
  point.corrections.clear();
  const System &system = groups[group];
  const double rows = system.rows, floor = TAMRT_PENALTY_FLOOR * rows;
  const double *const inverse = point.triangle.data();
  const double *const matrix = system.matrix.data();
  // beta, refined once.
  std::vector<double> beta(d), residual(d), step(d);
  multiplyTriangle(inverse, system.vector.data(), d, beta.data());
  multiply(matrix, beta.data(), d, residual.data());
  for (size_t i = 0; i < penalties.size(); ++i) {
    const UnitPenalty &unit = penalties[i];
    for (size_t k = 0; k < unit.columns; ++k)
      for (const SparseNumber &number : unit.rows[k])
        residual[unit.first + k] +=
            rows * strengths[i] * number.value * beta[unit.first + number.at];
  }
  for (size_t i = 0; i < d; ++i)
    residual[i] = system.vector[i] - residual[i];
  multiplyTriangle(inverse, residual.data(), d, step.data());
  addTimes(1, step.data(), d, beta.data());
  point.fitted.resize(d);
  multiply(matrix, beta.data(), d, point.fitted.data());
  addTimes(-floor, beta.data(), d, point.fitted.data());
  point.vectorBeta = dot(system.vector.data(), beta.data(), d);
  point.betaSBeta = dot(point.fitted.data(), beta.data(), d);
  // Not as D less the traces of penalties times A^-1: strong ones would cancel
  // its digits.
  double diagonal = 0;
  for (size_t i = 0; i < d; ++i)
    diagonal += inverse[i * (i + 1) / 2 + i];
  point.trace = traceOfProduct(matrix, inverse, d) - floor * diagonal;
  return true;
}

/// Takes the rows of A^-1 that belong to a coordinate from its triangle.
void Gcv::takeInverse(size_t coordinate, const std::vector<double> &triangle,
                      Matrix &rows) const {
  const size_t first = penalties[coordinate].first;
  const size_t n = penalties[coordinate].columns;
  clear(n, d, rows);
  for (size_t i = 0; i < d; ++i) {
    const double *const from = triangle.data() + i * (i + 1) / 2;
    if (i >= first && i < first + n)
      std::copy_n(from, i + 1, rows.row(i - first));
    for (size_t k = 0; k < n && first + k < i; ++k)
      rows.row(k)[i] = from[first + k];
  }
}

/// Applies a point's corrections to these rows.
void Gcv::correct(size_t coordinate, const Point &point, SearchScratch &own) {
  Scratch &memory = scratch[own.thread];
  const size_t first = penalties[coordinate].first;
  const size_t n = penalties[coordinate].columns;
  for (const Correction &correction : point.corrections) {
    const size_t r = correction.rows.rows;
    clear(r, n, memory.part);
    for (size_t k = 0; k < r; ++k)
      addTimes(-correction.factor, correction.rows.row(k) + first, n,
               memory.part.row(k));
    own.context.kernels->gram_dense_dense(
        &own.context, memory.part.values.data(), correction.rows.values.data(),
        nullptr, int64_t(r), int64_t(n), int64_t(d),
        memory.inverse.values.data());
  }
}

/// V' from these rows.
void Gcv::findRows(size_t group, size_t coordinate, SearchScratch &own) {
  Scratch &memory = scratch[own.thread];
  clear(factors[coordinate].size(), d, memory.rows);
  addRows(factors[coordinate], std::sqrt(groups[group].rows), memory.inverse,
          memory.rows);
}

/// M from V'.
Matrix Gcv::middleOf(size_t group, size_t coordinate,
                     const Matrix &rows) const {
  const SparseColumns &columns = factors[coordinate];
  const size_t r = columns.size(), first = penalties[coordinate].first;
  const double root = std::sqrt(groups[group].rows);
  Matrix middle(r, r);
  for (size_t k = 0; k < r; ++k)
    for (const SparseNumber &number : columns[k])
      for (size_t l = 0; l <= k; ++l)
        middle.row(k)[l] +=
            root * number.value * rows.row(l)[first + number.at];
  for (size_t k = 0; k < r; ++k)
    for (size_t l = k + 1; l < r; ++l)
      middle.row(k)[l] = middle.row(l)[k];
  return middle;
}

/// Changes a group's point by the change c of a coordinate's strength, but for
/// its fit: A^-1 by -V K V', K = c (I + c M)^-1 = c R'^-1 R^-1. \returns false,
/// with the point as it was, if that would lose digits or take more memory than
/// A^-1.
bool Gcv::change(size_t group, size_t coordinate, double change,
                 SearchScratch &own) {
  Scratch &memory = scratch[own.thread];
  Point &point = points[group];
  takeInverse(coordinate, point.triangle, memory.inverse);
  correct(coordinate, point, own);
  findRows(group, coordinate, own);
  Matrix factor = middleOf(group, coordinate, memory.rows);
  const size_t r = factor.rows;
  size_t count = r;
  for (const Correction &correction : point.corrections)
    count += correction.rows.rows;
  if (count > d)
    return false;
  for (size_t i = 0; i < r; ++i) {
    double *const row = factor.row(i);
    for (size_t k = 0; k <= i; ++k) {
      const double sum =
          (i == k ? 1.0 : 0.0) + change * row[k] - dot(row, factor.row(k), k);
      if (i == k && !(sum >= kLeastPivot))
        return false;
      row[k] = i == k ? std::sqrt(sum) : sum / factor.row(k)[k];
    }
  }
  divideRows(factor, memory.rows);
  // beta changes by -V K V'b.
  const System &system = groups[group];
  std::vector<double> q, beta(d), fitted(d);
  multiplyRows(memory.rows, system.vector.data(), q);
  for (size_t k = 0; k < r; ++k)
    addTimes(-change * q[k], memory.rows.row(k), d, beta.data());
  multiply(system.matrix.data(), beta.data(), d, fitted.data());
  addTimes(-TAMRT_PENALTY_FLOOR * system.rows, beta.data(), d, fitted.data());
  addTimes(1, fitted.data(), d, point.fitted.data());
  point.corrections.push_back({change, memory.rows});
  return true;
}

/// Visits a coordinate, from its rows of A^-1 at given strengths. The fit is
/// the point's.
void Gcv::visit(size_t group, size_t coordinate,
                const std::vector<double> &strengths, bool isReduced,
                SearchScratch &own) {
  const System &system = groups[group];
  Scratch &memory = scratch[own.thread];
  Visit &visit = memory.visit;
  findRows(group, coordinate, own);
  visit.middle = middleOf(group, coordinate, memory.rows);
  visit.isReduced = false;
  const size_t r = visit.middle.rows;
  Matrix &v = memory.columns, &other = memory.other;
  clear(d, r, v);
  transpose(memory.rows, v);
  const double rows = system.rows, floor = TAMRT_PENALTY_FLOOR * rows;
  clear(d, r, other);
  // The sum of a'b, all of D rows, and `sums`.
  auto addCross = [&](const double *a, size_t columns, const Matrix &b,
                      Matrix &sums) {
    own.context.kernels->gram_dense_dense(&own.context, a, b.values.data(),
                                          nullptr, int64_t(d), int64_t(columns),
                                          int64_t(r), sums.values.data());
  };
  if (*std::max_element(strengths.begin(), strengths.end()) > kStrong) {
    // V'S V = V'(S + 1e-6 T I) V - V'(1e-6 T I) V.
    clear(r, r, visit.gram);
    addCross(system.matrix.data(), d, v, other);
    for (size_t i = 0; i < d; ++i)
      addTimes(-floor, v.row(i), r, other.row(i));
  } else {
    // V'S V = V'A V - V'(T P + 1e-6 T I) V, and V'A V = M.
    visit.gram = visit.middle;
    for (size_t i = 0; i < d; ++i)
      addTimes(-floor, v.row(i), r, other.row(i));
    for (size_t j = 0; j < penalties.size(); ++j) {
      const UnitPenalty &unit = penalties[j];
      for (size_t i = 0; i < unit.columns; ++i)
        for (const SparseNumber &number : unit.rows[i])
          addTimes(-rows * strengths[j] * number.value,
                   v.row(unit.first + number.at), r, other.row(unit.first + i));
    }
  }
  addCross(v.values.data(), r, other, visit.gram);
  for (size_t k = 0; k < r; ++k)
    for (size_t l = k + 1; l < r; ++l)
      visit.gram.row(k)[l] = visit.gram.row(l)[k];
  multiplyRows(memory.rows, system.vector.data(), visit.vector);
  multiplyRows(memory.rows, points[group].fitted.data(), visit.fitted);
  visit.fit = points[group];
  visit.strength = strengths[coordinate];
  if (isReduced)
    reduce(visit);
}

/// Visits a coordinate at the point with a lower strength of it, from the
/// inverse there. \returns false after an error.
bool Gcv::visitBelow(size_t group, size_t coordinate,
                     const std::vector<double> &strengths, double least,
                     bool isReduced, SearchScratch &own) {
  std::vector<double> lower = strengths;
  lower[coordinate] = least;
  if (!invert(group, lower, own))
    return false;
  takeInverse(coordinate, own.triangle, scratch[own.thread].inverse);
  visit(group, coordinate, lower, isReduced, own);
  // The point is a change of this one: with q = K V'b its beta is V q less.
  Visit &visit = scratch[own.thread].visit;
  Change change;
  if (!findChange(visit, strengths[coordinate] - least, change)) {
    visit.fit.trace = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const std::vector<double> &q = change.vector;
  const size_t r = q.size();
  visit.fit.vectorBeta += dot(visit.vector.data(), q.data(), r);
  visit.fit.betaSBeta +=
      2 * dot(visit.fitted.data(), q.data(), r) + change.quadratic;
  visit.fit.trace += change.trace;
  for (size_t i = 0; i < r; ++i)
    visit.fitted[i] += dot(visit.gram.row(i), q.data(), r);
  return true;
}

/// RSS of a fit. NaN stays NaN.
double Gcv::squaresOf(size_t group, const Fit &fit) const {
  const double rss =
      groups[group].target.all().squares() - 2 * fit.vectorBeta + fit.betaSBeta;
  return rss < 0 ? 0 : rss;
}

double Gcv::scoreOf(size_t group, const Fit &fit) const {
  const double rows = groups[group].target.all().positiveRows();
  const double rss = squaresOf(group, fit);
  const double left = std::max(1 - gamma * fit.trace / rows, 1e-6);
  return groups.weightMean(group) * rss / rows / (left * left);
}

/// The mean of scores of the groups.
double meanOf(std::span<const double> scores) {
  double sum = 0;
  for (double score : scores)
    sum += score;
  return sum / double(scores.size());
}

Result<double> Gcv::moveTo(const std::vector<double> &strengths) {
  std::vector<double> scores(points.size());
  Status done = groups.forEach([&](size_t g, SearchScratch &own) {
    if (!compute(g, strengths, own, points[g]))
      return false;
    scores[g] = scoreOf(g, points[g]);
    return true;
  });
  if (!done)
    return std::move(done).error();
  for (size_t g = 0; g < scores.size(); ++g)
    if (!std::isfinite(scores[g]))
      return groups.errorOf(g, "expected a finite GCV score, got an overflow; "
                               "scale the target or the row weights");
  return meanOf(scores);
}

Status Gcv::moveTo(const std::vector<double> &strengths, size_t coordinate,
                   double from, const Candidate &candidate) {
  return groups.forEach([&](size_t g, SearchScratch &own) {
    if (!change(g, coordinate, strengths[coordinate] - from, own))
      return compute(g, strengths, own, points[g]);
    static_cast<Fit &>(points[g]) = candidate.fits[g];
    return true;
  });
}

Result<size_t> Gcv::firstWithoutFit(const std::vector<double> &strengths,
                                    const Candidate &candidate) {
  if (!groups.mustCheck(strengths))
    return groups.size();
  std::vector<uint8_t> isFit(points.size());
  Status done = groups.forEach([&](size_t g, SearchScratch &own) {
    isFit[g] = groups.isFit(g, strengths, squaresOf(g, candidate.fits[g]), own);
    return own.context.status == TAMRT_OK || own.forgetFailure();
  });
  if (!done)
    return std::move(done).error();
  return size_t(std::find(isFit.begin(), isFit.end(), 0) - isFit.begin());
}

/// The score of a candidate without a fit in some group is NaN.
Result<std::vector<Gcv::Candidate>>
Gcv::tryAll(const std::vector<double> &strengths, size_t coordinate,
            const std::vector<double> &candidates) {
  const double least = *std::min_element(candidates.begin(), candidates.end());
  const bool isReduced = candidates.size() >= kReduced;
  std::vector<Candidate> found(candidates.size());
  for (Candidate &candidate : found)
    candidate.fits.resize(points.size());
  /// Finds the fits of group `g` from its visit. \returns false if some would
  /// lose digits.
  auto find = [&](size_t g, const SearchScratch &own) {
    const Visit &visit = scratch[own.thread].visit;
    for (size_t i = 0; i < candidates.size(); ++i) {
      Change change;
      if (!findChange(visit, candidates[i] - visit.strength, change))
        return false;
      found[i].fits[g] = fitOf(visit, change);
      if (std::isnan(scoreOf(g, found[i].fits[g])))
        return false;
    }
    return true;
  };
  Status done = groups.forEach([&](size_t g, SearchScratch &own) {
    takeInverse(coordinate, points[g].triangle, scratch[own.thread].inverse);
    correct(coordinate, points[g], own);
    visit(g, coordinate, strengths, isReduced, own);
    if (find(g, own))
      return true;
    // From the least strength all changes are upwards.
    if (visitBelow(g, coordinate, strengths, least, isReduced, own)) {
      if (find(g, own))
        return true;
    } else if (!own.forgetFailure()) {
      return false;
    }
    Point &spare = scratch[own.thread].spare;
    for (size_t i = 0; i < candidates.size(); ++i) {
      std::vector<double> exact = strengths;
      exact[coordinate] = candidates[i];
      if (compute(g, exact, own, spare))
        found[i].fits[g] = spare;
      else if (own.forgetFailure())
        found[i].fits[g].trace = std::numeric_limits<double>::quiet_NaN();
      else
        return false;
    }
    return true;
  });
  if (!done)
    return std::move(done).error();
  std::vector<double> scores(points.size());
  for (Candidate &candidate : found) {
    for (size_t g = 0; g < scores.size(); ++g)
      scores[g] = scoreOf(g, candidate.fits[g]);
    candidate.score = meanOf(scores);
  }
  return found;
}

} // namespace

Result<TuneResult> minimizeGcv(SearchGroups &groups, std::vector<double> aps,
                               const TuneOptions &options,
                               const TuneReport &report) {
  if (Status s = groups.checkSquares("GCV"); !s)
    return std::move(s).error();
  Gcv gcv(groups, options.gamma);
  std::vector<double> strengths;
  for (double &ap : aps) {
    ap = std::clamp(ap, options.low, options.high);
    strengths.push_back(strengthOf(ap));
  }
  Result<double> best = gcv.moveTo(strengths);
  if (!best)
    return std::move(best).error();
  Result<size_t> unfit = gcv.firstWithoutFit(strengths);
  if (!unfit)
    return std::move(unfit).error();
  if (*unfit < groups.size())
    return groups.noFit(*unfit, options);
  const double step = (options.high - options.low) / 10;
  size_t evaluations = 1;
  for (size_t cycle = 1; cycle <= options.cycles; ++cycle) {
    bool hasGained = false;
    for (size_t i = 0; i < aps.size(); ++i) {
      checkInterruption();
      std::vector<double> tried = options.candidates;
      if (tried.empty())
        tried = {std::max(aps[i] - step, options.low),
                 std::min(aps[i] + step, options.high)};
      if (std::all_of(tried.begin(), tried.end(),
                      [&](double ap) { return ap == aps[i]; }))
        continue;
      std::vector<double> candidates;
      for (double ap : tried)
        candidates.push_back(strengthOf(ap));
      Result<std::vector<Gcv::Candidate>> found =
          gcv.tryAll(strengths, i, candidates);
      if (!found)
        return std::move(found).error();
      const double before = strengths[i];
      const Gcv::Candidate *accepted = nullptr;
      for (size_t k = 0; k < tried.size(); ++k) {
        if (tried[k] == aps[i])
          continue;
        ++evaluations;
        if (!((*found)[k].score < *best * (1 - 1e-8)))
          continue;
        std::vector<double> there = strengths;
        there[i] = candidates[k];
        unfit = gcv.firstWithoutFit(there, (*found)[k]);
        if (!unfit)
          return std::move(unfit).error();
        if (*unfit < groups.size())
          continue;
        accepted = &(*found)[k];
        *best = accepted->score;
        aps[i] = tried[k];
        strengths = std::move(there);
      }
      if (accepted) {
        hasGained = true;
        if (Status s = gcv.moveTo(strengths, i, before, *accepted); !s)
          return std::move(s).error();
      }
      if (report)
        report({evaluations, *best, {}, cycle});
    }
    if (!hasGained)
      break;
    // Anew, so that no rounding errors add up.
    best = gcv.moveTo(strengths);
    if (!best)
      return std::move(best).error();
  }
  return TuneResult{std::move(aps), {}, *best, evaluations};
}

} // namespace tamrt
