//===- cpu/GramMultiHot.cpp - Gram blocks of multi-hot matrices -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gram blocks and right-hand sides of multi-hot matrices: every pair of a
/// row's columns adds the same number. The usual case is the leaves of trees,
/// one of each tree in the order of the trees, which has code of its own.
///
/// Without weights an entry of a' a is a row count times scale^2. The
/// accumulator contains this product, rounded once, for any number of rows in
/// any order: the count is computed from the old sum, and the new sum from the
/// new count. So rows may be counted in the fastest way (LeafCounts.h).
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/LeafCounts.h"
#include "kernels/cpu/SparseRow.h"

#include <cmath>

namespace tamrt::cpu {

namespace {

/// Calls `add(row, column, times)` for every pair of a row's columns, row of
/// the matrix <= column.
template <typename Add>
TAMRT_INLINE void forEachPair(const int32_t *__restrict index, int64_t z,
                              Add add) {
  for (int64_t i = 0; i < z; ++i) {
    const int64_t column = index[i];
    add(column, column, 1);
    for (int64_t j = i + 1; j < z; ++j) {
      const int64_t other = index[j];
      // A column that appears twice has the value two, and its square is four:
      // the pair counts in both orders.
      add(std::min(column, other), std::max(column, other),
          column == other ? 2 : 1);
    }
  }
}

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
  forEachPair(index, z,
              [&](int64_t row, int64_t column, int times) TAMRT_LAMBDA {
                sums[row * n + column] += times == 2 ? share + share : share;
              });
}

/// Writes the leaves of trees [begin, end), tree by tree.
TAMRT_INLINE void transpose(const Leaves &a, int64_t rows, int64_t begin,
                            int64_t end, uint16_t *table) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t t = begin; t < end; ++t)
      table[(t - begin) * rows + r] = static_cast<uint16_t>(a.leaf(r, t));
}

/// Adds the weighted rows, one pair of trees after another: the entries of a
/// pair stay in the first-level cache while all rows are added. `tables` has
/// room for the leaves of two groups of trees.
TAMRT_INLINE void addWeighted(const Leaves &a, const double *__restrict shares,
                              int64_t rows, uint16_t *tables,
                              double *__restrict sums) {
  uint16_t *left = tables, *right = tables + LeafBlock::groupTrees * rows;
  for (int64_t i = 0; i < a.z; i += LeafBlock::groupTrees) {
    const int64_t iEnd = std::min(a.z, i + LeafBlock::groupTrees);
    transpose(a, rows, i, iEnd, left);
    for (int64_t t = i; t < iEnd; ++t) {
      double *__restrict corner = sums + t * a.count * (a.n + 1);
      const uint16_t *__restrict leaf = left + (t - i) * rows;
      for (int64_t r = 0; r < rows; ++r)
        corner[leaf[r] * (a.n + 1)] += shares[r];
    }
    for (int64_t j = i; j < a.z; j += LeafBlock::groupTrees) {
      const int64_t jEnd = std::min(a.z, j + LeafBlock::groupTrees);
      transpose(a, rows, j, jEnd, right);
      for (int64_t t = i; t < iEnd; ++t)
        for (int64_t u = std::max(j, t + 1); u < jEnd; ++u) {
          double *__restrict corner = sums + t * a.count * a.n + u * a.count;
          const uint16_t *__restrict row = left + (t - i) * rows;
          const uint16_t *__restrict column = right + (u - j) * rows;
          for (int64_t r = 0; r < rows; ++r)
            corner[row[r] * a.n + column[r]] += shares[r];
        }
    }
  }
}

/// Rows of one block, weighted.
TAMRT_INLINE void addWeightedBlock(const int32_t *index, const double *w,
                                   int64_t rows, int64_t z, int64_t n,
                                   double scale, double *sums,
                                   double *workspace) {
  static_assert(TAMRT_LEAF_WORKSPACE(1) * sizeof(double) >=
                sizeof(double) + 2 * LeafBlock::groupTrees * sizeof(uint16_t));
  double *shares = workspace;
  for (int64_t r = 0; r < rows; ++r)
    shares[r] = w[r] * scale * scale;
  const Leaves leaves = {index, z, n, n / z};
  // Both ways add the same numbers to an entry, row by row.
  if (leaves.haveCode() && leaves.contain(rows))
    return addWeighted(leaves, shares, rows,
                       reinterpret_cast<uint16_t *>(workspace + rows), sums);
  for (int64_t r = 0; r < rows; ++r)
    addPairs(index + r * z, z, n, shares[r], sums);
}

/// Rows of one block, all of weight one.
TAMRT_INLINE void addCounts(const int32_t *index, int64_t rows, int64_t z,
                            int64_t n, const Counter &counter, double *sums,
                            double *workspace) {
  const Leaves leaves = {index, z, n, n / z};
  if (leaves.haveCode() && leaves.contain(rows))
    return LeafBlock(workspace, rows).add(leaves, rows, counter, sums);
  for (int64_t r = 0; r < rows; ++r)
    forEachPair(index + r * z, z,
                [&](int64_t row, int64_t column, int times) TAMRT_LAMBDA {
                  counter.add(sums[row * n + column], times);
                });
}

/// Calls `body(begin, end)` on rows [begin, end) of blocks.
template <typename Body>
TAMRT_INLINE void forEachBlock(int64_t begin, int64_t end, Body body) {
  for (; begin < end; begin += LeafBlock::maxRows)
    body(begin, std::min(end, begin + LeafBlock::maxRows));
}

