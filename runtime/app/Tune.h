//===- app/Tune.h - tune --------------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The choice of penalties for the command tune, and its output.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_TUNE_H
#define TAMRT_APP_TUNE_H

#include "app/CommandLine.h"
#include "core/run/Executor.h"
#include "core/run/Tune.h"
#include "io/Error.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamrt {

/// The result of a choice.
struct ChosenAps {
  /// Of the coordinates (`coordinatesOf`).
  TuneResult result;
  /// Of all of the model's penalties: those of products are 0.
  std::vector<double> aps;
};

/// Chooses penalties. \returns the strengths of all. Errors: those of
/// `unitPenalties` and `tune`.
Result<std::vector<double>> choosePenalties(const tamrt_model &model,
                                            const Options &options,
                                            const StrengthsQuestion &question,
                                            const RunOptions &run,
                                            ChosenAps &chosen);

/// The names of all penalties and the aps chosen.
std::vector<std::pair<std::string, double>> namedAps(const tamrt_model &model,
                                                     const ChosenAps &chosen);

/// The formula with other aps, one for each penalty of the model in its order:
/// that of the offset, which no formula has, is left out.
std::string formulaWith(const tamrt_model &model,
                        const std::vector<double> &aps);

/// What tune prints, as text or JSON.
std::string formatChosen(const tamrt_model &model, const Options &options,
                         const ChosenAps &chosen);

} // namespace tamrt

#endif // TAMRT_APP_TUNE_H
