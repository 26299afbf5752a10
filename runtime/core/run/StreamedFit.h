//===- core/run/StreamedFit.h - fits rows not in memory ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fits a file of any size in memory that does not grow with its rows: the file
/// is read once for groups, ranges and levels, and once for the sums, or by
/// conjugate gradients once per iteration; learners that look at rows read it
/// again.
///
/// The weights are those of a fit in memory, byte for byte: a sum runs in the
/// order of the rows of its group, and what is under way when a part of the
/// file ends is in the state of the group (abi.h). So the states of all groups,
/// and the vectors of their iterations, are there at once; where they would
/// take more than `stateBytes`, those of some groups are, and others follow
/// when these have ended.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_STREAMEDFIT_H
#define TAMRT_CORE_RUN_STREAMEDFIT_H

#include "core/data/Compression.h"
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
  /// Most bytes of rows that are in memory at once, and of what fits of groups
  /// work in.
  size_t rowBytes = size_t(24) << 20;
  size_t stateBytes = size_t(96) << 20;
};

/// A fit of a file in parts.
class StreamedFit {
public:
  class Impl;

  /// Reads `reader`, which is at its first row, to its end. All arguments must
  /// outlive the fit.
  ///
  /// Errors: those of `RowReader::read` and of `LevelCollector::table`.
  static Result<StreamedFit> survey(RowReader &reader, const tamrt_model &model,
                                    const RunOptions &options,
                                    const StreamLimits &limits = {});
  StreamedFit(StreamedFit &&) noexcept;
  ~StreamedFit();

  /// The group whose dates are not in order, if there is one: its rows have to
  /// be sorted, and that is not done in parts. The reader is then to be read
  /// again as a whole.
  const std::string *disorder() const;

  /// What is kept that grows with rows or distinct values, a sentence each, and
  /// how often the file is read, when that is not twice.
  std::vector<std::string> notes() const;

  /// What users may not know of their rows, a note each; after `fit`.
  std::vector<std::string> rowNotes() const;

  /// That of the reader, after the survey.
  const std::string &describeDropped() const;

  /// Rows of the file, and those that were left out.
  size_t fileRows() const;
  size_t dropped() const;

  /// How often the file was read so far.
  size_t readings() const;

  /// Fits; to be called once, and not after a disorder.
  ///
  /// Errors: a file that cannot be read twice, or has changed meanwhile; those
  /// of `checkTexts`, `normalize`, `learn` and `fitGroups`.
  Result<Weights> fit();

  /// Which steps `fit` took.
  const FitSteps &steps() const;

private:
  explicit StreamedFit(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_STREAMEDFIT_H
