//===- cpu/CholeskyTiles.h - tiles of the direct solver ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The common parts of the direct solver and of the inverse: the factorisation,
/// which Cholesky.cpp describes, and products of tiles that stay in registers.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_CHOLESKYTILES_H
#define TAMRT_KERNELS_CPU_CHOLESKYTILES_H

#include "kernels/cpu/Support.h"

#include <algorithm>
#include <limits>

namespace tamrt::cpu {

/// A matrix of up to this many columns is one panel: it fits in the
/// second-level cache.
constexpr int64_t maxInOnePanel = 128;
constexpr int64_t panelColumns = 64;
/// Rows, and columns, of a block of the update: two copies of as many rows of
/// a panel fit the first-level cache.
constexpr int64_t blockSize = 32;
static_assert(TAMRT_PANEL_WORKSPACE(maxInOnePanel) == 0 &&
              TAMRT_PANEL_WORKSPACE(maxInOnePanel + 1) ==
                  2 * blockSize * panelColumns);
/// A pivot below this share of its diagonal element has lost digits that a
/// prediction needs. The largest quotient is a lower bound of the condition
/// number of the scaled matrix; it is small for a well-conditioned system.
constexpr double minExactPivot = 1.0 / 65536;

/// A tile held in registers is this wide.
constexpr int64_t tileColumns = 4;

/// The matrix: element (i, j) is a[j * n + i].
struct Matrix {
  double *a;
  int64_t n;

  double *at(int64_t i, int64_t j) const { return a + j * n + i; }
};

/// Whether one can divide by sqrt(pivot). Infinity would give zeros.
TAMRT_INLINE bool isPivot(double pivot) {
  return pivot > 0.0 && pivot <= std::numeric_limits<double>::max();
}

/// The factor of a diagonal tile.
struct Diagonal {
  /// Below the diagonal: l[i][j], j < i.
  double l[tileColumns][tileColumns];
  double inverse[tileColumns];
};

/// Columns j .. j+3 of `Height` vectors of rows, from row i on.
template <typename V, int Height>
TAMRT_INLINE void loadTile(const Matrix &m, int64_t i, int64_t j,
                           V (&x)[tileColumns][Height]) {
  for (int c = 0; c < tileColumns; ++c)
    for (int v = 0; v < Height; ++v)
      loadVector(m.at(i + lanes<V> * v, j + c), x[c][v]);
}

/// A vector of rows, from row i on, of columns j .. j+3.
template <typename V>
TAMRT_INLINE void storeColumns(const Matrix &m, int64_t i, int64_t j,
                               const V (&x)[tileColumns]) {
  for (int c = 0; c < tileColumns; ++c)
    storeVector(x[c], m.at(i, j + c));
}

/// Subtracts from `Height` vectors of rows of four columns the product of
/// `depth` columns of as many rows, the first at `left` and the next n further
/// each, and of as many rows of four numbers, `step` apart.
template <typename V, int Height>
TAMRT_INLINE void subtractTiles(const double *__restrict left, int64_t n,
                                const double *__restrict top, int64_t step,
                                int64_t depth, V (&x)[tileColumns][Height]) {
  for (int64_t p = 0; p < depth; ++p, left += n, top += step)
    for (int v = 0; v < Height; ++v) {
      V l;
      loadVector(left + lanes<V> * v, l);
      for (int c = 0; c < tileColumns; ++c)
        x[c][v] -= l * top[c];
    }
}

/// Copies columns [panel, panelEnd) of rows [begin, end) into strips of
/// `Height` rows, column by column, the last strip filled up with zeros.
template <int64_t Height>
TAMRT_INLINE void copyStrips(const Matrix &m, int64_t panel, int64_t panelEnd,
                             int64_t begin, int64_t end,
                             double *__restrict out) {
  for (int64_t i = begin; i < end; i += Height) {
    const int64_t height = std::min(Height, end - i);
    for (int64_t p = panel; p < panelEnd; ++p, out += Height) {
      const double *__restrict column = m.at(i, p);
      if (height == Height) {
        for (int64_t h = 0; h < Height; ++h)
          out[h] = column[h];
        continue;
      }
      for (int64_t h = 0; h < Height; ++h)
        out[h] = h < height ? column[h] : 0.0;
    }
  }
}

/// Rows of a tile of the update.
template <typename V> constexpr int64_t tileRows = 2 * lanes<V>;

/// The product of a strip of tileRows and one of 4, taken from `c`, whose
/// columns are `stride` apart.
template <typename V>
TAMRT_INLINE void updateTile(const double *__restrict rows,
                             const double *__restrict columns, int64_t depth,
                             double *__restrict c, int64_t stride) {
  V x[tileColumns][2];
  for (int q = 0; q < tileColumns; ++q)
    for (int v = 0; v < 2; ++v)
      loadVector(c + q * stride + lanes<V> * v, x[q][v]);
  for (int64_t p = 0; p < depth; ++p) {
    V low, high;
    loadVector(rows + p * tileRows<V>, low);
    loadVector(rows + p * tileRows<V> + lanes<V>, high);
    for (int q = 0; q < tileColumns; ++q) {
      const double factor = columns[p * tileColumns + q];
      x[q][0] -= low * factor;
      x[q][1] -= high * factor;
    }
  }
  for (int q = 0; q < tileColumns; ++q)
    for (int v = 0; v < 2; ++v)
      storeVector(x[q][v], c + q * stride + lanes<V> * v);
}

/// updateTile for rows [i, iEnd) of columns [j, jEnd), of which those on and
/// below the diagonal count: a tile on the diagonal, or at the end of a block.
template <typename V>
TAMRT_INLINE void updateEdge(const double *rows, const double *columns,
                             int64_t depth, const Matrix &m, int64_t i,
                             int64_t j, int64_t iEnd, int64_t jEnd) {
  double tile[tileRows<V> * tileColumns] = {};
  for (int64_t q = j; q < jEnd; ++q)
    for (int64_t h = std::max(i, q); h < iEnd; ++h)
      tile[(q - j) * tileRows<V> + h - i] = *m.at(h, q);
  updateTile<V>(rows, columns, depth, tile, tileRows<V>);
  for (int64_t q = j; q < jEnd; ++q)
    for (int64_t h = std::max(i, q); h < iEnd; ++h)
      *m.at(h, q) = tile[(q - j) * tileRows<V> + h - i];
}

/// Factors the lower triangle of A = L L', n x n, in place. L's diagonal is
/// inverted; nothing is read or written above it. Returns the first column
/// without a pivot, or -1. `copies` has TAMRT_PANEL_WORKSPACE(n) doubles.
int64_t factor(double *a, int64_t n, double *copies);

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_CHOLESKYTILES_H
