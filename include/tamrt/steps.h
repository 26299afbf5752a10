//===- tamrt/steps.h - what the kinds of steps are --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of steps.def as C++, and calls of steps. Shared by the compiler,
/// the executable and the library for embedding; nothing here allocates or
/// throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_STEPS_H
#define TAMRT_STEPS_H

#include "tamrt/abi.h"

#include <cstdint>
#include <string_view>

namespace tamrt {

/// The solver that a step belongs to.
enum class StepSolver { None, Direct, Cg };

/// The member of tamrt_placement that says where a step runs.
enum class StepPart { Sums, Solve, Predict };

/// Whether a step reads the rows of a chunk, or runs before or after the
/// chunks.
enum class StepRows { Rows, Frame };

/// What a step reads from its parameter `coefficients`.
enum class StepVector { Nothing, Columns, Triangle };

/// What a step writes to its parameter `output`.
enum class StepOutput {
  Nothing,
  RowNumber,
  RowEffects,
  RowColumns,
  RowForms,
  Columns,
  Inference,
  System,
  Matrix
};

/// The variant of a model that has other steps of a kind.
enum class StepVariant { All, Levels, Blocks };

/// What the steps of one kind are; steps.def explains the values.
struct StepDescription {
  tamrt_step_kind kind;
  /// "fit_init", "fit_chunk", "predict", "apply_chunk" and so on.
  std::string_view name;
  StepSolver solver;
  StepPart part;
  StepRows rows;
  StepVector vector;
  StepOutput output;
  StepVariant variant;
  /// The kind of the steps that add rows to the accumulators that these add to
  /// or read; -1 if they do neither.
  int32_t sums;
  /// Of a step that adds rows to accumulators, the kinds of the steps before
  /// and after its chunks; -1 of others.
  int32_t init, finish;

  constexpr bool takesRows() const { return rows == StepRows::Rows; }
  constexpr bool hasSums() const { return sums >= 0; }
  constexpr bool writesOutput() const { return output != StepOutput::Nothing; }
  /// Whether a fit runs it only on request.
  constexpr bool isExtra() const { return output >= StepOutput::Inference; }
  constexpr bool predicts() const { return part == StepPart::Predict; }
  constexpr bool solves() const { return part == StepPart::Solve; }
  constexpr bool isDirect() const { return solver == StepSolver::Direct; }
  constexpr bool isCg() const { return solver == StepSolver::Cg; }
};

/// No kind, in the columns `sums`, `init` and `finish` of the table.
inline constexpr int32_t TAMRT_STEP_NONE = -1;

/// Numbers of the lower triangle of a symmetric matrix.
constexpr int64_t triangleSize(int64_t columns) {
  return columns * (columns + 1) / 2;
}

/// `count` numbers, up to the next multiple of TAMRT_ALIGNMENT.
constexpr int64_t alignedSize(int64_t count) {
  constexpr int64_t unit = TAMRT_ALIGNMENT / int64_t(sizeof(double));
  return (count + unit - 1) / unit * unit;
}

/// Numbers that the sums of a pair of matrices take in an accumulator of
/// several pairs, which each begin at a multiple of TAMRT_ALIGNMENT.
constexpr int64_t pairSize(int64_t columns, int64_t others) {
  return alignedSize(columns * others);
}

/// The output of FIT_INFER for a model of D columns and E effects, each part at
/// a multiple of TAMRT_ALIGNMENT: the lower triangle of the inverse of A, row
/// by row; the effective degrees of freedom of each effect; the weighted mean
/// of each column of the design matrix over the group's rows, 0 for the
/// offset's; log|A|, and the condition number of A scaled to a unit diagonal.
/// Row weights are those of steps, whose mean is 1. Numbers from the start.
struct InferenceLayout {
  constexpr InferenceLayout(int64_t columns, int64_t effects)
      : edf(alignedSize(triangleSize(columns))),
        means(edf + alignedSize(effects)),
        numbers(means + alignedSize(columns)), size(numbers + 2) {}

  int64_t inverse = 0, edf, means, numbers, size;
};

/// Where b begins in the output of FIT_SYSTEM, in numbers: behind A, at a
/// multiple of TAMRT_ALIGNMENT.
constexpr int64_t vectorInSystem(int64_t columns) {
  return alignedSize(columns * columns);
}

/// The kinds of steps, at the indices of their numbers.
inline constexpr StepDescription stepDescriptions[] = {
#define TAMRT_STEP(id, name, solver, part, rows, vector, output, variant,      \
                   sums, init, finish)                                         \
  {TAMRT_STEP_##id,    #name,                                                  \
   StepSolver::solver, StepPart::part,                                         \
   StepRows::rows,     StepVector::vector,                                     \
   StepOutput::output, StepVariant::variant,                                   \
   TAMRT_STEP_##sums,  TAMRT_STEP_##init,                                      \
   TAMRT_STEP_##finish},
#include "tamrt/steps.def"
};

/// The description of `kind`, which must be a tamrt_step_kind.
constexpr const StepDescription &describe(int32_t kind) {
  return stepDescriptions[kind];
}

/// Calls the function of a step.
inline void runCall(const tamrt_step &step, const tamrt_call &call) {
  step.run(call.context, call.arena, call.state, call.carry, call.parameters,
           call.tables, call.coefficients, call.columns, call.output, call.rows,
           call.first, call.group_rows);
}

} // namespace tamrt

#endif // TAMRT_STEPS_H
