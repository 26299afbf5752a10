//===- core/run/Crew.h - threads that run the steps of groups ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The threads of a run, their memory, and the groups they share. Internal to
/// what runs steps: Executor and GroupSums.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_CREW_H
#define TAMRT_CORE_RUN_CREW_H

#include "core/device/Ladder.h"
#include "core/run/Executor.h"
#include "core/run/Steps.h"
#include "io/Error.h"
#include "io/Parallel.h"
#include "tamrt/abi.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
};

/// Takes memory for all threads, at most one for each of `groups` groups of at
/// most `groupRows` rows, on the rung and for the threads that the oracle
/// chooses. Where there is none nevertheless: the next rung; rather than very
/// small chunks, the threads that there is memory for; at last the CPU, if the
/// options allow it. `sharedBytes` is what the caller will take besides.
Result<Crew> muster(const tamrt_model &model, tamrt_step_kind kind,
                    size_t groups, size_t groupRows, const RunOptions &options,
                    StateOf state = StateOf::Worker, int64_t sharedBytes = 0);

/// The same for a fit, by the solver that the oracle chooses of those that the
/// model has: the kind of the crew's ladder is FIT_CHUNK, or APPLY_CHUNK for
/// conjugate gradients. Errors also: the model lacks the solver that is asked
/// for.
Result<Crew> musterFit(const tamrt_model &model, size_t groups,
                       size_t groupRows, const RunOptions &options);

/// The device that the options ask for.
Device &deviceOf(const RunOptions &options);

/// The error of a fit whose numbers leave the range of a double in `column` of
/// the design of a group.
Error overflow(const tamrt_model &model, const std::string &group,
               int64_t column);

/// Says what went wrong in a step. `shortage` says what memory was missing.
Error describe(const tamrt_model &model, const std::string &group,
               const tamrt_context &context, const std::string &shortage = {});

/// Keeps a BLAS library from starting threads of its own.
void useOneBlasThread();

/// Attempts the chunks of `rows` rows: run(first row, rows) sets the columns
/// and runs a step; done(first row, rows) is called once it has succeeded.
/// Stops at an error.
template <class Run, class Done>
void attemptChunks(Ladder &ladder, Worker &worker, size_t rows, const Run &run,
                   const Done &done) {
  for (size_t first = 0, count = 0; first < rows && worker.place.good();
       first += count) {
    const TraceSpan span(
        ladder.options.trace, worker.lane, "chunk",
        {{"first", int64_t(first)}, {"rung", worker.rung->rung_rows}});
    worker.attempt(ladder, [&] {
      // Fewer after a step down.
      count = std::min(worker.chunkRows, rows - first);
      run(first, count);
    });
    if (worker.place.good())
      done(first, count);
  }
}

/// The work shared by the crew: groups in order, one after another to whoever
/// is free.
class Work {
public:
  /// All arguments must outlive the work.
  Work(const tamrt_model &model, std::span<const Group> groups, Crew &crew,
       const RunOptions &options, const char *phase)
      : model(model), groups(groups), crew(crew), options(options),
        phase(phase) {
    for (const Group &group : groups)
      allRows += group.rows;
  }

  /// Calls process(worker, group) for every group. The error is that of the
  /// first group in order that has one, whatever the threads: all groups
  /// before it were begun, and none is broken off.
  template <class Process> Status run(const Process &process) {
    useOneBlasThread();
    const size_t count = groups.size();
    std::vector<tamrt_context> failures(crew.workers.size());
    std::vector<size_t> failed(crew.workers.size(), count);
    std::atomic<size_t> next = 0, firstFailed = count;
    forEachPiece(unsigned(crew.workers.size()), [&](unsigned piece) {
      Worker &worker = crew.workers[piece];
      for (size_t g; (g = next++) < count && g < firstFailed;) {
        worker.place.context.status = TAMRT_OK;
        const TraceSpan span(
            options.trace, worker.lane, "group",
            {{"group", int64_t(g)}, {"rows", int64_t(groups[g].rows)}});
        process(worker, g, piece == 0);
        if (worker.place.context.status == TAMRT_OK)
          continue;
        failures[piece] = worker.place.context;
        failed[piece] = g;
        size_t before = firstFailed;
        while (g < before && !firstFailed.compare_exchange_weak(before, g))
          ;
        return;
      }
    });
    for (size_t i = 0; i < failed.size(); ++i)
      if (failed[i] < count && failed[i] == firstFailed)
        return describe(model, groups[failed[i]].name, failures[i],
                        crew.workers[i].shortage);
    return {};
  }

  /// Notes that rows are done; tells of it where `reports`.
  void done(size_t rows, bool reports) {
    size_t all = rowsDone += rows;
    if (reports && options.progress)
      options.progress->update(phase, all, allRows);
  }

private:
  const tamrt_model &model;
  std::span<const Group> groups;
  Crew &crew;
  const RunOptions &options;
  const char *phase;
  size_t allRows = 0;
  std::atomic<size_t> rowsDone = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_CREW_H
