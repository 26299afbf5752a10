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

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tamrt {
namespace {

/// A change of a strength to less than this part of it is not computed as a
/// change of the inverse: as much of the inverse's accuracy would be lost.
constexpr double kLeastRatio = 1e-4;

/// With a stronger penalty the sums are multiplied by V itself: what is left of
/// A without its penalties would lose digits.
constexpr double kStrong = 10;

/// From so many candidates on it pays to make M tridiagonal.
constexpr size_t kReduced = 4;

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

/// What a score needs of a fit: b'beta, beta'S beta and tr(S A^-1).
struct Fit {
  double vectorBeta = 0, betaSBeta = 0, trace = 0;
};

/// What is known of a group at given strengths.
struct Point : Fit {
  /// A^-1, D x D.
  std::vector<double> inverse;
  /// S beta, S being the Gram matrix.
  std::vector<double> fitted;
};

/// What the candidates of one coordinate need of a group. With
/// V = sqrt(T) A^-1 L: M = sqrt(T) L'V, V'S V, V'b and V'S beta.
struct Visit {
  Matrix middle, gram;
  std::vector<double> vector, fitted;
  /// Whether they are in a basis in which M is tridiagonal.
  bool isReduced = false;
  /// The point's, and the strength of the coordinate there.
  Fit fit;
  double strength = 0;
};

/// The fit after a change of A^-1 by -V K V', with q = K V'b: `trace` is
/// tr(K V'S V), `quadratic` q'V'S V q.
Fit fitOf(const Visit &visit, const std::vector<double> &q, double trace,
          double quadratic) {
  const size_t r = q.size();
  const Fit &from = visit.fit;
  return {from.vectorBeta - dot(visit.vector.data(), q.data(), r),
          from.betaSBeta - 2 * dot(visit.fitted.data(), q.data(), r) +
              quadratic,
          from.trace - trace};
}

/// Replaces a symmetric matrix C by H C H, H = I - 2 u u'; u is 0 before
/// `first`.
void reflect(const std::vector<double> &u, size_t first, Matrix &c) {
  const size_t n = c.rows;
  std::vector<double> w(n);
  for (size_t k = first; k < n; ++k)
    addTimes(2 * u[k], c.row(k), n, w.data());
  const double half = dot(u.data() + first, w.data() + first, n - first);
  for (size_t k = first; k < n; ++k)
    w[k] -= half * u[k];
  for (size_t i = 0; i < n; ++i) {
    addTimes(-w[i], u.data() + first, n - first, c.row(i) + first);
    if (u[i] != 0)
      addTimes(-u[i], w.data(), n, c.row(i));
  }
}

/// Changes the basis of V to one in which M is tridiagonal.
void reduce(Visit &visit) {
  Matrix &m = visit.middle;
  const size_t r = m.rows;
  std::vector<double> u(r);
  for (size_t column = 0; column + 2 < r; ++column) {
    const size_t first = column + 1;
    std::fill(u.begin(), u.end(), 0.0);
    for (size_t i = first; i < r; ++i)
      u[i] = m.row(i)[column];
    const double norm =
        std::sqrt(dot(u.data() + first, u.data() + first, r - first));
    u[first] += std::copysign(norm, u[first]);
    const double length =
        std::sqrt(dot(u.data() + first, u.data() + first, r - first));
    if (!(length > 0))
      continue;
    for (size_t i = first; i < r; ++i)
      u[i] /= length;
    reflect(u, first, m);
    reflect(u, first, visit.gram);
    for (std::vector<double> *of : {&visit.vector, &visit.fitted})
      addTimes(-2 * dot(u.data() + first, of->data() + first, r - first),
               u.data() + first, r - first, of->data() + first);
  }
  visit.isReduced = true;
}

class Gcv {
public:
  Gcv(SearchGroups &groups, double gamma)
      : groups(groups), penalties(groups.problem.penalties), gamma(gamma),
        d(size_t(groups.problem.model.columns)), points(groups.size()),
        visits(groups.size()), spares(groups.threads()) {
    for (const UnitPenalty &penalty : penalties)
      factors.push_back(factorOf(penalty));
  }

  /// Moves to a point. \returns its score.
  Result<double> moveTo(const std::vector<double> &strengths);

  /// The scores of the point with other strengths of one coordinate.
  Result<std::vector<double>> scoresOf(const std::vector<double> &strengths,
                                       size_t coordinate,
                                       const std::vector<double> &candidates);

private:
  bool compute(size_t group, const std::vector<double> &strengths,
               SearchScratch &own, Point &point) const;
  Visit visit(size_t group, size_t coordinate,
              const std::vector<double> &strengths, const Point &point,
              SearchScratch &own) const;
  double scoreOf(size_t group, const Fit &fit) const;
  double scoreOf(size_t group, const Visit &visit, double strength) const;
  double scoreReduced(size_t group, const Visit &visit, double strength) const;

  SearchGroups &groups;
  std::span<const UnitPenalty> penalties;
  double gamma;
  size_t d;
  /// The columns of L of each coordinate.
  std::vector<SparseColumns> factors;
  std::vector<Point> points;
  std::vector<Visit> visits;
  /// Of the threads.
  std::vector<Point> spares;
};

/// Computes what is known of a group with given strengths.
bool Gcv::compute(size_t group, const std::vector<double> &strengths,
                  SearchScratch &own, Point &point) const {
  const System &system = groups[group];
  const double rows = system.rows, floor = TAMRT_PENALTY_FLOOR * rows;
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
  if (!own.invert(point.inverse, logDeterminant))
    return false;

  /// Adds M x to `out`, M being symmetric.
  auto addProduct = [&](const std::vector<double> &m,
                        const std::vector<double> &x,
                        std::vector<double> &out) {
    own.context.kernels->rhs_dense(&own.context, m.data(), x.data(), nullptr,
                                   int64_t(d), int64_t(d), out.data());
  };
  // beta, refined once.
  std::vector<double> beta(d), product(d), residual(d);
  addProduct(point.inverse, system.vector, beta);
  addProduct(system.matrix, beta, product);
  for (size_t i = 0; i < penalties.size(); ++i) {
    const UnitPenalty &unit = penalties[i];
    for (size_t k = 0; k < unit.columns; ++k)
      for (const SparseNumber &number : unit.rows[k])
        product[unit.first + k] +=
            rows * strengths[i] * number.value * beta[unit.first + number.at];
  }
  for (size_t i = 0; i < d; ++i)
    residual[i] = system.vector[i] - product[i];
  addProduct(point.inverse, residual, beta);
  point.fitted.assign(d, 0);
  addProduct(system.matrix, beta, point.fitted);
  addTimes(-floor, beta.data(), d, point.fitted.data());
  point.vectorBeta = dot(system.vector.data(), beta.data(), d);
  point.betaSBeta = dot(point.fitted.data(), beta.data(), d);
  // Not as D less the traces of penalties times A^-1: strong ones would cancel
  // its digits.
  std::vector<double> traces(d);
  double diagonal = 0;
  for (size_t i = 0; i < d; ++i) {
    const double *row = system.matrix.data() + i * d;
    const double *inverse = point.inverse.data() + i * d;
    for (size_t k = 0; k < i; ++k)
      traces[k] += row[k] * inverse[k];
    diagonal += (row[i] - floor) * inverse[i];
  }
  point.trace =
      diagonal + 2 * std::accumulate(traces.begin(), traces.end(), 0.0);
  return true;
}

Visit Gcv::visit(size_t group, size_t coordinate,
                 const std::vector<double> &strengths, const Point &point,
                 SearchScratch &own) const {
  const System &system = groups[group];
  const SparseColumns &columns = factors[coordinate];
  const size_t r = columns.size();
  const size_t first = penalties[coordinate].first;
  const double rows = system.rows, root = std::sqrt(rows);
  // V, and its transpose, whose rows are sums of rows of A^-1.
  Matrix v(d, r), transposed(r, d);
  for (size_t k = 0; k < r; ++k) {
    for (const SparseNumber &number : columns[k])
      addTimes(root * number.value,
               point.inverse.data() + (first + number.at) * d, d,
               transposed.row(k));
    for (size_t i = 0; i < d; ++i)
      v.row(i)[k] = transposed.row(k)[i];
  }
  Visit visit;
  visit.middle = Matrix(r, r);
  for (size_t k = 0; k < r; ++k)
    for (const SparseNumber &number : columns[k])
      addTimes(root * number.value, v.row(first + number.at), r,
               visit.middle.row(k));
  const double floor = TAMRT_PENALTY_FLOOR * rows;
  Matrix other(d, r);
  // The sum of a'b, all of D rows, and `sums`.
  auto addCross = [&](const double *a, size_t columns, const Matrix &b,
                      Matrix &sums) {
    own.context.kernels->gram_dense_dense(&own.context, a, b.values.data(),
                                          nullptr, int64_t(d), int64_t(columns),
                                          int64_t(r), sums.values.data());
  };
  if (*std::max_element(strengths.begin(), strengths.end()) > kStrong) {
    // V'S V = V'(S + 1e-6 T I) V - V'(1e-6 T I) V.
    visit.gram = Matrix(r, r);
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
  visit.vector = transposedProduct(v, system.vector.data());
  visit.fitted = transposedProduct(v, point.fitted.data());
  visit.fit = point;
  visit.strength = strengths[coordinate];
  return visit;
}

double Gcv::scoreOf(size_t group, const Fit &fit) const {
  const System &system = groups[group];
  const auto rows = double(system.positiveRows);
  // NaN stays NaN.
  double rss = system.squares.value() - 2 * fit.vectorBeta + fit.betaSBeta;
  if (rss < 0)
    rss = 0;
  const double left = std::max(1 - gamma * fit.trace / rows, 1e-6);
  return groups.weightMean(group) * rss / rows / (left * left);
}

/// The score with another strength of the visited coordinate. With the change c
/// of the strength and K = c (I + c M)^-1, A^-1 changes by -V K V'.
double Gcv::scoreOf(size_t group, const Visit &visit, double strength) const {
  if (visit.isReduced)
    return scoreReduced(group, visit, strength);
  const double change = strength - visit.strength;
  const size_t r = visit.middle.rows;
  // The factor R of I + c M, and its inverse.
  Matrix factor(r, r), inverse(r, r);
  for (size_t i = 0; i < r; ++i) {
    for (size_t k = 0; k <= i; ++k) {
      const double sum = (i == k ? 1.0 : 0.0) +
                         change * visit.middle.row(i)[k] -
                         dot(factor.row(i), factor.row(k), k);
      if (i == k && !(sum > 0))
        return std::numeric_limits<double>::quiet_NaN();
      factor.row(i)[k] = i == k ? std::sqrt(sum) : sum / factor.row(k)[k];
    }
    double *row = inverse.row(i);
    for (size_t k = 0; k < i; ++k)
      addTimes(-factor.row(i)[k], inverse.row(k), k + 1, row);
    for (size_t k = 0; k < i; ++k)
      row[k] /= factor.row(i)[i];
    row[i] = 1 / factor.row(i)[i];
  }
  // q = K V'b.
  std::vector<double> half(r), q(r);
  for (size_t i = 0; i < r; ++i)
    half[i] = dot(inverse.row(i), visit.vector.data(), i + 1);
  for (size_t i = 0; i < r; ++i)
    addTimes(change * half[i], inverse.row(i), i + 1, q.data());
  // tr(K V'S V), and q'V'S V q.
  double trace = 0, quadratic = 0;
  std::vector<double> row(r);
  for (size_t i = 0; i < r; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (size_t k = 0; k <= i; ++k)
      addTimes(inverse.row(i)[k], visit.gram.row(k), i + 1, row.data());
    trace += dot(row.data(), inverse.row(i), i + 1);
    quadratic += q[i] * dot(visit.gram.row(i), q.data(), r);
  }
  return scoreOf(group, fitOf(visit, q, change * trace, quadratic));
}

/// The same where M is tridiagonal. O(r^2).
double Gcv::scoreReduced(size_t group, const Visit &visit,
                         double strength) const {
  const double change = strength - visit.strength;
  const size_t r = visit.middle.rows;
  // I + c M = R D R', R having `below` under its unit diagonal.
  std::vector<double> pivots(r), below(r);
  for (size_t i = 0; i < r; ++i) {
    pivots[i] = 1 + change * visit.middle.row(i)[i];
    if (i > 0) {
      const double side = change * visit.middle.row(i)[i - 1];
      below[i - 1] = side / pivots[i - 1];
      pivots[i] -= below[i - 1] * side;
    }
    if (!(pivots[i] > 0))
      return std::numeric_limits<double>::quiet_NaN();
  }
  // q = K V'b.
  std::vector<double> q = visit.vector;
  for (size_t i = 1; i < r; ++i)
    q[i] -= below[i - 1] * q[i - 1];
  for (size_t i = 0; i < r; ++i)
    q[i] *= change / pivots[i];
  for (size_t i = r; i-- > 1;)
    q[i - 1] -= below[i - 1] * q[i];
  // tr(K V'S V) from the rows of the inverse of I + c M, the last one first, of
  // which each is a multiple of the next right of the diagonal; and q'V'S V q.
  double trace = 0, quadratic = 0;
  std::vector<double> row(r);
  for (size_t i = r; i-- > 0;) {
    const double *gram = visit.gram.row(i);
    const double factor = i + 1 < r ? -below[i] : 0;
    for (size_t k = i + 1; k < r; ++k)
      row[k] *= factor;
    row[i] = 1 / pivots[i] + (i + 1 < r ? factor * row[i + 1] : 0);
    const size_t right = i + 1;
    trace +=
        row[i] * gram[i] + 2 * dot(row.data() + right, gram + right, r - right);
    quadratic += q[i] * dot(gram, q.data(), r);
  }
  return scoreOf(group, fitOf(visit, q, change * trace, quadratic));
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

Result<std::vector<double>>
Gcv::scoresOf(const std::vector<double> &strengths, size_t coordinate,
              const std::vector<double> &candidates) {
  const double now = strengths[coordinate];
  const double least = *std::min_element(candidates.begin(), candidates.end());
  // From the least strength all changes are upwards.
  std::vector<double> from = strengths;
  const bool moves = least < kLeastRatio * now;
  if (moves)
    from[coordinate] = least;
  std::vector<std::vector<double>> scores(candidates.size());
  for (std::vector<double> &of : scores)
    of.resize(points.size());
  Status done = groups.forEach([&](size_t g, SearchScratch &own) {
    Point &spare = spares[own.thread];
    if (moves && !compute(g, from, own, spare))
      return false;
    visits[g] = visit(g, coordinate, from, moves ? spare : points[g], own);
    if (candidates.size() >= kReduced)
      reduce(visits[g]);
    for (size_t i = 0; i < candidates.size(); ++i) {
      double score = scoreOf(g, visits[g], candidates[i]);
      if (std::isnan(score)) {
        std::vector<double> exact = strengths;
        exact[coordinate] = candidates[i];
        if (!compute(g, exact, own, spare))
          return false;
        score = scoreOf(g, spare);
      }
      scores[i][g] = score;
    }
    return true;
  });
  if (!done)
    return std::move(done).error();
  std::vector<double> means;
  for (const std::vector<double> &of : scores)
    means.push_back(meanOf(of));
  return means;
}

} // namespace

Result<TuneResult> minimizeGcv(SearchGroups &groups, std::vector<double> aps,
                               const TuneOptions &options,
                               const TuneReport &report) {
  Gcv gcv(groups, options.gamma);
  std::vector<double> strengths;
  for (double &ap : aps) {
    ap = std::clamp(ap, options.low, options.high);
    strengths.push_back(strengthOf(ap));
  }
  Result<double> best = gcv.moveTo(strengths);
  if (!best)
    return std::move(best).error();
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
      Result<std::vector<double>> scores =
          gcv.scoresOf(strengths, i, candidates);
      if (!scores)
        return std::move(scores).error();
      bool moves = false;
      for (size_t k = 0; k < tried.size(); ++k) {
        if (tried[k] == aps[i])
          continue;
        ++evaluations;
        if (!((*scores)[k] < *best * (1 - 1e-8)))
          continue;
        *best = (*scores)[k];
        aps[i] = tried[k];
        strengths[i] = candidates[k];
        moves = hasGained = true;
      }
      if (moves) {
        best = gcv.moveTo(strengths);
        if (!best)
          return std::move(best).error();
      }
      if (report)
        report({evaluations, *best, {}, cycle});
    }
    if (!hasGained)
      break;
  }
  return TuneResult{std::move(aps), {}, *best, evaluations};
}

} // namespace tamrt
