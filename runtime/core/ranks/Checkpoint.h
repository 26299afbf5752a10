//===- core/ranks/Checkpoint.h - a fit under way ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The file from which a fit of several processes goes on after a loss: the
/// coefficients of the groups that have been solved (docs/scale.md). It does
/// not depend on the number of processes.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RANKS_CHECKPOINT_H
#define TAMRT_CORE_RANKS_CHECKPOINT_H

#include "core/run/PartFit.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// The coefficients of some groups.
class Checkpoint {
public:
  /// Of `groups` groups, none of which has been solved.
  Checkpoint(const tamrt_model &model, size_t groups)
      : model(&model), solved(groups), numbers(groups * size_t(model.columns)) {
  }

  /// The hash of the rows and options that decide about the coefficients.
  /// `digest` is that of `RankRows`.
  static std::string hashOf(const SurveyedFit &fit, uint64_t digest,
                            SolverChoice solver, const RunOptions &run);

  /// Reads what the file `path` has, if there is one. Errors: those of
  /// `SafetensorsFile`; a checkpoint of another spec or hash.
  Status load(const std::string &path, const std::string &hash);
  Status save(const std::string &path, const std::string &hash) const;

  void add(size_t group, std::span<const double> coefficients);
  const std::vector<bool> &groups() const { return solved; }
  /// Of all groups, one after another.
  const std::vector<double> &coefficients() const { return numbers; }

private:
  const tamrt_model *model;
  std::vector<bool> solved;
  std::vector<double> numbers;
};

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_CHECKPOINT_H
