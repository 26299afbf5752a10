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

#include "core/FunctionRef.h"
#include "core/data/Groups.h"
#include "core/data/Levels.h"
#include "core/data/ModelColumns.h"
#include "core/data/RowReader.h"
#include "core/data/RowWeights.h"
#include "io/GrowingArray.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// A group: consecutive rows. The name is the group value as read, "" in a
/// model without a group column.
struct Group {
  std::string name;
  size_t first, rows;
  /// Its index among all groups of a fit, if these are only some of them.
  size_t place = 0;
};

/// Names a group in an error, if a name takes time; empty: it is Group::name.
using GroupNamer = std::function<std::string(const Group &)>;

/// A group's name, for an error.
inline std::string nameOf(const Group &group, const GroupNamer &namer) {
  return namer ? namer(group) : group.name;
}

/// Columns from which rows are copied.
struct RowSource {
  /// By input; null for TAMRT_RULE_LEVELS.
  std::vector<const double *> inputs;
  /// Null for a prediction.
  const double *target = nullptr;
  /// With a target: the row weights; null: 1.
  const double *weights = nullptr;
};

/// The order of rows that a fit reads.
struct RowOrder {
  /// The groups that have rows; "row" means an index in this order.
  std::vector<Group> groups;
  /// For each row its index among the rows that were sorted.
  std::vector<uint32_t> rows;
  /// Rows with the same date as an earlier row of their group.
  size_t ties = 0;
};

/// Sorts rows by group, those of a group by date, and those with equal dates
/// as they come. `grouped`: whether they have groups. O(n log n) at most; few
/// runs whose rows are in order, such as those of several files or ranks, are
/// merged, in O(n log(runs)).
RowOrder sortRows(const Rows &rows, bool grouped, const GroupOrder &groups);

/// Rows sorted for the steps: by group (core/data/Groups.h), within a group by
/// date, with equal dates in the file's order. "Row" alone means an index in
/// this order; `fileRows()[row]` is its index in the order in which rows were
/// read.
class Dataset {
public:
  /// Sorts rows. `order` is the reader's `groupOrder`. With `tables`, one per
  /// input, it also computes the codes. O(n log n) at most, on `threads`
  /// threads; uses the rows' memory plus 4 bytes a row and one column. Numbers
  /// that rows have left in a frame are copied from there, unless they are
  /// doubles in our order: these are read there, and the frame must outlive the
  /// result.
  static Dataset arrange(Rows rows, const RowReader &reader,
                         const GroupOrder &order, const tamrt_model &model,
                         std::span<const LevelTable> tables, unsigned threads);

  /// The same for rows from elsewhere, with `columns` and by column of levels
  /// the texts of their indices.
  static Dataset arrange(Rows rows, const ModelColumns &columns,
                         FunctionRef<const TextIndex &(size_t column)> levels,
                         const GroupOrder &order, const tamrt_model &model,
                         std::span<const LevelTable> tables, unsigned threads);

  /// The same for rows whose order is known.
  static Dataset arrange(Rows rows, RowOrder order, const ModelColumns &columns,
                         FunctionRef<const TextIndex &(size_t column)> levels,
                         const tamrt_model &model,
                         std::span<const LevelTable> tables, unsigned threads);

  /// A column of an input: numbers, or codes for TAMRT_RULE_LEVELS.
  struct InputColumn {
    std::vector<double> numbers;
    std::vector<int32_t> codes;
  };

  /// Rows that come from no file, for a prediction: `groups` in order, which
  /// have all rows, and a column for each input. O(rows).
  static Dataset compose(const tamrt_model &model, std::vector<Group> groups,
                         std::span<const InputColumn> inputs);

  /// Copies ranges of the rows of `source`, which may overlap; each becomes a
  /// group. Their `first` is a row of the source. setCodes(range, input, codes)
  /// writes the codes of an input of TAMRT_RULE_LEVELS. The weight of a row of
  /// age a, 0 being the last row of its range, is multiplied by discount[a], if
  /// there are any. O(rows), on `threads` threads.
  static Dataset
  copy(const tamrt_model &model, const RowSource &source,
       std::span<const Group> ranges, std::span<const double> discount,
       FunctionRef<void(size_t range, size_t input, int32_t *codes)> setCodes,
       unsigned threads);

