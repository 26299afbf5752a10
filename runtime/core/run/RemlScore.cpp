//===- core/run/RemlScore.cpp - the REML score ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/RemlScore.h"

#include "kernels/cpu/ElementaryScalars.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamrt {

/// Adds factor * from^2 to `to`.
static void addSquares(double factor, const double *from, size_t count,
                       double *to) {
  for (size_t i = 0; i < count; ++i)
    to[i] += factor * (from[i] * from[i]);
}

void RemlPoint::add(const RemlPoint &other) {
  score += other.score;
  noise += other.noise;
  for (size_t i = 0; i < gradient.size(); ++i) {
    gradient[i] += other.gradient[i];
    freedom[i] += other.freedom[i];
    size[i] += other.size[i];
  }
  addTimes(1, other.hessian.values.data(), hessian.values.size(),
           hessian.values.data());
}

RemlScore::RemlScore(SearchGroups &groups, const PenaltyBasis &basis)
    : groups(groups), basis(basis), rotated(groups.size()),
      inverses(groups.threads()) {}

Status RemlScore::prepare() {
  if (Status s = groups.checkSquares("REML"); !s)
    return s;
  for (size_t g = 0; g < groups.size(); ++g)
    if (groups[g].target.all().squares() == 0)
      return groups.errorOf(g, "expected a target other than 0, got zeros, of "
                               "which every penalty is the best by REML");
  return groups.forEach([&](size_t g, SearchScratch &) {
    const size_t d = groups[g].vector.size();
    Rotated &own = rotated[g];
    own.matrix = Matrix(d, d);
    own.matrix.values = groups[g].matrix;
    own.vector = groups[g].vector;
    basis.rotate(own.matrix);
    basis.rotate(own.vector.data());
    return true;
  });
}

/// Whether fits with these strengths, whose beta in the basis is given, are
/// possible.
bool RemlScore::isFit(size_t group, const std::vector<double> &strengths,
                      const std::vector<double> &beta,
                      SearchScratch &own) const {
  const System &system = groups[group];
  const Rotated &sums = rotated[group];
  const double floor = TAMRT_PENALTY_FLOOR * system.rows;
  const size_t d = beta.size();
  double squares = system.target.all().squares();
  for (size_t k = 0; k < d; ++k)
    squares += beta[k] * (dot(sums.matrix.row(k), beta.data(), d) -
                          floor * beta[k] - 2 * sums.vector[k]);
  return groups.isFit(group, strengths, squares, own);
}

static bool isFinite(const RemlPoint &point) {
  auto areFinite = [](const std::vector<double> &values) {
    return std::all_of(values.begin(), values.end(),
                       [](double value) { return std::isfinite(value); });
  };
  return std::isfinite(point.score) && areFinite(point.gradient) &&
         areFinite(point.hessian.values);
}

/// Where there is no fit.
static RemlPoint noPoint() {
  RemlPoint point;
  point.score = std::numeric_limits<double>::infinity();
  return point;
}

