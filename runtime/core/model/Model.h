//===- core/model/Model.h - queries on a compiled model ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Queries of the runtime on a `tamrt_model`.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_MODEL_H
#define TAMRT_CORE_MODEL_MODEL_H

#include "core/model/Steps.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Checks that this runtime can run `model`: that the version of the ABI is the
/// same, that all kinds of steps of predictions and of a solver exist, and that
/// tables match their learners.
Status checkModel(const tamrt_model &model);

/// All steps, and the texts that their buffers name (abi.h, plan_texts): the
/// model's own, then those of its variants, then those of the model that is
/// fitted in windows.
struct AllPlans {
  std::vector<tamrt_step> steps;
  std::vector<const char *> texts;
  /// Buffers whose texts have other indices than in their model.
  std::deque<std::vector<tamrt_buffer>> buffers;
};
AllPlans allPlans(const tamrt_model &model);

/// The steps of `kind`, by descending rung.
std::vector<const tamrt_step *> stepsOf(const tamrt_model &model,
                                        tamrt_step_kind kind);

/// The first `wanted` in a formula or a part of one, from `from` on, that is
/// outside of quotes and of the parentheses that open there; its size if there
/// is none.
size_t findOutside(std::string_view text, char wanted, size_t from = 0);

/// The target of a formula, as it is written there.
std::string_view targetOf(std::string_view formula);

/// Bytes of the model's tables, which all threads share.
int64_t tableBytes(const tamrt_model &model);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_MODEL_H
