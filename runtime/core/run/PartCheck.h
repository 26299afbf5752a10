//===- core/run/PartCheck.h - whether rows are a part's ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares rows with the survey of their part, in less memory than another
/// survey takes: numbers and dates are within the survey's ranges, and both
/// ends of these are among them; so are all values of a period and all levels,
/// and no others.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_PARTCHECK_H
#define TAMRT_CORE_RUN_PARTCHECK_H

#include "core/data/ExactSum.h"
#include "core/data/ModelColumns.h"
#include "core/data/RowReader.h"
#include "core/model/Survey.h"
#include "core/run/PartBlocks.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// The values of an input of TAMRT_RULE_PERIOD_AUTO.
class PeriodCheck {
public:
  /// Of all parts, rounded and sorted; they must outlive it.
  explicit PeriodCheck(std::span<const double> known);

  void add(std::span<const double> values);
  /// Whether the values so far are those that a survey gave the hash of.
  bool areThose(const std::string &hash) const;

private:
  void find(double value);

  std::span<const double> known;
  /// By known value: whether it has come.
  std::vector<uint8_t> seen;
  bool hasOthers = false;
  /// The known value behind the last that was found.
  size_t next = 0;
  /// The bits of values that have come, each at a place that follows from them:
  /// most values come often, and rounding takes long.
  std::vector<uint64_t> recent;
};

/// The rows of one part, which come in the order of its file.
class PartCheck {
public:
  /// `survey`, which has the part, and `columns` must outlive it. Rows have the
  /// groups of all parts, whose places are in `rows`, as their indices.
  PartCheck(const tamrt_model &model, const ModelColumns &columns,
            const Survey &survey, size_t part, const PartedRows &rows,
            const PartBlocks &blocks);

  /// Adds rows, on `threads` threads (0: as many as the rows keep busy).
  void add(const Rows &rows, unsigned threads);

  /// Whether a survey of all rows would be the same, but for spellings of
  /// groups. `reader` has read them.
  bool areSame(const RowReader &reader) const;
  /// Rows so far.
  size_t rows() const { return rowCount; }
  /// Rows with the date of the row before; only of groups in order.
  size_t ties() const { return tied; }

private:
  /// What has been seen of numbers or dates.
  enum Seen : uint8_t {
    kFirst = 1,
    kLast = 2,
    kOutside = 4,
    /// Of numbers: one that is no integer. Of dates: one before an earlier.
    kOther = 8
  };

  void addRows(const Rows &rows);
  void addDate(uint32_t index, const RowDate &date, bool isFirst);
  void addInput(const Rows &rows, size_t input);
  void addNumbers(const double *values, const Rows &rows, size_t input);
  void addWeights(const Rows &rows);
  bool haveLevels(const RowReader &reader, size_t input) const;

  const tamrt_model *model;
  const ModelColumns *columns;
  const PartSurvey *survey;
  /// The survey's index of each group of all parts, by the group's index in
  /// rows.
  std::vector<uint32_t> indexOf;
  /// By the survey's index: the rows so far, the greatest date, and its
  /// fraction, once one is not 0.
  std::vector<uint32_t> counts;
  std::vector<int64_t> lastDates;
  std::vector<uint64_t> lastFractions;
  std::vector<uint8_t> dates;
  /// By input, the same; none of levels.
  std::vector<std::vector<uint8_t>> numbers;
  /// By input: which of the reader's levels have come; none of numbers.
  std::vector<std::vector<uint8_t>> levels;
  /// By input of TAMRT_RULE_PERIOD_AUTO.
  std::vector<std::optional<PeriodCheck>> periods;
  /// By grid: whether a value is off it.
  std::vector<uint8_t> offGrid;
  /// By the survey's index, with a weight column.
  std::vector<ExactSum> weights;
  /// Rows of groups that the part has not.
  bool hasOthers = false;
  size_t rowCount = 0, tied = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PARTCHECK_H
