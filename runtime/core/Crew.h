//===- core/Crew.h - threads that run the steps of groups -------*- C++ -*-===//
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

#ifndef TAMRT_CORE_CREW_H
#define TAMRT_CORE_CREW_H

#include "core/AlignedBuffer.h"
#include "core/Executor.h"
#include "core/Steps.h"
#include "io/Error.h"
#include "io/Parallel.h"
#include "tamrt/abi.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// What one thread works in, and the memory of it.
struct Worker {
  Workplace place;
  AlignedBuffer arena, state, carry, output, parameters;
  std::vector<const void *> columns;

  bool allocate(const ThreadMemory &memory) {
    arena = AlignedBuffer::allocate(size_t(memory.arena));
    output = AlignedBuffer::allocate(size_t(memory.output));
    parameters = AlignedBuffer::allocate(size_t(memory.parameters));
    if (memory.state > 0)
      state = AlignedBuffer::allocate(size_t(memory.state));
    if (memory.carry > 0)
      carry = AlignedBuffer::allocate(size_t(memory.carry));
    place.arena = arena.data();
    place.state = state.data();
    place.carry = carry.data();
    place.output = output.as<double>();
    place.parameters = parameters.as<double>();
    return arena && output && parameters && (memory.state == 0 || state) &&
           (memory.carry == 0 || carry);
  }

  /// Points the columns, of inputs, target and row weights, at `row`.
  void setColumns(const tamrt_model &model, const Dataset &data, size_t row) {
    auto inputs = size_t(model.input_count);
    columns.resize(inputs + 2);
    for (size_t i = 0; i < inputs; ++i) {
      if (model.inputs[i].rule == TAMRT_RULE_LEVELS)
        columns[i] = data.codes(i) + row;
      else
        columns[i] = data.numbers(i) + row;
    }
    columns[inputs] = data.target() ? data.target() + row : nullptr;
    columns[inputs + 1] = data.weights() ? data.weights() + row : nullptr;
    place.columns = columns.data();
  }
};

/// The memory of all threads, the rung it was taken for and its chunks.
struct Crew {
  std::vector<Worker> workers;
  const tamrt_step *rung = nullptr;
  int64_t chunkRows = 0;
};

/// Whose the state and the carry of a group are.
enum class StateOf {
  /// A thread's, which fits group after group.
  Worker,
  /// The group's, which gets its rows in parts; the caller has them.
  Group
};

/// Takes memory for all threads, at most one for each of `groups` groups of at
/// most `groupRows` rows, on the largest rung there is memory for. Rather than
/// very small chunks, fewer threads; at last one thread and one row.
Result<Crew> muster(const tamrt_model &model, tamrt_step_kind kind,
                    size_t groups, size_t groupRows, const RunOptions &options,
                    StateOf state = StateOf::Worker);

/// The error of a fit whose numbers leave the range of a double in `column` of
/// the design of a group.
Error overflow(const tamrt_model &model, const std::string &group,
               int64_t column);

/// Says what went wrong in a step.
Error describe(const tamrt_model &model, const std::string &group,
               const tamrt_context &context);

/// Keeps a BLAS library from starting threads of its own.
void useOneBlasThread();

/// What points the worker's columns at a row of a group, for `fitGroup` and
/// its like.
inline auto columnsOf(Worker &worker, const tamrt_model &model,
                      const Dataset &data, const Group &group) {
  return [&](size_t first, size_t) {
    worker.setColumns(model, data, group.first + first);
  };
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
        return describe(model, groups[failed[i]].name, failures[i]);
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

#endif // TAMRT_CORE_CREW_H
