//===- core/model/Model.cpp - queries on a compiled model -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Model.h"

#include "core/model/Tables.h"

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
  const bool direct = hasDirect(model), cg = hasCg(model);
  for (tamrt_step_kind kind :
       {TAMRT_STEP_FIT_INIT, TAMRT_STEP_FIT_CHUNK, TAMRT_STEP_FIT_FINISH,
        TAMRT_STEP_PREDICT, TAMRT_STEP_TERMS, TAMRT_STEP_DESIGN,
        TAMRT_STEP_CG_INIT, TAMRT_STEP_CG_CHUNK, TAMRT_STEP_CG_FINISH,
        TAMRT_STEP_APPLY_INIT, TAMRT_STEP_APPLY_CHUNK, TAMRT_STEP_APPLY_FINISH,
        TAMRT_STEP_PRECONDITION}) {
    const bool isFits = kind <= TAMRT_STEP_FIT_FINISH;
    const bool isCgs = kind >= TAMRT_STEP_CG_INIT;
    // For a model without any solver the error names the direct solver's steps.
    const bool isNeeded = isFits ? direct || !cg : !isCgs || cg;
    if (isNeeded && stepsOf(model, kind).empty())
      return Error{"expected a model with a step '" +
                   std::string(nameOf(kind)) + "', got none"};
  }
  return checkLearners(model);
}

std::vector<tamrt_step> allSteps(const tamrt_model &model) {
  std::vector<tamrt_step> steps(model.steps, model.steps + model.step_count);
  if (model.compression)
    for (tamrt_step_kind kind :
         {TAMRT_STEP_FIT_INIT, TAMRT_STEP_FIT_CHUNK, TAMRT_STEP_FIT_FINISH})
      for (const tamrt_step *step : stepsOf(*model.compression->model, kind))
        steps.push_back(*step);
  if (model.small_blocks)
    for (tamrt_step_kind kind : {TAMRT_STEP_CG_INIT, TAMRT_STEP_CG_CHUNK,
                                 TAMRT_STEP_CG_FINISH, TAMRT_STEP_PRECONDITION})
      for (const tamrt_step *step : stepsOf(*model.small_blocks, kind))
        steps.push_back(*step);
  return steps;
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
  case TAMRT_STEP_CG_INIT:
    return "cg_init";
  case TAMRT_STEP_CG_CHUNK:
    return "cg_chunk";
  case TAMRT_STEP_CG_FINISH:
    return "cg_finish";
  case TAMRT_STEP_APPLY_INIT:
    return "apply_init";
  case TAMRT_STEP_APPLY_CHUNK:
    return "apply_chunk";
  case TAMRT_STEP_APPLY_FINISH:
    return "apply_finish";
  case TAMRT_STEP_PRECONDITION:
    return "precondition";
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
