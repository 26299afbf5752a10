//===- core/model/Steps.cpp - the steps of a compiled model ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Steps.h"

namespace tamrt {

const tamrt_step *firstStep(const tamrt_model &model, tamrt_step_kind kind) {
  for (int64_t i = 0; i < model.step_count; ++i)
    if (model.steps[i].kind == kind)
      return &model.steps[i];
  return nullptr;
}

bool hasDirect(const tamrt_model &model) {
  return firstStep(model, TAMRT_STEP_FIT_FINISH) != nullptr;
}

bool hasCg(const tamrt_model &model) {
  return firstStep(model, TAMRT_STEP_CG_FINISH) != nullptr;
}

const tamrt_step *lastStep(const tamrt_model &model, tamrt_step_kind kind) {
  for (int64_t i = model.step_count; i-- > 0;)
    if (model.steps[i].kind == kind)
      return &model.steps[i];
  return nullptr;
}

const tamrt_step *stepFor(const tamrt_model &model, tamrt_step_kind kind,
                          int64_t rows) {
  const tamrt_step *best = nullptr;
  for (int64_t i = 0; i < model.step_count; ++i) {
    const tamrt_step &step = model.steps[i];
    if (step.kind == kind && (!best || step.rung_rows >= rows))
      best = &step;
  }
  return best;
}

const tamrt_step &setupStep(const tamrt_model &model, const tamrt_step &apply) {
  for (int64_t i = 0; i < model.step_count; ++i)
    if (model.steps[i].kind == TAMRT_STEP_CG_CHUNK &&
        model.steps[i].rung_rows <= apply.rung_rows)
      return model.steps[i];
  return *lastStep(model, TAMRT_STEP_CG_CHUNK);
}

int64_t outputWidth(const tamrt_model &model, tamrt_step_kind kind) {
  switch (kind) {
  case TAMRT_STEP_PREDICT:
    return 1;
  case TAMRT_STEP_TERMS:
    return model.effect_count;
  case TAMRT_STEP_DESIGN:
  case TAMRT_STEP_FIT_FINISH:
  case TAMRT_STEP_CG_FINISH:
  case TAMRT_STEP_APPLY_FINISH:
  case TAMRT_STEP_PRECONDITION:
    return model.columns;
  case TAMRT_STEP_FIT_INIT:
  case TAMRT_STEP_FIT_CHUNK:
  case TAMRT_STEP_CG_INIT:
  case TAMRT_STEP_CG_CHUNK:
  case TAMRT_STEP_APPLY_INIT:
  case TAMRT_STEP_APPLY_CHUNK:
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

bool isPrediction(int32_t kind) {
  return kind == TAMRT_STEP_PREDICT || kind == TAMRT_STEP_TERMS ||
         kind == TAMRT_STEP_DESIGN;
}

bool isSolve(int32_t kind) {
  return kind == TAMRT_STEP_FIT_FINISH || kind == TAMRT_STEP_CG_FINISH ||
         kind == TAMRT_STEP_PRECONDITION;
}

bool writesOutput(int32_t kind) {
  return isPrediction(kind) || isSolve(kind) || kind == TAMRT_STEP_APPLY_FINISH;
}

bool takesRows(int32_t kind) {
  switch (kind) {
  case TAMRT_STEP_FIT_INIT:
  case TAMRT_STEP_FIT_FINISH:
  case TAMRT_STEP_CG_INIT:
  case TAMRT_STEP_CG_FINISH:
  case TAMRT_STEP_APPLY_INIT:
  case TAMRT_STEP_APPLY_FINISH:
  case TAMRT_STEP_PRECONDITION:
    return false;
  default:
    return true;
  }
}

int64_t parameterCount(const tamrt_model &model) {
  return model.input_count * TAMRT_INPUT_PARAMETERS;
}

} // namespace tamrt
