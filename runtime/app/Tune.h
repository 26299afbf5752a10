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
#include "app/Timings.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "core/run/Tune.h"
#include "io/Error.h"

#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// The result of a choice: one for all groups, or one for each.
struct ChosenAps {
  /// Of the coordinates (`coordinatesOf`).
  std::vector<TuneResult> results;
  /// Of all of the model's penalties: those of products are 0.
  std::vector<std::vector<double>> aps;
};

/// Lets a fit with the options `run` choose its penalties, which `chosen` gets.
/// The fit's errors are then also those of `unitPenalties` and `tune`. All
/// arguments must outlive it.
void choosePenalties(const tamrt_model &model, const Options &options,
                     Timings &timings, ChosenAps &chosen, RunOptions &run);

/// Gives weights the aps of their fit: those that tune chose, or of another
/// command those of the options.
void setAps(const tamrt_model &model, const Options &options,
            const ChosenAps &chosen, Weights &weights);

/// The formula with other aps, one for each penalty of the model in its order:
/// that of the offset, which no formula has, is left out.
std::string formulaWith(const tamrt_model &model,
                        const std::vector<double> &aps);

/// What tune prints, as text or JSON. `groups` are the groups' names.
std::string formatChosen(const tamrt_model &model, const Options &options,
                         std::span<const std::string> groups,
                         const ChosenAps &chosen);

} // namespace tamrt

#endif // TAMRT_APP_TUNE_H
