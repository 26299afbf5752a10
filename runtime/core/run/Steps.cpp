//===- core/run/Steps.cpp - runs the steps of one group -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Steps.h"

#include "core/run/ConjugateGradients.h"

#include <cmath>

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

static int64_t parameterBytes(const tamrt_model &model) {
  return alignedBytes(parameterCount(model) * int64_t(sizeof(double)));
}

static int64_t carryBytes(const tamrt_model &model) {
  return model.carry_bytes > 0 ? alignedBytes(model.carry_bytes) : 0;
}

int64_t fitArenaBytes(const tamrt_model &model, const tamrt_step &chunk,
                      FitPart part) {
  const bool direct = chunk.kind == TAMRT_STEP_FIT_CHUNK;
  int64_t arena = 0;
  if (part != FitPart::Solve) {
    arena = chunk.arena_bytes;
    if (!direct)
      arena = std::max(arena, setupStep(model, chunk).arena_bytes);
  }
  for (int64_t i = 0; i < model.step_count; ++i) {
    const tamrt_step &step = model.steps[i];
    const bool isDirects = step.kind < TAMRT_STEP_CG_INIT;
    const bool isIn =
        part == FitPart::All || isSolve(step.kind) == (part == FitPart::Solve);
    if (!takesRows(step.kind) && isDirects == direct && isIn)
      arena = std::max(arena, step.arena_bytes);
  }
  return alignedBytes(arena);
}

ThreadMemory fitMemory(const tamrt_model &model, const tamrt_step &chunk) {
  const bool direct = chunk.kind == TAMRT_STEP_FIT_CHUNK;
  return {fitArenaBytes(model, chunk, FitPart::All),
          alignedBytes(direct ? model.state_bytes : model.cg_state_bytes),
          carryBytes(model),
          alignedBytes(direct ? model.columns * int64_t(sizeof(double)) : 0),
          parameterBytes(model),
          direct ? 0 : cgVectorBytes(model)};
}

ThreadMemory predictMemory(const tamrt_model &model, const tamrt_step &step,
                           int64_t rows) {
  int64_t width = outputWidth(model, tamrt_step_kind(step.kind));
  return {alignedBytes(step.arena_bytes), 0, carryBytes(model),
          alignedBytes(rows * width * int64_t(sizeof(double))),
          parameterBytes(model)};
}

int64_t chunkOf(const tamrt_step &step, int64_t groupRows, int64_t chunkRows) {
  int64_t chunk = groupRows;
  if (chunkRows > 0)
    chunk = std::min(chunk, chunkRows);
  if (step.rung_rows > 0)
    chunk = std::min(chunk, step.rung_rows);
  return std::max<int64_t>(chunk, 1);
}

void Workplace::run(const tamrt_step &step, const double *coefficients,
                    int64_t rows, int64_t first, int64_t groupRows) {
  const bool frames = !takesRows(step.kind);
  step.run(&context, arena, state, frames ? nullptr : carry, parameters, tables,
           coefficients, columns, writesOutput(step.kind) ? output : nullptr,
           rows, first, groupRows);
}

/// Where the numbers of an accumulator are in a state.
static double *numbersOf(const tamrt_accumulator &accumulator, void *state) {
  return reinterpret_cast<double *>(static_cast<char *>(state) +
                                    accumulator.offset);
}
static const double *numbersOf(const tamrt_accumulator &accumulator,
                               const void *state) {
  return numbersOf(accumulator, const_cast<void *>(state));
}

void Workplace::clear(const tamrt_model &model, tamrt_step_kind chunk,
                      bool counts) {
  for (int64_t i = 0; i < model.accumulator_count && good(); ++i) {
    const tamrt_accumulator &each = model.accumulators[i];
    if (each.kind == chunk && (each.unit == 0 || counts))
      context.kernels->zero(&context, each.count, numbersOf(each, state));
  }
}

void Workplace::append(const tamrt_accumulator &accumulator,
                       const void *earlier, int64_t first) {
  if (accumulator.unit == 0)
    context.kernels->append_sums(&context, numbersOf(accumulator, earlier),
                                 first, accumulator.count,
                                 numbersOf(accumulator, state));
}

void Workplace::addCounts(const tamrt_accumulator &accumulator,
                          const void *other) {
  if (accumulator.unit != 0)
    context.kernels->append_counts(
        &context, numbersOf(accumulator, other), TAMRT_SEGMENT_ROWS,
        accumulator.count, accumulator.unit, numbersOf(accumulator, state));
}

size_t firstNotFinite(const double *values, size_t count) {
  size_t at = 0;
  while (at < count && std::isfinite(values[at]))
    ++at;
  return at;
}

void writeParameters(const double *ranges, const double *knots, size_t inputs,
                     double *block) {
  for (size_t i = 0; i < inputs; ++i) {
    double *input = block + TAMRT_INPUT_PARAMETERS * i;
    input[0] = ranges[2 * i];
    input[1] = ranges[2 * i + 1];
    input[2] = knots[2 * i];
    input[3] = knots[2 * i + 1];
  }
}

} // namespace tamrt
