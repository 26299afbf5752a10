//===- core/run/Tune.h - choosing penalties ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Penalties that minimise a criterion of the training rows.
///
/// The rows are summed once, and all candidates are computed from the sums.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_TUNE_H
#define TAMRT_CORE_RUN_TUNE_H

#include "core/model/Systems.h"
#include "core/run/UnitPenalties.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

struct TuneOptions {
  /// The bounds of all aps.
  double low = -30, high = 6;
  /// The aps to try of each coordinate; empty: a step of a tenth of the bounds'
  /// distance down and up.
  std::vector<double> candidates;
  double gamma = 1.4;
  size_t cycles = 15;
  unsigned threads = 0;
};

/// What penalties are chosen for: groups with the names `names`, and the
/// penalties of the coordinates.
struct TuneProblem {
  const tamrt_model &model;
  std::span<const UnitPenalty> penalties;
  const Systems &systems;
  std::span<const std::string> names;
};

/// Where a search is, for its user.
struct TuneProgress {
  size_t cycle, evaluations;
  double score;
};

using TuneReport = std::function<void(const TuneProgress &)>;

struct TuneResult {
  /// The ap of each coordinate.
  std::vector<double> aps;
  double score;
  /// How many scores were computed.
  size_t evaluations;
};

/// Searches from the aps `start`. The result does not depend on the number of
/// threads. Errors: a matrix that is not positive definite, or an overflow,
/// with the group. May throw std::bad_alloc.
Result<TuneResult> tune(const TuneProblem &problem, std::vector<double> start,
                        const TuneOptions &options, const TuneReport &report);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_TUNE_H
