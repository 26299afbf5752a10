//===- core/model/Steps.h - the steps of a compiled model -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Queries on the steps of a `tamrt_model`. Shared by the executable and the
/// library for embedding; nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_STEPS_H
#define TAMRT_CORE_MODEL_STEPS_H

#include "tamrt/abi.h"
#include "tamrt/steps.h"

#include <algorithm>
#include <cstdint>

namespace tamrt {

/// `bytes`, at least 1, rounded up to TAMRT_ALIGNMENT.
constexpr int64_t alignedBytes(int64_t bytes) {
  return (std::max<int64_t>(bytes, 1) + TAMRT_ALIGNMENT - 1) / TAMRT_ALIGNMENT *
         TAMRT_ALIGNMENT;
}

/// The first step of `kind`, that of the largest rung; null if there is none.
const tamrt_step *firstStep(const tamrt_model &model, tamrt_step_kind kind);

/// Whether the model has the steps of the direct solver, and those of conjugate
/// gradients.
bool hasDirect(const tamrt_model &model);
bool hasCg(const tamrt_model &model);
/// Whether a fit has a choice of solvers.
bool hasChoice(const tamrt_model &model);

/// The last step of `kind`, that of the smallest rung; null if there is none.
const tamrt_step *lastStep(const tamrt_model &model, tamrt_step_kind kind);

/// The step of `kind` with the smallest rung that takes `rows` rows at once,
/// else that of the largest rung; null if there is no step of `kind`.
const tamrt_step *stepFor(const tamrt_model &model, tamrt_step_kind kind,
                          int64_t rows);

/// For conjugate gradients, the step that adds rows to b, with chunks of at
/// most as many rows as those of `apply`, a step of kind APPLY_CHUNK.
const tamrt_step &setupStep(const tamrt_model &model, const tamrt_step &apply);

/// Bytes of a group's state in the steps of `solver`; 0 if it has none.
int64_t stateBytes(const tamrt_model &model, StepSolver solver);

/// Numbers of the parameter block of a group.
int64_t parameterCount(const tamrt_model &model);

/// Numbers per row that a step of `kind` writes; for a step without rows, its
/// total.
int64_t outputWidth(const tamrt_model &model, tamrt_step_kind kind);

/// Numbers that a step of `kind` gets as coefficients.
int64_t vectorSize(const tamrt_model &model, tamrt_step_kind kind);

/// The effect with column `column` of the design matrix; null if there is none.
const tamrt_effect *effectOf(const tamrt_model &model, int64_t column);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_STEPS_H
