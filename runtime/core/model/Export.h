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
/// `Terms` are the part of it that a fit does not change. What a fit determines
/// takes the place of their indices of tables and of the numbers of intervals,
/// scales and locations.
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
