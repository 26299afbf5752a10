//===- core/ranks/RankFit.h - the fit of several ranks ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A fit of several processes: each sums its part of the rows and solves some
/// of the groups, by the steps of a fit in parts (core/run/PartFit.h), or
/// iterates them (core/run/PartIterations.h).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RANKS_RANKFIT_H
#define TAMRT_CORE_RANKS_RANKFIT_H

#include "core/FunctionRef.h"
#include "core/data/RowReader.h"
#include "core/model/Weights.h"
#include "core/ranks/Ranks.h"
#include "core/run/Crew.h"
#include "core/run/Executor.h"
#include "core/run/PartFit.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tamrt {

struct RankFit {
  /// On rank 0: the weights.
  Weights weights;
  /// On rank 0: notes on the rows, of all ranks.
  std::vector<std::string> notes;
  /// Rows that were read, and that were dropped, by all ranks.
  size_t rowsRead = 0, rowsDropped = 0;
  /// Groups that the checkpoint had.
  size_t groupsLoaded = 0;
  /// On rank 0: of the other groups, if they were fitted by conjugate
  /// gradients.
  CgSummary iterations;
  /// Bytes that this rank sent: of rows and surveys, and of sums.
  int64_t sentRows = 0, sentSums = 0;
};

/// What the caller of `fitOnRanks` wants besides.
struct RankFitHooks {
  /// Called when a phase ends.
  FunctionRef<void(const char *phase)> end;
  /// Whether there is a checkpoint. Rank 0 goes on from its file, if it exists,
  /// and writes the groups that have been solved to it.
  bool hasCheckpoint = false;
  std::string checkpoint = {};
};

/// The notes of all ranks on rank 0, with the rank that made it if there are
/// several; elsewhere none.
std::vector<std::string> gatherNotes(const Ranks &ranks,
                                     const std::vector<std::string> &own);

/// The solver that rank 0 chooses for all ranks, for groups of at most
/// `groupRows` rows; rank 0 alone has the note why. To be called by all ranks,
/// which return the same error: those of `chooseSolver`.
Result<FitRoute> chooseRoute(const Ranks &ranks, const tamrt_model &model,
                             size_t groupRows, const RunOptions &run);

/// Fits the rows of the files that `pattern` names; to be called by all ranks,
/// which return the same error.
///
/// Errors: a checkpoint of a fit that needs all groups at once, for inference
/// or to choose penalties; those of `divideFiles`, `RankRows`, `chooseSolver`,
/// `PartSums`, `solveGroups`, `PartIterations` and `Checkpoint`.
Result<RankFit> fitOnRanks(const Ranks &ranks, const tamrt_model &model,
                           const std::string &pattern,
                           const ReadOptions &reading, const RunOptions &run,
                           const RankFitHooks &hooks);

} // namespace tamrt

#endif // TAMRT_CORE_RANKS_RANKFIT_H
