//===- core/data/Dataset.h - rows by group and date -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The data of one run as the steps read it: rows group after group, by date
/// within a group, every column contiguous (docs/math.md section 2).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_DATASET_H
#define TAMRT_CORE_DATA_DATASET_H

#include "core/data/Levels.h"
#include "core/data/ModelColumns.h"
#include "core/data/RowReader.h"
#include "io/Csv.h"
#include "io/Error.h"
#include "io/GrowingArray.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

struct DatasetOptions {
  Purpose purpose = Purpose::Fit;
  /// Leaves out rows with a missing or infinite value, in a column that is
  /// read, instead of refusing them.
  bool dropMissing = false;
  /// Threads that parse; 0: as many as the machine has.
  unsigned threads = 0;
};

/// A group: a run of rows. The name is the group value as read, "" in a model
/// without a group column.
struct Group {
  std::string name;
  size_t first, rows;
  /// Its place among all groups of a fit, where these are some of them.
  size_t place = 0;
};

/// The groups of a file in order.
struct GroupOrder {
  std::vector<std::string> names;
  /// For each group, by its number in the reader, its place in `names`.
  std::vector<uint32_t> places;
};

/// Sorts groups: as numbers when every one parses as one, else by bytes; equal
/// numbers written differently, which are two groups, by bytes. Without a group
/// column (`grouped` false) there is one, "".
GroupOrder sortGroups(const TextIndex &groups, bool grouped);

/// Rows sorted for the steps. "Row" without more means a row in this order; the
/// row of the file it came from is `fileRows()[row]`.
///
/// Two rows are of one group when their group values are the same bytes.
/// Groups are ordered as numbers when every value parses as one, else by bytes;
/// rows by date, those of equal dates as in the file.
class Dataset {
public:
  /// Reads the columns `model` needs from `file`, which must outlive calls that
  /// take a file but not the data set. O(n log n) at most; no memory per row
  /// but the columns' (see `bytesPerRow`).
  ///
  /// Errors, with file, line, column and group: a column that is absent; text
  /// in a numeric column; a date that is none; a missing group or date; a
  /// missing or infinite value, unless rows are to be dropped; a negative row
  /// weight; no row left; more than 2^32 - 1 rows. What else stands in a row
  /// that is dropped does not matter, but for its date, which must be one.
  static Result<Dataset> read(const CsvFile &file, const tamrt_model &model,
                              const DatasetOptions &options);

  /// Sorts rows of a fit. `order` is of the texts of the reader's groups (see
  /// `sortGroups`; of no use without groups); with `tables`, one per input, the
  /// codes are there, too. O(n log n) at most, on `threads` threads; takes the
  /// rows' memory, 4 bytes a row and one column besides.
  static Dataset arrange(Rows rows, const RowReader &reader,
                         const GroupOrder &order, const tamrt_model &model,
                         std::span<const LevelTable> tables, unsigned threads);

  const std::vector<Group> &groups() const { return groupList; }
  /// Rows in all groups.
  size_t rowCount() const { return order.size(); }
  /// Rows of the largest group.
  size_t longestGroup() const;
  /// Index of the group that holds `row`. O(log groups).
  size_t groupOf(size_t row) const;
  /// For each row the row of the file.
  std::span<const uint32_t> fileRows() const { return order; }
  /// Rows of the file that were left out.
  size_t droppedCount() const { return droppedRows; }

  /// Numbers of input `input`, one per row; null for TAMRT_RULE_LEVELS.
  const double *numbers(size_t input) const;
  /// Codes of input `input` of TAMRT_RULE_LEVELS; null before `encode`.
  const int32_t *codes(size_t input) const { return codeColumns[input].get(); }
  /// Null when predicting.
  const double *target() const;
  /// Null when predicting or without a weight column.
  const double *weights() const;

  /// Finds the levels of every input of TAMRT_RULE_LEVELS in these rows; the
  /// tables of other inputs are empty. Errors: those of `trainingLevels`.
  Result<std::vector<LevelTable>> levels(const CsvFile &file) const;

  /// Fills `codes` from the training levels, one table per input.
  void encode(const CsvFile &file, std::span<const LevelTable> tables);

  /// Most bytes that reading keeps per row for a fit, at its peak.
  static size_t bytesPerRow(const tamrt_model &model);

private:
  Dataset() = default;
  Status group(const CsvFile &file, std::optional<size_t> column, bool drop);
  Status sortByDate(const CsvFile &file, size_t column, bool drop);
  Status parse(const CsvFile &file, const DatasetOptions &options);
  Status checkValues(const CsvFile &file, std::span<const size_t> levelColumns,
                     bool drop);
  void markDropped(const CsvFile &file, size_t row);
  void dropWithoutLevel(const CsvFile &file,
                        std::span<const size_t> levelColumns);
  void removeDropped();
  void setColumns(const ModelColumns &columns);
  void sortByGroup(const Rows &rows, const GroupOrder &groups);
  void sortByKeys(const Rows &rows);
  void permute(unsigned threads);
  std::string groupAt(const CsvFile &file, size_t fileRow) const;

  const tamrt_model *model = nullptr;
  std::optional<size_t> groupColumn;
  std::vector<Group> groupList;
  std::vector<uint32_t> order;
  /// Rows of the file to leave out; empty while there is none.
  std::vector<bool> dropped;
  size_t droppedRows = 0;
  /// Distinct numeric columns: index in the file, and values.
  std::vector<size_t> numericColumns;
  std::vector<GrowingArray<double>> values;
  /// Per input the index into `values`; none for LEVELS.
  std::vector<std::optional<size_t>> inputValues;
  std::optional<size_t> targetValues, weightValues;
  std::vector<std::unique_ptr<int32_t[]>> codeColumns;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_DATASET_H
