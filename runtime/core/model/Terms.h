//===- core/model/Terms.h - feature maps of a model -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What each effect after the offset computes: `terms` of tamrt_model, a JSON
/// array with an object for each. Each has `kind`, `columns` and `extrapolate`;
/// all but a product, which has `factors`, also `inputs`, the inputs' indices.
/// The other members depend on the kind. Of what a fit determines they have:
///
///     "tables": {"W1": 3}   the index of each table of the map, by the name
///                           that its learner has for it
///     "intervals": 20       of a spline: gives the knots
///     "scales", "locations" of wavelets: their numbers, give widths and
///     centres
///
/// A model with candidates has another text (Candidates.h).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_TERMS_H
#define TAMRT_CORE_MODEL_TERMS_H

#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace tamrt {

/// The terms of the model, as many as effects after the offset. Errors: a model
/// that was compiled from a module without them.
Result<nlohmann::ordered_json> parseTerms(const tamrt_model &model);

/// The inputs that a term reads, of a product those of all its factors, in
/// order.
std::vector<size_t> inputsOf(const nlohmann::ordered_json &term);

/// Whether the value of a term in a row depends on the rows before it.
bool isRecursive(const nlohmann::ordered_json &term);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_TERMS_H
