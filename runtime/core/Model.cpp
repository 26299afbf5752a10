//===- core/Model.cpp - queries on a compiled model -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Model.h"

#include "core/AlignedBuffer.h"
#include "core/Tables.h"

#include <algorithm>

namespace tamrt {
namespace {

int64_t aligned(int64_t bytes) {
  return int64_t(AlignedBuffer::size(size_t(bytes)));
}

int64_t parameterBytes(const tamrt_model &model) {
  return aligned(model.input_count * TAMRT_INPUT_PARAMETERS *
                 int64_t(sizeof(double)));
}

int64_t carryBytes(const tamrt_model &model) {
  return model.carry_bytes > 0 ? aligned(model.carry_bytes) : 0;
}

} // namespace

Status checkModel(const tamrt_model &model) {
  if (model.abi_version != TAMRT_ABI_VERSION)
    return Error{"expected a model of runtime version " +
                 std::to_string(TAMRT_ABI_VERSION) + ", got " +
                 std::to_string(model.abi_version) +
                 "; compile the model again with the tamc of this runtime"};
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

int64_t outputWidth(const tamrt_model &model, tamrt_step_kind kind) {
  switch (kind) {
  case TAMRT_STEP_PREDICT:
    return 1;
  case TAMRT_STEP_TERMS:
    return model.effect_count;
  case TAMRT_STEP_DESIGN:
  case TAMRT_STEP_FIT_FINISH:
    return model.columns;
  case TAMRT_STEP_FIT_INIT:
  case TAMRT_STEP_FIT_CHUNK:
    break;
  }
  return 0;
}

const tamrt_effect *effectOf(const tamrt_model &model, int64_t column) {
  for (int64_t i = 0; i < model.effect_count; ++i) {
    const tamrt_effect &effect = model.effects[i];
    if (column >= effect.first_column &&
        column < effect.first_column + effect.columns)
      return &effect;
  }
  return nullptr;
}

int64_t tableBytes(const tamrt_model &model) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < model.table_count; ++i)
    bytes += aligned(bytesOf(model.tables[i]));
  return bytes;
}

ThreadMemory fitMemory(const tamrt_model &model, const tamrt_step &chunk) {
  int64_t arena = chunk.arena_bytes;
  for (tamrt_step_kind kind : {TAMRT_STEP_FIT_INIT, TAMRT_STEP_FIT_FINISH})
    for (const tamrt_step *step : stepsOf(model, kind))
      arena = std::max(arena, step->arena_bytes);
  return {aligned(arena), aligned(model.state_bytes), carryBytes(model),
          aligned(model.columns * int64_t(sizeof(double))),
          parameterBytes(model)};
}

ThreadMemory predictMemory(const tamrt_model &model, const tamrt_step &step,
                           int64_t rows) {
  int64_t width = outputWidth(model, tamrt_step_kind(step.kind));
  return {aligned(step.arena_bytes), 0, carryBytes(model),
          aligned(rows * width * int64_t(sizeof(double))),
          parameterBytes(model)};
}

} // namespace tamrt
