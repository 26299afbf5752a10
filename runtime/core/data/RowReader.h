//===- core/data/RowReader.h - training rows off a file ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads what a fit or a prediction needs of a CSV file: the columns of the
/// model as numbers, dates and texts as numbers that stand for them. The file
/// goes through memory a block at a time, on several threads; only the rows
/// asked for stay.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_ROWREADER_H
#define TAMRT_CORE_DATA_ROWREADER_H

#include "core/data/Groups.h"
#include "core/data/Levels.h"
#include "core/data/ModelColumns.h"
#include "io/CsvBlocks.h"
#include "io/Error.h"
#include "io/GrowingArray.h"
#include "io/TextIndex.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The key columns of rows (group and date, once where they are one) as cells
/// of a CSV file, with commas between them.
struct KeyCells {
  GrowingArray<char> text;
  /// End of each row's cells in `text`.
  GrowingArray<uint64_t> ends;

  std::string_view operator[](size_t row) const {
    const size_t start = row == 0 ? 0 : ends[row - 1];
    return {text.data() + start, ends[row] - start};
  }
};

/// Rows in the file's order, a column each; those of a model alone.
struct Rows {
  size_t count = 0;
  /// Numbers of the groups' texts, of a prediction places of trained groups;
  /// empty without a group column.
  GrowingArray<uint32_t> groups;
  /// Keys that sort as the dates do, and fractions that break ties; empty
  /// without a date column, the fractions where all are 0.
  GrowingArray<int64_t> dates;
  GrowingArray<uint64_t> fractions;
  std::vector<GrowingArray<double>> numbers;
  /// Numbers of the levels' texts.
  std::vector<GrowingArray<uint32_t>> levels;
  /// Of a prediction: the keys, and the lines of the file.
  KeyCells keys;
  GrowingArray<uint64_t> lines;

  /// Removes the rows that `out`, with an entry for each row, marks, except
  /// from `keys`. Returns their number.
  size_t drop(const std::vector<bool> &out);
};

/// What a prediction reads its data by.
struct TrainedTexts {
  /// Of weights, which must outlive the reader.
  std::span<const std::string> groups;
  /// One table per input.
  std::span<const LevelTable> levels;
};

struct ReadOptions {
  /// Leaves out rows with a missing or infinite value, in a column that is
  /// read, instead of refusing them.
  bool dropMissing = false;
  /// Threads that parse; 0: as many as the machine has.
  unsigned threads = 0;
  /// About so many bytes of the file are read at once.
  size_t blockBytes = CsvBlocks::kBlockBytes;
  CsvFormat format = {};
};

/// A file that is read for a fit or a prediction, and how far.
class RowReader {
public:
  /// Opens `path` ("-": standard input) for a fit of `model`, which must
  /// outlive the reader. Errors: those of `CsvBlocks::open`; a column that is
  /// absent.
  static Result<RowReader> open(const std::string &path,
                                const tamrt_model &model,
                                const ReadOptions &options);

  /// The same for a prediction: target and row weights are not read, keys and
  /// lines are kept, and groups are those that were trained.
  static Result<RowReader> open(const std::string &path,
                                const tamrt_model &model,
                                const TrainedTexts &trained,
                                const ReadOptions &options);
  RowReader(RowReader &&) noexcept;
  RowReader &operator=(RowReader &&) noexcept;
  ~RowReader();

  /// Reads on, up to `most` rows and those of a few blocks more; none at the
  /// end of the file. The rows are the same for any number of threads.
  ///
  /// Errors, with file, line, column and group: a file that is no table; a
  /// missing group or date; text that is no date or, in a numeric column, no
  /// number; dates of two forms; a missing or infinite value, unless rows are
  /// to be dropped; a negative row weight; of a prediction a group that was not
  /// trained; no row left; more than 2^32 - 1 rows. Of several kinds the first
  /// in this order is told, of a kind the first in the file; so an error is
  /// looked for to the end of the file. What else is in a row that is dropped
  /// does not matter, but for its date, which must be one.
  Result<Rows> read(size_t most);

  /// What the end of the file decides of a fit's texts. Until then nobody knows
  /// whether groups and levels are numbers, of which NA is a missing one and 1
  /// and 1.0 are the same.
  struct TextChanges {
    /// Rows that were read are to be dropped.
    bool drops = false;
    /// Groups with several spellings are one.
    bool merges = false;
  };

  /// To be called once a fit has read the file to its end. Errors: a missing
  /// group or level among numbers, unless rows are to be dropped.
  Result<TextChanges> resolveTexts();

  /// Drops what `resolveTexts` found from `rows`, all rows of the file. Errors:
  /// no row left.
  Status dropMissing(Rows &rows);

  /// Back to the first row. Texts keep their numbers, unless `resolveTexts`
  /// found something: then they are counted anew, rows that are to be dropped
  /// are, and a group has one number. Errors: a file that cannot be read twice.
  Status rewind();

  const std::string &path() const;
  const ModelColumns &columns() const;
  /// Rows of the file since the start or `rewind`, and those of them that were
  /// left out.
  size_t fileRows() const;
  size_t dropped() const;
  /// "dropped 12 of 120 rows: missing values in 'x' (10) and 'y' (3)".
  std::string describeDropped() const;

  /// Texts of groups by their numbers, in the order they were met.
  const TextIndex &groups() const;
  /// Places of the groups of `Rows`: see `sortGroups`.
  GroupOrder groupOrder() const;
  /// Texts of a column of levels by their numbers; of a prediction those of the
  /// rows that were read last.
  const TextIndex &levels(size_t column) const;
  /// One table per input, empty but for TAMRT_RULE_LEVELS. Errors: those of
  /// `LevelCollector::table`.
  Result<std::vector<LevelTable>> levelTables() const;

private:
  class Impl;
  explicit RowReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_ROWREADER_H
