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

#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace tamrt {

/// The purpose of reading data: a prediction does not need the target and the
/// row weights.
enum class Purpose { Fit, Predict, Evaluate };

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

  /// `require` finds a column by its name; an error says that there is none.
  /// With `weightsIfAny` a prediction has row weights if there are some.
  static Result<ModelColumns>
  find(const tamrt_model &model, Purpose purpose,
       const std::function<Result<size_t>(const char *)> &require,
       bool weightsIfAny = false);
};

/// The columns for `purpose` without a file: their positions are the order in
/// which their names are first needed.
ModelColumns columnsOf(const tamrt_model &model, Purpose purpose);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_MODELCOLUMNS_H
