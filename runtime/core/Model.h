//===- core/Model.h - queries on a compiled model ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Questions the runtime asks of a `tamrt_model`.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_H
#define TAMRT_CORE_MODEL_H

#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Checks that this runtime can run `model`: the version of the ABI, that every
/// kind of step is there, and that learners and tables fit together.
Status checkModel(const tamrt_model &model);

/// The steps of `kind`, by falling rung.
std::vector<const tamrt_step *> stepsOf(const tamrt_model &model,
                                        tamrt_step_kind kind);

/// "fit_init", "fit_chunk", "fit_finish", "predict", "terms", "design".
std::string_view nameOf(tamrt_step_kind kind);

/// Numbers per row that a step of `kind` writes; for FIT_FINISH: in all.
int64_t outputWidth(const tamrt_model &model, tamrt_step_kind kind);

/// The effect that holds column `column` of the design matrix, null if none.
const tamrt_effect *effectOf(const tamrt_model &model, int64_t column);

/// Bytes one thread needs, by use.
struct ThreadMemory {
  int64_t arena = 0, state = 0, carry = 0, output = 0, parameters = 0;

  int64_t total() const { return arena + state + carry + output + parameters; }
};

/// Bytes of the model's tables, which all threads share.
int64_t tableBytes(const tamrt_model &model);

/// What one thread needs to fit, with `chunk` as the rung's step.
ThreadMemory fitMemory(const tamrt_model &model, const tamrt_step &chunk);

/// What one thread needs to predict with `step` of kind PREDICT, TERMS or
/// DESIGN, at most `rows` rows at a time.
ThreadMemory predictMemory(const tamrt_model &model, const tamrt_step &step,
                           int64_t rows);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_H
