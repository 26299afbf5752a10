//===- core/data/RowReader.h - reads rows of a file -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the columns that a fit or a prediction needs from a CSV file: numbers,
/// dates as sortable keys, and texts as indices. The file is read block by
/// block on several threads; only the requested rows stay in memory.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_ROWREADER_H
#define TAMRT_CORE_DATA_ROWREADER_H

#include "core/data/Groups.h"
#include "core/data/Levels.h"
#include "core/data/ModelColumns.h"
#include "io/CsvBlocks.h"
#include "io/Date.h"
#include "io/Error.h"
#include "io/GrowingArray.h"
#include "io/TextIndex.h"
#include "tamrt/abi.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The key columns of rows (group and date, or one if they are the same) as
/// cells of a CSV file, with commas between them.
struct KeyCells {
  GrowingArray<char> text;
  /// End of each row's cells in `text`.
  GrowingArray<uint64_t> ends;

  std::string_view operator[](size_t row) const {
    const size_t start = row == 0 ? 0 : ends[row - 1];
    return {text.data() + start, ends[row] - start};
  }
};

/// A date as a key of rows.
struct RowDate {
  int64_t key = 0;
  uint64_t fraction = 0;

  auto operator<=>(const RowDate &) const = default;
};

/// Rows in the file's order, stored by columns; only the model's columns.
struct Rows {
  size_t count = 0;
  /// Indices of the groups' texts, for a prediction indices of trained groups;
  /// empty without a group column.
  GrowingArray<uint32_t> groups;
  /// Keys with the order of the dates, and fractions that break ties. Empty
  /// without a date column; fractions are also empty if all are 0.
  GrowingArray<int64_t> dates;
  GrowingArray<uint64_t> fractions;
  std::vector<GrowingArray<double>> numbers;
  /// With ReadOptions::inPlace, by column of numbers: those that were left in
  /// the frame, from the first of these rows on. They are not in `numbers`.
  std::vector<std::optional<FrameNumbers>> inFrame;
  /// Indices of the levels' texts.
  std::vector<GrowingArray<uint32_t>> levels;
  /// For a prediction and for windows: the keys, and the line numbers of the
  /// file, unless ReadOptions leave them out.
  KeyCells keys;
  GrowingArray<uint64_t> lines;
  /// With ReadOptions::keepPlaces: the rows' indices in the file.
  GrowingArray<uint32_t> places;
  /// With ReadOptions::textColumn: indices of the column's texts.
  GrowingArray<uint32_t> texts;

  /// The date of a row; there must be a date column.
  RowDate dateOf(size_t row) const {
    return {dates[row], fractions.empty() ? 0 : fractions[row]};
  }

  /// Removes the rows that `out`, with an entry for each row, marks, except
  /// from `keys`. Returns their number.
  size_t drop(const std::vector<bool> &out);

  /// Adds rows of the same columns, whose texts have the same indices, behind
  /// these: all of them but keys, lines and places, and what stays in a frame.
  void append(const Rows &more);
};

/// The trained groups and levels with which a prediction reads its data.
struct TrainedTexts {
  /// Groups of the weights, which must outlive the reader.
  std::span<const std::string> groups;
  /// One table per input.
  std::span<const LevelTable> levels;
  /// Purpose::Evaluate reads target and row weights, too, but no keys. A target
  /// that is missing is NaN.
  Purpose purpose = Purpose::Predict;
};

/// A choice among the rows of a file.
struct RowChoice {
  /// A mark for each row of the file, which must outlive the reader; null: all
  /// rows are read.
  const std::vector<bool> *marks = nullptr;
  /// The mark of the rows that are read.
  bool wanted = true;
};

struct ReadOptions {
  /// Drop rows with a missing or infinite value in a column that is read,
  /// instead of reporting an error.
  bool dropMissing = false;
  /// Threads that parse; 0: as many as the machine has.
  unsigned threads = 0;
  /// Approximate number of bytes of the file that are read at once.
  size_t blockBytes = CsvBlocks::kBlockBytes;
  CsvFormat format = {};
  RowChoice choice = {};
  /// Whether to keep the rows' indices in the file.
  bool keepPlaces = false;
  /// A further column, of which the texts are read; empty: none. It may be
  /// missing from the file only if that is allowed.
  std::string textColumn = {};
  bool allowsNoTexts = false;
  /// The rows are for fits in windows. Keys and line numbers are kept, as for a
  /// prediction; a target may be missing (NaN); columns of levels may have any
  /// number of levels.
  bool forWindows = false;
  /// Whether a prediction keeps the keys of its rows, and their line numbers. A
  /// row of a frame that is read at once, without dropping any, has its index.
  bool keepKeys = true, keepLines = true;
  /// Whether dates are kept. They are read in any case, for errors; without
  /// them the rows of a group stay in the order of the file.
  bool keepDates = true;
  /// Whether numbers stay in a frame where that can be: in one of one batch, of
  /// which all rows are read. Not row weights.
  bool inPlace = false;
  /// Whether all rows may be dropped: others are read elsewhere.
  bool mayDropAll = false;
};

