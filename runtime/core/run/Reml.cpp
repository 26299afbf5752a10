//===- core/run/Reml.cpp - penalties by REML ------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Reml.h"

#include "core/Interruption.h"
#include "core/run/RemlScore.h"
#include "core/run/SymmetricEigen.h"
#include "kernels/cpu/ElementaryScalars.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace tamrt {
namespace {

constexpr double kLn10 = 2.302585092994045684;

/// Where the search begins: below the strengths from which long steps lead into
/// local minima, and where V is not yet flat.
constexpr double kStart = -5.5;

/// Where it begins again if a group has fewer rows than this many times its
/// coefficients. There V has a local minimum near interpolation, into which a
/// search from below may fall.
constexpr double kFewRows = 2;
constexpr double kOtherStart = -1;

/// Two values of V may differ by this many times `RemlPoint::noise` without a
/// reason.
constexpr double kNoise = 4;

/// A search. V is known at `aps`.
class RemlSearch {
public:
  /// Of `start` for each penalty. `evaluations` have been made before.
  RemlSearch(RemlScore &score, double start, const TuneOptions &options,
             const TuneReport &report, size_t evaluations = 0)
      : score(score), options(options), report(report),
        aps(score.groups.problem.penalties.size(), start),
        evaluations(evaluations) {}

  /// The score is infinite if V is, where the search begins, and `mustFit` is
  /// not set: then that is an error.
  Result<TuneResult> run(bool mustFit);

private:
  double clamped(double ap) const {
    return std::clamp(ap, options.low, options.high);
  }
  Result<RemlPoint> at(const std::vector<double> &where, bool mustFit = false);
  void moveTo(std::vector<double> where, RemlPoint point);
  Status fellnerSchall();
  Status newton();
  std::vector<double> newtonStep(double &gain) const;
  Result<bool> moveToBounds();

