//===- core/run/Tune.h - choosing penalties ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Penalties that minimise the generalised cross-validation score of the
/// training rows (docs/math.md section 4, GCV).
///
/// The rows are summed once. Then a visit of a coordinate, whose penalty P = L
/// L' has n columns and rank r, costs O(D^2 r) per group, and each candidate
/// for its strength O(r^3): a change of the strength is a change of A of rank
/// r.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_TUNE_H
#define TAMRT_CORE_RUN_TUNE_H

#include "core/data/Normalization.h"
#include "core/model/Coordinates.h"
#include "core/model/Systems.h"
#include "core/model/Tables.h"
#include "core/run/Executor.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// The penalty of a coordinate at strength 1: a block of P.
struct UnitPenalty {
  int64_t first, columns;
  /// columns x columns, both triangles.
  std::vector<double> matrix;
};

/// The penalties of coordinates, by the step PENALTY. Errors: no memory.
Result<std::vector<UnitPenalty>>
unitPenalties(const tamrt_model &model, std::span<const Coordinate> coordinates,
              const Normalization &normalization, const Tables &tables,
              const RunOptions &options);

struct GcvOptions {
  /// The bounds of all aps.
  double low = -30, high = 6;
  /// The aps to try of each coordinate; empty: a step of a tenth of the bounds'
  /// distance down and up.
  std::vector<double> candidates;
  double gamma = 1.4;
  size_t cycles = 15;
  unsigned threads = 0;
};

/// Where a search is, for its user.
struct GcvProgress {
  size_t cycle, evaluations;
  double score;
};

struct GcvResult {
  /// The ap of each coordinate.
  std::vector<double> aps;
  /// The mean of the groups' scores, and how many were computed.
  double score;
  size_t evaluations;
};

/// Searches from the aps `start`, which are clipped to the bounds, coordinate
/// by coordinate. `names` has the groups' names. The result does not depend on
/// the number of threads. Errors: a matrix that is not positive definite, or an
/// overflow, with the group. May throw std::bad_alloc.
Result<GcvResult>
minimizeGcv(const tamrt_model &model, std::span<const UnitPenalty> penalties,
            const Systems &systems, std::span<const std::string> names,
            std::vector<double> start, const GcvOptions &options,
            const std::function<void(const GcvProgress &)> &report);

/// Strengths of all penalties of a model for the aps of the coordinates: those
/// of products are 1.
std::vector<double> strengthsOf(const tamrt_model &model,
                                std::span<const Coordinate> coordinates,
                                std::span<const double> aps);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_TUNE_H
