//===- app/Adapt.h - adapt with its rows in memory --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_ADAPT_H
#define TAMRT_APP_ADAPT_H

#include "app/AdaptRun.h"
#include "app/RowPlaces.h"
#include "core/FunctionRef.h"
#include "core/data/Dataset.h"
#include "core/data/RowReader.h"
#include "core/run/Windows.h"
#include "io/Error.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tamrt {

/// The fit of one window.
struct FittedWindow {
  /// Its group, its number in it, and the first row of the data that it
  /// predicts.
  size_t group, index, row;
  /// Of the windows' model.
  std::span<const double> coefficients;
};

/// The rows of a run of adapt, all in memory, and its results.
class Adaptation {
public:
  /// `run`, which is prepared, must outlive it.
  explicit Adaptation(AdaptRun &run) : of(run) {}

  /// Reads the rows, with their keys if `keepsKeys`, fits the windows and
  /// predicts. `take` gets the windows in order; it may be empty. Errors: those
  /// of reading and of steps; a row without a target that a window trains on; a
  /// prediction that is not finite.
  Status compute(bool keepsKeys,
                 const std::function<void(const FittedWindow &)> &take);

  /// Keys by row of the data, if they were kept.
  const KeyCells &keyCells() const { return keys; }
  /// Names of the groups of the data, by FittedWindow::group.
  const std::vector<Group> &groups() const { return data->groups(); }
  size_t rowCount() const { return data->rowCount(); }

  /// Calls body(row, numbers) for each row, in the order of the data, with the
  /// numbers that AdaptRun::names names. What does not exist is NaN.
  void
  forEachRow(FunctionRef<void(size_t, std::span<const double>)> body) const;

  AdaptCounts counts() const;

private:
  Status read(bool keepsKeys);
  Status checkTargets() const;
  Status fit(const std::function<void(const FittedWindow &)> &take);
  Status checkPredictions() const;
  double predictionOf(size_t row) const;
  RowPlaces places() const;

  AdaptRun &of;
  std::optional<Dataset> data;
  KeyCells keys;
  GrowingArray<uint64_t> lines;
  /// By column of levels of the file.
  std::vector<WindowColumns::Levels> levels;
  /// By input of the joint model, its column of levels.
  std::vector<size_t> levelColumns;
  std::vector<Window> windows;
  BaseColumns base;
  /// By row, of the windows; NaN where they make none.
  std::vector<double> predictions;
  size_t apart = 0;
};

} // namespace tamrt

#endif // TAMRT_APP_ADAPT_H
