//===- cpu/Inverse.cpp - inverses of normal equations ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The inverse X of a symmetric matrix A = L L'.
///
/// X L is the transposed inverse of L, so the columns of X follow from those to
/// their right. With the columns C, 4 of them, and R, all to their right:
///
///     X_RC = -X_RR L_RC L_CC^-1
///     X_CC = (L_CC'^-1 - X_CR L_RC) L_CC^-1
///
/// X overwrites L and what is above it, both halves, so that products read
/// contiguous columns of X. Until it is complete, the result's memory stores
/// copies of L: for each tile of 4 columns its rows below the tile. A large
/// matrix is inverted in panels of columns. The part of X_RR L_RC whose sums
/// are over rows below the panel is computed first, for all columns of the
/// panel, from copies of X in the order of use.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CholeskyTiles.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/ElementaryScalars.h"

#include <cmath>

namespace tamrt::cpu {

namespace {

/// Columns of a panel: X is read once for each. The copies of a panel of c
/// columns have c n - c(c+4)/2 numbers, no more than the result.
constexpr int64_t columnsAtOnce = 128;
static_assert(columnsAtOnce >= maxInOnePanel, "one panel has no workspace");
/// Rows of a panel that fit the first-level cache.
constexpr int64_t rowsAtOnce = 48;

/// The copies of L's columns [panel, end): those of tile j are rows [j + 4, n),
/// 4 numbers each.
class Strips {
public:
  Strips(const Matrix &m, int64_t panel, double *copies)
      : panel(panel), n(m.n), copies(copies) {}

  /// Where row `row` of the tile of columns j .. j+3 is.
  double *at(int64_t row, int64_t j) const {
    // The tiles before have n - panel - 4, n - panel - 8, .. rows.
    const int64_t before = (j - panel) / tileColumns;
    const int64_t rows = before * (n - panel) -
                         tileColumns * (before * (before + 1) / 2) + row - j -
                         tileColumns;
    return copies + tileColumns * rows;
  }

