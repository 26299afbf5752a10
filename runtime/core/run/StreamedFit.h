//===- core/run/StreamedFit.h - fits rows not in memory ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fits a file of any size with memory that does not grow with its rows. The
/// file is read once for groups, ranges and levels, and once for the sums, or
/// once per iteration for conjugate gradients; learners that need rows read it
/// again.
///
/// The weights are those of a fit in memory, byte for byte: a sum runs in the
/// order of the rows of its group, and unfinished sums at the end of a part of
/// the file are in the state of the group (abi.h). So the states of all groups,
/// and the vectors of their iterations, are in memory at the same time. If
/// these would take more than `stateBytes`, only some groups are fitted at a
/// time, and others follow when these have ended.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_STREAMEDFIT_H
#define TAMRT_CORE_RUN_STREAMEDFIT_H

#include "core/data/Compression.h"
#include "core/data/ExactSum.h"
#include "core/data/RowReader.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tamrt {

struct StreamLimits {
  /// Most bytes of the rows in memory, and of the states and vectors of groups.
  size_t rowBytes = size_t(24) << 20;
  size_t stateBytes = size_t(96) << 20;

  /// Bytes that are kept (io/KeptMemory.h) from piece to piece. A piece has a
  /// few blocks of the file more.
  size_t keptBytes() const { return rowBytes + rowBytes / 2; }
};

/// A fit of a file that is read in parts.
class StreamedFit {
public:
  class Impl;

  /// Bytes of the sums of a group's row weights, if rows have weights: those of
  /// the survey, in a vector that doubles as it grows, and those in the order
  /// of the groups, for their means.
  static constexpr size_t kWeightBytesPerGroup = 3 * sizeof(ExactSum);

  /// Reads `reader`, which is at its first row, to its end. All arguments must
  /// outlive the fit.
  ///
  /// Errors: those of `RowReader::read` and of `LevelCollector::table`.
  static Result<StreamedFit> survey(RowReader &reader, const tamrt_model &model,
                                    const RunOptions &options,
                                    const StreamLimits &limits = {});
  StreamedFit(StreamedFit &&) noexcept;
  ~StreamedFit();

  /// The group whose dates are not in order, if there is one: its rows must be
  /// sorted, which is not possible in parts. The file must then be read again
  /// as a whole.
  const std::string *disorder() const;

  /// A sentence for each kind of data whose memory grows with rows or distinct
  /// values, and one with the number of readings of the file if it is not two.
  std::vector<std::string> notes() const;

  /// Notes on the rows for the user; to be called after `fit`.
  std::vector<std::string> rowNotes() const;

  /// RowReader::describeDropped() after the survey.
  const std::string &describeDropped() const;

  /// Number of rows that were read.
  size_t rowsRead() const;

  /// Number of times the file was read so far.
  size_t readings() const;

  /// Fits. To be called once, and not if there is a disorder.
  ///
  /// Errors: a file that cannot be read twice, or has changed meanwhile; those
  /// of `checkTexts`, `normalize`, `learn` and `fitGroups`.
  Result<Weights> fit();

  /// The steps that `fit` used.
  const FitSteps &steps() const;

private:
  explicit StreamedFit(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_STREAMEDFIT_H
