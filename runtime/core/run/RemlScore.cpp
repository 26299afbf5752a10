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
  for (size_t g = 0; g < groups.size(); ++g) {
    const double squares = groups[g].squares.value();
    if (squares == 0)
      return groups.errorOf(g, "expected a target other than 0, got zeros, of "
                               "which every penalty is the best by REML");
    if (!std::isfinite(squares))
      return groups.errorOf(g, "expected a finite REML score, got an overflow; "
                               "scale the target or the row weights");
  }
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

/// Computes V of a group and its derivatives, with m_i = N lam_i e_i.
bool RemlScore::compute(size_t group, const std::vector<double> &strengths,
                        SearchScratch &own, RemlPoint &point) {
  const System &system = groups[group];
  const Rotated &sums = rotated[group];
  const size_t d = own.columns, count = strengths.size();
  const auto rows = double(system.positiveRows);
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
  if (!own.invert(inverse, logDeterminant))
    return false;

  // beta, and the residual b - A beta.
  std::vector<double> beta(d), residual = sums.vector;
  for (int round = 0; round < 2; ++round) {
    for (size_t k = 0; k < d; ++k)
      addTimes(residual[k], inverse.data() + k * d, d, beta.data());
    for (size_t k = 0; k < d; ++k)
      residual[k] = sums.vector[k] - (penalty[k] - floor) * beta[k] -
                    dot(sums.matrix.row(k), beta.data(), d);
  }
  // The minimum over beta is flat, so the residual's part leaves its error to
  // the second order.
  const double deviance = system.squares.value() -
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
  point.noise = rows * system.squares.value() / deviance;
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
  // Of each pair the sums of m_i (A^-1 o A^-1) m_j and beta'S_i A^-1 S_j beta.
  std::vector<double> squares(d);
  for (const PenaltyBasis::Block &one : basis.blocks())
    for (const PenaltyBasis::Block &other : basis.blocks()) {
      if (other.first > one.first)
        break;
      for (size_t k = 0; k < one.columns; ++k) {
        const double *row = inverse.data() + (one.first + k) * d + other.first;
        for (size_t l = 0; l < other.columns; ++l)
          squares[l] = row[l] * row[l];
        for (size_t j = other.firstCoordinate; j < other.endCoordinate; ++j) {
          const double traces = dot(squares.data(), m[j].data(), other.columns);
          const double products = dot(row, product[j].data(), other.columns);
          for (size_t i = one.firstCoordinate; i < one.endCoordinate; ++i)
            point.hessian.row(i)[j] -=
                rows * product[i][k] * products / deviance +
                m[i][k] * traces / 2;
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

Result<RemlPoint> RemlScore::at(const std::vector<double> &aps) {
  std::vector<double> strengths;
  for (double ap : aps)
    strengths.push_back(strengthOf(ap));
  std::vector<RemlPoint> points(groups.size());
  Status done = groups.forEach([&](size_t g, SearchScratch &own) {
    return compute(g, strengths, own, points[g]);
  });
  if (!done)
    return std::move(done).error();
  for (size_t g = 0; g < points.size(); ++g) {
    if (!std::isfinite(points[g].score))
      return groups.errorOf(g, "expected a finite REML score, got an overflow; "
                               "scale the target or the row weights");
    if (g > 0)
      points[0].add(points[g]);
  }
  return std::move(points[0]);
}

} // namespace tamrt
