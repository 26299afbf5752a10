//===- core/run/Crew.h - threads that run the steps of groups ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The threads of a run and their memory. Internal to what runs steps.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_CREW_H
#define TAMRT_CORE_RUN_CREW_H

#include "core/run/Executor.h"
#include "core/run/Ladder.h"
#include "core/run/Workplace.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tamrt {

/// The threads of a run with their memory, and the rungs it may be on.
struct Crew {
  /// At an address that stays, for the workers' sake.
  std::unique_ptr<Ladder> ladder;
  /// Where the memory is from.
  Device *device = nullptr;
  std::vector<Worker> workers;
  /// States besides the workers', for segments that are summed apart.
  std::vector<AlignedBuffer> spares;
  /// Why this solver (`routeNote`).
  std::string note;
};

/// The solver of a fit, and why (`routeNote`).
struct FitRoute {
  SolverChoice solver = SolverChoice::Direct;
  std::string note;

  /// Of the steps that take rows: FIT_CHUNK or APPLY_CHUNK.
  tamrt_step_kind kind() const {
    return solver == SolverChoice::Direct ? TAMRT_STEP_FIT_CHUNK
                                          : TAMRT_STEP_APPLY_CHUNK;
  }
  /// The model that has its steps: `model`, or what that refers to.
  const tamrt_model &of(const tamrt_model &model) const {
    return solver == SolverChoice::SmallBlocks ? *model.small_blocks : model;
  }
};

/// Whether the rows of one group can be shared by threads: a fit without a
/// carry, whose sums can be put together, where the CPU can. With a way back to
/// the CPU they are not: a thread that goes there takes the memory it works in
/// along.
bool canSplit(const Ladder &ladder, const Device &device);

/// Takes memory for all threads, at most as many as `groups` groups of at most
/// `groupRows` rows keep busy, on the rung and for the threads that the oracle
/// chooses. Where there is none nevertheless: the next rung; rather than very
/// small chunks, the threads that there is memory for; at last the CPU, if the
/// options allow it. `sharedBytes` is what the caller will take besides.
Result<Crew> makeCrew(const tamrt_model &model, tamrt_step_kind kind,
                      size_t groups, size_t groupRows,
                      const RunOptions &options,
                      StateOf state = StateOf::Worker, int64_t sharedBytes = 0);

/// The same for a fit, by the solver that the oracle chooses of those that the
/// model has: the kind of the crew's ladder is FIT_CHUNK, or APPLY_CHUNK for
/// conjugate gradients. Errors also: the model lacks the solver that is asked
/// for.
Result<Crew> makeFitCrew(const tamrt_model &model, size_t groups,
                         size_t groupRows, const RunOptions &options);

/// The solver that `makeFitCrew` chooses for groups of at most `groupRows` rows
/// that are fitted one after another, whatever takes memory besides. Errors:
/// the model lacks the solver that is asked for.
Result<FitRoute> chooseSolver(const tamrt_model &model, size_t groupRows,
                              const RunOptions &options);

/// The error of a fit whose numbers leave the range of a double in `column` of
/// the design of a group.
Error overflow(const tamrt_model &model, const std::string &group,
               int64_t column);

/// Says what went wrong in a step. `shortage` says what memory was missing.
Error describe(const tamrt_model &model, const std::string &group,
               const tamrt_context &context, const std::string &shortage = {});

/// Keeps a BLAS library from starting threads of its own.
void useOneBlasThread();

/// Attempts the chunks of `rows` rows by steps of `kind`, one at a time:
/// run(step, first row, rows) sets the columns and runs it; done(first row,
/// rows) is called once it has succeeded. Stops at an error.
template <class Run, class Done>
void attemptChunks(Ladder &ladder, Worker &worker, tamrt_step_kind kind,
                   size_t rows, const Run &run, const Done &done) {
  for (size_t first = 0, count = 0; first < rows && worker.place.good();
       first += count) {
    const TraceSpan span(
        ladder.options.trace, worker.lane, "chunk",
        {{"first", int64_t(first)}, {"rung", worker.rung->rung_rows}});
    worker.attempt(ladder, [&] {
      // Fewer after a step down.
      count = std::min(worker.chunkRows, rows - first);
      const tamrt_step &step = kind == TAMRT_STEP_CG_CHUNK
                                   ? setupStep(ladder.model, *worker.rung)
                                   : *worker.rung;
      if (step.rung_rows > 0)
        count = std::min(count, size_t(step.rung_rows));
      run(step, first, count);
    });
    if (worker.place.good())
      done(first, count);
  }
}

} // namespace tamrt

#endif // TAMRT_CORE_RUN_CREW_H