  /// Copies the columns of whole tiles before `end`.
  TAMRT_INLINE void copy(const Matrix &m, int64_t end) const {
    for (int64_t j = panel; j + tileColumns <= end; j += tileColumns) {
      const double *__restrict column = m.at(0, j);
      double *__restrict out = at(j + tileColumns, j);
      for (int64_t i = j + tileColumns; i < n; ++i, out += tileColumns)
        for (int64_t c = 0; c < tileColumns; ++c)
          out[c] = column[c * n + i];
    }
  }

private:
  int64_t panel, n;
  double *copies;
};

/// Multiplies rows of four columns by the inverse of a tile of L.
template <typename V>
TAMRT_INLINE void multiplyByInverse(const Diagonal &diagonal,
                                    V (&x)[tileColumns]) {
  for (int c = tileColumns - 1; c >= 0; --c) {
    for (int p = c + 1; p < tileColumns; ++p)
      x[c] -= x[p] * diagonal.l[p][c];
    x[c] *= diagonal.inverse[c];
  }
}

/// Writes `rows` rows of columns j .. j+3, from row i on, above the diagonal.
TAMRT_INLINE void mirror(const Matrix &m, int64_t i, int64_t j, int64_t rows,
                         const Vector (&x)[tileColumns]) {
  Vector transposed[4];
  transpose(x, transposed);
  for (int64_t r = 0; r < rows; ++r)
    vectorAt(m.at(j, i + r)) = transposed[r];
}

/// Columns j .. j+3 of X in `Height` vectors of rows from row i on, to both
/// halves: the product with columns [first, last) of X is subtracted from what
/// is there, or from 0.
template <typename V, int Height>
TAMRT_INLINE void invertTile(const Matrix &m, int64_t i, int64_t j,
                             int64_t first, int64_t last, bool isPartial,
                             const Strips &strips, const Diagonal &diagonal) {
  V x[tileColumns][Height] = {};
  if (isPartial)
    loadTile(m, i, j, x);
  subtractTiles(m.at(i, first), m.n, strips.at(first, j), tileColumns,
                last - first, x);
  for (int v = 0; v < Height; ++v) {
    V own[tileColumns];
    for (int c = 0; c < tileColumns; ++c)
      own[c] = x[c][v];
    multiplyByInverse(diagonal, own);
    const int64_t row = i + lanes<V> * v;
    storeColumns(m, row, j, own);
    for (int64_t part = 0; part < lanes<V>; part += 4) {
      Vector four[tileColumns];
      for (int64_t c = 0; c < tileColumns; ++c)
        four[c] = vectorAt(m.at(row + part, j + c));
      mirror(m, row + part, j, 4, four);
    }
  }
}

/// The same for the rows [begin, end).
template <typename V>
TAMRT_INLINE void invertRows(const Matrix &m, int64_t begin, int64_t end,
                             int64_t j, int64_t first, int64_t last,
                             bool isPartial, const Strips &strips,
                             const Diagonal &diagonal) {
  int64_t i = begin;
  // The first rows, fewer than a vector has. The rows before, which are read
  // with them, are not used.
  if (const int64_t rest = (end - begin) % 4) {
    i += rest - 4;
    AlignedVector x[tileColumns][1] = {};
    if (isPartial)
      loadTile(m, i, j, x);
    subtractTiles(m.at(i, first), m.n, strips.at(first, j), tileColumns,
                  last - first, x);
    AlignedVector own[tileColumns];
    for (int c = 0; c < tileColumns; ++c)
      own[c] = x[c][0];
    multiplyByInverse(diagonal, own);
    for (int64_t r = 4 - rest; r < 4; ++r)
      for (int64_t c = 0; c < tileColumns; ++c)
        *m.at(i + r, j + c) = *m.at(j + c, i + r) = own[c][r];
    i += 4;
  }
  if constexpr (lanes<V> == 8) {
    for (; i + 24 <= end; i += 24)
      invertTile<V, 3>(m, i, j, first, last, isPartial, strips, diagonal);
    for (; i + 8 <= end; i += 8)
      invertTile<V, 1>(m, i, j, first, last, isPartial, strips, diagonal);
  } else {
    for (; i + 8 <= end; i += 8)
      invertTile<V, 2>(m, i, j, first, last, isPartial, strips, diagonal);
  }
  for (; i < end; i += 4)
    invertTile<AlignedVector, 1>(m, i, j, first, last, isPartial, strips,
                                 diagonal);
}

/// The inverse of the lower triangle of a tile, whose diagonal is inverted.
TAMRT_INLINE void invertTriangle(const Diagonal &diagonal, int64_t columns,
                                 double (&inverse)[tileColumns][tileColumns]) {
  for (int64_t c = 0; c < columns; ++c) {
    inverse[c][c] = diagonal.inverse[c];
    for (int64_t r = c + 1; r < columns; ++r) {
      double sum = 0.0;
      for (int64_t p = c; p < r; ++p)
        sum -= diagonal.l[r][p] * inverse[p][c];
      inverse[r][c] = sum * diagonal.inverse[r];
    }
  }
}

/// The tile of X on the diagonal, after those to its right.
TAMRT_INLINE void invertDiagonal(const Matrix &m, int64_t j, int64_t columns,
                                 const Strips &strips,
                                 const Diagonal &diagonal) {
  double inverse[tileColumns][tileColumns] = {};
  invertTriangle(diagonal, columns, inverse);
  if (columns < tileColumns) {
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = c; r < columns; ++r) {
        double sum = 0.0;
        for (int64_t p = r; p < columns; ++p)
          sum += inverse[p][r] * inverse[p][c];
        *m.at(j + r, j + c) = *m.at(j + c, j + r) = sum;
      }
    return;
  }
  AlignedVector x[tileColumns][1] = {};
  for (int64_t c = 0; c < tileColumns; ++c)
    for (int64_t r = 0; r <= c; ++r)
      x[c][0][r] = inverse[c][r];
  const int64_t end = j + tileColumns;
  if (end < m.n)
    subtractTiles(m.at(j, end), m.n, strips.at(end, j), tileColumns, m.n - end,
                  x);
  AlignedVector own[tileColumns];
  for (int c = 0; c < tileColumns; ++c)
    own[c] = x[c][0];
  multiplyByInverse(diagonal, own);
  for (int64_t c = 0; c < tileColumns; ++c)
    for (int64_t r = c; r < tileColumns; ++r)
      *m.at(j + r, j + c) = *m.at(j + c, j + r) = own[c][r];
}

/// The `columns` columns of the tile of L at j.
TAMRT_INLINE void readDiagonal(const Matrix &m, int64_t j, int64_t columns,
                               Diagonal &diagonal) {
  for (int64_t c = 0; c < columns; ++c) {
    diagonal.inverse[c] = *m.at(j + c, j + c);
    for (int64_t r = c + 1; r < columns; ++r)
      diagonal.l[r][c] = *m.at(j + r, j + c);
  }
}

/// Columns [panel, end) of X in the rows below, which have products of what is
/// below, tile by tile from right to left. A row depends on none of the others.
template <typename V>
TAMRT_INLINE void invertBelow(const Matrix &m, int64_t panel, int64_t end,
                              const Strips &strips) {
  for (int64_t row = end, next; row < m.n; row = next) {
    next = row + (m.n - row - 1) % rowsAtOnce + 1;
    for (int64_t j = end - tileColumns; j >= panel; j -= tileColumns) {
      Diagonal diagonal;
      readDiagonal(m, j, tileColumns, diagonal);
      invertRows<V>(m, row, next, j, j + tileColumns, end, true, strips,
                    diagonal);
    }
  }
}

/// The same in the panel's own rows. If there are rows below, the panel has
/// products of what is there.
template <typename V>
TAMRT_INLINE void invertPanel(const Matrix &m, int64_t panel, int64_t end,
                              const Strips &strips) {
  for (int64_t j = panel + (end - 1 - panel) / tileColumns * tileColumns;
       j >= panel; j -= tileColumns) {
    const int64_t columns = std::min(tileColumns, end - j);
    Diagonal diagonal;
    readDiagonal(m, j, columns, diagonal);
    if (j + columns < end)
      invertRows<V>(m, j + columns, end, j, j + columns, end, end < m.n, strips,
                    diagonal);
    invertDiagonal(m, j, columns, strips, diagonal);
  }
}

/// updateTile for rows [i, iEnd) of a whole tile of columns, of which those
/// below the diagonal tile count.
template <typename V>
TAMRT_INLINE void multiplyEdge(const double *rows, const double *columns,
                               int64_t depth, const Matrix &m, int64_t i,
                               int64_t j, int64_t iEnd) {
  double tile[tileRows<V> * tileColumns] = {};
  const int64_t begin = std::max(i, j + tileColumns);
  for (int64_t q = 0; q < tileColumns; ++q)
    for (int64_t h = begin; h < iEnd; ++h)
      tile[q * tileRows<V> + h - i] = *m.at(h, j + q);
  updateTile<V>(rows, columns, depth, tile, tileRows<V>);
  for (int64_t q = 0; q < tileColumns; ++q)
    for (int64_t h = begin; h < iEnd; ++h)
      *m.at(h, j + q) = tile[q * tileRows<V> + h - i];
}

/// Replaces rows [begin, last) of columns [panel, end), below the diagonal
/// tiles, by minus the product of X and L below the panel. `rows` has
/// blockSize * panelColumns doubles.
template <typename V>
TAMRT_INLINE void multiplyPanel(const Matrix &m, int64_t panel, int64_t end,
                                int64_t begin, int64_t last,
                                const Strips &strips, double *rows) {
  for (int64_t j = panel; j < end; j += tileColumns)
    for (int64_t c = 0, row = std::max(begin, j + tileColumns);
         c < tileColumns && row < last; ++c)
      std::fill_n(m.at(row, j + c), last - row, 0.0);
  for (int64_t p = end; p < m.n; p += panelColumns) {
    const int64_t depth = std::min(m.n - p, panelColumns);
    for (int64_t iBlock = begin; iBlock < last; iBlock += blockSize) {
      const int64_t iEnd = std::min(last, iBlock + blockSize);
      copyStrips<tileRows<V>>(m, p, p + depth, iBlock, iEnd, rows);
      for (int64_t j = panel; j < std::min(end, iEnd); j += tileColumns) {
        const double *top = strips.at(p, j);
        for (int64_t i = iBlock; i < iEnd; i += tileRows<V>) {
          const double *left = rows + (i - iBlock) * depth;
          const int64_t tileEnd = std::min(iEnd, i + tileRows<V>);
          if (i >= j + tileColumns && i + tileRows<V> <= iEnd)
            updateTile<V>(left, top, depth, m.at(i, j), m.n);
          else if (tileEnd > j + tileColumns)
            multiplyEdge<V>(left, top, depth, m, i, j, tileEnd);
        }
      }
    }
  }
}

// One function for each part and instruction set, as in Cholesky.cpp.
TAMRT_HOT void copyPanel(const Matrix &m, int64_t end, const Strips &strips) {
  strips.copy(m, end);
}
TAMRT_HOT void multiplyByVectors(const Matrix &m, int64_t panel, int64_t end,
                                 int64_t begin, int64_t last,
                                 const Strips &strips, double *rows) {
  multiplyPanel<Vector>(m, panel, end, begin, last, strips, rows);
}
TAMRT_HOT void invertBelowByVectors(const Matrix &m, int64_t panel, int64_t end,
                                    const Strips &strips) {
  invertBelow<Vector>(m, panel, end, strips);
}
TAMRT_HOT void invertPanelByVectors(const Matrix &m, int64_t panel, int64_t end,
                                    const Strips &strips) {
  invertPanel<Vector>(m, panel, end, strips);
}

#ifdef TAMRT_AVX512
TAMRT_AVX512 void multiplyByWides(const Matrix &m, int64_t panel, int64_t end,
                                  int64_t begin, int64_t last,
                                  const Strips &strips, double *rows) {
  multiplyPanel<Wide>(m, panel, end, begin, last, strips, rows);
}
TAMRT_AVX512 void invertBelowByWides(const Matrix &m, int64_t panel,
                                     int64_t end, const Strips &strips) {
  invertBelow<Wide>(m, panel, end, strips);
}
TAMRT_AVX512 void invertPanelByWides(const Matrix &m, int64_t panel,
                                     int64_t end, const Strips &strips) {
  invertPanel<Wide>(m, panel, end, strips);
}
#endif

/// Replaces L, as `factor` writes it, by the inverse of L L', all of it.
/// `copies` has n(n+1)/2 doubles, `rows` TAMRT_PANEL_WORKSPACE(n).
void invert(const Matrix &m, double *copies, double *rows) {
  auto *multiply = multiplyByVectors;
  auto *invertBelow = invertBelowByVectors;
  auto *invertPanel = invertPanelByVectors;
#ifdef TAMRT_AVX512
  if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V4) {
    multiply = multiplyByWides;
    invertBelow = invertBelowByWides;
    invertPanel = invertPanelByWides;
  }
#endif
  for (int64_t panel = (m.n - 1) / columnsAtOnce * columnsAtOnce; panel >= 0;
       panel -= columnsAtOnce) {
    const int64_t end = std::min(m.n, panel + columnsAtOnce);
    const Strips strips(m, panel, copies);
    copyPanel(m, end, strips);
    if (end < m.n) {
      multiply(m, panel, end, end, m.n, strips, rows);
      invertBelow(m, panel, end, strips);
      multiply(m, panel, end, panel, end, strips, rows);
    }
    invertPanel(m, panel, end, strips);
  }
}

