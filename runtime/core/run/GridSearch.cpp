//===- core/run/GridSearch.cpp - the search of a grid ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/GridSearch.h"

#include "core/device/Device.h"
#include "core/run/Crew.h"
#include "io/Parallel.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <utility>

namespace tamrt {
namespace {

/// A score is better if it is lower by more than this, relatively: what is
/// equal but for rounding must not decide.
constexpr double kGain = 1e-8;
constexpr size_t kCycles = 5;

} // namespace

Result<CandidateFits> CandidateFits::create(const tamrt_model &model,
                                            const StrengthsQuestion &question,
                                            const RunOptions &options) {
  std::vector<Coordinate> coordinates = coordinatesOf(model);
  Result<std::vector<UnitPenalty>> units = unitPenalties(
      model, coordinates, question.normalization, question.tables, options);
  if (!units)
    return std::move(units).error();
  return CandidateFits(model, question, options, std::move(coordinates),
                       *std::move(units));
}

Result<std::vector<double>>
CandidateFits::fit(const Candidate &candidate) const {
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  const std::span<const size_t> columns = candidate.columns();
  const size_t d = columns.size(), all = size_t(model.columns);
  std::vector<size_t> placeOf(all, kNone);
  for (size_t i = 0; i < d; ++i)
    placeOf[columns[i]] = i;
  std::vector<double> strengths;
  for (const Coordinate &coordinate : coordinates)
    strengths.push_back(strengthOf(apOf(coordinate, candidate.aps())));

  const std::vector<System> &systems = question.systems.groups;
  std::vector<double> coefficients(systems.size() * all);
  std::vector<tamrt_context> failures(systems.size());
  std::atomic<size_t> next = 0;
  forEachPiece(
      chooseThreads(options.threads, systems.size(), 1), [&](unsigned) {
        std::vector<double> matrix(d * d), vector(d);
        std::vector<double> workspace(size_t(TAMRT_SOLVE_WORKSPACE(d)));
        tamrt_context context = {};
        context.kernels = Device::cpu().kernels();
        for (size_t g; (g = next++) < systems.size();) {
          const System &system = systems[g];
          for (size_t k = 0; k < d; ++k) {
            vector[k] = system.vector[columns[k]];
            for (size_t i = k; i < d; ++i)
              matrix[k * d + i] = system.matrix[columns[k] * all + columns[i]];
          }
          for (size_t c = 0; c < units.size(); ++c) {
            const UnitPenalty &unit = units[c];
            const size_t first = placeOf[unit.first];
            if (first == kNone)
              continue;
            const double factor = system.rows * strengths[c];
            for (size_t k = 0; k < unit.columns; ++k)
              for (const SparseNumber &number : unit.rows[k])
                if (number.at >= k)
                  matrix[(first + k) * d + first + number.at] +=
                      factor * number.value;
          }
          context.status = TAMRT_OK;
          context.kernels->cholesky_solve(&context, int64_t(d), matrix.data(),
                                          vector.data(), workspace.data());
          if (context.status != TAMRT_OK) {
            if (context.detail >= 0 && context.detail < int64_t(d))
              context.detail = int64_t(columns[size_t(context.detail)]);
            failures[g] = context;
            continue;
          }
          for (size_t k = 0; k < d; ++k)
            coefficients[g * all + columns[k]] = vector[k];
        }
      });
  for (size_t g = 0; g < systems.size(); ++g)
    if (failures[g].status != TAMRT_OK)
      return describe(model, question.groups[g], failures[g]);
  auto nameAt = [&](size_t g) { return question.groups[g]; };
  if (Status s = checkCoefficients(model, nameAt, coefficients); !s)
    return std::move(s).error();
  return coefficients;
}

Result<GridResult>
searchGrid(const Candidates &candidates,
           const std::function<Result<double>(const GridPoint &)> &score,
           const std::function<void(const GridProgress &)> &report) {
  GridResult result;
  std::map<GridPoint, double> known;
  auto scoreAt = [&](const GridPoint &point) -> Result<double> {
    if (auto at = known.find(point); at != known.end())
      return at->second;
    Result<double> found = score(point);
    if (found) {
      known.emplace(point, *found);
      result.visits.push_back({point, *found});
    }
    return found;
  };
  const size_t tokens = candidates.tokens.size();
  std::vector<GridPoint> starts(3, GridPoint(tokens));
  for (size_t token = 0; token < tokens; ++token) {
    const size_t last = candidates.tokens[token].values.size() - 1;
    starts[1][token] = last / 2;
    starts[2][token] = last;
  }
  for (size_t start = 0; start < starts.size(); ++start) {
    GridPoint point = starts[start];
    Result<double> best = scoreAt(point);
    if (!best)
      return std::move(best).error();
    auto tell = [&](size_t cycle) {
      report({start + 1, cycle, result.visits.size(),
              start == 0 ? *best : std::min(*best, result.score)});
    };
    tell(0);
    bool hasGained = true;
    for (size_t cycle = 1; cycle <= kCycles && hasGained; ++cycle) {
      hasGained = false;
      for (size_t token = 0; token < tokens; ++token) {
        const size_t count = candidates.tokens[token].values.size();
        for (size_t value = 0; value < count; ++value) {
          if (value == point[token])
            continue;
          GridPoint other = point;
          other[token] = value;
          Result<double> found = scoreAt(other);
          if (!found)
            return std::move(found).error();
          if (*found < *best * (1 - kGain)) {
            point = std::move(other);
            best = *found;
            hasGained = true;
          }
        }
        tell(cycle);
      }
    }
    if (start == 0 || *best < result.score * (1 - kGain)) {
      result.best = point;
      result.score = *best;
    }
  }
  return result;
}

} // namespace tamrt
