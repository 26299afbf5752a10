//===- core/model/Export.h - fitted models for other programs ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A fitted model as a JSON text that suffices to predict (docs/export.md).
///
/// `terms` of tamrt_model is the part of it that a fit does not change: an
/// array with an object for each effect after the offset. Each has `kind`,
/// `columns` and `extrapolate`; all but a product, which has `factors`, also
/// `inputs`, the inputs' indices. The other members depend on the kind; what a
/// fit determines takes the place of these:
///
///     "tables": {"W1": 3}   the index of each table of the map, by the name
///                           that its learner has for it
///     "intervals": 20       of a spline: gives the knots
///     "scales", "locations" of wavelets: their numbers, give widths and
///     centres
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_EXPORT_H
#define TAMRT_CORE_MODEL_EXPORT_H

#include "core/model/Weights.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <string>

namespace tamrt {

/// The description of `model` with `weights`, which are of it. Numbers are the
/// shortest texts that are read as the same doubles; all are finite. Time and
/// memory are linear in the weights.
///
/// Errors: a model that does not know its terms.
Result<std::string> formatExport(const tamrt_model &model,
                                 const Weights &weights);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_EXPORT_H
