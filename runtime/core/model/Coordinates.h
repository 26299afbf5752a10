//===- core/model/Coordinates.h - penalties that are chosen -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The coordinates of a choice of penalties (docs/math.md section 4, GCV): the
/// offset, each effect, and of a product each factor instead. The strength of a
/// product is absorbed by those of its factors.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_COORDINATES_H
#define TAMRT_CORE_MODEL_COORDINATES_H

#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tamrt {

/// A penalty that is chosen: one of the model's, and those of the products that
/// it is a factor of, the outermost first.
struct Coordinate {
  size_t penalty;
  std::vector<size_t> products;
  int64_t effect;
};

/// In the order of the model's penalties.
std::vector<Coordinate> coordinatesOf(const tamrt_model &model);

/// The ap of a coordinate whose penalties have the given aps: the sum of its
/// own and of its products'.
double apOf(const Coordinate &coordinate, const std::vector<double> &aps);

/// Checks the aps of all penalties of a model. The error names the first that
/// is above its limit.
Status checkLimits(const tamrt_model &model, const std::vector<double> &aps);

/// Whether some penalty has a limit, so that rounding errors of a large one
/// matter.
bool haveLimits(const tamrt_model &model);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_COORDINATES_H
