//===- core/run/GroupFits.h - fits of groups in parts -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fits many groups at once, whose rows come in parts, as often as the fits ask
/// for them: once for the direct solver, for conjugate gradients once per
/// iteration.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_GROUPFITS_H
#define TAMRT_CORE_RUN_GROUPFITS_H

#include "core/data/Dataset.h"
#include "core/data/Normalization.h"
#include "core/model/Tables.h"
#include "core/run/Executor.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// The groups of a fit, by their places: names, and how many rows each has.
struct FittedGroups {
  std::span<const std::string> names;
  std::span<const size_t> rows;
};

/// What fits that wait for their rows are at.
struct FitsUnderWay {
  /// Groups whose fits have not ended, those that have not begun included.
  size_t left = 0;
  /// Of conjugate gradients, of the groups that iterate: the most iterations
  /// and the largest residual.
  CgOutcome furthest;
};

/// The error of a file whose rows, of a group, are not those of the first
/// reading.
Error changedRows(const std::string &group);

/// The fits of all groups, some at a time. A reading of the rows serves all of
/// them that are under way; a group that has ended makes room for the next.
class GroupFits {
public:
  /// Takes memory for a rung on each thread and, `bytesPerGroup` each, for
  /// `most` groups or, where there is less memory, for fewer. `solver` is
  /// FIT_CHUNK or APPLY_CHUNK. All arguments must outlive the fits. Errors: no
  /// memory for one group.
  static Result<GroupFits>
  create(const tamrt_model &model, tamrt_step_kind solver,
         const Normalization &normalization, const Tables &tables,
         const FittedGroups &groups, size_t most, const RunOptions &options);
  GroupFits(GroupFits &&) noexcept;
  ~GroupFits();

  /// Groups at a time.
  size_t count() const;

  /// Goes on, at first and after each reading, with what needs no rows.
  /// \returns whether another reading is wanted. Errors: those of `fitGroups`;
  /// fewer rows of a group in the reading than were said.
  Result<bool> resume();

  /// Adds rows of a reading; those of a group must come in their order. Rows of
  /// groups that are not under way are skipped. Errors: those of
  /// `fitGroups`; more rows of a group than were said.
  Status add(const Dataset &rows);

  FitsUnderWay underWay() const;

  /// When no reading is wanted any more, G x D coefficients. Errors: those of
  /// `checkConverged` and `checkCoefficients`.
  Result<std::vector<double>> finish();

  /// Bytes that a group takes while it is fitted.
  static size_t bytesPerGroup(const tamrt_model &model, tamrt_step_kind solver);

private:
  class Impl;
  explicit GroupFits(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_GROUPFITS_H