TAMRT_INLINE void absolute(const Vector &x, Vector &size) {
  size = x < 0.0 ? -x : x;
}

/// Scales the lower triangle to a unit diagonal, but for elements that are not
/// positive, which `factor` finds. `scales` gets the factors. Returns the
/// 1-norm. `sums` has n doubles.
TAMRT_HOT double scaleDiagonal(const Matrix &m, double *__restrict scales,
                               double *__restrict sums) {
  for (int64_t j = 0; j < m.n; ++j) {
    double &pivot = *m.at(j, j);
    scales[j] = 1.0 / std::sqrt(pivot);
    sums[j] = pivot = pivot > 0.0 ? 1.0 : pivot;
  }
  double norm = 0.0;
  for (int64_t j = 0; j < m.n; ++j) {
    double *__restrict column = m.at(0, j);
    Vector partial = {};
    int64_t i = j + 1;
    for (; i + 4 <= m.n; i += 4) {
      const Vector x = vectorAt(column + i) * scales[j] * vectorAt(scales + i);
      vectorAt(column + i) = x;
      Vector size;
      absolute(x, size);
      partial += size;
      vectorAt(sums + i) += size;
    }
    double sum = (partial[0] + partial[1]) + (partial[2] + partial[3]);
    for (; i < m.n; ++i) {
      column[i] = column[i] * scales[j] * scales[i];
      sum += std::abs(column[i]);
      sums[i] += std::abs(column[i]);
    }
    norm = std::max(norm, sums[j] + sum);
  }
  return norm;
}

