//===- core/learn/Quantiles.h - order statistics, unsorted ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Quantiles of many numbers at a few levels (docs/math.md section 3, term t).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_LEARN_QUANTILES_H
#define TAMRT_CORE_LEARN_QUANTILES_H

#include <cstddef>
#include <span>

namespace tamrt {

/// Replaces every level u in [0, 1] of `levels` by the quantile of `values` at
/// that level: with n values, h = u*(n-1), i = floor h, t = h-i and a <= b the
/// i-th and the next in order, a + (b-a)*t for t < 1/2, else b - (b-a)*(1-t).
/// There must be at least one value. Reorders the values; O(n log k) for k
/// levels. `ranks` is memory of 2k elements.
void quantiles(std::span<double> values, std::span<double> levels,
               std::span<size_t> ranks);

} // namespace tamrt

#endif // TAMRT_CORE_LEARN_QUANTILES_H