  const std::vector<Group> &groups() const { return groupList; }
  /// Rows in all groups.
  size_t rowCount() const { return order.size(); }
  /// Rows of the largest group.
  size_t longestGroup() const;
  /// Index of the group that holds `row`. O(log groups).
  size_t groupOf(size_t row) const;
  /// For each row its index in the order in which rows were read.
  std::span<const uint32_t> fileRows() const { return order; }
  /// For each row of the file its index here: the inverse. O(rows).
  std::vector<uint32_t> inFileOrder() const;
  /// Rows with the same date as an earlier row of their group.
  size_t tiedRows() const { return ties; }
  /// Rows whose level of input `input` is not in its table.
  size_t unseenRows(size_t input) const { return unseen[input]; }

  /// Numbers of input `input`, one per row; null for TAMRT_RULE_LEVELS.
  const double *numbers(size_t input) const;
  /// Codes of input `input` of TAMRT_RULE_LEVELS; null without tables.
  const int32_t *codes(size_t input) const { return codeColumns[input].get(); }
  /// Null when predicting.
  const double *target() const;
  /// Null without a weight column, and when predicting unless they were asked
  /// for. As read until they are scaled.
  const double *weights() const;

  /// Divides the row weights by their mean in each group, as the steps need
  /// them. O(rows). Errors: those of `meanWeights`.
  Status scaleWeights(const GroupNamer &namer = {});
  /// Those means, by group; empty without weights and before they are scaled.
  std::span<const double> weightMeans() const { return means; }
  /// The same with given means of all groups, by the groups' places, if these
  /// rows are only some of the groups.
  void divideWeights(std::span<const double> means);

  /// Replaces the groups by ranges of their rows, in order, each a group.
  void divideGroups(std::vector<Group> ranges) {
    groupList = std::move(ranges);
  }

  /// Most bytes that reading keeps per row for a fit, at its peak.
  static size_t bytesPerRow(const tamrt_model &model);
  /// The same for a prediction whose rows need not be in the order of dates,
  /// with the numbers of the rows' lines, without keys.
  static size_t bytesPerPredictedRow(const tamrt_model &model);
  /// Bytes of a row that has been read, and not arranged.
  static size_t bytesPerReadRow(const tamrt_model &model);

private:
  Dataset() = default;
  void setColumns(const ModelColumns &columns);
  bool isInOrder() const;
  void takeNumbers(Rows &rows, unsigned threads);
  void permute(std::span<GrowingArray<double> *const> columns,
               unsigned threads);

  /// A column of numbers, of its own or in the frame that was read.
  struct Column {
    GrowingArray<double> own;
    const double *inFrame = nullptr;

    const double *data() const { return inFrame ? inFrame : own.data(); }
  };

  const tamrt_model *model = nullptr;
  std::optional<size_t> groupColumn;
  std::vector<Group> groupList;
  std::vector<uint32_t> order;
  size_t ties = 0;
  /// Distinct numeric columns.
  std::vector<Column> values;
  /// Per input the index into `values`; none for LEVELS.
  std::vector<std::optional<size_t>> inputValues;
  std::optional<size_t> targetValues, weightValues;
  std::vector<double> means;
  std::vector<std::unique_ptr<int32_t[]>> codeColumns;
  /// By input.
  std::vector<size_t> unseen;
};

/// The mean row weights of groups, which are given by sum and number of rows.
/// nameOf(group) names one in an error.
///
/// Errors, with column and group: no weight above 0 in a group; a mean that a
/// double cannot hold in full precision.
Result<std::vector<double>> meanWeights(const tamrt_model &model,
                                        FunctionRef<std::string(size_t)> nameOf,
                                        std::span<const ExactSum> sums,
                                        std::span<const size_t> rows);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_DATASET_H
