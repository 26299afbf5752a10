//===- cpu/Trees.cpp - leaves of random trees -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The leaves of points (docs/math.md section 3, term t).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

#include <algorithm>
#include <limits>

namespace tamrt::cpu {

namespace {

/// Whether a multi-hot index has room for the leaves of all trees.
bool fits(int64_t trees, int64_t leaves) {
  return trees >= 0 && trees <= std::numeric_limits<int32_t>::max() / leaves;
}

/// Calls `leafOf(point, tree)` for every row and tree and writes the index.
template <typename Leaf>
void forEachTree(const double *points, const double *only, int64_t rows,
                 int64_t d, int64_t trees, int64_t leaves, int32_t *index,
                 Leaf leafOf) {
  for (int64_t r = 0; r < rows; ++r, index += trees) {
    if (only && only[r] == 0.0) {
      // Valid columns: a later kernel may still use these rows.
      std::fill_n(index, trees, 0);
      continue;
    }
    const double *point = points + r * d;
    for (int64_t b = 0; b < trees; ++b)
      index[b] = static_cast<int32_t>(b * leaves + leafOf(point, b));
  }
}

/// Rows and trees of a tile, and the most inputs it has room for.
constexpr int64_t tileRows = 8, tileTrees = 16, tileInputs = 32;

typedef int64_t Words __attribute__((vector_size(32)));
typedef int32_t HalfWords
    __attribute__((vector_size(16), aligned(4), may_alias));

/// Oblivious trees whose points have few inputs.
struct ObliviousTrees {
  const int32_t *features;
  const double *thresholds;
  int64_t trees, depth;
};

/// Leaves of tree `b` for eight points, whose inputs lie `tileRows` apart.
TAMRT_INLINE void eightLeaves(const ObliviousTrees &forest, int64_t b,
                              const double *inputs, int32_t *leaves) {
  const int32_t *feature = forest.features + b * forest.depth;
  const double *threshold = forest.thresholds + b * forest.depth;
  const int64_t base = b << forest.depth;
  Words low = Words{} + base, high = low;
  for (int64_t j = 0; j < forest.depth; ++j) {
    const double *x = inputs + feature[j] * tileRows;
    const Vector limit = Vector{} + threshold[j];
    const Words bit = Words{} + (int64_t(1) << j);
    low += (Words)(vectorAt(x) > limit) & bit;
    high += (Words)(vectorAt(x + 4) > limit) & bit;
  }
  *reinterpret_cast<HalfWords *>(leaves) =
      __builtin_convertvector(low, HalfWords);
  *reinterpret_cast<HalfWords *>(leaves + 4) =
      __builtin_convertvector(high, HalfWords);
}

/// Leaves of at most `tileRows` points of d inputs: eight points at a time,
/// with the comparisons of a level in one vector.
TAMRT_HOT void leavesOfTile(const ObliviousTrees &forest, const double *points,
                            int64_t rows, int64_t d, int32_t *index) {
  alignas(TAMRT_ALIGNMENT) double inputs[tileInputs * tileRows];
  for (int64_t i = 0; i < d; ++i)
    for (int64_t r = 0; r < tileRows; ++r)
      inputs[i * tileRows + r] = r < rows ? points[r * d + i] : 0.0;
  alignas(TAMRT_ALIGNMENT) int32_t leaves[tileTrees * 8];
  for (int64_t first = 0; first < forest.trees; first += tileTrees) {
    const int64_t count = std::min(tileTrees, forest.trees - first);
    for (int64_t r = 0; r < rows; r += 8) {
      for (int64_t b = 0; b < count; ++b)
        eightLeaves(forest, first + b, inputs + r, leaves + 8 * b);
      const int64_t height = std::min<int64_t>(8, rows - r);
      for (int64_t k = 0; k < height; ++k) {
        int32_t *out = index + (r + k) * forest.trees + first;
        for (int64_t b = 0; b < count; ++b)
          out[b] = leaves[8 * b + k];
      }
    }
  }
}

} // namespace

void tree_oblivious(tamrt_context *ctx, const double *points,
                    const int32_t *features, const double *thresholds,
                    const double *only, int64_t rows, int64_t d, int64_t trees,
                    int64_t depth, int32_t *index) {
  if (depth < 0 || depth > 30)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 8);
  if (!fits(trees, int64_t(1) << depth))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 7);
  if (d <= tileInputs) {
    const ObliviousTrees forest = {features, thresholds, trees, depth};
    for (int64_t r = 0; r < rows; r += tileRows) {
      const int64_t count = std::min(tileRows, rows - r);
      leavesOfTile(forest, points + r * d, count, d, index + r * trees);
    }
    for (int64_t r = 0; only && r < rows; ++r)
      if (only[r] == 0.0)
        std::fill_n(index + r * trees, trees, 0);
    return;
  }
  forEachTree(points, only, rows, d, trees, int64_t(1) << depth, index,
              [=](const double *point, int64_t b) {
                const int32_t *feature = features + b * depth;
                const double *threshold = thresholds + b * depth;
                int64_t leaf = 0;
                for (int64_t j = 0; j < depth; ++j)
                  leaf |= int64_t(point[feature[j]] > threshold[j]) << j;
                return leaf;
              });
}

void tree_flat(tamrt_context *ctx, const double *points,
               const int32_t *features, const double *thresholds,
               const double *only, int64_t rows, int64_t d, int64_t trees,
               int64_t leaves, int32_t *index) {
  if (leaves < 1)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 8);
  if (!fits(trees, leaves))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 7);
  forEachTree(points, only, rows, d, trees, leaves, index,
              [=](const double *point, int64_t b) {
                const double x = point[features[b]];
                const double *begin = thresholds + b * (leaves - 1);
                // The number of `count` thresholds from `low` on that are below
                // x: a binary search without branches, which could not be
                // predicted.
                const double *low = begin;
                int64_t count = leaves - 1;
                while (count > 1) {
                  const int64_t half = count / 2;
                  low += low[half - 1] < x ? half : 0;
                  count -= half;
                }
                return low - begin + (count == 1 && *low < x);
              });
}

} // namespace tamrt::cpu
