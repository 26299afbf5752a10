//===- core/run/MovingSums.h - windows that share their sums ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fits consecutive windows whose design rows are the same, or follow from each
/// other (WindowBasis.h): each row is summed once. Internal to Windows.
///
/// Let windows 0, 1, .. m-1 start W rows apart, and all contain the rows from
/// the start of the last one to the end of the first. These are summed by the
/// steps of a fit, which know where a design row has zeros and how its numbers
/// depend on each other; FIT_SYSTEM makes the dense sums of it, once for the
/// unit. The rows at the ends are few for each window: their design rows are
/// computed, and added to dense sums. Those before the common ones are added
/// block after block from the last one to the first, and the sums are kept;
/// those behind are added in order:
///
///     rows      0    W    2W             L    L+W  L+2W
///     window 0  |-----------------------|
///     window 1       |-----------------------|
///     window 2            |-----------------------|
///     kept      |----+----|
///     common              |-------------|
///     added                             |----+----|
///
/// A window's sums are kept ones plus those of the rows from the common ones
/// on. No row is ever subtracted. If memory is short, those of some windows are
/// kept at a time, and the rows behind them are added again. The order of
/// additions depends only on the places of the windows in their unit. The
/// weight of a row is the same in all of them: what differs, also with
/// forgetting, is a factor of all weights of a window.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_MOVINGSUMS_H
#define TAMRT_CORE_RUN_MOVINGSUMS_H

#include "core/data/Dataset.h"
#include "core/device/AlignedBuffer.h"
#include "core/run/Executor.h"
#include "core/run/WindowBasis.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tamrt {

/// Sizes in rows: of a window, and between the starts of two.
struct WindowSteps {
  size_t training, update;
  /// Whether rows have weights, of which those of a window are divided by their
  /// mean.
  bool hasWeights = false;
};

/// Most windows of a unit; 1 if sums cannot be shared: not if a row depends on
/// others, rows are counted, a window has several segments, or the fits are not
/// by the direct solver. It does not depend on free memory.
size_t windowsPerUnit(const tamrt_model &model, SolverChoice solver,
                      const WindowSteps &steps);

/// Most bytes of the sums of a thread that fits units of `perUnit` windows.
int64_t unitSumsBytes(const tamrt_model &model, size_t perUnit);

/// Checks that there is memory to fit units of several windows at all, before
/// their rows are read. Errors: those of `checkFits`.
Status checkUnits(const tamrt_model &model, const RunOptions &options);

/// Whether fitUnits takes the design of the rows at the ends of units: if there
/// are few between the starts of two windows. It sums more of them as the
/// others.
bool hasDesignOfEnds(const WindowSteps &steps);

/// A unit: consecutive windows that share sums.
struct WindowUnit {
  /// Index of the first window, and number of windows.
  size_t first, count;
  /// Whether the ranges of some windows differ from the unit's.
  bool changes = false;
};

/// Memory of the CPU for the sums of units, which calls of fitUnits leave to
/// later ones: pages that are new take longer than the copies of sums.
struct UnitMemory {
  /// Of `bytes` each.
  std::vector<AlignedBuffer> blocks;
  int64_t bytes = 0;
};

/// The design of the rows at the ends of units, which are not rows of all
/// windows: of a unit's m windows (m-1) W rows from its first one on, and as
/// many up to its last one. D numbers each, normalised by the unit's ranges;
/// those of unit u begin at row starts[u]. Behind the last one are as many
/// numbers as a vector has (core/run/RowSums.h).
struct UnitEnds {
  std::span<const double> design;
  std::span<const size_t> starts;
};

/// What windows predict, and what is found, by window.
struct WindowFits {
  /// The design rows that they predict, D numbers each; those of window w begin
  /// at row starts[w] and end at row starts[w + 1].
  std::span<const double> ahead;
  std::span<const size_t> starts;
  /// D each.
  double *coefficients;
  /// Set to 1 for a window of which rounding errors of the sums may change a
  /// prediction by more than kWindowError (Windows.h) of it, or whose equations
  /// have no solution.
  uint8_t *isUncertain;
};

/// Fits units. The groups of `data` and of `unitRanges` are the units, those of
/// `normalization` are windows, which may differ from their unit in the ranges
/// that `basis` can change. Errors: those of `fitGroups`, with the names of the
/// units, but for coefficients that are not finite.
Status fitUnits(const tamrt_model &model, const Dataset &data,
                std::span<const WindowUnit> units, const WindowSteps &steps,
                const WindowBasis &basis, const Normalization &unitRanges,
                const Normalization &normalization, const Tables &tables,
                const RunOptions &options, UnitMemory &memory,
                const UnitEnds &ends, const WindowFits &fits);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_MOVINGSUMS_H
