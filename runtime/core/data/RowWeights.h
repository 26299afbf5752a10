//===- core/data/RowWeights.h - the scale of row weights --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The mean row weight of a group, by which the steps' row weights are divided
/// (docs/math.md section 4). Shared by the executable and the library for
/// embedding; nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_ROWWEIGHTS_H
#define TAMRT_CORE_DATA_ROWWEIGHTS_H

#include "core/data/ExactSum.h"

#include <cstddef>
#include <optional>

namespace tamrt {

/// The mean of `rows` non-negative weights, rounded once. None if it is not a
/// double of full precision above 0.
std::optional<double> meanOf(const ExactSum &sum, size_t rows);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_ROWWEIGHTS_H
