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

bool hasChoice(const tamrt_model &model) {
  return hasDirect(model) && hasCg(model);
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

int64_t stateBytes(const tamrt_model &model, StepSolver solver) {
  switch (solver) {
  case StepSolver::None:
    return 0;
  case StepSolver::Direct:
    return model.state_bytes;
  case StepSolver::Cg:
    return model.cg_state_bytes;
  }
  return 0;
}

int64_t outputWidth(const tamrt_model &model, tamrt_step_kind kind) {
  switch (describe(kind).output) {
  case StepOutput::Nothing:
    return 0;
  case StepOutput::RowNumber:
    return 1;
  case StepOutput::RowEffects:
    return model.effect_count;
  case StepOutput::RowColumns:
  case StepOutput::Columns:
    return model.columns;
  case StepOutput::RowForms:
    return 1 + model.effect_count;
  case StepOutput::Inference:
    return InferenceLayout(model.columns, model.effect_count).size;
  case StepOutput::System:
    return vectorInSystem(model.columns) + model.columns;
  case StepOutput::Matrix:
    return model.columns * model.columns;
  }
  return 0;
}

int64_t vectorSize(const tamrt_model &model, tamrt_step_kind kind) {
  switch (describe(kind).vector) {
  case StepVector::Nothing:
    return 0;
  case StepVector::Columns:
    return model.columns;
  case StepVector::Triangle:
    return triangleSize(model.columns);
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

int64_t parameterCount(const tamrt_model &model) {
  return model.input_count * TAMRT_INPUT_PARAMETERS + model.penalty_count;
}

} // namespace tamrt
