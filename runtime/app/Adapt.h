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
#include "core/data/Groups.h"
#include "core/data/ModelColumns.h"
#include "core/data/RowReader.h"
#include "core/run/Windows.h"
#include "io/Error.h"
#include "io/GrowingArray.h"
#include "io/TextIndex.h"

#include <array>
#include <cstddef>
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

/// Rows of a run of adapt that are in memory, all of their groups, and what
/// their windows make of them.
class WindowRows {
public:
  /// Arranges rows whose columns, texts of levels and groups are given. `run`,
  /// which is prepared, must outlive it.
  WindowRows(const AdaptRun &run, Rows rows, const ModelColumns &columns,
             FunctionRef<const TextIndex &(size_t column)> texts,
             const GroupOrder &order);

  const Dataset &data() const { return arranged; }
  bool haveWindows() const { return !windows.empty(); }

  /// The first row that each window predicts, as FittedWindow::row.
  std::vector<uint32_t> firstPredicted() const;
  /// Marks the rows without a target that windows train on.
  std::vector<bool> lackTargets() const;
  /// Fits the windows and predicts. `take` gets the windows in order; it may be
  /// empty. Errors: those of steps.
  Status fit(const std::function<void(const FittedWindow &)> &take);
  /// Marks the rows that windows predict by a number that is not finite.
  std::vector<bool> notFinite() const;

  double predictionOf(size_t row) const;
  /// The numbers that AdaptRun::names names, given a row's. What does not exist
  /// is NaN.
  static std::array<double, 3> numbersOf(double window, double base) {
    return {window + base, base, window};
  }
  AdaptCounts counts() const;

  /// What the base model makes of the rows: to be set before `fit`.
  BaseColumns base;
  /// By row, of the windows; NaN where they make none.
  std::vector<double> predictions;

private:
  const AdaptRun &of;
  /// By column of levels of the file, in the order in which rows were read
  /// until the constructor ends.
  std::vector<WindowColumns::Levels> levels;
  Dataset arranged;
  /// By input of the joint model, its column of levels.
  std::vector<size_t> levelColumns;
  std::vector<Window> windows;
  size_t apart = 0;
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
  const std::vector<Group> &groups() const { return rows->data().groups(); }
  size_t rowCount() const { return rows->data().rowCount(); }

  /// Calls body(row, numbers) for each row, in the order of the data, with the
  /// numbers that AdaptRun::names names. What does not exist is NaN.
  void
  forEachRow(FunctionRef<void(size_t, std::span<const double>)> body) const;

  AdaptCounts counts() const { return rows->counts(); }

private:
  Status read(bool keepsKeys);
  RowPlaces places() const;

  AdaptRun &of;
  KeyCells keys;
  GrowingArray<uint64_t> lines;
  std::optional<WindowRows> rows;
};

} // namespace tamrt

#endif // TAMRT_APP_ADAPT_H
