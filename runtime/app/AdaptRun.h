//===- app/AdaptRun.h - what runs of adapt share ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_ADAPTRUN_H
#define TAMRT_APP_ADAPTRUN_H

#include "app/CommandLine.h"
#include "app/RowPlaces.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "core/data/Dataset.h"
#include "core/data/RowReader.h"
#include "core/model/Weights.h"
#include "core/ranks/Ranks.h"
#include "core/run/Crew.h"
#include "core/run/Executor.h"
#include "core/run/Progress.h"
#include "core/run/Windows.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

namespace tamrt {

/// The columns that the windows' model reads, and its base model if it corrects
/// one, as the inputs of one model.
class JointInputs {
public:
  explicit JointInputs(const tamrt_model &base);
  JointInputs(const JointInputs &) = delete;
  JointInputs &operator=(const JointInputs &) = delete;

  /// To read the data with; its steps are those of the base model.
  const tamrt_model &model() const { return joint; }

  /// Where the values of an input of the windows' model are: an input of the
  /// joint model, or an effect of the base model.
  struct Place {
    std::optional<size_t> input, effect;
  };
  std::vector<Place> places;

private:
  tamrt_model joint;
  std::vector<tamrt_input> inputs;
};

/// What the base model makes of rows; empty without one.
struct BaseColumns {
  std::vector<double> predictions, residuals;
  /// By input of the windows' model, for those that are effects.
  std::vector<std::vector<double>> effects;
};

/// How many windows and rows a run had, for its notes.
struct AdaptCounts {
  /// Groups, and those without a forecast.
  size_t groups = 0, without = 0;
  /// Rows, and those with the date of another one of their group.
  size_t rows = 0, ties = 0;
  /// Windows, and those that were fitted by themselves (FittedWindows).
  size_t windows = 0, apart = 0;
};

/// A run of adapt: what is known before its rows are read, and what is done
/// with them, whether all are in memory or some at a time.
class AdaptRun {
public:
  /// The arguments must outlive it; `model` has windows and is that of the
  /// session. Progress goes to the terminal that is `out`, if it is one.
  AdaptRun(const tamrt_model &model, const Options &options,
           const Session &session, int out = STDERR_FILENO);
  AdaptRun(const AdaptRun &) = delete;
  AdaptRun &operator=(const AdaptRun &) = delete;

  /// Chooses the solver of all windows, on rank 0 for all ranks, checks that
  /// there is memory for the steps, and reads the weights. To be called once,
  /// by all ranks, before the functions below. All ranks return an error of the
  /// choice; on the others the caller lets them agree.
  Status prepare(const Ranks &ranks = Ranks());

  /// How rows are read.
  ReadOptions reading(bool keepsKeys, bool inPlace, size_t blockBytes) const;
  /// The texts of the base model, if there is one.
  std::optional<TrainedTexts> trained() const;

  /// Opens the rows of `options.source()`. Errors: those of RowReader::open.
  Result<RowReader> open(bool keepsKeys, bool inPlace, size_t blockBytes);

  /// The levels of the base model, by input; none without one.
  std::span<const LevelTable> levels() const;

  /// Predicts rows with the base model, and their effects if they are inputs.
  /// Errors: those of `predictGroups`.
  Status predictBase(const Dataset &data, BaseColumns &out) const;
  /// The same, and checks that predictions are finite.
  Status predictBase(const Dataset &data, const RowPlaces &places,
                     BaseColumns &out) const;

  WindowOptions windowOptions() const;
  /// The error that no group, of which the longest has `longest` rows, has a
  /// window.
  Error describeShort(size_t longest) const;
  /// The error that a row at `place` has no target.
  static Error describeLack(const std::string &place);
  /// An error of a step, which does not name the file.
  Error located(const Error &error) const;

  /// The names of the numbers of a row: prediction; of a correction, base and
  /// correction, too.
  std::vector<std::string> names() const;

  /// Prints what is of interest when the results have been written.
  void tellNotes(const AdaptCounts &counts);

  Timings timings;
  Progress progress;
  const tamrt_model &model;
  const Options &options;
  /// The spec's, but for what the options replace.
  const tamrt_adapt adapt;
  /// The solver of all windows, after `prepare`.
  FitRoute route;
  const JointInputs joint;
  RunOptions run;
  /// The file's name and what messages call a line, when it has been opened.
  std::string path;
  const char *unit = "line";
  /// Those of the base model.
  std::shared_ptr<const Weights> weights;

private:
  size_t perUnit = 1;
};

} // namespace tamrt

#endif // TAMRT_APP_ADAPTRUN_H
