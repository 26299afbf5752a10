//===- core/data/RowSurvey.h - what a fit needs of its rows -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A survey of rows that are not kept: what a fit must know of them before it
/// sums them. Its memory depends on the groups and, for the period of an
/// input, on the distinct values, but not on the rows.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_ROWSURVEY_H
#define TAMRT_CORE_DATA_ROWSURVEY_H

#include "core/data/ExactSum.h"
#include "core/data/ModelColumns.h"
#include "core/data/Normalization.h"
#include "core/data/Ranges.h"
#include "core/data/RowReader.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tamrt {

/// The rows of a group and their dates.
struct GroupDates {
  size_t rows = 0;
  /// The least and the greatest; zeros without a date column.
  RowDate first, last;
  /// Whether no row had a date before an earlier row's.
  bool areOrdered = true;

  bool operator==(const GroupDates &) const = default;
};

/// The survey of the rows of one file. Groups have the reader's indices.
class RowSurvey {
public:
  /// Both must outlive it.
  RowSurvey(const tamrt_model &model, const ModelColumns &columns);

  /// Adds rows in the order of the file, which are of the first `groups`
  /// groups, on `threads` threads (0: as many as the rows keep busy).
  void add(const Rows &rows, size_t groups, unsigned threads);

  const std::vector<GroupDates> &groups() const { return dates; }
  /// The most groups of which rows come before a row of the file, and at it or
  /// after it. O(groups log groups).
  size_t mostOpen() const;
  /// The first group in the file whose dates are not in order.
  std::optional<size_t> disorder() const { return firstDisorder; }
  /// Rows with the date of the row before; only of groups in order.
  size_t ties() const { return tied; }
  /// The spread of an input without levels in a group.
  Spread spread(size_t group, size_t input) const {
    return spreads[columns->inputs[input]][group];
  }
  /// The sums of the groups' row weights; none without a weight column.
  const std::vector<ExactSum> &weightSums() const { return weights; }
  /// The values of an input of TAMRT_RULE_PERIOD_AUTO.
  PeriodFinder &period(size_t input) { return periods[input]; }
  const PeriodFinder &period(size_t input) const { return periods[input]; }
  /// Whether all values are on a grid of the model's compression.
  bool isOnGrid(size_t grid) const { return onGrid[grid]; }

private:
  void addRows(const Rows &rows);
  void addDate(uint32_t group, const RowDate &date, bool isFirst);

  const tamrt_model *model;
  const ModelColumns *columns;
  std::vector<GroupDates> dates;
  /// The groups' first and last rows, among all.
  std::vector<uint32_t> firstRows, lastRows;
  uint32_t rowCount = 0;
  std::optional<size_t> firstDisorder;
  size_t tied = 0;
  /// For each column of numbers, the spreads of the groups.
  std::vector<std::vector<Spread>> spreads;
  std::vector<ExactSum> weights;
  /// By input.
  std::vector<PeriodFinder> periods;
  std::vector<bool> onGrid;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_ROWSURVEY_H
