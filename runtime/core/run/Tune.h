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
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

enum class Criterion {
  /// Generalised cross-validation (docs/math.md section 4): the mean of the
  /// groups' scores. Searches coordinate by coordinate.
  Gcv,
  /// Restricted maximum likelihood (docs/math.md section 8): the sum of the
  /// groups' scores.
  Reml,
};

struct TuneOptions {
  Criterion criterion = Criterion::Gcv;
  /// Each group gets penalties of its own, which minimise its own score.
  bool perGroup = false;
  /// The bounds of all aps.
  double low = -30, high = 6;
  unsigned threads = 0;
  /// For GCV: the aps to try of each coordinate; empty: a step of a tenth of
  /// the bounds' distance down and up.
  std::vector<double> candidates;
  double gamma = 1.4;
  size_t cycles = 15;
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
  size_t evaluations;
  double score;
  /// With penalties per group: the group. Of GCV: the cycle.
  std::optional<size_t> group = std::nullopt, cycle = std::nullopt;
};

/// Bytes that a search keeps of a group. REML: the group's matrix with
/// penalties, or its inverse. GCV: the inverse, and changes of it, which have
/// as many numbers as the matrix.
int64_t tuneBytesPerGroup(const tamrt_model &model, Criterion criterion);

/// Called by the caller's thread.
using TuneReport = std::function<void(const TuneProgress &)>;

/// Which of the bounds an ap is.
enum class ApState { Interior, Low, High };

struct TuneResult {
  /// The ap of each coordinate.
  std::vector<double> aps;
  /// By REML, of each coordinate: it is on a bound where V does not tell it
  /// from its neighbours, or falls beyond. By GCV none.
  std::vector<ApState> states;
  double score;
  /// How many scores were computed.
  size_t evaluations;
};

/// Searches, by GCV from the aps `start`. \returns the result for all groups,
/// or with `perGroup` that of each. It does not depend on the number of
/// threads.
///
/// Errors, with the group: a matrix that is not positive definite, an overflow;
/// for REML a target of zeros. May throw std::bad_alloc.
Result<std::vector<TuneResult>> tune(const TuneProblem &problem,
                                     const std::vector<double> &start,
                                     const TuneOptions &options,
                                     const TuneReport &report);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_TUNE_H
