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
/// Every thread gets its memory, on the device that runs the steps, before the
/// work starts: an arena, the state and the carry of one group, and the output
/// of a step, all aligned to TAMRT_ALIGNMENT. All threads read the same tables.
/// Results depend neither on the number of threads nor on the rung: groups are
/// independent, steps add rows in an order that does not depend on where chunks
/// end (abi.h), and threads that share a group combine their sums in that order
/// (Team.h).
///
/// The oracle chooses rung and threads (Oracle.h). If memory runs out
/// nevertheless, the thread steps down one rung and repeats the chunk; a rung
/// that was left is not tried again.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_EXECUTOR_H
#define TAMRT_CORE_RUN_EXECUTOR_H

#include "core/data/Dataset.h"
#include "core/data/Normalization.h"
#include "core/data/TargetSum.h"
#include "core/device/Device.h"
#include "core/device/Oracle.h"
#include "core/model/Inference.h"
#include "core/model/Systems.h"
#include "core/model/Tables.h"
#include "core/model/Weights.h"
#include "core/run/ConjugateGradients.h"
#include "core/run/Progress.h"
#include "core/run/ResidentColumns.h"
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

/// The solver of a fit.
enum class FitSolver {
  /// The one that the oracle chooses among the model's.
  Auto,
  Direct,
  Cg,
};

/// The solver of a fit, and why (`routeNote`).
struct FitRoute {
  SolverChoice solver = SolverChoice::Direct;
  std::string note;

  /// Kind of the steps that take rows: FIT_CHUNK or APPLY_CHUNK.
  tamrt_step_kind kind() const {
    return solver == SolverChoice::Direct ? TAMRT_STEP_FIT_CHUNK
                                          : TAMRT_STEP_APPLY_CHUNK;
  }
  /// The model with its steps: `model`, or one that it refers to.
  const tamrt_model &of(const tamrt_model &model) const {
    return solver == SolverChoice::SmallBlocks ? *model.small_blocks : model;
  }
};

/// Summary of the iterations of a fit by conjugate gradients.
struct CgSummary {
  /// Number of groups, and of those that did not converge.
  size_t groups = 0, unconverged = 0;
  /// Most iterations of a group, total iterations, and the largest |r| / |b| at
  /// the end of a group.
  int64_t maxIterations = 0, allIterations = 0;
  double residual = 0;

  /// Adds the summary of other groups.
  void add(const CgSummary &more);
};

/// "iteration 12, residual 2.5e-07".
std::string describe(const CgOutcome &outcome);

/// What strengths are chosen from.
struct StrengthsQuestion {
  const Systems &systems;
  std::span<const std::string> groups;
  const Normalization &normalization;
  const Tables &tables;
};

