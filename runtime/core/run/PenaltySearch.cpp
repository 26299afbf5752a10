//===- core/run/PenaltySearch.cpp - the groups of a search for penalties --===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/PenaltySearch.h"

#include "core/run/Matrix.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace tamrt {

bool SearchScratch::invert(double &logDeterminant) {
  const size_t d = columns;
  double numbers[2];
  context.kernels->cholesky_inverse(&context, int64_t(d), matrix.data(),
                                    triangle.data(), numbers, workspace.data());
  if (context.status != TAMRT_OK)
    return false;
  logDeterminant = numbers[0];
  return true;
}

bool SearchScratch::forgetFailure() {
  if (context.status != TAMRT_ERROR_NOT_POSITIVE_DEFINITE &&
      context.status != TAMRT_ERROR_OVERFLOW)
    return false;
  context.status = TAMRT_OK;
  return true;
}

void SearchScratch::unpack(std::vector<double> &inverse) const {
  const size_t d = columns;
  inverse.resize(d * d);
  // Tiles, so that the columns that are written stay in the first-level cache.
  constexpr size_t kTile = 16;
  for (size_t top = 0; top < d; top += kTile)
    for (size_t left = 0; left <= top; left += kTile)
      for (size_t i = top; i < std::min(top + kTile, d); ++i) {
        const double *row = triangle.data() + i * (i + 1) / 2;
        for (size_t k = left; k < std::min(left + kTile, i + 1); ++k)
          inverse[i * d + k] = inverse[k * d + i] = row[k];
      }
}

SearchGroups::SearchGroups(const TuneProblem &problem, size_t first,
                           size_t count, unsigned threads)
    : problem(problem), first(first), count(count),
      scratch(chooseThreads(threads, count, 1)) {
  const auto d = size_t(problem.model.columns);
  for (size_t thread = 0; thread < scratch.size(); ++thread) {
    SearchScratch &own = scratch[thread];
    own.thread = thread;
    own.context.kernels = Device::cpu().kernels();
    own.columns = d;
    own.matrix.resize(d * d);
    own.triangle.resize(size_t(triangleSize(int64_t(d))));
    own.workspace.resize(
        size_t(std::max(TAMRT_INVERSE_WORKSPACE(d), TAMRT_SOLVE_WORKSPACE(d))));
  }
}

static bool areWithinLimits(std::span<const UnitPenalty> penalties,
                            const std::vector<double> &strengths) {
  for (size_t i = 0; i < strengths.size(); ++i)
    if (strengths[i] > penalties[i].limit * (1 + 1e-8))
      return false;
  return true;
}

bool SearchGroups::mustCheck(const std::vector<double> &strengths) const {
  constexpr double kUnchecked = 2e6;
  return *std::max_element(strengths.begin(), strengths.end()) > kUnchecked ||
         !areWithinLimits(problem.penalties, strengths);
}

bool SearchGroups::isFit(size_t g, const std::vector<double> &strengths,
                         double squares, SearchScratch &own) const {
  constexpr double kDifference = 1e-6, kRounding = 1e-12;
  if (!areWithinLimits(problem.penalties, strengths))
    return false;
  if (!mustCheck(strengths))
    return true;
  const System &system = (*this)[g];
  const size_t d = own.columns;
  own.matrix = system.matrix;
  for (size_t i = 0; i < strengths.size(); ++i) {
    const UnitPenalty &unit = problem.penalties[i];
    for (size_t k = 0; k < unit.columns; ++k)
      for (const SparseNumber &number : unit.rows[k])
        own.matrix[(unit.first + k) * d + unit.first + number.at] +=
            system.rows * strengths[i] * number.value;
  }
  std::vector<double> beta = system.vector;
  own.context.kernels->cholesky_solve(&own.context, int64_t(d),
                                      own.matrix.data(), beta.data(),
                                      own.workspace.data());
  if (own.context.status != TAMRT_OK)
    return false;
  const double floor = TAMRT_PENALTY_FLOOR * system.rows;
  double found = system.target.all().squares();
  for (size_t k = 0; k < d; ++k)
    found += beta[k] * (dot(system.matrix.data() + k * d, beta.data(), d) -
                        floor * beta[k] - 2 * system.vector[k]);
  return std::fabs(found - squares) <=
         kDifference * squares + kRounding * system.target.all().squares();
}

Error SearchGroups::noFit(size_t g, const TuneOptions &options) const {
  return errorOf(
      g, fmt::format("expected --bounds between which a fit has a solution, "
                     "got {},{}: beside such penalties the rows' sums lose "
                     "their digits",
                     options.low, options.high));
}

Status SearchGroups::checkSquares(const char *score) const {
  for (size_t g = 0; g < count; ++g) {
    const System &system = (*this)[g];
    const bool isFinite = std::isfinite(system.target.all().squares());
    if (isFinite && !system.squaresVanish())
      continue;
    return errorOf(g, fmt::format("expected a finite {} score, got an {}; "
                                  "scale the target or the row weights",
                                  score, isFinite ? "underflow" : "overflow"));
  }
  return {};
}

Error SearchGroups::errorOf(size_t g, const std::string &message) const {
  return Error{(problem.model.group
                    ? "group '" + problem.names[first + g] + "': "
                    : "") +
               message};
}

} // namespace tamrt
