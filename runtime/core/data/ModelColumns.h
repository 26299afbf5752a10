//===- core/data/ModelColumns.h - the columns a model reads -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The positions of a model's columns in a file.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_MODELCOLUMNS_H
#define TAMRT_CORE_DATA_MODELCOLUMNS_H

#include "tamrt/abi.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace tamrt {

/// The purpose of reading data. A prediction does not need the target and the
/// row weights; one for PredictNew, with intervals of new values, has row
/// weights if there are some.
enum class Purpose { Fit, Predict, PredictNew, Evaluate };

/// Whether `purpose` is one of the predictions.
inline bool isPrediction(Purpose purpose) {
  return purpose == Purpose::Predict || purpose == Purpose::PredictNew;
}

/// The positions of a model's columns in a file. Columns that several inputs
/// share appear once.
struct ModelColumns {
  std::optional<size_t> group, date;
  /// Positions of columns of numbers and of levels.
  std::vector<size_t> numbers, levels;
  /// Per input its index in `numbers`, or in `levels` for TAMRT_RULE_LEVELS.
  std::vector<size_t> inputs;
  /// Indices in `numbers`.
  std::optional<size_t> target, weights;
  /// The first column that is needed and was not found; null if all were.
  const char *missing = nullptr;

  /// position(name) is that of a column; none if there is no such column.
  static ModelColumns
  find(const tamrt_model &model, Purpose purpose,
       const std::function<std::optional<size_t>(const char *)> &position);
};

/// The columns for `purpose` without a file: their positions are the order in
/// which their names are first needed.
ModelColumns columnsOf(const tamrt_model &model, Purpose purpose);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_MODELCOLUMNS_H