/// A file or frame that is read for a fit or a prediction, with the position in
/// it.
class RowReader {
public:
  /// Opens `source` for a fit of `model`, which must outlive the reader.
  /// Errors: those of `CsvBlocks::open`; a missing column.
  static Result<RowReader> open(const DataSource &source,
                                const tamrt_model &model,
                                const ReadOptions &options);

  /// The same for a prediction: target and row weights are not read (unless the
  /// rows are for windows, or for Purpose::PredictNew), keys and line numbers
  /// are kept, and groups are the trained ones. If `trained` has levels for the
  /// first inputs alone, those of the others are not known yet, as for a fit.
  /// For an evaluation see TrainedTexts.
  static Result<RowReader> open(const DataSource &source,
                                const tamrt_model &model,
                                const TrainedTexts &trained,
                                const ReadOptions &options);
  RowReader(RowReader &&) noexcept;
  RowReader &operator=(RowReader &&) noexcept;
  ~RowReader();

  /// For a fit of a part of the rows: the group values, and the texts of each
  /// column of levels, of all parts, in the order of their first appearance in
  /// one file with all rows. To be called before `read`: the part is read as in
  /// that file, and `groupOrder` and `levelTables` are those of that file.
  void expectTexts(std::span<const std::string> groups,
                   std::span<const std::vector<std::string>> levels);

  /// Continues reading, up to `most` rows and the rows of a few more blocks;
  /// none at the end of the file. The rows are the same for any number of
  /// threads.
  ///
  /// Errors, with file, line, column and group: a file that is not a table; a
  /// missing group or date; text that is not a date or, in a numeric column,
  /// not a number; dates of two formats; a missing or infinite value, unless
  /// rows are to be dropped; a negative row weight; in a prediction a group
  /// that was not trained; no row left; more than 2^32 - 1 rows; a file that
  /// has other rows than the marks of the choice. If there are
  /// several kinds of errors, the first in this order is reported; of one kind,
  /// the first in the file. So the file is always read to its end. Other faults
  /// of a dropped row do not matter, except that its date must be valid.
  Result<Rows> read(size_t most);

  /// Calls body(rows) for the rows that `read(most)` returns, up to the end of
  /// the file. The body may move them away. Errors: those of `read` and `body`.
  template <class Body> Status forEachRows(size_t most, const Body &body) {
    while (true) {
      Result<Rows> rows = read(most);
      if (!rows)
        return std::move(rows).error();
      if (rows->count == 0)
        return {};
      if (Status s = body(*rows); !s)
        return s;
    }
  }

  /// Changes at the end of a fit's file. Only then is it known whether groups
  /// and levels are numbers: then NA is a missing value, and 1 and 1.0 are the
  /// same.
  struct TextChanges {
    /// Rows that were read must be dropped.
    bool drops = false;
    /// Spellings of the same group must be merged.
    bool merges = false;
  };

  /// To be called when a fit has read the file to its end. Errors: a missing
  /// group or level among numbers, unless rows are to be dropped.
  Result<TextChanges> resolveTexts();

  /// Drops the rows that `resolveTexts` found from `rows`, which are all rows
  /// of the file. Errors: no row left.
  Status dropMissing(Rows &rows);

  /// All rows of a file, without those that `resolveTexts` drops.
  struct AllRows {
    Rows rows;
    TextChanges changes;
  };

  /// Reads a file at once. Errors: those of `read`, `resolveTexts` and
  /// `dropMissing`.
  Result<AllRows> readAll();

  /// Returns to the first row. Texts keep their indices, unless `resolveTexts`
  /// found changes: then texts are indexed again, rows to be dropped are
  /// dropped, and a group has one index. Errors: a file that cannot be read
  /// twice.
  Status rewind();

  const std::string &path() const;
  /// "line" for a file, "row" for a frame: what `Rows::lines` count.
  const char *unit() const;
  const ModelColumns &columns() const;
  /// Number of rows of the file since the start or `rewind`, of those that were
  /// dropped, and of those that were read.
  size_t fileRows() const;
  size_t dropped() const;
  size_t rowsRead() const;
  /// The format of the dates; Missing before the first one.
  Date::Form dateForm() const;
  /// "dropped 12 of 120 rows: missing values in 'x' (10) and 'y' (3)".
  std::string describeDropped() const;

  /// Texts of groups by their indices, in the order of their first appearance.
  const TextIndex &groups() const;
  /// The order of the groups of `Rows`: see `sortGroups`.
  GroupOrder groupOrder() const;
  /// Texts of a column of levels by their indices; for a prediction those of
  /// the rows that were read last.
  const TextIndex &levels(size_t column) const;
  /// Whether the file has the further column; its texts by their indices.
  bool hasTexts() const;
  const TextIndex &texts() const;
  /// One table per input, empty except for TAMRT_RULE_LEVELS. Errors: those of
  /// `LevelCollector::table`.
  Result<std::vector<LevelTable>> levelTables() const;

private:
  class Impl;
  explicit RowReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_ROWREADER_H