  RemlScore &score;
  const TuneOptions &options;
  const TuneReport &report;
  std::vector<double> aps;
  RemlPoint here;
  size_t evaluations;
};

/// Computes V and its derivatives by aps, but for `freedom` and `size`.
Result<RemlPoint> RemlSearch::at(const std::vector<double> &where,
                                 bool mustFit) {
  checkInterruption();
  ++evaluations;
  Result<RemlPoint> point = score.at(where, mustFit);
  if (!point)
    return point;
  for (double &value : point->gradient)
    value *= kLn10;
  for (double &value : point->hessian.values)
    value *= kLn10 * kLn10;
  return point;
}

void RemlSearch::moveTo(std::vector<double> where, RemlPoint point) {
  aps = std::move(where);
  here = std::move(point);
  if (report)
    report({evaluations, here.score});
}

/// Multiplies all strengths by the ratios at which V would be stationary, while
/// that promises a gain. V falls steadily this way, and short steps stay in the
/// valley in which the search began.
Status RemlSearch::fellnerSchall() {
  constexpr double kRatio = 100, kLeastGain = 1e-3;
  constexpr int kMost = 300;
  for (int step = 0; step < kMost; ++step) {
    std::vector<double> next = aps;
    double gain = 0;
    for (size_t i = 0; i < aps.size(); ++i) {
      const double freedom = here.freedom[i], size = here.size[i];
      // Both are 0 where the penalty counts for nothing.
      if (freedom == size)
        continue;
      const double ratio =
          std::clamp(size > 0 ? freedom / size : kRatio, 1 / kRatio, kRatio);
      next[i] = clamped(aps[i] + cpu::logarithm(ratio) / kLn10);
      gain += std::fabs(here.gradient[i] * (next[i] - aps[i]));
    }
    if (gain < kLeastGain)
      return {};
    Result<RemlPoint> point = at(next);
    if (!point)
      return std::move(point).error();
    if (!std::isfinite(point->score))
      return {};
    moveTo(std::move(next), *std::move(point));
  }
  return {};
}

/// The step to the minimum of the quadratic with the absolute eigenvalues of
/// the Hessian, which descends everywhere, and what it would gain. Coordinates
/// at a bound beyond which V falls stay there.
std::vector<double> RemlSearch::newtonStep(double &gain) const {
  constexpr double kLongest = 1.5;
  std::vector<size_t> free;
  for (size_t i = 0; i < aps.size(); ++i)
    if (!(aps[i] <= options.low && here.gradient[i] >= 0) &&
        !(aps[i] >= options.high && here.gradient[i] <= 0))
      free.push_back(i);
  const size_t n = free.size();
  Matrix hessian(n, n);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      hessian.row(i)[k] = here.hessian.row(free[i])[free[k]];
  const SymmetricEigen eigen = eigenOf(std::move(hessian));
  std::vector<double> step(aps.size());
  gain = 0;
  for (size_t e = 0; e < n; ++e) {
    const double *vector = eigen.vectors.row(e);
    double slope = 0, largest = 0;
    for (size_t i = 0; i < n; ++i) {
      slope += vector[i] * here.gradient[free[i]];
      largest = std::max(largest, std::fabs(vector[i]));
    }
    if (slope == 0)
      continue;
    const double curvature =
        std::max(eigen.values[e], std::numeric_limits<double>::min());
    const double length =
        std::min(std::fabs(slope) / curvature, kLongest / largest);
    gain += std::fabs(slope) * length / 2;
    for (size_t i = 0; i < n; ++i)
      step[free[i]] -= std::copysign(length, slope) * vector[i];
  }
  return step;
}

Status RemlSearch::newton() {
  constexpr double kLeastGain = 1e-12;
  constexpr int kMost = 200, kMostBlind = 5;
  int blind = 0;
  for (int round = 0; round < kMost; ++round) {
    double gain = 0;
    const std::vector<double> step = newtonStep(gain);
    // V does not show a gain below its noise, but the derivatives have fewer
    // rounding errors.
    const bool isBlind = gain < kNoise * here.noise;
    if (gain < kLeastGain || (isBlind && ++blind > kMostBlind))
      return {};
    bool moves = false;
    for (double part = 1; !moves; part /= 2) {
      if (part < 1 && gain * part < kNoise * here.noise)
        return {};
      std::vector<double> next = aps;
      for (size_t i = 0; i < next.size(); ++i)
        next[i] = clamped(aps[i] + part * step[i]);
      if (next == aps)
        return {};
      Result<RemlPoint> point = at(next);
      if (!point)
        return std::move(point).error();
      moves = point->score < here.score + (isBlind ? kNoise * here.noise : 0);
      if (moves)
        moveTo(std::move(next), *std::move(point));
    }
  }
  return {};
}

/// Puts each coordinate on the bound where V is least, if V does not rise.
/// \returns whether V has fallen, so that the others may have better places.
Result<bool> RemlSearch::moveToBounds() {
  constexpr double kFlat = 1e-10;
  const double before = here.score;
  auto flat = [&] { return kFlat + kNoise * here.noise; };
  for (size_t i = 0; i < aps.size(); ++i) {
    const bool isOnBound = aps[i] == options.low || aps[i] == options.high;
    std::vector<double> best;
    RemlPoint there;
    // From a bound only to a lower V; and to the low one if V tells nothing.
    double most = here.score + (isOnBound ? -flat() : flat());
    for (double bound : {options.low, options.high}) {
      if (aps[i] == bound)
        continue;
      std::vector<double> next = aps;
      next[i] = bound;
      Result<RemlPoint> point = at(next);
      if (!point)
        return std::move(point).error();
      if (point->score < most) {
        best = std::move(next);
        there = *std::move(point);
        most = there.score - flat();
      }
    }
    if (!best.empty())
      moveTo(std::move(best), std::move(there));
  }
  return here.score < before - flat();
}

Result<TuneResult> RemlSearch::run(bool mustFit) {
  Result<RemlPoint> first = at(aps, mustFit);
  if (!first)
    return std::move(first).error();
  if (!std::isfinite(first->score) && !mustFit)
    return TuneResult{std::move(aps), {}, first->score, evaluations};
  if (!std::isfinite(first->score))
    return options.low > kStart
               ? score.groups.noFit(first->group, options)
               : score.groups.errorOf(
                     first->group,
                     "expected a finite REML score, got an overflow; scale the "
                     "target or the row weights");
  here = *std::move(first);
  if (Status s = fellnerSchall(); !s)
    return std::move(s).error();
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    if (Status s = newton(); !s)
      return std::move(s).error();
    Result<bool> falls = moveToBounds();
    if (!falls)
      return std::move(falls).error();
    if (!*falls)
      break;
  }
  std::vector<ApState> states;
  for (double ap : aps)
    states.push_back(ap == options.low    ? ApState::Low
                     : ap == options.high ? ApState::High
                                          : ApState::Interior);
  return TuneResult{std::move(aps), std::move(states), here.score, evaluations};
}

bool hasFewRows(const SearchGroups &groups) {
  const double least = kFewRows * double(groups.problem.model.columns);
  for (size_t g = 0; g < groups.size(); ++g)
    if (double(groups[g].rows) < least)
      return true;
  return false;
}

} // namespace

Result<TuneResult> minimizeReml(SearchGroups &groups, const PenaltyBasis &basis,
                                const TuneOptions &options,
                                const TuneReport &report) {
  RemlScore score(groups, basis);
  if (Status s = score.prepare(); !s)
    return std::move(s).error();
  const double start = std::clamp(kStart, options.low, options.high);
  const double otherStart = std::clamp(kOtherStart, options.low, options.high);
  Result<TuneResult> found =
      RemlSearch(score, start, options, report).run(/*mustFit=*/true);
  if (!found || otherStart == start || !hasFewRows(groups))
    return found;
  Result<TuneResult> other =
      RemlSearch(score, otherStart, options, report, found->evaluations)
          .run(/*mustFit=*/false);
  if (!other)
    return other;
  if (other->score < found->score)
    return other;
  found->evaluations = other->evaluations;
  return found;
}

} // namespace tamrt
