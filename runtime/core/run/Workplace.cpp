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

int64_t fitArenaBytes(const tamrt_model &model, const tamrt_step &chunk,
                      FitPart part) {
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
        isIn)
      arena = std::max(arena, step.arena_bytes);
  }
  return alignedBytes(arena);
}

ThreadMemory fitMemory(const tamrt_model &model, const tamrt_step &chunk) {
  const bool direct = describe(chunk.kind).isDirect();
  return {fitArenaBytes(model, chunk, FitPart::All),
          alignedBytes(stateBytes(model, describe(chunk.kind).solver)),
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
  const StepDescription &about = describe(step.kind);
  step.run(&context, arena, state, about.takesRows() ? carry : nullptr,
           parameters, tables, coefficients, columns,
           about.writesOutput() ? output : nullptr, rows, first, groupRows);
}

/// The numbers of an accumulator in a state.
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

} // namespace tamrt
