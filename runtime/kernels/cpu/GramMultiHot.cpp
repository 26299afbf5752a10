//===- cpu/GramMultiHot.cpp - Gram blocks of multi-hot ones ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gram blocks and right-hand sides of multi-hot matrices, the leaves of trees:
/// every pair of a row's columns counts the same.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/SparseRow.h"

namespace tamrt::cpu {

namespace {

/// Adds `share` to the entry of every pair of a row's columns.
TAMRT_INLINE void addPairs(const int32_t *__restrict index, int64_t z,
                           int64_t n, double share, double *__restrict sums) {
  if (ascends(index, z)) {
    for (int64_t i = 0; i < z; ++i) {
      double *out = sums + index[i] * n;
      for (int64_t j = i; j < z; ++j)
        out[index[j]] += share;
    }
    return;
  }
  for (int64_t i = 0; i < z; ++i) {
    const int64_t column = index[i];
    sums[column * n + column] += share;
    for (int64_t j = i + 1; j < z; ++j) {
      const int64_t other = index[j];
      // A column with two ones is a two, and its square four: the pair counts
      // in both orders.
      sums[std::min(column, other) * n + std::max(column, other)] +=
          column == other ? share + share : share;
    }
  }
}

} // namespace

void gram_multihot(tamrt_context *ctx, const int32_t *a, const double *w,
                   int64_t rows, int64_t first, int64_t z, int64_t n,
                   double scale, double *sums) {
  forEachSegment(
      rows, first, n * n, sums, [&](int64_t begin, int64_t end) TAMRT_LAMBDA {
        for (int64_t r = begin; r < end; ++r)
          addPairs(a + r * z, z, n, (w ? w[r] * scale : scale) * scale, sums);
      });
}

void rhs_multihot(tamrt_context *ctx, const int32_t *a, const double *y,
                  const double *w, int64_t rows, int64_t first, int64_t z,
                  int64_t n, double scale, double *sums) {
  forEachSegment(rows, first, n, sums,
                 [&](int64_t begin, int64_t end) TAMRT_LAMBDA {
                   for (int64_t r = begin; r < end; ++r) {
                     const double share = (w ? w[r] * y[r] : y[r]) * scale;
                     for (int64_t i = 0; i < z; ++i)
                       sums[a[r * z + i]] += share;
                   }
                 });
}

} // namespace tamrt::cpu
