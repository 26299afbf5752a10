//===- core/Crew.cpp - threads that run the steps of groups ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Crew.h"

#include "core/Model.h"

#include <algorithm>

// Exported by OpenBLAS, absent from other BLAS libraries.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int threads);

namespace tamrt {
namespace {

/// Chunks of fewer rows waste more time per row than a second thread gains.
constexpr int64_t kSmallChunk = 256;

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

Result<Crew> muster(const tamrt_model &model, tamrt_step_kind kind,
                    size_t groups, size_t longest, const RunOptions &options,
                    StateOf state) {
  const auto groupRows = int64_t(longest);
  std::vector<const tamrt_step *> rungs =
      rungsFor(model, kind, groupRows, options.chunkRows);
  auto memoryOf = [&](const tamrt_step &step) {
    ThreadMemory memory =
        kind == TAMRT_STEP_FIT_CHUNK
            ? fitMemory(model, step)
            : predictMemory(model, step,
                            chunkOf(step, groupRows, options.chunkRows));
    if (state == StateOf::Group)
      memory.state = memory.carry = 0;
    return memory;
  };
  Crew crew;
  unsigned most = chooseThreads(options.threads, groups, 1);
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

Error overflow(const tamrt_model &model, const std::string &group,
               int64_t column) {
  return Error{effectAt(model, group, column) +
               "expected finite coefficients, got an overflow; scale the "
               "target or the row weights, or lower the penalty ap"};
}

Error describe(const tamrt_model &model, const std::string &group,
               const tamrt_context &context) {
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