/// gram_multihot of weighted rows.
TAMRT_HOT void addWeightedRows(const int32_t *a, const double *w, int64_t rows,
                               int64_t z, int64_t n, double scale, double *sums,
                               double *workspace) {
  forEachBlock(0, rows, [&](int64_t begin, int64_t end) TAMRT_LAMBDA {
    addWeightedBlock(a + begin * z, w + begin, end - begin, z, n, scale, sums,
                     workspace);
  });
}

/// gram_multihot of rows of weight one.
TAMRT_HOT void addCountedRows(const int32_t *a, int64_t rows, int64_t z,
                              int64_t n, double scale, double *sums,
                              double *workspace) {
  const Counter counter(scale * scale);
  forEachBlock(0, rows, [&](int64_t begin, int64_t end) TAMRT_LAMBDA {
    addCounts(a + begin * z, end - begin, z, n, counter, sums, workspace);
  });
}

/// The product of `scale`, the row's weight and the other matrix's value, in
/// the order that starts with `scale`.
template <bool Weighted>
TAMRT_INLINE double factorAt(const double *w, int64_t r, double scale) {
  return weighted<Weighted>(weightAt<Weighted>(w, r), scale);
}

template <bool Weighted>
TAMRT_INLINE void
addDense(const int32_t *__restrict index, const double *__restrict b,
         const double *__restrict w, int64_t begin, int64_t end, int64_t z,
         double scale, int64_t nb, double *__restrict sums) {
  for (int64_t r = begin; r < end; ++r) {
    const double factor = factorAt<Weighted>(w, r, scale);
    const int32_t *__restrict columns = index + r * z;
    const double *__restrict row = b + r * nb;
    if (nb == 1) {
      const double product = factor * row[0];
      for (int64_t i = 0; i < z; ++i)
        sums[columns[i]] += product;
      continue;
    }
    for (int64_t i = 0; i < z; ++i) {
      double *__restrict out = sums + columns[i] * nb;
      for (int64_t j = 0; j < nb; ++j)
        out[j] += factor * row[j];
    }
  }
}

/// `Z` is the width of the band, 0 for one known only at run time. Adds all
/// trees of a row before the next row: reading a word that overlaps in part one
/// just written would have to wait for that store.
template <bool Weighted, int Z>
TAMRT_INLINE void addBanded(const int32_t *__restrict index, const double *b,
                            const int32_t *__restrict start,
                            const double *__restrict w, int64_t begin,
                            int64_t end, int64_t z, double scale, int64_t width,
                            int64_t nb, double *__restrict sums) {
  for (int64_t r = begin; r < end; ++r) {
    const double factor = factorAt<Weighted>(w, r, scale);
    const int32_t *__restrict columns = index + r * z;
    double *__restrict corner = sums + start[r];
    if constexpr (Z == 4) {
      const Vector products = factor * vectorAt(b + 4 * r);
      for (int64_t i = 0; i < z; ++i)
        vectorAt(corner + columns[i] * nb) += products;
    } else {
      for (int64_t i = 0; i < z; ++i)
        for (int64_t j = 0; j < width; ++j)
          corner[columns[i] * nb + j] += factor * b[r * width + j];
    }
  }
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const int32_t *a, const double *b, const double *w,
                           int64_t rows, int64_t z, int64_t na, double scale,
                           int64_t nb, double *sums) {
  addDense<Weighted>(a, b, w, 0, rows, z, scale, nb, sums);
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const int32_t *a, const double *b,
                           const int32_t *start, const double *w, int64_t rows,
                           int64_t za, int64_t na, double scale, int64_t zb,
                           int64_t nb, double *sums) {
  if (zb == 4)
    addBanded<Weighted, 4>(a, b, start, w, 0, rows, za, scale, zb, nb, sums);
  else
    addBanded<Weighted, 0>(a, b, start, w, 0, rows, za, scale, zb, nb, sums);
}

} // namespace

void gram_multihot(tamrt_context *ctx, const int32_t *a, const double *w,
                   int64_t rows, int64_t z, int64_t n, double scale,
                   double *sums, double *workspace) {
  if (w)
    return addWeightedRows(a, w, rows, z, n, scale, sums, workspace);
  addCountedRows(a, rows, z, n, scale, sums, workspace);
}

TAMRT_HOT void gram_multihot_dense(tamrt_context *ctx, const int32_t *a,
                                   const double *b, const double *w,
                                   int64_t rows, int64_t za, int64_t na,
                                   double scale, int64_t nb, double *sums) {
  if (w)
    addChunk<true>(a, b, w, rows, za, na, scale, nb, sums);
  else
    addChunk<false>(a, b, w, rows, za, na, scale, nb, sums);
}

TAMRT_HOT void gram_multihot_banded(tamrt_context *ctx, const int32_t *a,
                                    const double *b, const int32_t *b_start,
                                    const double *w, int64_t rows, int64_t za,
                                    int64_t na, double scale, int64_t zb,
                                    int64_t nb, double *sums) {
  if (w)
    addChunk<true>(a, b, b_start, w, rows, za, na, scale, zb, nb, sums);
  else
    addChunk<false>(a, b, b_start, w, rows, za, na, scale, zb, nb, sums);
}

void rhs_multihot(tamrt_context *ctx, const int32_t *a, const double *y,
                  const double *w, int64_t rows, int64_t z, int64_t n,
                  double scale, double *sums) {
  for (int64_t r = 0; r < rows; ++r) {
    const double share = (w ? w[r] * y[r] : y[r]) * scale;
    for (int64_t i = 0; i < z; ++i)
      sums[a[r * z + i]] += share;
  }
}

} // namespace tamrt::cpu
