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
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// The windows of all groups, in order. There is none in a group without a row
/// to predict.
std::vector<Window> windowsOf(const Dataset &data, const tamrt_adapt &adapt);

/// The columns in which windows slide, by the inputs of the model that is
/// fitted.
struct WindowColumns {
  /// Inputs without levels, target and row weights.
  RowSource source;
  /// A column of levels: for each row the index of its text.
  struct Levels {
    std::vector<uint32_t> ids;
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

/// Checks that there is memory to fit a window, or some that share sums, before
/// their rows are read. Errors: those of `checkFits` and `windowsPerUnit`.
Status checkWindows(const tamrt_model &model, const WindowOptions &options,
                    const RunOptions &run);

/// Fits `windows` of `data`, whose groups name them in errors, and writes the
/// predictions of their rows to `predictions`, which has an element for each
/// row of `data`. `take` gets the fits, in order; it may be empty.
///
/// Errors: those of `normalize`, `learn`, `fitGroups` and `predictGroups`, with
/// a window's rows in the place of the group; of `take`; a prediction that is
/// not finite.
Status fitWindows(const tamrt_model &model, const Dataset &data,
                  const WindowColumns &columns, std::span<const Window> windows,
                  const WindowOptions &options, const RunOptions &run,
                  const std::function<Status(const FittedWindows &)> &take,
                  double *predictions);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_WINDOWS_H
