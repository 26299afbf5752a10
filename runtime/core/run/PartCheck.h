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
/// ends of these are among them.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_PARTCHECK_H
#define TAMRT_CORE_RUN_PARTCHECK_H

#include "core/data/ModelColumns.h"
#include "core/data/RowReader.h"
#include "core/model/Survey.h"
#include "core/run/PartBlocks.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamrt {

/// The rows of one part, which come in the order of its file.
class PartCheck {
public:
  /// `survey` and `columns` must outlive it. Rows have the groups of all parts,
  /// whose places are in `rows`, as their indices.
  PartCheck(const tamrt_model &model, const ModelColumns &columns,
            const PartSurvey &survey, const PartedRows &rows,
            const PartBlocks &blocks);

  /// Adds rows, on `threads` threads (0: as many as the rows keep busy).
  void add(const Rows &rows, unsigned threads);

  /// Whether a survey of all rows would be the same.
  bool areSame() const;
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
  void addNumbers(const Rows &rows, size_t input);

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
  /// Rows of groups that the part has not.
  bool hasOthers = false;
  size_t rowCount = 0, tied = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_PARTCHECK_H
