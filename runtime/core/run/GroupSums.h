//===- core/run/GroupSums.h - fits of groups in parts -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Adds rows to the sums of many groups at once, as they come, and solves.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_GROUPSUMS_H
#define TAMRT_CORE_RUN_GROUPSUMS_H

#include "core/data/Dataset.h"
#include "core/data/Normalization.h"
#include "core/model/Tables.h"
#include "core/run/Executor.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tamrt {

/// The groups of a fit, by their places: names, and how many rows each will
/// have had at the end.
struct FittedGroups {
  std::span<const std::string> names;
  std::span<const size_t> rows;
};

/// Sums of the groups at `first` to `first + count()` of a fit.
class GroupSums {
public:
  /// Takes memory for a rung on each thread and for the states of the groups,
  /// `bytesPerGroup` each, of `most` groups or, where there is less memory, of
  /// fewer. All arguments must outlive the sums. Errors: no memory for one.
  static Result<GroupSums> create(const tamrt_model &model,
                                  const Normalization &normalization,
                                  const Tables &tables,
                                  const FittedGroups &groups, size_t first,
                                  size_t most, const RunOptions &options);
  GroupSums(GroupSums &&) noexcept;
  ~GroupSums();

  size_t count() const;

  /// Adds rows; those of a group must come in their order. Rows of groups
  /// that are not summed are passed over. Errors: those of `fitGroups`; more
  /// rows of a group than were said.
  Status add(const Dataset &rows);

  /// Solves: count x D coefficients. Errors: those of `fitGroups`; fewer rows
  /// of a group than were said.
  Status finish(std::span<double> coefficients);

  /// Bytes of state that a group takes.
  static size_t bytesPerGroup(const tamrt_model &model);

private:
  class Impl;
  explicit GroupSums(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_GROUPSUMS_H
