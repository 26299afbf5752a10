//===- app/StreamedAdapt.h - adapt with some rows at a time -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// adapt of a file of any size: a first reading finds groups, their rows and
/// the errors of the file, a second one fits the windows as their rows come.
///
/// A window that shares sums with others is fitted when all rows of its unit
/// have come, so the results are those of rows in memory to the byte. Of each
/// group, the rows from its first unit without a fit on are kept; and rows that
/// are read wait for those before them in the file, to be written in its order.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_STREAMEDADAPT_H
#define TAMRT_APP_STREAMEDADAPT_H

#include "app/Adapt.h"
#include "app/AdaptRun.h"
#include "app/WindowSpool.h"
#include "core/data/RowReader.h"
#include "core/data/RowSurvey.h"
#include "core/run/StreamedRows.h"
#include "core/run/Windows.h"
#include "io/Error.h"
#include "io/GrowingArray.h"
#include "io/TextIndex.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamrt {

/// What gets the results of a run, in the order of those of rows in memory.
struct AdaptedRows {
  /// The keys of a row, and the numbers that AdaptRun::names names.
  std::function<Status(std::string_view keys, std::span<const double> numbers)>
      row;
  /// A window, with the keys of the first row that it predicts; may be empty.
  std::function<void(const FittedWindow &window, std::string_view keys)> window;
};

/// Rows in which windows slide, of groups one after another, by columns: those
/// that windows to come need.
class HeldRows {
public:
  /// The columns of `run`, which must outlive this, as `columns` of its reader
  /// has them.
  HeldRows(const AdaptRun &run, const ModelColumns &columns);

  /// Rows of one group: `held` from row `first` of those held on, and then
  /// `read` from row `firstRead` of a piece on.
  struct Range {
    size_t first = 0, held = 0, firstRead = 0, read = 0;
  };

  /// The indices of a piece's texts, by column of levels of the reader, in the
  /// file's order, are those of `reader`, which may have other indices for the
  /// same texts in the next piece.
  void takeLevels(const Rows &rows, const RowReader &reader);

  /// Replaces the rows by ranges of those held and of a piece, whose first row
  /// in the file is number `firstRow`.
  void replace(std::span<const Range> ranges, const Dataset &piece,
               const BaseColumns &base, uint64_t firstRow);

  size_t count() const { return fileRows.size(); }
  /// The number of a row in the file, from 0.
  uint64_t fileRow(size_t row) const { return fileRows[row]; }
  WindowColumns columns() const;

  /// Bytes of a row.
  size_t bytesPerRow() const;

private:
  /// A column of numbers: of the file, given by an input of the joint model or
  /// as target or row weights, or of the base model.
  struct Column {
    enum class Kind { Input, Target, Weights, Effect, Residual } kind;
    size_t index = 0;
    GrowingArray<double> values;

    const double *of(const Dataset &piece, const BaseColumns &base) const;
  };
  size_t add(Column::Kind kind, size_t index = 0);

  const AdaptRun &run;
  std::vector<Column> numbers;
  /// By input of the windows' model: its column of `numbers` or of `levels`.
  std::vector<size_t> inputs;
  size_t target = 0;
  std::optional<size_t> weights;
  /// By column of levels of the reader: the rows' texts, all texts, and the
  /// texts' indices of the piece. Only columns of the windows' model have any.
  std::vector<WindowColumns::Levels> levels;
  std::vector<TextIndex> texts;
  std::vector<std::vector<uint32_t>> read;
  std::vector<bool> isHeld;
  GrowingArray<uint64_t> fileRows;
};

/// Rows that have been read but not written, in the order of the file.
class WaitingRows {
public:
  /// Bytes of a row with keys of ordinary length: forecast, base, line and the
  /// end of the keys.
  static constexpr size_t kBytesPerRow =
      2 * sizeof(double) + 2 * sizeof(uint64_t) + 64;

  explicit WaitingRows(const AdaptRun &run) : run(run) {}

  /// Adds the rows of a piece; those of `base` are in the order of `piece`.
  void add(KeyCells keys, GrowingArray<uint64_t> lines, const Dataset &piece,
           const BaseColumns &base);
  /// Number of rows that were added.
  uint64_t added() const { return next; }
  /// Says that a row will have no forecast.
  void skip(uint64_t row) { --partOf(row).left; }
  /// Sets the forecast of a row. Returns the prediction.
  double set(uint64_t row, double forecast);
  std::string_view keys(uint64_t row) const;
  uint64_t line(uint64_t row) const;
  /// Bytes of the rows, about, but for those of the last piece.
  int64_t bytesBefore() const {
    return parts.empty() ? 0 : waitingBytes - parts.back().bytes();
  }
  /// Gives the rows before the first one that waits for its forecast, in whole
  /// pieces; drops them if `out` is null.
  Status write(const AdaptedRows *out);

private:
  struct Part {
    uint64_t first;
    /// Rows without a forecast that may get one.
    size_t left;
    KeyCells keys;
    GrowingArray<uint64_t> lines;
    /// By row, base only with a base model.
    std::vector<double> base, forecasts;

