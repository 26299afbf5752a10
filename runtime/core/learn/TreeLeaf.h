//===- core/learn/TreeLeaf.h - the leaf of a tree ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The leaf of a point, as the kernels tree_oblivious and tree_flat
/// (kernels.def) define it. A fit counts the rows of the leaves that the steps
/// will compute, so both must agree exactly.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_LEARN_TREELEAF_H
#define TAMRT_CORE_LEARN_TREELEAF_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tamrt {

/// Leaf of an oblivious tree of depth `thresholds.size()`: the sum of 2^j over
/// those j where the point's coordinate features[j] exceeds thresholds[j].
inline size_t obliviousLeaf(const double *point, const int32_t *features,
                            std::span<const double> thresholds) {
  size_t leaf = 0;
  for (size_t j = 0; j < thresholds.size(); ++j)
    leaf |= size_t(point[features[j]] > thresholds[j]) << j;
  return leaf;
}

/// Leaf of a flat tree: the number of thresholds, which ascend, below `x`.
inline size_t flatLeaf(double x, std::span<const double> thresholds) {
  return size_t(std::lower_bound(thresholds.begin(), thresholds.end(), x) -
                thresholds.begin());
}

} // namespace tamrt

#endif // TAMRT_CORE_LEARN_TREELEAF_H