/// The 1-norm of a whole matrix.
TAMRT_HOT double oneNorm(const Matrix &m) {
  double norm = 0.0;
  for (int64_t j = 0; j < m.n; ++j) {
    const double *column = m.at(0, j);
    Vector partial = {};
    int64_t i = 0;
    for (; i + 4 <= m.n; i += 4) {
      Vector size;
      absolute(vectorAt(column + i), size);
      partial += size;
    }
    double sum = (partial[0] + partial[1]) + (partial[2] + partial[3]);
    for (; i < m.n; ++i)
      sum += std::abs(column[i]);
    norm = std::max(norm, sum);
  }
  return norm;
}

/// Writes the lower triangle row by row, which is the upper one column by
/// column, with rows and columns scaled.
TAMRT_HOT void pack(const Matrix &m, const double *__restrict scales,
                    double *__restrict out) {
  for (int64_t i = 0; i < m.n; ++i) {
    const double *__restrict column = m.at(0, i);
    for (int64_t j = 0; j <= i; ++j)
      out[j] = column[j] * scales[i] * scales[j];
    out += i + 1;
  }
}

} // namespace

void cholesky_inverse(tamrt_context *ctx, int64_t n, double *a, double *inverse,
                      double *numbers, double *workspace) {
  for (int64_t j = 0; j < n; ++j)
    if (!std::isfinite(a[j * (n + 1)]))
      return fail(ctx, TAMRT_ERROR_OVERFLOW, j);
  const Matrix m = {a, n};
  double *scales = workspace + TAMRT_PANEL_WORKSPACE(n);
  const double norm = scaleDiagonal(m, scales, scales + n);
  const int64_t failed = factor(a, n, workspace);
  if (failed >= 0)
    return fail(ctx, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, failed);
  double sum = 0.0;
  for (int64_t j = 0; j < n; ++j)
    sum += logarithm(scales[j] * *m.at(j, j));
  invert(m, inverse, workspace);
  numbers[0] = -2.0 * sum;
  numbers[1] = norm * oneNorm(m);
  pack(m, scales, inverse);
}

} // namespace tamrt::cpu
