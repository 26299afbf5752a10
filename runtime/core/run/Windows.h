//===- core/run/Windows.h - fits in sliding windows -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fits a model in windows that slide over the rows of each group, and predicts
/// the rows after each window (docs/math.md section 4, "Sliding windows").
///
/// A window is fitted as a group of its own, normalised on its own rows, with
/// levels and tables of its own. So its numbers are those of a fit of these
/// rows alone, except for rounding where windows share sums (MovingSums.h), and
/// depend neither on how many windows are fitted at once nor on threads.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_WINDOWS_H
#define TAMRT_CORE_RUN_WINDOWS_H

#include "core/data/Dataset.h"
#include "core/run/Executor.h"
#include "io/Error.h"
#include "io/GrowingArray.h"
#include "tamrt/abi.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// One window. Rows are those of the data in which it slides.
struct Window {
  /// Index of the group, and of the window in the group.
  size_t group, index;
  /// The first row that it trains on; the number is that of all windows.
  size_t training;
  /// The rows that it predicts.
  size_t first, rows;
};

/// The windows of a group of `rows` rows, by their numbers; none if there is no
/// row to predict.
class GroupWindows {
public:
  GroupWindows(const tamrt_adapt &adapt, size_t rows)
      : training(size_t(adapt.window)), update(size_t(adapt.update)),
        gap(size_t(adapt.horizon) - 1), rows(rows) {}

  size_t count() const {
    return rows <= firstPredicted(0)
               ? 0
               : (rows - firstPredicted(0) - 1) / update + 1;
  }
  /// The first row that a window trains on, and that it predicts.
  size_t firstTrained(size_t index) const { return index * update; }
  size_t firstPredicted(size_t index) const {
    return index * update + training + gap;
  }
  /// The row after those that it predicts.
  size_t end(size_t index) const {
    return std::min(firstPredicted(index) + update, rows);
  }
  /// The first window that trains on a row, if one does in a group of any
  /// length.
  std::optional<size_t> trainingOn(size_t row) const {
    const size_t index = row < training ? 0 : (row - training) / update + 1;
    return firstTrained(index) <= row ? std::optional(index) : std::nullopt;
  }
  /// The window with this number of group `group`, whose row 0 is row `origin`
  /// of the data, which is modulo 2^64: rows before those in use may be gone.
  Window window(size_t group, size_t index, size_t origin) const {
    return {group, index, origin + firstTrained(index),
            origin + firstPredicted(index), end(index) - firstPredicted(index)};
  }

private:
  size_t training, update, gap, rows;
};

/// The windows of all groups, in order.
std::vector<Window> windowsOf(const Dataset &data, const tamrt_adapt &adapt);

/// The columns in which windows slide, by the inputs of the model that is
/// fitted.
struct WindowColumns {
  /// Inputs without levels, target and row weights.
  RowSource source;
  /// A column of levels: for each row the index of its text.
  struct Levels {
    GrowingArray<uint32_t> ids;
    std::vector<std::string> texts;
  };
  /// By input; null for inputs that have numbers.
  std::vector<const Levels *> levels;
};

struct WindowOptions {
  /// Rows of a window, and between the starts of two.
  size_t training = 0, update = 1;
  /// Factor of a row's weight for each row after it in its window.
  double forget = 1;
  /// Most windows at once; 0: as many as their rows have room for in a part of
  /// the share of free memory.
  size_t atOnce = 0;
  /// Most windows of a unit: `windowsOfUnit`.
  size_t perUnit = 1;
};

/// How much the prediction of a window that shares sums may differ from that of
/// a fit of its rows alone, relative to it.
inline constexpr double kWindowError = 1e-9;

/// The fits of some consecutive windows.
struct FittedWindows {
  std::span<const Window> windows;
  /// By window.
  const std::vector<double> &coefficients;
  /// Of these windows, those that were fitted by themselves because rounding
  /// errors of shared sums could have changed their predictions by more than
  /// kWindowError of them.
  size_t apart;
};

/// Checks that there is memory to fit a window by the solver of `route`, or
/// some that share sums, before their rows are read. Errors: those of
/// `checkFits`.
Status checkWindows(const tamrt_model &model, const FitRoute &route,
                    const WindowOptions &options, const RunOptions &run);

/// Bytes of the windows that are fitted at once, beside the rungs of threads.
struct WindowMemory {
  /// Of each thread: rows and designs, and the sums of a unit.
  int64_t perThread;
  /// Rows and designs of one unit, which may have more than a thread's.
  int64_t unit;
};

/// The most of a run on the CPU; `options` has the windows of a unit.
WindowMemory windowMemory(const tamrt_model &model,
                          const WindowOptions &options);

/// Most windows that share sums. The numbers of windows depend on those of
/// their unit: a unit begins where a window's number in its group is a multiple
/// of this, and ends before the next one or with the group.
size_t windowsOfUnit(const tamrt_model &model, const FitRoute &route,
                     const WindowOptions &options);

/// Fits windows of the rows of `columns`, of which all or none of a unit are
/// given, by the solver of `route`, and writes the predictions of their rows to
/// `predictions`, which has an element for each row. `groups` are those of
/// Window::group: they name windows in errors. `take` gets the fits, in order;
/// it may be empty.
///
/// Errors: those of `normalize`, `learn`, `fitGroups` and `predictGroups`, with
/// a window's rows in the place of the group; of `take`; a prediction that is
/// not finite.
Status fitWindows(const tamrt_model &model, const FitRoute &route,
                  std::span<const Group> groups, const WindowColumns &columns,
                  std::span<const Window> windows, const WindowOptions &options,
                  const RunOptions &run,
                  const std::function<Status(const FittedWindows &)> &take,
                  double *predictions);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_WINDOWS_H
