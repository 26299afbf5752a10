//===- core/data/RowWeights.cpp - the scale of row weights ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowWeights.h"

#include <cmath>
#include <limits>

namespace tamrt {

std::optional<double> meanOf(const ExactSum &sum, size_t rows) {
  const double mean = sum.over(rows);
  if (std::isfinite(mean) && mean >= std::numeric_limits<double>::min())
    return mean;
  return std::nullopt;
}

} // namespace tamrt
