//===- tamrt/engine.h - a model's commands inside a program -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The commands of a compiled model as functions: they read rows in memory and
/// return numbers. The code is that of the executable's commands, so the
/// results have the same bytes. Nothing throws, nothing is printed; the runs of
/// a process take turns.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_ENGINE_H
#define TAMRT_ENGINE_H

#include "tamrt/abi.h"
#include "tamrt/frame.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamrt {

struct Weights;

/// What a command says besides its result.
struct EngineReport {
  /// Empty after success.
  std::string error;
  /// Whether the run ended because its watch asked for that.
  bool wasInterrupted = false;
  /// Kind, "note" or "warning", and text.
  std::vector<std::pair<std::string, std::string>> notes;
  /// What the command writes to standard output.
  std::string printed;
};

/// What the thread that calls a command does while it runs. Both may be empty;
/// neither may throw.
struct EngineWatch {
  /// Asked some twenty times a second, and often until a turn comes. True ends
  /// the run.
  std::function<bool()> isInterrupted;
  /// Gets a line with the progress of a run that takes longer than a second,
  /// at most five times a second; at last an empty line, which removes it.
  std::function<void(std::string_view)> showProgress;
};

/// The numbers of a prediction.
struct PredictedTable {
  /// Of the columns.
  std::vector<std::string> names;
  /// Row after row; those of rows that were dropped are NaN.
  std::vector<double> numbers;
};

/// What fits in sliding windows predict.
struct AdaptedTable {
  /// NaN where there is no forecast.
  PredictedTable rows;
  /// If coefficients were asked for, by window: the index of its group among
  /// `groups`, its number in it, and the first row that it predicts.
  std::vector<int64_t> group, index, row;
  /// Those of the windows' model, window after window.
  std::vector<double> coefficients;
  /// Names of the groups of the rows, in order; one that is empty without
  /// groups.
  std::vector<std::string> groups;
};

/// A compiled model whose commands are run. Threads may use it at the same
/// time.
class EngineModel {
public:
  /// `model` must outlive this.
  explicit EngineModel(const tamrt_model &model);
  ~EngineModel();

  const tamrt_model &get() const { return model; }

  /// The command lines that runs have parsed before, by their arguments:
  /// parsing one takes as long as reading some ten thousand rows. Used by the
  /// run whose turn it is.
  struct Lines;
  Lines &lines() const { return *parsed; }

private:
  const tamrt_model &model;
  std::unique_ptr<Lines> parsed;
};

/// A fitted model. Threads may use it at the same time.
class FittedModel {
public:
  /// Fits `model`, which must outlive the result, to the rows of `frame` by the
  /// command `fit` or `tune`, which prints what it chose. `options` are those
  /// of the command line, such as "--drop-missing". Null after an error.
  static std::unique_ptr<FittedModel>
  fit(const EngineModel &model, const tamrt_frame &frame,
      const std::string &command, const std::vector<std::string> &options,
      const EngineWatch &watch, EngineReport &report);

  /// Reads the contents of a file of weights, which messages call `name`. Null
  /// after an error.
  static std::unique_ptr<FittedModel> load(const EngineModel &model,
                                           std::string_view bytes,
                                           const std::string &name,
                                           EngineReport &report);
  ~FittedModel();

  /// The contents of a file of weights, as the executable writes it.
  std::string bytes(EngineReport &report) const;

  /// Names of the groups, in order; one that is empty without groups.
  const std::vector<std::string> &groups() const;
  /// Coefficients, group after group.
  const std::vector<double> &coefficients() const;

  /// Runs the command `predict` or `decompose` on the rows of `frame`.
  PredictedTable predict(const tamrt_frame &frame, const std::string &command,
                         const std::vector<std::string> &options,
                         const EngineWatch &watch, EngineReport &report) const;

  /// Runs a command that reads weights: summary, evaluate, plot or export. It
  /// reads the rows of `frame`, unless that is null; files that the options
  /// name are written.
  void run(const tamrt_frame *frame, const std::string &command,
           const std::vector<std::string> &options, const EngineWatch &watch,
           EngineReport &report) const;

private:
  friend AdaptedTable adaptRows(const EngineModel &, const FittedModel *,
                                const tamrt_frame &, bool,
                                const std::vector<std::string> &,
                                const EngineWatch &, EngineReport &);
  FittedModel(const EngineModel &model, std::unique_ptr<Weights> weights);

  const EngineModel &engine;
  const tamrt_model &model;
  std::unique_ptr<Weights> weights;
};

/// Runs the command `adapt` on the rows of `frame`. `base` is a fit of `model`
/// if the windows correct one, else null. With `keepsCoefficients` the table
/// has those of all windows.
AdaptedTable adaptRows(const EngineModel &model, const FittedModel *base,
                       const tamrt_frame &frame, bool keepsCoefficients,
                       const std::vector<std::string> &options,
                       const EngineWatch &watch, EngineReport &report);

/// The file of data that a command line reads, "-" for standard input, and the
/// columns that it reads besides the model's.
struct CommandData {
  std::string path;
  std::vector<std::string> columns;
};

/// The data of a command line, such as {"fit", "train.csv", "-o", "w"}. The
/// path is empty if the command reads none, and after an error.
CommandData dataOf(const tamrt_model &model,
                   const std::vector<std::string> &arguments,
                   EngineReport &report);

/// Runs a command line as the executable does; the numbers of a table go to
/// standard output. The rows of `frame`, unless it is null, replace those of
/// the file.
void runCommandLine(const tamrt_model &model, const tamrt_frame *frame,
                    const std::vector<std::string> &arguments,
                    const EngineWatch &watch, EngineReport &report);

/// Runs keep up to 64 MiB of memory for the next run, what the last one used of
/// it. This gives it back.
void releaseMemory();

/// Checks that a model can run here. Empty: it can.
std::string describeModelFault(const tamrt_model &model);

/// The distinct texts of a column, in the order of their first appearance,
/// without missing values. Empty if there is no such column. O(rows).
std::vector<std::string> distinctTexts(const tamrt_frame &frame,
                                       std::string_view column);

/// The memory plan, as the command `plan` prints it.
std::string planOf(const tamrt_model &model);

} // namespace tamrt

#endif // TAMRT_ENGINE_H
