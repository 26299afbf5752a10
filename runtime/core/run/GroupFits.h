//===- core/run/GroupFits.h - fits of groups in parts -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fits many groups at the same time, whose rows come in parts. The rows are
/// read as often as the fits need them: once for the direct solver, once per
/// iteration for conjugate gradients.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_GROUPFITS_H
#define TAMRT_CORE_RUN_GROUPFITS_H

#include "core/data/Dataset.h"
#include "core/data/Normalization.h"
#include "core/model/Tables.h"
#include "core/run/Executor.h"
#include "core/run/Workplace.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// The groups of a fit by their places: names and numbers of rows.
struct FittedGroups {
  std::span<const std::string> names;
  std::span<const size_t> rows;
};

/// Progress of fits that wait for their rows.
struct FitsUnderWay {
  /// Groups whose fits have not ended, including those that have not begun.
  size_t left = 0;
  /// For conjugate gradients: the most iterations and the largest residual of
  /// the groups that iterate.
  CgOutcome furthest;
};

/// The error that a group's rows in the file differ from those of the first
/// reading.
Error changedRows(const std::string &group);

/// The fits of all groups, some at a time. A reading of the rows is used for
/// all fits in progress; the next group takes the memory of a group that has
/// ended.
class GroupFits {
public:
  /// Allocates memory for a rung on each thread and, with `bytesPerGroup` each,
  /// for `most` groups, or fewer if there is less memory. `solver` is FIT_CHUNK
  /// or APPLY_CHUNK. All arguments must outlive the fits. Errors: no memory for
  /// one group.
  static Result<GroupFits>
  create(const tamrt_model &model, tamrt_step_kind solver,
         const Normalization &normalization, const Tables &tables,
         const FittedGroups &groups, size_t most, const RunOptions &options);
  GroupFits(GroupFits &&) noexcept;
  ~GroupFits();

  /// Groups at a time.
  size_t count() const;
  /// Most groups that the direct solver begins at the same time: enough for
  /// many threads. Those that end at once leave their memory to the next ones.
  static constexpr size_t kBegun = 1024;

  /// Runs the operations that need no rows, at the start and after each
  /// reading. \returns whether another reading is needed. Errors: those of
  /// `fitGroups`; fewer rows of a group in the reading than in FittedGroups.
  Result<bool> resume();

  /// Adds rows of a reading; those of a group must come in their order. Rows of
  /// groups whose fits are not in progress are skipped. Errors: those of
  /// `fitGroups`; more rows of a group than in FittedGroups.
  Status add(const Dataset &rows);

  /// The sums that a group needs next: over its rows, by steps of `kind`,
  /// applied to `vector` (null: none), which stays as it is until `resume`.
  struct Wanted {
    size_t place;
    tamrt_step_kind kind;
    const double *vector;
  };
  /// For conjugate gradients: what the fits in progress need, by their places.
  std::vector<Wanted> wanted() const;

  /// Instead of a reading: put(place, workplace) puts these sums of all rows,
  /// joined, in the state of each group in progress. Several threads may put
  /// different groups. Errors: those of `fitGroups`.
  Status addSums(const std::function<void(size_t place, Workplace &in)> &put);

  FitsUnderWay underWay() const;

  /// When no more reading is needed, returns G x D coefficients. Errors: those
  /// of `checkConverged` and `checkCoefficients`.
  Result<std::vector<double>> finish();

  /// Bytes that a group of at most `rows` rows takes while it is fitted.
  static size_t bytesPerGroup(const tamrt_model &model, tamrt_step_kind solver,
                              size_t rows);

private:
  class Impl;
  explicit GroupFits(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_GROUPFITS_H
