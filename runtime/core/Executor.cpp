//===- core/Executor.cpp - runs a model's steps ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Executor.h"

#include "core/AlignedBuffer.h"
#include "core/Model.h"
#include "io/Parallel.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>
#include <thread>
#include <unordered_map>

// Exported by OpenBLAS, absent from other BLAS libraries.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int threads);

namespace tamrt {
namespace {

/// Chunks of fewer rows waste more time per row than a second thread gains.
constexpr int64_t kSmallChunk = 256;

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

/// Takes memory for `threads` threads on one rung; false when there is none.
bool allocate(Crew &crew, unsigned threads, const ThreadMemory &memory) {
  crew.workers.clear();
  for (unsigned i = 0; i < threads; ++i) {
    crew.workers.emplace_back();
    if (!crew.workers.back().allocate(memory)) {
      crew.workers.clear();
      return false;
    }
  }
  return true;
}

/// Takes memory for all threads on the largest rung there is memory for. Rather
/// than very small chunks, fewer threads; at last one thread and one row.
Result<Crew> muster(const tamrt_model &model, tamrt_step_kind kind,
                    const Dataset &data, const RunOptions &options) {
  const auto groupRows = int64_t(data.longestGroup());
  std::vector<const tamrt_step *> rungs =
      rungsFor(model, kind, groupRows, options.chunkRows);
  auto memoryOf = [&](const tamrt_step &step) {
    return kind == TAMRT_STEP_FIT_CHUNK
               ? fitMemory(model, step)
               : predictMemory(model, step,
                               chunkOf(step, groupRows, options.chunkRows));
  };
  Crew crew;
  unsigned most = chooseThreads(options.threads, data.groups().size(), 1);
  for (unsigned threads = most; threads > 0; threads /= 2) {
    for (const tamrt_step *rung : rungs) {
      int64_t chunk = chunkOf(*rung, groupRows, options.chunkRows);
      if (threads > 1 && rung != rungs.front() && chunk < kSmallChunk)
        break;
      if (!allocate(crew, threads, memoryOf(*rung)))
        continue;
      crew.rung = rung;
      crew.chunkRows = chunk;
      for (Worker &worker : crew.workers)
        worker.place.context.kernels = options.kernels;
      return crew;
    }
  }
  return Error{"expected " + std::to_string(memoryOf(*rungs.back()).total()) +
               " bytes of memory for the smallest chunks, got less"};
}

/// The start of a message about `column` of the design of a group.
std::string effectAt(const tamrt_model &model, const Group &group,
                     int64_t column) {
  const tamrt_effect *effect = effectOf(model, column);
  return (model.group ? "group '" + group.name + "': " : "") + "effect '" +
         (effect ? effect->name : "?") + "': ";
}

/// The error of a fit whose numbers leave the range of a double.
Error overflow(const tamrt_model &model, const Group &group, int64_t column) {
  return Error{effectAt(model, group, column) +
               "expected finite coefficients, got an overflow; scale the "
               "target or the row weights, or lower the penalty ap"};
}

/// Says what went wrong in a step.
Error describe(const tamrt_model &model, const Group &group,
               const tamrt_context &context) {
  std::string message;
  if (model.group)
    message = "group '" + group.name + "': ";
  switch (context.status) {
  case TAMRT_ERROR_NOT_POSITIVE_DEFINITE:
    return Error{effectAt(model, group, context.detail) +
                 "expected a positive definite system, got a pivot that is "
                 "not positive in column " +
                 std::to_string(context.detail) +
                 " of the design; raise the penalty ap"};
  case TAMRT_ERROR_OVERFLOW:
    return overflow(model, group, context.detail);
  case TAMRT_ERROR_OUT_OF_MEMORY:
    message += "a kernel asked for " + std::to_string(context.detail) +
               " bytes and did not get them";
    break;
  case TAMRT_ERROR_DEVICE:
    message += "the device reported error " + std::to_string(context.detail);
    break;
  case TAMRT_ERROR_INVALID_ARGUMENT:
    message += "internal error: a kernel got an argument outside its "
               "contract, number " +
               std::to_string(context.detail);
    break;
  default:
    message +=
        "internal error: unknown status " + std::to_string(context.status);
  }
  return Error{message};
}

/// The work shared by the crew: groups in order, one after another to whoever
/// is free.
class Work {
public:
  Work(const tamrt_model &model, const Dataset &data, Crew &crew,
       const RunOptions &options, const char *phase)
      : model(model), data(data), crew(crew), options(options), phase(phase) {}

  /// Calls process(worker, group) for every group. The error is that of the
  /// first group in order that has one, whatever the threads: all groups
  /// before it were begun, and none is broken off.
  template <class Process> Status run(const Process &process) {
    if (openblas_set_num_threads)
      openblas_set_num_threads(1);
    const size_t count = data.groups().size();
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
        return describe(model, data.groups()[failed[i]], failures[i]);
    return {};
  }

  /// Points the worker's columns at a row of a group.
  auto columnsOf(Worker &worker, const Group &group) const {
    return [&, this](size_t first, size_t) {
      worker.setColumns(model, data, group.first + first);
    };
  }