struct RunOptions {
  /// Threads, the caller's included; 0: as many as the machine has. Never more
  /// than there are groups, or segments of rows where a group can be split.
  unsigned threads = 0;
  /// Most rows of a chunk; 0: those of the model's largest rung.
  int64_t chunkRows = 0;
  /// Null: the device's.
  const tamrt_kernels *kernels = nullptr;
  /// Updated with the rows done; may be null.
  Progress *progress = nullptr;
  /// The device of the steps; null: the CPU.
  Device *device = nullptr;
  /// More devices of its kind, which take groups of fits and predictions, too,
  /// but for fits of groups whose rows come in parts.
  std::span<Device *const> others;
  /// Steps that run on the CPU whatever the device.
  tamrt_placement placement = {};
  OracleOptions oracle;
  /// Which of the oracle's shares hold.
  WorkKind work = WorkKind::Static;
  /// Most bytes that count as free; 0: the device's free bytes.
  int64_t memoryBytes = 0;
  /// Most bytes of the spare states with which threads share a group.
  int64_t spareBytes = std::numeric_limits<int64_t>::max();
  /// If a device lacks memory for the smallest rung, the CPU does the work.
  bool allowCpuFallback = false;
  /// Records chunks, rungs and retries; may be null.
  Trace *trace = nullptr;
  /// For fits. A solver that the model lacks is an error.
  FitSolver solver = FitSolver::Auto;
  CgOptions cg = {};
  /// For fits: the strengths of the model's penalties, of all groups or for
  /// each group its own; empty: the model's.
  std::span<const double> strengths;
  /// For fits whose caller chooses strengths, as above, when the rows have been
  /// summed
  /// (`fitChosen`); may be empty.
  std::function<Result<std::vector<double>>(const StrengthsQuestion &)>
      chooseStrengths;
  /// Bytes that the choice takes for a group.
  int64_t choiceBytes = 0;
  /// For fits whose caller computes the coefficients itself, G x D, when the
  /// rows have been summed; may be empty.
  std::function<Result<std::vector<double>>(const StrengthsQuestion &)>
      solveSystems;
  /// Columns that the device keeps; may be null: work that reads the rows more
  /// than once may copy them.
  const ResidentColumns *columns = nullptr;
  /// Accept coefficients of groups that did not converge.
  bool allowUnconverged = false;
  /// Receives the summary of conjugate gradients; may be null.
  CgSummary *summary = nullptr;
  /// Receives the results of FIT_INFER for a fit by the direct solver, which
  /// asks for them; may be null.
  Inference *inference = nullptr;
  /// Receives the systems of a fit by the direct solver, which has no
  /// coefficients then; may be null. A fit to sums may have both: it asks for
  /// inference, too.
  Systems *systems = nullptr;
  /// For fits that only sum: called with the state of a group, which is joined
  /// (Workplace.h), and, if the direct solver sums, the sums of its target,
  /// instead of its solve. Several threads may give different groups. May be
  /// empty.
  std::function<void(size_t group, void *state, const TargetSum &target)>
      takeSums;
  /// A pass over the rows of a group: the kind of its steps, and the vector to
  /// which they are applied, null if none.
  struct Pass {
    tamrt_step_kind kind = TAMRT_STEP_FIT_CHUNK;
    const double *vector = nullptr;
  };
  /// What they sum: one pass of conjugate gradients (`CgSolve::pass`); empty:
  /// what the direct solver does.
  std::function<Pass(size_t group)> passOf;
  /// Called before the work with the reason why a fit uses conjugate gradients
  /// (`routeNote`); may be empty.
  std::function<void(const std::string &)> tellRoute;
  /// Names groups in errors.
  GroupNamer namer;

  /// Whether a fit by the direct solver solves its systems.
  bool solves() const { return !systems || inference; }
  /// Whether the caller of a fit gets the systems.
  bool asksForSystems() const { return chooseStrengths || solveSystems; }
  /// Whether a fit needs the direct solver, which alone has the inverse and the
  /// systems.
  bool needsDirect() const { return inference || systems || asksForSystems(); }

  /// The strengths of a group's penalties; empty: the model's.
  std::span<const double> strengthsOf(const tamrt_model &model,
                                      size_t group) const {
    const auto count = size_t(model.penalty_count);
    return strengths.size() <= count ? strengths
                                     : strengths.subspan(group * count, count);
  }
};

/// Checks that steps of `kind` fit in memory at all: one thread on the smallest
/// rung. It is called before a fit's rows are read, so that it checks all steps
/// that the rows may need (abi.h, tamrt_compression). The caller will take
/// another `sharedBytes`. The error has the bytes needed, the bytes free, and
/// what would help.
Status checkFits(const tamrt_model &model, tamrt_step_kind kind,
                 const RunOptions &options, int64_t sharedBytes = 0);

/// The question to the oracle for a run of `groups` groups of at most
/// `groupRows` rows with `freeBytes` free, as in `fitGroups` and
/// `predictGroups`.
Question questionOf(const tamrt_model &model, tamrt_step_kind kind,
                    size_t groups, size_t groupRows, int64_t freeBytes,
                    const RunOptions &options);

