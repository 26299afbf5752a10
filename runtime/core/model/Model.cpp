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
  for (const StepDescription &step : stepDescriptions) {
    // For a model without any solver the error names the direct solver's steps.
    const bool isNeeded = step.isDirect() ? direct || !cg : !step.isCg() || cg;
    if (isNeeded && stepsOf(model, step.kind).empty())
      return Error{"expected a model with a step '" + std::string(step.name) +
                   "', got none"};
  }
  return checkLearners(model);
}

std::vector<tamrt_step> allSteps(const tamrt_model &model) {
  std::vector<tamrt_step> steps(model.steps, model.steps + model.step_count);
  auto addOwn = [&](const tamrt_model &other, StepVariant variant) {
    for (const StepDescription &step : stepDescriptions)
      if (step.variant == variant)
        for (const tamrt_step *own : stepsOf(other, step.kind))
          steps.push_back(*own);
  };
  if (model.compression)
    addOwn(*model.compression->model, StepVariant::Levels);
  if (model.small_blocks)
    addOwn(*model.small_blocks, StepVariant::Blocks);
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

int64_t tableBytes(const tamrt_model &model) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < model.table_count; ++i)
    bytes += alignedBytes(bytesOf(model.tables[i]));
  return bytes;
}

} // namespace tamrt
