//===- app/Adapt.h - one run of adapt ---------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_ADAPT_H
#define TAMRT_APP_ADAPT_H

#include "app/CommandLine.h"
#include "app/RowPlaces.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "core/FunctionRef.h"
#include "core/data/Dataset.h"
#include "core/data/RowReader.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "core/run/Progress.h"
#include "core/run/Windows.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <functional>
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

/// The fit of one window.
struct FittedWindow {
  /// Its group, its number in it, and the first row of the data that it
  /// predicts.
  size_t group, index, row;
  /// Of the windows' model.
  std::span<const double> coefficients;
};

/// One run of adapt, without its output. The arguments must outlive it; `model`
/// has windows and is that of the session.
class Adaptation {
public:
  Adaptation(const tamrt_model &model, const Options &options,
             const Session &session);

  /// Reads the rows of `options.source()`, with their keys if `keepsKeys`, fits
  /// the windows and predicts. `take` gets the windows in order; it may be
  /// empty. Errors: those of reading and of steps; a row without a target that
  /// a window trains on; a prediction that is not finite.
  Status compute(bool keepsKeys,
                 const std::function<void(const FittedWindow &)> &take);

  /// Keys by row of the data, if they were kept.
  const KeyCells &keyCells() const { return keys; }
  /// Names of the groups of the data, by FittedWindow::group.
  const std::vector<Group> &groups() const { return data->groups(); }
  size_t rowCount() const { return data->rowCount(); }

  /// The names of the numbers of a row: prediction; of a correction, base and
  /// correction, too.
  std::vector<std::string> names() const;
  /// Calls body(row, numbers) for each row, in the order of the data. What does
  /// not exist is NaN.
  void
  forEachRow(FunctionRef<void(size_t, std::span<const double>)> body) const;

  /// Prints what is of interest when the results have been written.
  void tellNotes();

  Timings timings;
  Progress progress;

private:
  Status read(bool keepsKeys);
  Status checkTargets() const;
  Status predictBase();
  Status fit(const std::function<void(const FittedWindow &)> &take);
  Status checkPredictions() const;
  double predictionOf(size_t row) const;
  WindowOptions windowOptions() const;
  RowPlaces places() const;

  const tamrt_model &model;
  const Options &options;
  /// The spec's, but for what the options replace.
  const tamrt_adapt adapt;
  const tamrt_model &windowModel;
  const JointInputs joint;
  RunOptions run;
  bool isRouteTold = false;

  std::string path;
  const char *unit = "line";
  std::shared_ptr<const Weights> weights;
  std::optional<Dataset> data;
  KeyCells keys;
  GrowingArray<uint64_t> lines;
  /// By column of levels of the file.
  std::vector<WindowColumns::Levels> levels;
  /// By input of the joint model, its column of levels.
  std::vector<size_t> levelColumns;
  std::vector<Window> windows;
  /// By row; of the base model, and of the windows, NaN where they make none.
  std::vector<double> base, residuals, predictions;
  /// By input of the windows' model, for those that are effects.
  std::vector<std::vector<double>> effects;
  /// Windows that were fitted by themselves (FittedWindows).
  size_t apart = 0;
};

} // namespace tamrt

#endif // TAMRT_APP_ADAPT_H
