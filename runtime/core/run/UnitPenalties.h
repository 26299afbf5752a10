//===- core/run/UnitPenalties.h - penalties of strength 1 -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The matrices that a choice of penalties multiplies by strengths, and
/// strengths from aps.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_UNITPENALTIES_H
#define TAMRT_CORE_RUN_UNITPENALTIES_H

#include "core/data/Normalization.h"
#include "core/model/Coordinates.h"
#include "core/model/Tables.h"
#include "core/run/Executor.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tamrt {

/// A number of a sparse row or column, and its place there.
struct SparseNumber {
  size_t at;
  double value;
};

/// The penalty of a coordinate at strength 1: a symmetric block of P.
struct UnitPenalty {
  size_t first, columns;
  /// The largest strength that a fit may have (tamrt_penalty::limit).
  double limit;
  /// The numbers other than 0 of each row, in order.
  std::vector<std::vector<SparseNumber>> rows;
};

/// The penalties of coordinates, by the step PENALTY. Errors: no memory.
Result<std::vector<UnitPenalty>>
unitPenalties(const tamrt_model &model, std::span<const Coordinate> coordinates,
              const Normalization &normalization, const Tables &tables,
              const RunOptions &options);

/// 10^ap, of at most TAMRT_AP_LIMIT in magnitude; for a whole number the
/// nearest double, which tamc takes too.
double strengthOf(double ap);

/// Strengths of all penalties of a model for the aps of the coordinates: those
/// of products are 1.
std::vector<double> strengthsOf(const tamrt_model &model,
                                std::span<const Coordinate> coordinates,
                                std::span<const double> aps);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_UNITPENALTIES_H
