//===- core/run/Crew.cpp - threads that run the steps of groups -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Crew.h"

#include "core/Log.h"
#include "core/model/Model.h"

#include <algorithm>

// Exported by OpenBLAS, absent from other BLAS libraries.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int threads);

namespace tamrt {
namespace {

/// Takes memory for up to `threads` threads on one rung.
void allocate(Crew &crew, Device &device, unsigned threads, size_t rung) {
  crew.workers.clear();
  for (unsigned i = 0; i < threads; ++i) {
    crew.workers.emplace_back();
    crew.workers.back().lane = i;
    if (!crew.workers.back().allocate(*crew.ladder, device, rung)) {
      crew.workers.pop_back();
      return;
    }
  }
}

/// Takes memory on the rung and for the threads decided, or what comes after
/// them; false when there is none.
bool settle(Crew &crew, Device &device, const Decision &decision) {
  Ladder &ladder = *crew.ladder;
  for (size_t rung = decision.rung; rung < ladder.size(); ++rung) {
    allocate(crew, device, decision.threads, rung);
    if (crew.workers.size() == decision.threads)
      return true;
    const bool isLast = rung + 1 == ladder.size();
    if (!crew.workers.empty() &&
        (isLast || ladder.chunkRows(rung + 1) < kSmallChunk)) {
      log(LogLevel::Warning, "device '{}' has memory for {} of {} threads",
          device.label(), crew.workers.size(), decision.threads);
      return true;
    }
    crew.workers.clear();
    device.purge();
    if (!isLast)
      ladder.warn(device, rung, ladder.memory(rung).total(), device, rung + 1,
                  0);
  }
  return false;
}

Decision ask(const Question &question, const RunOptions &options) {
  const Decision decision = decide(question, options.oracle);
  const Need &chosen = decision.solver == SolverChoice::Direct
                           ? *question.direct
                           : *question.conjugateGradients;
  log(LogLevel::Info,
      "oracle: {}: {} thread{}, chunks of {} rows: {} of {} bytes, {} free",
      decision.reason, decision.threads, decision.threads == 1 ? "" : "s",
      chosen.rungs[decision.rung].rows, decision.bytes, decision.budget,
      question.freeBytes);
  return decision;
}

/// Bytes that count as free, and what keeps them few.
DeviceMemory freeOn(const Device &device, const RunOptions &options) {
  DeviceMemory memory = device.memory();
  if (options.memoryBytes > 0 && options.memoryBytes < memory.freeBytes) {
    memory.freeBytes = options.memoryBytes;
    memory.source = "--memory";
  }
  return memory;
}

/// The start of a message about `column` of the design of a group.
std::string effectAt(const tamrt_model &model, const std::string &group,
                     int64_t column) {
  const tamrt_effect *effect = effectOf(model, column);
  return (model.group ? "group '" + group + "': " : "") + "effect '" +
         (effect ? effect->name : "?") + "': ";
}

} // namespace

void useOneBlasThread() {
  if (openblas_set_num_threads)
    openblas_set_num_threads(1);
}

Device &deviceOf(const RunOptions &options) {
  return options.device ? *options.device : Device::cpu();
}

Question questionOf(const tamrt_model &model, tamrt_step_kind kind,
                    size_t groups, size_t groupRows, int64_t freeBytes,
                    const RunOptions &options) {
  const Device &device = deviceOf(options);
  Question question;
  question.columns = model.columns;
  auto need = [&](tamrt_step_kind of) {
    return Ladder(model, of, int64_t(groupRows), options, StateOf::Worker)
        .need(device);
  };
  if (kind != TAMRT_STEP_FIT_CHUNK && kind != TAMRT_STEP_APPLY_CHUNK) {
    question.direct = need(kind);
  } else {
    if (hasDirect(model) && options.solver != FitSolver::Cg)
      question.direct = need(TAMRT_STEP_FIT_CHUNK);
    if (hasCg(model) && options.solver != FitSolver::Direct)
      question.conjugateGradients = need(TAMRT_STEP_APPLY_CHUNK);
  }
  question.threads = chooseThreads(options.threads, groups, 1);
  question.freeBytes = freeBytes;
  question.place = device.place();
  return question;
}

Result<tamrt_step_kind> fitKind(const tamrt_model &model, size_t groups,
                                size_t groupRows, const RunOptions &options) {
  if ((options.solver == FitSolver::Direct && !hasDirect(model)) ||
      (options.solver == FitSolver::Cg && !hasCg(model)))
    return Error{std::string("expected solver '") + model.solver +
                 "', which the model was compiled with, got '" +
                 (options.solver == FitSolver::Cg ? "cg" : "direct") + "'"};
  const Question question =
      questionOf(model, TAMRT_STEP_FIT_CHUNK, groups, groupRows,
                 freeOn(deviceOf(options), options).freeBytes, options);
  return decide(question, options.oracle).solver == SolverChoice::Direct
             ? TAMRT_STEP_FIT_CHUNK
             : TAMRT_STEP_APPLY_CHUNK;
}

Status checkFits(const tamrt_model &model, tamrt_step_kind kind,
                 const RunOptions &options) {
  const Device &device = deviceOf(options);
  const DeviceMemory memory = freeOn(device, options);
  const Question question =
      questionOf(model, kind, 1, 1, memory.freeBytes, options);
  const Decision decision = decide(question, options.oracle);
  if (decision.fits || (options.allowCpuFallback && !device.isCpu()))
    return {};
  return Error{tooLittle(question, decision, options.oracle, memory.source)};
}

Result<Crew> muster(const tamrt_model &model, tamrt_step_kind kind,
                    size_t groups, size_t longest, const RunOptions &options,
                    StateOf state, int64_t sharedBytes) {
  Device *device = &deviceOf(options);
  Crew crew;
  crew.ladder =
      std::make_unique<Ladder>(model, kind, int64_t(longest), options, state);
  while (true) {
    const DeviceMemory memory = freeOn(*device, options);
    Question question;
    question.columns = model.columns;
    std::optional<Need> &need = kind == TAMRT_STEP_APPLY_CHUNK
                                    ? question.conjugateGradients
                                    : question.direct;
    need = crew.ladder->need(*device);
    need->sharedBytes = sharedBytes;
    question.threads = chooseThreads(options.threads, groups, 1);
    question.freeBytes = memory.freeBytes;
    question.place = device->place();
    const Decision decision = ask(question, options);
    if (decision.fits && settle(crew, *device, decision)) {
      crew.device = device;
      if (options.trace)
        options.trace->instant(
            0, "rung",
            {{"rows", int64_t(crew.workers.front().chunkRows)},
             {"threads", int64_t(crew.workers.size())},
             {"bytes", decision.bytes}});
      return crew;
    }
    if (options.allowCpuFallback && !device->isCpu()) {
      const size_t last = crew.ladder->size() - 1;
      crew.ladder->warn(*device, last, decision.bytes, Device::cpu(), 0, 0);
      device = &Device::cpu();
      continue;
    }
    return Error{
        decision.fits
            ? crew.ladder->shortage(*device, crew.ladder->size() - 1,
                                    decision.bytes)
            : tooLittle(question, decision, options.oracle, memory.source)};
  }
}

Error overflow(const tamrt_model &model, const std::string &group,
               int64_t column) {
  return Error{effectAt(model, group, column) +
               "expected finite coefficients, got an overflow; scale the "
               "target or the row weights, or lower the penalty ap"};
}

Error describe(const tamrt_model &model, const std::string &group,
               const tamrt_context &context, const std::string &shortage) {
  std::string message;
  if (model.group)
    message = "group '" + group + "': ";
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
    if (!shortage.empty()) {
      message += shortage;
      break;
    }
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

} // namespace tamrt
