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

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Reads training data, fits, writes the weights; for tune with penalties that
/// it chooses and prints.
Status runFit(const tamrt_model &model, const Options &options);

/// Reads data and weights, writes predictions, effects or the design matrix:
/// the key columns (the spec's group and date) as read, then the numbers. Rows
/// are in the order of the data.
Status runPredict(const tamrt_model &model, const Options &options);

/// Reads data, fits the model in sliding windows, and writes the predictions of
/// the rows after each window: the key columns as read, then the numbers, empty
/// where there is no forecast. Rows are in the order of the data.
Status runAdapt(const tamrt_model &model, const Options &options);

/// Prints group, effect, index and value of every coefficient, in the order of
/// groups and of the design's columns, with --se its standard error. There is a
/// column group if the model has groups.
Status runCoefficients(const tamrt_model &model, const Options &options);

/// Prints statistics of the groups and effects of a fit with --inference, as
/// text or JSON.
Status runSummary(const tamrt_model &model, const Options &options);

/// Writes a description of the fitted model that suffices to predict, as JSON.
Status runExport(const tamrt_model &model, const Options &options);

/// Fits and predicts the rows of a file on each device, and prints how long it
/// takes, as text or JSON. The first error ends it.
Status runBench(const tamrt_model &model, const Options &options);

/// Draws the effects, and with data the residuals, on a page and as files.
Status runPlot(const tamrt_model &model, const Options &options);

/// The effects of one group, drawn with characters. Errors: those of
/// `predictGroups`; a group that was not trained.
Result<std::string> drawEffects(const tamrt_model &model,
                                const Options &options, const Weights &weights);

/// Prints the memory plan; with --memory, what fits into that much memory.
Status runPlan(const tamrt_model &model, const Options &options);

/// What fits into --memory, as text or JSON: for a fit and for each kind of
/// prediction, whether it fits, the rung, the number of threads, the solver,
/// and the memory needed.
Result<std::string> formatFits(const tamrt_model &model,
                               const Options &options);

/// Prints the model's properties and its memory needs; with --devices, the
/// devices of the machine.
Status runInfo(const tamrt_model &model, const Options &options);

/// Runs the command of the options.
Status runCommand(const tamrt_model &model, const Options &options);

/// Writes `text` to standard output completely; otherwise an error.
Status print(std::string_view text);

/// Writes the output of a command to a file, "-" being standard output.
Status writeOutput(const std::string &path, std::string_view text);

/// Prints a line on stderr: "load: error: no such file". Control characters in
/// the message, which may quote data, are written as "\x0a".
void tell(const tamrt_model &model, std::string_view kind,
          std::string_view message);

/// Where `tell` puts lines instead of stderr.
using MessageSink =
    std::function<void(std::string_view kind, std::string_view message)>;

/// While it lives, `tell` calls a sink, and `print` adds to `printed`. One at a
/// time.
class SinkScope {
public:
  SinkScope(const MessageSink &sink, std::string &printed);
  SinkScope(const SinkScope &) = delete;
  SinkScope &operator=(const SinkScope &) = delete;
  ~SinkScope();
};

/// Reads data with a target and weights, and writes how far predictions are
/// from the target, per group, in all and by a column, as text or JSON.
Status runEvaluate(const tamrt_model &model, const Options &options);

/// What messages call weights in memory.
inline constexpr char kWeightsInMemory[] = "model";

/// The weights of the options: those in memory, which must outlive the result,
/// or those of the file, which may lack a checksum: then it prints a note.
/// Errors: those of `loadWeights`; a part that the weights in memory lack.
Result<std::shared_ptr<const Weights>> readWeights(const tamrt_model &model,
                                                   const Options &options,
                                                   WeightsParts parts = {});

/// The spec's key columns; one that is both group and date appears once.
std::vector<std::string> keyNames(const tamrt_model &model);

/// `names`, in which each name that is one of `keys` is changed to name_2,
/// name_3 and so on, the first that no column has. `names` are distinct.
std::vector<std::string> uniqueNames(const std::vector<std::string> &keys,
                                     std::vector<std::string> names);

/// Checks, before the run, that output, trace and snapshot can be written and
/// do not replace the program, one of the run's inputs, or each other, which
/// would probably be a mistake.
Status checkOutput(const Options &options);

/// Names of the columns that a prediction of `kind` has after the keys:
/// "prediction"; the effects; or "effect[i]".
std::vector<std::string> outputNames(const tamrt_model &model,
                                     tamrt_step_kind kind);

} // namespace tamrt

#endif // TAMRT_APP_COMMANDS_H