    int64_t bytes() const;
  };
  const Part &partOf(uint64_t row) const;
  Part &partOf(uint64_t row) {
    return const_cast<Part &>(std::as_const(*this).partOf(row));
  }

  const AdaptRun &run;
  std::deque<Part> parts;
  uint64_t next = 0;
  int64_t waitingBytes = 0;
};

/// A run of adapt that reads its file twice.
class StreamedAdaptation {
public:
  /// `run`, which is prepared, must outlive it.
  explicit StreamedAdaptation(AdaptRun &run) : of(run) {}

  /// Reads the file to its end, and checks that there is memory for the rows
  /// that windows hold. False, with a note, if its rows must be in
  /// memory: their dates are not in order, or a prediction needs those before
  /// it. Errors: those of Adaptation::compute up to the targets of the rows; a
  /// file that cannot be read twice.
  Result<bool> survey();

  /// Reads it again, fits and predicts. Rows that wait to be written because
  /// those of a group are far from each other in the file take at most the
  /// bytes that the run may take. Errors: the others of
  /// Adaptation::compute, with the same one if there are several; those of
  /// `out`; a file that has changed meanwhile.
  Status compute(const AdaptedRows &out);

  AdaptCounts counts() const;

private:
  struct GroupState {
    /// All rows of the group, and those that were read.
    size_t rows = 0, read = 0;
    /// Rows that are no longer held, and those that are, from row `first` of
    /// HeldRows on.
    size_t dropped = 0, first = 0, held = 0;
    /// The next window, the first one of its unit.
    size_t nextWindow = 0;
    /// Windows that were given or wait in the spool.
    size_t taken = 0;
    bool isOpen = false;
  };
  /// The first row of a group without a target that a window may train on.
  struct Lack {
    size_t row;
    uint64_t line;
  };
  /// The error of the window of a group, or of a row's prediction, that a run
  /// in memory reports.
  struct Failure {
    std::optional<size_t> group;
    uint64_t line = 0;
    Error error;
  };

  Status checkMemory();
  Status checkWaiting() const;
  void addLacks(const Rows &rows, std::vector<GroupState> &found,
                std::vector<std::optional<Lack>> &lacks) const;
  GroupWindows windowsOf(const GroupState &group) const {
    return {of.adapt, group.rows};
  }
  Status process(Dataset &piece, const AdaptedRows &out);
  void hold(const Dataset &piece, const BaseColumns &base, uint64_t firstRow);
  std::vector<Window> readyWindows();
  void fit(std::span<const Window> windows, const AdaptedRows &out);
  Status fitSome(std::span<const Window> windows, const AdaptedRows &out,
                 std::span<double> predictions);
  void findFailure(std::span<const Window> windows, Error error);
  void deliver(std::span<const Window> windows,
               std::span<const double> predictions);
  Status takeWindow(const FittedWindow &window, const AdaptedRows &out);
  Status passTurn(const AdaptedRows &out);
  /// Whether an error of a window of a group would be the one to report.
  bool matters(size_t group) const {
    return !failure || !failure->group || group < *failure->group;
  }

  AdaptRun &of;
  std::optional<RowReader> reader;
  std::optional<StreamedRows> rows;
  GroupOrder order;
  std::vector<GroupState> groups;
  /// Their names, for errors.
  std::vector<Group> names;
  /// Bytes that the run may take, and of them those that are free.
  int64_t budget = 0, freeBytes = 0;
  /// Those of a row that is held or waits, as the plan has them.
  int64_t bytesPerRow = 0;
  size_t ties = 0, mostOpen = 0, windows = 0, fitted = 0, apart = 0;
  std::optional<HeldRows> held;
  std::optional<WaitingRows> waiting;
  std::optional<WindowSpool> spool;
  /// The group whose windows are given to AdaptedRows::window.
  size_t turn = 0;
  std::optional<Failure> failure;
  /// The error of writing a result.
  std::optional<Error> unwritten;
  KeyCells keys;
  GrowingArray<uint64_t> lines;
};

} // namespace tamrt

#endif // TAMRT_APP_STREAMEDADAPT_H
