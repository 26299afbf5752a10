//===- core/run/Crew.h - threads that run the steps of groups ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The threads of a run and their memory. Internal to the code that runs steps.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_CREW_H
#define TAMRT_CORE_RUN_CREW_H

#include "core/Interruption.h"
#include "core/Log.h"
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

/// The threads of a run with their memory and their ladder.
struct Crew {
  /// Its address must not change, because workers refer to it.
  std::unique_ptr<Ladder> ladder;
  /// The device of the first workers, and of the memory of groups.
  Device *device = nullptr;
  std::vector<Worker> workers;
  /// States of the first workers, if groups own those with their sums: for
  /// segments of other workers' groups.
  std::vector<AlignedBuffer> spares;
  /// Why this solver (`routeNote`).
  std::string note;
};

/// Whether several threads can share the rows of one group: it must be a fit
/// without a carry on one device, whose sums the CPU can combine. Not if the
/// CPU is a fallback: a thread that changes to the CPU takes its memory with
/// it.
bool canSplit(const Ladder &ladder, const Device &device);

/// Allocates memory for all threads, at most as many as `groups` groups of at
/// most `groupRows` rows keep busy, on the rung and for the number of threads
/// that the oracle chooses for each device. If there is not enough
/// nevertheless, takes the next rung; instead of very small chunks, fewer
/// threads; at last the CPU, if the options allow it. The caller will take
/// another `sharedBytes`. A crew that only sums (`RunOptions::takeSums`) has no
/// memory to solve.
Result<Crew> makeCrew(const tamrt_model &model, tamrt_step_kind kind,
                      size_t groups, size_t groupRows,
                      const RunOptions &options,
                      StateOf state = StateOf::Worker, int64_t sharedBytes = 0);

/// The same for a fit, with the solver that the oracle chooses among the
/// model's: the kind of the crew's ladder is FIT_CHUNK, or APPLY_CHUNK for
/// conjugate gradients. With a `route`, the solver is that of the route. It is
/// also an error if the model lacks the requested solver.
Result<Crew> makeFitCrew(const tamrt_model &model, size_t groups,
                         size_t groupRows, const RunOptions &options,
                         const FitRoute *route = nullptr);

/// `checkFits` of a solver that was chosen before, by others, which have
/// checked what else a fit needs.
Status checkRoute(const tamrt_model &model, const FitRoute &route,
                  const RunOptions &options, int64_t sharedBytes = 0);

/// Sums every group of `data`, whose places are those of `normalization`, as
/// the options of the crew ask (`RunOptions::takeSums`, which gets a group's
/// index in `data`). Errors: a step's status, for the first group with an
/// error.
Status sumGroups(Crew &crew, const Dataset &data,
                 const Normalization &normalization, const Tables &tables);

/// Bytes that the equations of `groups` groups take beside the run, if the
/// options ask for them and its sums are on the CPU.
int64_t systemBytes(const tamrt_model &model, size_t groups,
                    const RunOptions &options);

/// Makes room for the results of FIT_INFER or FIT_SYSTEM of `groups` groups, if
/// the options ask for them. Errors: the crew's solver is another one; no
/// memory.
Status startInference(const tamrt_model &model, size_t groups,
                      const RunOptions &options);

/// The solver that `makeFitCrew` chooses for groups of at most `groupRows` rows
/// that are fitted one after another, without regard to other uses of memory.
/// Errors: the model lacks the requested solver.
Result<FitRoute> chooseSolver(const tamrt_model &model, size_t groupRows,
                              const RunOptions &options);

/// The error of a fit whose numbers leave the range of a double in `column` of
/// the design of a group.
Error overflow(const tamrt_model &model, const std::string &group,
               int64_t column);

/// The error of a failed step. `shortage` is the message for a lack of memory.
Error describe(const tamrt_model &model, const std::string &group,
               const tamrt_context &context, const std::string &shortage = {});

/// Makes the CPU the device after a lack of memory on another one, if the
/// options allow that, and logs it with the reason `why`. False if not.
bool goOnOnCpu(RunOptions &options, const std::string &why);

/// What is to be tried after a lack of memory for a crew and for `count` states
/// that its caller owns, of `most` at first: half as many, or all on the CPU,
/// if the options allow that. Logs it with the reason `why`; false if nothing
/// is left.
bool takeLess(size_t &count, size_t most, const char *what, RunOptions &options,
              LogLevel level, const std::string &why);

/// Attempts the chunks of `rows` rows, from row `start` of a group on, with
/// steps of `kind`, one at a time: prepare(first row) is called before the
/// first attempt; run(step, first row, rows) sets the columns and runs the
/// step; done(first row, rows) is called after it has succeeded. Rows count
/// from `start`. Stops at an error.
template <class Prepare, class Run, class Done>
void attemptChunks(Ladder &ladder, Worker &worker, tamrt_step_kind kind,
                   size_t start, size_t rows, const Prepare &prepare,
                   const Run &run, const Done &done) {
  for (size_t first = 0, count = 0; first < rows; first += count) {
    prepare(first);
    if (!worker.place.good())
      return;
    checkInterruption();
    const TraceSpan span(
        ladder.options.trace, worker.lane, "chunk",
        {{"first", int64_t(first)}, {"rung", worker.rung->rung_rows}});
    worker.attempt(ladder, [&] {
      // There are fewer rows after a step down.
      const tamrt_step &step = kind == TAMRT_STEP_CG_CHUNK
                                   ? setupStep(ladder.model, *worker.rung)
                                   : *worker.rung;
      count = size_t(worker.rowsAt(kind, int64_t(start + first),
                                   int64_t(rows - first), step.rung_rows));
      run(step, first, count);
    });
    if (worker.place.good())
      done(first, count);
  }
}

/// The same for rows that need no preparation and whose sums, if any, are of
/// the `rows` rows alone.
template <class Run, class Done>
void attemptChunks(Ladder &ladder, Worker &worker, tamrt_step_kind kind,
                   size_t rows, const Run &run, const Done &done) {
  attemptChunks(
      ladder, worker, kind, /*start=*/0, rows, [](size_t) {}, run, done);
}

} // namespace tamrt

#endif // TAMRT_CORE_RUN_CREW_H