/// Fits every group of `data` with the tables of the model, by the solver of
/// `route`; null: by the one that the oracle chooses among the model's.
///
/// \returns the G x D coefficients; none if the options ask for systems.
/// Errors: no memory even for the smallest rung on one thread (with the bytes
/// needed); a step's status (with group and effect), for the first group with
/// an error; a group whose iterations did not converge.
Result<std::vector<double>>
fitGroups(const tamrt_model &model, const Dataset &data,
          const Normalization &normalization, const Tables &tables,
          const RunOptions &options, const FitRoute *route = nullptr);

/// Calls fit(options), which fits all groups. If the options' caller asks for
/// the systems, it is called for these, of which `systems` has what the sums do
/// not have by then, and again with the strengths that the caller chooses.
template <class Fit>
auto fitChosen(const tamrt_model &model, std::span<const std::string> groups,
               const Normalization &normalization, const Tables &tables,
               const RunOptions &options, Systems &systems, const Fit &fit)
    -> decltype(fit(options)) {
  if (!options.asksForSystems())
    return fit(options);
  const std::vector<double> none(size_t(model.penalty_count), 0.0);
  RunOptions summing = options;
  summing.strengths = none;
  summing.inference = nullptr;
  summing.systems = &systems;
  if (auto summed = fit(summing); !summed)
    return summed;
  const StrengthsQuestion question = {systems, groups, normalization, tables};
  if (options.solveSystems)
    return options.solveSystems(question);
  Result<std::vector<double>> chosen = options.chooseStrengths(question);
  if (!chosen)
    return std::move(chosen).error();
  // The fit has its own use for their memory.
  systems = Systems();
  RunOptions fitting = options;
  fitting.strengths = *chosen;
  return fit(fitting);
}

/// Checks the outcomes of a fit's iterations, one per group (none for a direct
/// fit), and sets `options.summary`. The error names the first group that did
/// not converge, unless the options allow that; nameOf(group) is its name.
Status checkConverged(const tamrt_model &model,
                      FunctionRef<std::string(size_t)> nameOf,
                      std::span<const CgOutcome> outcomes,
                      const RunOptions &options);

/// Checks that the coefficients of a fit are finite: the factorisation does not
/// detect all sums that overflow. The error names effect and group, whose name
/// is nameOf(group).
Status checkCoefficients(const tamrt_model &model,
                         FunctionRef<std::string(size_t)> nameOf,
                         std::span<const double> coefficients);

/// Predicts every group of `data`, whose places are those of `weights`.
///
/// \param kind    TAMRT_STEP_PREDICT, _TERMS, _DESIGN or _VARIANCES.
/// \param vectors what the steps get as coefficients: vectorSize(model, kind)
///                numbers for each group of `weights`.
/// \param output  data.rowCount() rows of outputWidth(model, kind) numbers.
///
/// Errors: those of `fitGroups`.
Status predictGroups(const tamrt_model &model, tamrt_step_kind kind,
                     const Dataset &data, const Weights &weights,
                     std::span<const double> vectors, const RunOptions &options,
                     double *output);

/// The same with the coefficients of `weights`.
inline Status predictGroups(const tamrt_model &model, tamrt_step_kind kind,
                            const Dataset &data, const Weights &weights,
                            const RunOptions &options, double *output) {
  return predictGroups(model, kind, data, weights, weights.coefficients,
                       options, output);
}

/// The contribution of every effect to the prediction of `row`, in the effects'
/// order, to find the effect that is not finite. Processes the rows before it
/// if the model has a carry. Errors: those of `predictGroups`.
Result<std::vector<double>> decomposeRow(const tamrt_model &model,
                                         const Dataset &data,
                                         const Weights &weights, size_t row,
                                         const RunOptions &options);

/// The steps of `kind` for groups of at most `groupRows` rows in the order in
/// which they are tried, by descending rung: from the smallest that takes a
/// whole group at once, or `chunkRows` rows if not 0.
std::vector<const tamrt_step *> rungsFor(const tamrt_model &model,
                                         tamrt_step_kind kind,
                                         int64_t groupRows, int64_t chunkRows);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_EXECUTOR_H
