//===- app/Commands.h - the commands of a model -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_COMMANDS_H
#define TAMRT_APP_COMMANDS_H

#include "app/CommandLine.h"
#include "core/model/Weights.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Reads training data, fits, writes the weights.
Status runFit(const tamrt_model &model, const Options &options);

/// Reads data and weights, writes predictions, effects or the design matrix:
/// the key columns (the spec's group and date) as read, then the numbers, rows
/// in the order of the data.
Status runPredict(const tamrt_model &model, const Options &options);

/// Prints group, effect, index and value of every coefficient, in the order of
/// groups and of the design's columns. The column group is there when the model
/// has groups.
Status runCoefficients(const tamrt_model &model, const Options &options);

/// Prints the memory plan; with --memory what of it fits into that much.
Status runPlan(const tamrt_model &model, const Options &options);

/// What fits into --memory, as text or JSON: for a fit and for each kind of
/// prediction whether it fits, on which rung, for how many threads, by which
/// solver, and what would be needed.
Result<std::string> formatFits(const tamrt_model &model,
                               const Options &options);

/// Prints what the model is and what it needs; with --devices, what devices
/// there are.
Status runInfo(const tamrt_model &model, const Options &options);

/// Writes `text` to standard output, all of it or with an error.
Status print(std::string_view text);

/// A line on stderr: "load: error: no such file". Control characters in the
/// message, which may quote data, are written as "\x0a".
void tell(const tamrt_model &model, std::string_view kind,
          std::string_view message);

/// Loads the weights that the options name; a note where their file has no
/// checksum. Errors: those of `loadWeights`.
Result<Weights> readWeights(const tamrt_model &model, const Options &options);

/// The names of `names`, changed where they equal one of `keys`: to name_2,
/// name_3 and so on, the first that no column has. `names` are distinct.
std::vector<std::string> uniqueNames(const std::vector<std::string> &keys,
                                     std::vector<std::string> names);

/// Refuses an output, trace or snapshot that would replace the program, one of
/// the run's inputs or of the others, which is more likely a slip than meant,
/// and what could not be written, before the run.
Status checkOutput(const Options &options);

/// Names of the columns that a prediction of `kind` has after the keys:
/// "prediction"; the effects; or "effect[i]".
std::vector<std::string> outputNames(const tamrt_model &model,
                                     tamrt_step_kind kind);

} // namespace tamrt

#endif // TAMRT_APP_COMMANDS_H
