//===- core/run/GridSearch.h - the search of a grid -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values of a formula's tokens that predict held-out rows best (docs/math.md
/// section 4, "Grid").
///
/// The rows of the fit are summed once for the terms of all candidates. The
/// equations of a candidate are rows and columns of these sums.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_GRIDSEARCH_H
#define TAMRT_CORE_RUN_GRIDSEARCH_H

#include "core/model/Candidates.h"
#include "core/run/Executor.h"
#include "core/run/UnitPenalties.h"
#include "io/Error.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace tamrt {

/// The fits of candidates to rows that have been summed.
class CandidateFits {
public:
  /// All arguments must outlive the fits. Errors: those of `unitPenalties`.
  static Result<CandidateFits> create(const tamrt_model &model,
                                      const StrengthsQuestion &question,
                                      const RunOptions &options);

  /// The coefficients of the model with all terms, G x D: zeros for the columns
  /// that a candidate does not have. Errors: those of cholesky_solve, with
  /// group and effect; a coefficient that is not finite.
  Result<std::vector<double>> fit(const Candidate &candidate) const;

private:
  CandidateFits(const tamrt_model &model, const StrengthsQuestion &question,
                const RunOptions &options, std::vector<Coordinate> coordinates,
                std::vector<UnitPenalty> units)
      : model(model), question(question), options(options),
        coordinates(std::move(coordinates)), units(std::move(units)) {}

  const tamrt_model &model;
  const StrengthsQuestion &question;
  const RunOptions &options;
  std::vector<Coordinate> coordinates;
  std::vector<UnitPenalty> units;
};

/// The index of the value of each token.
using GridPoint = std::vector<size_t>;

struct GridResult {
  struct Visit {
    GridPoint point;
    double score;
  };
  GridPoint best;
  double score;
  /// All points whose score was computed, in order.
  std::vector<Visit> visits;
};

/// How far a search is.
struct GridProgress {
  /// Starts and cycles count from 1; a start's first point is before its first
  /// cycle.
  size_t start, cycle, evaluations;
  /// The least score.
  double score;
};

/// Searches from three starts: the first, the median and the last value of each
/// token. A cycle tries the values of one token after another and takes one at
/// once if it lowers the score by more than 1e-8, relatively; a start ends
/// after a cycle without gain, or five. A score is computed once for each
/// point. Errors: those of `score`.
Result<GridResult>
searchGrid(const Candidates &candidates,
           const std::function<Result<double>(const GridPoint &)> &score,
           const std::function<void(const GridProgress &)> &report);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_GRIDSEARCH_H
