//===- core/Model.cpp - queries on a compiled model -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Model.h"

#include "core/Tables.h"

namespace tamrt {

Status checkModel(const tamrt_model &model) {
  if (model.abi_version != TAMRT_ABI_VERSION)
    return Error{"expected a model of runtime version " +
                 std::to_string(TAMRT_ABI_VERSION) + ", got " +
                 std::to_string(model.abi_version) +
                 "; compile the model again with the tamc of this runtime"};
  if (int64_t level = tamrt_cpu_level(); level < model.cpu_level)
    return Error{"expected a CPU of level x86-64-v" +
                 std::to_string(model.cpu_level) + " or above, got " +
                 (level == TAMRT_CPU_BASELINE
                      ? "the baseline"
                      : "level x86-64-v" + std::to_string(level)) +
                 "; compile the model with a lower --mcpu"};
  for (tamrt_step_kind kind :
       {TAMRT_STEP_FIT_INIT, TAMRT_STEP_FIT_CHUNK, TAMRT_STEP_FIT_FINISH,
        TAMRT_STEP_PREDICT, TAMRT_STEP_TERMS, TAMRT_STEP_DESIGN})
    if (stepsOf(model, kind).empty())
      return Error{"expected a model with a step '" +
                   std::string(nameOf(kind)) + "', got none"};
  return checkLearners(model);
}

std::vector<const tamrt_step *> stepsOf(const tamrt_model &model,
                                        tamrt_step_kind kind) {
  std::vector<const tamrt_step *> steps;
  for (int64_t i = 0; i < model.step_count; ++i)
    if (model.steps[i].kind == kind)
      steps.push_back(&model.steps[i]);
  return steps;
}

std::string_view nameOf(tamrt_step_kind kind) {
  switch (kind) {
  case TAMRT_STEP_FIT_INIT:
    return "fit_init";
  case TAMRT_STEP_FIT_CHUNK:
    return "fit_chunk";
  case TAMRT_STEP_FIT_FINISH:
    return "fit_finish";
  case TAMRT_STEP_PREDICT:
    return "predict";
  case TAMRT_STEP_TERMS:
    return "terms";
  case TAMRT_STEP_DESIGN:
    return "design";
  }
  return "unknown";
}

int64_t tableBytes(const tamrt_model &model) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < model.table_count; ++i)
    bytes += alignedBytes(bytesOf(model.tables[i]));
  return bytes;
}

} // namespace tamrt
