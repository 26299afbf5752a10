//===- app/Training.h - rows that are ready for a fit -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rows of a file in memory, with what is known of them before a fit.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_TRAINING_H
#define TAMRT_APP_TRAINING_H

#include "app/CommandLine.h"
#include "core/data/Dataset.h"
#include "core/data/Normalization.h"
#include "core/model/Tables.h"
#include "core/run/Executor.h"

#include <string>
#include <vector>

namespace tamrt {

/// What a fit needs.
struct Training {
  /// The file, for messages.
  std::string path;
  std::vector<std::string> groups;
  Dataset data;
  Normalization normalization;
  Tables tables;

  Error located(Error error) const {
    return Error{path + ": " + error.message};
  }
};

/// Reads all rows, of which `reader` is at the first one, and learns from them
/// what the model has to know before a fit. `afterReading` is called between.
/// Errors: those of the rows, with the file's name.
Result<Training> readTraining(const tamrt_model &model, const Options &options,
                              RowReader reader, const RunOptions &run,
                              const std::function<void()> &afterReading);

} // namespace tamrt

#endif // TAMRT_APP_TRAINING_H