/// Computes V of a group and its derivatives, with m_i = N lam_i e_i. Without a
/// fit V is infinite, and there are no derivatives.
bool RemlScore::compute(size_t group, const std::vector<double> &strengths,
                        bool mustFit, SearchScratch &own, RemlPoint &point) {
  const System &system = groups[group];
  const Rotated &sums = rotated[group];
  const size_t d = own.columns, count = strengths.size();
  const TargetSum target = system.target.all();
  const double rows = target.positiveRows();
  const double floor = TAMRT_PENALTY_FLOOR * system.rows;

  // The diagonal of S_lam.
  std::vector<double> penalty(d, floor);
  std::vector<std::vector<double>> m(count);
  for (const PenaltyBasis::Block &block : basis.blocks())
    for (size_t i = block.firstCoordinate; i < block.endCoordinate; ++i)
      for (double value : basis.values(i)) {
        const double own = system.rows * strengths[i] * value;
        penalty[block.first + m[i].size()] += own;
        m[i].push_back(own);
      }
  own.matrix = sums.matrix.values;
  // Its floor is in the sums.
  for (size_t k = 0; k < d; ++k)
    own.matrix[k * d + k] += penalty[k] - floor;
  std::vector<double> &inverse = inverses[own.thread];
  double logDeterminant = 0;
  point = noPoint();
  if (!own.invert(logDeterminant))
    return !mustFit && own.forgetFailure();
  own.unpack(inverse);

  // beta, and the residual b - A beta.
  std::vector<double> beta(d), residual = sums.vector;
  for (int round = 0; round < 2; ++round) {
    for (size_t k = 0; k < d; ++k)
      addTimes(residual[k], inverse.data() + k * d, d, beta.data());
    residual = sums.vector;
    for (size_t k = 0; k < d; ++k) {
      residual[k] -= (penalty[k] - floor) * beta[k];
      addTimes(-beta[k], sums.matrix.row(k), d, residual.data());
    }
  }
  if (!isFit(group, strengths, beta, own))
    return own.context.status == TAMRT_OK || (!mustFit && own.forgetFailure());
  // The minimum over beta is flat, so the residual's part leaves its error to
  // the second order.
  const double deviance = target.squares() -
                          dot(sums.vector.data(), beta.data(), d) -
                          dot(residual.data(), beta.data(), d);
  double logPenalty = 0;
  for (double value : penalty)
    logPenalty += cpu::logarithm(value);
  // Weights with another mean change V by a constant.
  point.score = (rows * (cpu::logarithm(deviance) +
                         cpu::logarithm(groups.weightMean(group))) +
                 logDeterminant - logPenalty) /
                2;

  // Those of the sums over the deviance, and of pivots over their part of A.
  point.noise = rows * target.squares() / deviance;
  for (size_t k = 0; k < d; ++k)
    point.noise +=
        (sums.matrix.row(k)[k] + penalty[k] - floor) * inverse[k * (d + 1)];
  point.noise *= std::numeric_limits<double>::epsilon();

  point.gradient.assign(count, 0);
  point.freedom.assign(count, 0);
  point.size.assign(count, 0);
  point.hessian = Matrix(count, count);
  // beta'S_i beta, and S_i beta.
  std::vector<double> quadratic(count);
  std::vector<std::vector<double>> product = m;
  for (const PenaltyBasis::Block &block : basis.blocks())
    for (size_t i = block.firstCoordinate; i < block.endCoordinate; ++i) {
      for (size_t k = 0; k < block.columns; ++k) {
        const size_t at = block.first + k;
        product[i][k] *= beta[at];
        quadratic[i] += product[i][k] * beta[at];
        point.freedom[i] += m[i][k] * (1 / penalty[at] - inverse[at * (d + 1)]);
      }
      point.size[i] = rows * quadratic[i] / deviance;
      point.gradient[i] = (point.size[i] - point.freedom[i]) / 2;
    }
  // (A^-1 o A^-1) m_i and A^-1 S_i beta, as far as pairs (i, j) with j's
  // columns before i's need them, or the same.
  std::vector<double> traces(d), products(d);
  for (const PenaltyBasis::Block &block : basis.blocks()) {
    const size_t end = block.first + block.columns;
    for (size_t i = block.firstCoordinate; i < block.endCoordinate; ++i) {
      std::fill_n(traces.begin(), end, 0.0);
      std::fill_n(products.begin(), end, 0.0);
      for (size_t k = 0; k < block.columns; ++k) {
        const double *row = inverse.data() + (block.first + k) * d;
        addSquares(m[i][k], row, end, traces.data());
        addTimes(product[i][k], row, end, products.data());
      }
      for (const PenaltyBasis::Block &other : basis.blocks()) {
        if (other.first >= end)
          break;
        for (size_t j = other.firstCoordinate; j < other.endCoordinate; ++j)
          point.hessian.row(i)[j] -=
              rows *
                  dot(products.data() + other.first, product[j].data(),
                      other.columns) /
                  deviance +
              dot(traces.data() + other.first, m[j].data(), other.columns) / 2;
      }
    }
  }
  for (const PenaltyBasis::Block &block : basis.blocks())
    for (size_t i = block.firstCoordinate; i < block.endCoordinate; ++i)
      for (size_t j = block.firstCoordinate; j < block.endCoordinate; ++j)
        for (size_t k = 0; k < block.columns; ++k) {
          const double own = penalty[block.first + k];
          point.hessian.row(i)[j] += m[i][k] / own * (m[j][k] / own) / 2;
        }
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double &value = point.hessian.row(i)[j];
      value -= rows * quadratic[i] / deviance * (quadratic[j] / deviance) / 2;
      point.hessian.row(j)[i] = value;
    }
    point.hessian.row(i)[i] += point.gradient[i];
  }
  return true;
}

Result<RemlPoint> RemlScore::at(const std::vector<double> &aps, bool mustFit) {
  std::vector<double> strengths;
  for (double ap : aps)
    strengths.push_back(strengthOf(ap));
  std::vector<RemlPoint> points(groups.size());
  Status done = groups.forEach([&](size_t g, SearchScratch &own) {
    return compute(g, strengths, mustFit, own, points[g]);
  });
  if (!done)
    return std::move(done).error();
  for (size_t g = 0; g < points.size(); ++g)
    if (!isFinite(points[g])) {
      points[g] = noPoint();
      points[g].group = g;
      return std::move(points[g]);
    }
  for (size_t g = 1; g < points.size(); ++g)
    points[0].add(points[g]);
  return std::move(points[0]);
}

} // namespace tamrt
