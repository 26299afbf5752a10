//===- core/run/Workplace.cpp - runs the steps of one group ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Workplace.h"

#include "core/run/ConjugateGradients.h"

#include <cmath>

namespace tamrt {

static int64_t parameterBytes(const tamrt_model &model) {
  return alignedBytes(parameterCount(model) * int64_t(sizeof(double)));
}

static int64_t carryBytes(const tamrt_model &model) {
  return model.carry_bytes > 0 ? alignedBytes(model.carry_bytes) : 0;
}

bool isRun(FitExtra extra, int32_t kind) {
  if (!describe(kind).isExtra())
    return true;
  return kind == TAMRT_STEP_FIT_INFER ? extra.infers : extra.takesSystem;
}

int64_t fitArenaBytes(const tamrt_model &model, const tamrt_step &chunk,
                      FitPart part, FitExtra extra) {
  const bool direct = describe(chunk.kind).isDirect();
  int64_t arena = 0;
  if (part != FitPart::Solve) {
    arena = chunk.arena_bytes;
    if (!direct)
      arena = std::max(arena, setupStep(model, chunk).arena_bytes);
  }
  for (int64_t i = 0; i < model.step_count; ++i) {
    const tamrt_step &step = model.steps[i];
    const StepDescription &about = describe(step.kind);
    const bool isIn =
        part == FitPart::All || about.solves() == (part == FitPart::Solve);
    if (!about.takesRows() && about.solver == describe(chunk.kind).solver &&
        isIn && isRun(extra, step.kind))
      arena = std::max(arena, step.arena_bytes);
  }
  return alignedBytes(arena);
}

LevelLayout levelLayout(const tamrt_model &model, StepSolver solver) {
  int64_t most = 0;
  for (const StepDescription &step : stepDescriptions) {
    int64_t bytes = 0;
    if (step.solver == solver && step.takesRows())
      forEachSum(
          model, step.kind, [&](const tamrt_accumulator &each, int64_t offset) {
            bytes = offset + alignedBytes(each.count * int64_t(sizeof(double)));
            return true;
          });
    most = std::max(most, bytes);
  }
  return {alignedBytes(stateBytes(model, solver)), most};
}

int64_t groupBytes(const tamrt_model &model, StepSolver solver, int64_t rows) {
  const LevelLayout levels = levelLayout(model, solver);
  return levels.offset + levelsFor(rows) * levels.bytes;
}

int64_t fitOutputBytes(const tamrt_model &model, FitExtra extra) {
  int64_t numbers = outputWidth(model, TAMRT_STEP_FIT_FINISH);
  for (tamrt_step_kind kind :
       {TAMRT_STEP_FIT_INFER, TAMRT_STEP_FIT_SYSTEM, TAMRT_STEP_PENALTY})
    if (isRun(extra, kind))
      numbers = std::max(numbers, outputWidth(model, kind));
  return alignedBytes(numbers * int64_t(sizeof(double)));
}

ThreadMemory fitMemory(const tamrt_model &model, const tamrt_step &chunk,
                       int64_t rows, FitExtra extra) {
  const bool direct = describe(chunk.kind).isDirect();
  return {fitArenaBytes(model, chunk, FitPart::All, extra),
          groupBytes(model, describe(chunk.kind).solver, rows),
          carryBytes(model),
          direct ? fitOutputBytes(model, extra) : alignedBytes(0),
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

tamrt_call Workplace::callOf(const tamrt_step &step, const double *coefficients,
                             int64_t rows, int64_t first, int64_t groupRows) {
  const StepDescription &about = describe(step.kind);
  return {&context,
          arena,
          state,
          about.takesRows() ? carry : nullptr,
          parameters,
          tables,
          coefficients,
          columns,
          about.writesOutput() ? output : nullptr,
          rows,
          first,
          groupRows,
          about.hasSums() && about.takesRows() && rows > TAMRT_SEGMENT_ROWS
              ? segments
              : nullptr,
          segmentBytes};
}

void Workplace::run(const tamrt_step &step, const double *coefficients,
                    int64_t rows, int64_t first, int64_t groupRows) {
  runCall(step, callOf(step, coefficients, rows, first, groupRows));
}

double *numbersAt(void *packed, int64_t offset) {
  return reinterpret_cast<double *>(static_cast<char *>(packed) + offset);
}

double *numbersIn(void *state, const tamrt_accumulator &accumulator) {
  return numbersAt(state, accumulator.offset);
}

void Workplace::arrangeAndRun(const tamrt_model &model, const tamrt_step &step,
                              const double *coefficients, int64_t rows,
                              int64_t first, int64_t groupRows) {
  arrange(*this, model, tamrt_step_kind(step.kind), first, groupRows,
          [&](const auto &body) { body(*this); });
  if (good())
    run(step, coefficients, rows, first, groupRows);
}

void Workplace::joinCounts(const tamrt_accumulator &accumulator,
                           const double *more) {
  context.kernels->join_counts(&context, more, accumulator.count,
                               accumulator.unit, numbersIn(state, accumulator));
}

size_t firstNotFinite(const double *values, size_t count) {
  size_t at = 0;
  while (at < count && std::isfinite(values[at]))
    ++at;
  return at;
}

} // namespace tamrt