  /// Notes that rows are done; tells of it where `reports`.
  void done(size_t rows, bool reports) {
    size_t all = rowsDone += rows;
    if (reports && options.progress)
      options.progress->update(phase, all, data.rowCount());
  }

private:
  const tamrt_model &model;
  const Dataset &data;
  Crew &crew;
  const RunOptions &options;
  const char *phase;
  std::atomic<size_t> rowsDone = 0;
};

} // namespace

std::vector<const tamrt_step *> rungsFor(const tamrt_model &model,
                                         tamrt_step_kind kind,
                                         int64_t groupRows, int64_t chunkRows) {
  std::vector<const tamrt_step *> rungs = stepsOf(model, kind);
  int64_t wanted = chunkRows > 0 ? std::min(groupRows, chunkRows) : groupRows;
  size_t start = 0;
  while (start + 1 < rungs.size() && rungs[start + 1]->rung_rows >= wanted)
    ++start;
  rungs.erase(rungs.begin(), rungs.begin() + ptrdiff_t(start));
  return rungs;
}

Result<std::vector<double>> fitGroups(const tamrt_model &model,
                                      const Dataset &data,
                                      const Normalization &normalization,
                                      const Tables &tables,
                                      const RunOptions &options) {
  const auto width = size_t(model.columns);
  std::vector<double> coefficients(data.groups().size() * width);
  Result<Crew> crew = muster(model, TAMRT_STEP_FIT_CHUNK, data, options);
  if (!crew)
    return std::move(crew).error();
  const auto chunkRows = size_t(crew->chunkRows);

  Work work(model, data, *crew, options, "fit");
  Status done = work.run([&](Worker &worker, size_t g, bool reports) {
    const Group &group = data.groups()[g];
    normalization.parameters(g, worker.place.parameters);
    worker.place.tables = tables.pointers();
    fitGroup(model, *crew->rung, worker.place, group.rows, chunkRows,
             work.columnsOf(worker, group),
             [&](size_t rows) { work.done(rows, reports); });
    if (worker.place.good())
      std::memcpy(coefficients.data() + g * width, worker.place.output,
                  width * sizeof(double));
  });
  if (!done)
    return std::move(done).error();
  size_t bad = firstNotFinite(coefficients.data(), coefficients.size());
  if (bad < coefficients.size())
    return overflow(model, data.groups()[bad / width], int64_t(bad % width));
  return coefficients;
}

/// For every group of `data` the place of its weights.
static Result<std::vector<size_t>> trainedPlaces(const Dataset &data,
                                                 const Weights &weights) {
  std::unordered_map<std::string_view, size_t> trained;
  for (size_t g = 0; g < weights.groups.size(); ++g)
    trained.emplace(weights.groups[g], g);
  std::vector<size_t> places;
  for (const Group &group : data.groups()) {
    auto at = trained.find(group.name);
    if (at == trained.end())
      return Error{"expected groups that were trained, got group '" +
                   group.name + "'"};
    places.push_back(at->second);
  }
  return places;
}

Status predictGroups(const tamrt_model &model, tamrt_step_kind kind,
                     const Dataset &data, const Weights &weights,
                     const RunOptions &options, double *output) {
  Result<std::vector<size_t>> places = trainedPlaces(data, weights);
  if (!places)
    return std::move(places).error();
  const auto width = size_t(outputWidth(model, kind));
  Result<Crew> crew = muster(model, kind, data, options);
  if (!crew)
    return std::move(crew).error();
  Work work(model, data, *crew, options, "predict");
  return work.run([&](Worker &worker, size_t g, bool reports) {
    const Group &group = data.groups()[g];
    const size_t place = (*places)[g];
    weights.normalization.parameters(place, worker.place.parameters);
    worker.place.tables = weights.tables.pointers();
    predictGroup(*crew->rung, worker.place, weights.of(place, model),
                 group.rows, size_t(crew->chunkRows),
                 work.columnsOf(worker, group), [&](size_t first, size_t rows) {
                   std::memcpy(output + (group.first + first) * width,
                               worker.place.output,
                               rows * width * sizeof(double));
                   work.done(rows, reports);
                 });
  });
}

Result<std::vector<double>> decomposeRow(const tamrt_model &model,
                                         const Dataset &data,
                                         const Weights &weights, size_t row,
                                         const tamrt_kernels *kernels) {
  Result<std::vector<size_t>> places = trainedPlaces(data, weights);
  if (!places)
    return std::move(places).error();
  const size_t g = data.groupOf(row);
  const Group &group = data.groups()[g];
  // Alone, unless a carry makes the rows before it matter.
  const auto last = int64_t(row - group.first);
  const int64_t start = model.carry_bytes > 0 ? 0 : last;
  Worker worker;
  const tamrt_step *step = nullptr;
  int64_t chunk = 0;
  for (const tamrt_step *rung :
       rungsFor(model, TAMRT_STEP_TERMS, last - start + 1, 0)) {
    chunk = chunkOf(*rung, last - start + 1, 0);
    if (worker.allocate(predictMemory(model, *rung, chunk))) {
      step = rung;
      break;
    }
  }
  if (!step)
    return Error{"expected memory for one row, got less"};
  worker.place.context.kernels = kernels;
  worker.place.tables = weights.tables.pointers();
  weights.normalization.parameters((*places)[g], worker.place.parameters);
  int64_t rows = 0;
  for (int64_t first = start; first <= last; first += rows) {
    rows = std::min(chunk, last - first + 1);
    worker.setColumns(model, data, group.first + size_t(first));
    worker.place.run(*step, weights.of((*places)[g], model), rows, first,
                     int64_t(group.rows));
    if (!worker.place.good())
      return describe(model, group, worker.place.context);
  }
  const double *terms = worker.place.output + (rows - 1) * model.effect_count;
  return std::vector<double>(terms, terms + model.effect_count);
}

} // namespace tamrt
