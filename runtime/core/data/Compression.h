//===- core/data/Compression.h - choice of level compression ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses a model's steps for some data: those that sum by levels, if the data
/// have values like the profile that the model was compiled with (abi.h,
/// tamrt_compression), otherwise those that sum row by row.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_COMPRESSION_H
#define TAMRT_CORE_DATA_COMPRESSION_H

#include "core/data/Normalization.h"
#include "tamrt/abi.h"

#include <functional>

namespace tamrt {

/// The chosen steps.
struct FitSteps {
  /// The model itself, or that of its compression.
  const tamrt_model *model;
  /// If it is the model itself although it has a compression: the grid that
  /// some values are not on, or that a group has one value of alone, whose
  /// range then is another.
  const tamrt_grid *missed = nullptr;
  bool isSingle = false;
};

/// Chooses for training rows in memory, on `threads` threads (0: as many as the
/// machine has and the rows keep busy). O(rows of the inputs with grids).
FitSteps chooseSteps(const tamrt_model &model, const Dataset &data,
                     const Normalization &normalization, unsigned threads);

/// Chooses from a summary of the rows: `areOnGrid(i)` returns whether all
/// values are on the model's grid `i`, `spread(group, i)` the spread of a
/// group's values.
FitSteps
chooseSteps(const tamrt_model &model, const Normalization &normalization,
            const std::function<bool(size_t grid)> &areOnGrid,
            const std::function<Spread(size_t group, size_t grid)> &spread);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_COMPRESSION_H
