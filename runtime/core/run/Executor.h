//===- core/run/Executor.h - runs a model's steps ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls the steps of a compiled model group by group, on several threads.
///
/// Every thread gets its memory, of the device that runs the steps, before the
/// work starts: an arena, the state and the carry of one group and room for a
/// step's output, all aligned to TAMRT_ALIGNMENT. All read the same tables.
/// What is computed depends neither on the number of threads nor on the rung:
/// groups are independent, steps add rows in an order that does not depend on
/// where chunks end (abi.h), and threads that share a group put their sums
/// together in that order (Team.h).
///
/// The oracle chooses rung and threads (Oracle.h). Where memory runs out
/// nevertheless, the thread steps down one rung and does the same chunk again;
/// a rung that was left is not tried again.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_EXECUTOR_H
#define TAMRT_CORE_RUN_EXECUTOR_H

#include "core/data/Dataset.h"
#include "core/data/Normalization.h"
#include "core/device/Device.h"
#include "core/device/Oracle.h"
#include "core/model/Tables.h"
#include "core/model/Weights.h"
#include "core/run/ConjugateGradients.h"
#include "core/run/Progress.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// Which of a model's solvers to fit with.
enum class FitSolver {
  /// What the oracle chooses of those that the model has.
  Auto,
  Direct,
  Cg,
};

/// How the iterations of a fit by conjugate gradients went.
struct CgSummary {
  /// Groups fitted so, and of those the ones that did not converge.
  size_t groups = 0, unconverged = 0;
  /// Of all groups: most iterations of one, iterations together, and the
  /// largest |r| / |b| at the end.
  int64_t maxIterations = 0, allIterations = 0;
  double residual = 0;
};

/// "iteration 12, residual 2.5e-07".
std::string describe(const CgOutcome &outcome);

struct RunOptions {
  /// Threads, the caller's included; 0: as many as the machine has. Never more
  /// than there are groups, or segments of rows where a group can be split.
  unsigned threads = 0;
  /// Most rows of a chunk; 0: as the model's largest rung has.
  int64_t chunkRows = 0;
  /// Null: the device's.
  const tamrt_kernels *kernels = nullptr;
  /// Told of the rows done; may be null.
  Progress *progress = nullptr;
  /// What the steps run on; null: the CPU.
  Device *device = nullptr;
  /// Which of them run on the CPU all the same.
  tamrt_placement placement = {};
  OracleOptions oracle;
  /// Most bytes that count as free; 0: what the device says.
  int64_t memoryBytes = 0;
  /// Most bytes that states may take which threads need to share a group.
  int64_t spareBytes = std::numeric_limits<int64_t>::max();
  /// Where a device has no memory for the smallest rung, the CPU does the work.
  bool allowCpuFallback = false;
  /// Told of chunks, rungs and retries; may be null.
  Trace *trace = nullptr;
  /// Of fits. A solver that the model lacks is an error.
  FitSolver solver = FitSolver::Auto;
  CgOptions cg = {};
  /// Take coefficients of groups that did not converge.
  bool allowUnconverged = false;
  /// Gets what conjugate gradients did; may be null.
  CgSummary *summary = nullptr;
  /// Told before the work why a fit goes to conjugate gradients (`routeNote`);
  /// may be empty.
  std::function<void(const std::string &)> tellRoute;
};

/// Checks that steps of `kind` fit at all: one thread on the smallest rung. For
/// fits before their rows are read, so that it must hold for all steps that the
/// rows may want (abi.h, tamrt_compression). The error says what is needed,
/// what is there, and what would help.
Status checkFits(const tamrt_model &model, tamrt_step_kind kind,
                 const RunOptions &options);

/// The oracle's question for a run of `groups` groups of at most `groupRows`
/// rows with `freeBytes` free, as `fitGroups` and `predictGroups` ask it.
Question questionOf(const tamrt_model &model, tamrt_step_kind kind,
                    size_t groups, size_t groupRows, int64_t freeBytes,
                    const RunOptions &options);

/// Fits every group of `data` with the tables of the model.
///
/// \returns the G x D coefficients. Errors: no memory even for the smallest
/// rung on one thread (with the bytes it takes); a step's status (with group
/// and effect), that of the first group that has one; a group whose iterations
/// did not converge.
Result<std::vector<double>> fitGroups(const tamrt_model &model,
                                      const Dataset &data,
                                      const Normalization &normalization,
                                      const Tables &tables,
                                      const RunOptions &options);

/// Checks how the iterations of a fit ended, a group each, none of a direct
/// fit, and tells `options.summary`. The error names the first group that did
/// not converge, unless the options allow that.
Status checkConverged(const tamrt_model &model,
                      std::span<const std::string> groups,
                      std::span<const CgOutcome> outcomes,
                      const RunOptions &options);

/// Checks the coefficients of a fit: sums that overflow pass the
/// factorisation's own test. The error names group and effect.
Status checkCoefficients(const tamrt_model &model,
                         std::span<const std::string> groups,
                         std::span<const double> coefficients);

/// Predicts every group of `data`, whose places are those of `weights`.
///
/// \param kind   TAMRT_STEP_PREDICT, _TERMS or _DESIGN.
/// \param output data.rowCount() rows of outputWidth(model, kind) numbers.
///
/// Errors: those of `fitGroups`.
Status predictGroups(const tamrt_model &model, tamrt_step_kind kind,
                     const Dataset &data, const Weights &weights,
                     const RunOptions &options, double *output);

/// What every effect adds to the prediction of `row`, in the effects' order:
/// tells which of them spoils a prediction. Goes through the rows before it
/// where they leave something to it. Errors: those of `predictGroups`.
Result<std::vector<double>> decomposeRow(const tamrt_model &model,
                                         const Dataset &data,
                                         const Weights &weights, size_t row,
                                         const RunOptions &options);

/// The steps of `kind` that may process groups of at most `groupRows` rows, in
/// the order to try them, of falling rung: from the smallest that takes a whole
/// group, or `chunkRows` rows if not 0, at once.
std::vector<const tamrt_step *> rungsFor(const tamrt_model &model,
                                         tamrt_step_kind kind,
                                         int64_t groupRows, int64_t chunkRows);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_EXECUTOR_H
