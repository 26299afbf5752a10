//===- cpu/Cholesky.cpp - the direct solver -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The direct solver: A = L L' and two triangular solutions.
///
/// It does not use LAPACK, whose implementations allocate memory, start threads
/// and round differently from machine to machine: here the coefficients have
/// the same bits on every x86-64.
///
/// Panels of 64 columns, or one panel of a small matrix. A panel is factored
/// four columns at a time, each time from all columns of the panel to the left;
/// then the columns to the right of the panel are updated by it, from copies of
/// its rows in the order of use:
///
///        panel
///     +---+-----------+      A column-major, n x n; only the lower triangle
///     | L |           |      counts, and nothing is written above it: there
///     +---+-----------+      A is kept. L's diagonal is kept inverted.
///     |   |           |
///     | L |  A -= LL' |
///     |   |           |
///     +---+-----------+
///
/// If a system has small pivots, the solution is refined by Wilkinson's method:
/// residuals in twice the precision, solved with the factor. Such systems come
/// from effects with almost no penalty; their predictions beyond the data would
/// show the digits that the factorisation loses.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CholeskyTiles.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Substitution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tamrt::cpu {

namespace {

/// A pivot below this share of the largest diagonal element is mostly rounding
/// error, which would dominate the iterations of conjugate gradients.
constexpr double minPivot = 1e-12;

/// Every step of the refinement multiplies the error by the condition number
/// times the rounding unit.
constexpr int maxRefinements = 4;

/// Subtracts the product with columns [panel, j) from columns j .. j+3 in
/// `Height` vectors of rows.
template <typename V, int Height>
TAMRT_INLINE void takeOff(const Matrix &m, int64_t panel, int64_t j, int64_t i,
                          V (&x)[tileColumns][Height]) {
  subtractTiles(m.at(i, panel), m.n, m.at(j, panel), m.n, j - panel, x);
}

/// Factors the tile on the diagonal. `x` is its remainder; only the first
/// `columns` columns are used. Returns the first column without a pivot, or -1.
TAMRT_INLINE int64_t factorDiagonal(const Matrix &m, int64_t j, int64_t columns,
                                    const Vector (&x)[tileColumns],
                                    Diagonal &diagonal) {
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = c; r < columns; ++r) {
      double sum = x[c][r];
      for (int64_t p = 0; p < c; ++p)
        sum -= diagonal.l[r][p] * diagonal.l[c][p];
      if (r == c) {
        if (!isPivot(sum))
          return j + c;
        diagonal.inverse[c] = 1.0 / std::sqrt(sum);
        *m.at(j + c, j + c) = diagonal.inverse[c];
      } else {
        diagonal.l[r][c] = sum * diagonal.inverse[c];
        *m.at(j + r, j + c) = diagonal.l[r][c];
      }
    }
  return -1;
}

/// Computes columns of L from the remainder, given the diagonal tile.
template <typename V>
TAMRT_INLINE void divide(V (&x)[tileColumns], const Diagonal &diagonal) {
  for (int c = 0; c < tileColumns; ++c) {
    for (int p = 0; p < c; ++p)
      x[c] -= x[p] * diagonal.l[c][p];
    x[c] *= diagonal.inverse[c];
  }
}

/// Columns j .. j+3 of L in `Height` vectors of rows from row i on, and in more
/// of them as long as they end before `end`. Returns the row after them.
template <typename V, int Height>
TAMRT_INLINE int64_t factorTiles(const Matrix &m, int64_t panel, int64_t j,
                                 const Diagonal &diagonal, int64_t i,
                                 int64_t end) {
  for (; i + Height * lanes<V> <= end; i += Height * lanes<V>) {
    V x[tileColumns][Height];
    loadTile(m, i, j, x);
    takeOff(m, panel, j, i, x);
    for (int v = 0; v < Height; ++v) {
      V own[tileColumns];
      for (int c = 0; c < tileColumns; ++c)
        own[c] = x[c][v];
      divide(own, diagonal);
      storeColumns(m, i + lanes<V> * v, j, own);
    }
  }
  return i;
}

/// The same in the last rows of the matrix, fewer than a vector has. Values
/// read beyond a column are the start of the next one and are not used.
TAMRT_INLINE void factorRest(const Matrix &m, int64_t panel, int64_t j,
                             const Diagonal &diagonal, int64_t i) {
  AlignedVector x[tileColumns][1] = {};
  for (int c = 0; c < tileColumns; ++c)
    for (int64_t r = i; r < m.n; ++r)
      x[c][0][r - i] = *m.at(r, j + c);
  takeOff(m, panel, j, i, x);
  AlignedVector own[tileColumns];
  for (int c = 0; c < tileColumns; ++c)
    own[c] = x[c][0];
  divide(own, diagonal);
  for (int c = 0; c < tileColumns; ++c)
    for (int64_t r = i; r < m.n; ++r)
      *m.at(r, j + c) = own[c][r - i];
}

/// Computes the remainder of the tile on the diagonal, for factorDiagonal, and
/// of the four rows below it, as far as the matrix has them.
TAMRT_INLINE void takeOffTop(const Matrix &m, int64_t panel, int64_t j,
                             int64_t columns, Vector (&tile)[tileColumns],
                             Vector (&below)[tileColumns]) {
  if (columns < tileColumns) {
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = c; r < columns; ++r)
        tile[c][r] = *m.at(j + r, j + c);
    for (int64_t p = panel; p < j; ++p)
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t r = c; r < columns; ++r)
          tile[c][r] -= *m.at(j + r, p) * *m.at(j + c, p);
    return;
  }
  if (j + 2 * tileColumns > m.n) {
    AlignedVector x[tileColumns][1];
    loadTile(m, j, j, x);
    takeOff(m, panel, j, j, x);
    for (int64_t c = 0; c < tileColumns; ++c)
      tile[c] = x[c][0];
    return;
  }
  AlignedVector x[tileColumns][2];
  loadTile(m, j, j, x);
  takeOff(m, panel, j, j, x);
  for (int64_t c = 0; c < tileColumns; ++c) {
    tile[c] = x[c][0];
    below[c] = x[c][1];
  }
}

/// Factors columns [panel, end). Returns as factorDiagonal does.
template <typename V>
TAMRT_INLINE int64_t factorPanel(const Matrix &m, int64_t panel, int64_t end) {
  for (int64_t j = panel; j < end; j += tileColumns) {
    const int64_t columns = std::min(tileColumns, end - j);
    Diagonal diagonal;
    AlignedVector tile[tileColumns] = {}, below[tileColumns] = {};
    takeOffTop(m, panel, j, columns, tile, below);
    const int64_t failed = factorDiagonal(m, j, columns, tile, diagonal);
    if (failed >= 0)
      return failed;
    // Fewer columns than a tile: these are the last of the matrix, with nothing
    // below.
    int64_t i = j + columns;
    if (i + tileColumns <= m.n) {
      divide(below, diagonal);
      storeColumns(m, i, j, below);
      i += tileColumns;
    }
    if constexpr (lanes<V> == 8)
      i = factorTiles<V, 3>(m, panel, j, diagonal, i, m.n);
    i = factorTiles<V, 2>(m, panel, j, diagonal, i, m.n);
    i = factorTiles<V, 1>(m, panel, j, diagonal, i, m.n);
    if constexpr (lanes<V> == 8)
      i = factorTiles<Vector, 1>(m, panel, j, diagonal, i, m.n);
    if (i < m.n)
      factorRest(m, panel, j, diagonal, i);
  }
  return -1;
}

/// Takes the product of columns [panel, end) with their transposes from the
/// columns from `end` on. `copies` has TAMRT_PANEL_WORKSPACE doubles.
template <typename V>
TAMRT_INLINE void update(const Matrix &m, int64_t panel, int64_t end,
                         double *copies) {
  double *rows = copies, *columns = copies + blockSize * panelColumns;
  const int64_t depth = end - panel;
  for (int64_t jBlock = end; jBlock < m.n; jBlock += blockSize) {
    const int64_t jEnd = std::min(m.n, jBlock + blockSize);
    copyStrips<tileColumns>(m, panel, end, jBlock, jEnd, columns);
    for (int64_t iBlock = jBlock; iBlock < m.n; iBlock += blockSize) {
      const int64_t iEnd = std::min(m.n, iBlock + blockSize);
      copyStrips<tileRows<V>>(m, panel, end, iBlock, iEnd, rows);
      for (int64_t j = jBlock; j < jEnd; j += tileColumns) {
        const double *top = columns + (j - jBlock) * depth;
        for (int64_t i = iBlock; i < iEnd; i += tileRows<V>) {
          if (i + tileRows<V> <= j)
            continue;
          const double *left = rows + (i - iBlock) * depth;
          if (i >= j + tileColumns - 1 && i + tileRows<V> <= iEnd &&
              j + tileColumns <= jEnd)
            updateTile<V>(left, top, depth, m.at(i, j), m.n);
          else
            updateEdge<V>(left, top, depth, m, i, j,
                          std::min(i + tileRows<V>, iEnd),
                          std::min(j + tileColumns, jEnd));
        }
      }
    }
  }
}

// One function for each half and instruction set, because the compiler would
// add up the stack of both. Each element's operations are the same in all of
// them.
TAMRT_HOT int64_t factorPanelByVectors(const Matrix &m, int64_t panel,
                                       int64_t end) {
  return factorPanel<Vector>(m, panel, end);
}
TAMRT_HOT void updateByVectors(const Matrix &m, int64_t panel, int64_t end,
                               double *copies) {
  update<Vector>(m, panel, end, copies);
}

#ifdef TAMRT_AVX512
TAMRT_AVX512 int64_t factorPanelByWides(const Matrix &m, int64_t panel,
                                        int64_t end) {
  return factorPanel<Wide>(m, panel, end);
}
TAMRT_AVX512 void updateByWides(const Matrix &m, int64_t panel, int64_t end,
                                double *copies) {
  update<Wide>(m, panel, end, copies);
}
#endif

} // namespace

int64_t factor(double *a, int64_t n, double *copies) {
  auto *factorPanel = factorPanelByVectors;
  auto *update = updateByVectors;
#ifdef TAMRT_AVX512
  if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V4) {
    factorPanel = factorPanelByWides;
    update = updateByWides;
  }
#endif
  const Matrix m = {a, n};
  const int64_t width = n <= maxInOnePanel ? maxInOnePanel : panelColumns;
  for (int64_t panel = 0; panel < n; panel += width) {
    const int64_t end = std::min(n, panel + width);
    const int64_t failed = factorPanel(m, panel, end);
    if (failed >= 0)
      return failed;
    if (end < n)
      update(m, panel, end, copies);
  }
  return -1;
}

namespace {

/// The lower triangle of a tile on the diagonal.
struct Triangle {
  TAMRT_INLINE explicit Triangle(const Matrix &m, int64_t j) {
    for (int64_t c = 0; c < tileColumns; ++c)
      for (int64_t r = c; r < tileColumns; ++r)
        l[r][c] = *m.at(j + r, j + c);
  }

  double l[tileColumns][tileColumns];
};

/// b <- L^-1 b, four columns at a time: each waits for the one before.
TAMRT_INLINE void solveDown(const Matrix &m, double *__restrict b) {
  const int64_t n = m.n;
  int64_t j = 0;
  for (; j + tileColumns <= n; j += tileColumns) {
    const Triangle t(m, j);
    double x[tileColumns];
    for (int64_t c = 0; c < tileColumns; ++c) {
      double left = b[j + c];
      for (int64_t p = 0; p < c; ++p)
        left -= t.l[c][p] * x[p];
      b[j + c] = x[c] = left * t.l[c][c];
    }
    const double *__restrict column = m.at(0, j);
    int64_t i = j + tileColumns;
    for (; i + 4 <= n; i += 4) {
      Vector left = vectorAt(b + i);
      for (int64_t c = 0; c < tileColumns; ++c)
        left -= x[c] * vectorAt(column + c * n + i);
      vectorAt(b + i) = left;
    }
    for (; i < n; ++i)
      for (int64_t c = 0; c < tileColumns; ++c)
        b[i] -= x[c] * column[c * n + i];
  }
  for (; j < n; ++j) {
    b[j] *= *m.at(j, j);
    for (int64_t i = j + 1; i < n; ++i)
      b[i] -= b[j] * *m.at(i, j);
  }
}

/// b <- L'^-1 b, four columns at a time.
TAMRT_INLINE void solveUp(const Matrix &m, double *__restrict b) {
  const int64_t n = m.n, whole = n - n % tileColumns;
  for (int64_t j = n - 1; j >= whole; --j) {
    for (int64_t i = j + 1; i < n; ++i)
      b[j] -= *m.at(i, j) * b[i];
    b[j] *= *m.at(j, j);
  }
  for (int64_t j = whole - tileColumns; j >= 0; j -= tileColumns) {
    const double *__restrict column = m.at(0, j);
    Vector partial[tileColumns] = {};
    int64_t i = j + tileColumns;
    for (; i + 4 <= n; i += 4) {
      const Vector x = vectorAt(b + i);
      for (int64_t c = 0; c < tileColumns; ++c)
        partial[c] += vectorAt(column + c * n + i) * x;
    }
    double sums[tileColumns];
    for (int64_t c = 0; c < tileColumns; ++c)
      sums[c] =
          (partial[c][0] + partial[c][1]) + (partial[c][2] + partial[c][3]);
    for (; i < n; ++i)
      for (int64_t c = 0; c < tileColumns; ++c)
        sums[c] += column[c * n + i] * b[i];
    const Triangle t(m, j);
    for (int64_t c = tileColumns - 1; c >= 0; --c) {
      double left = b[j + c] - sums[c];
      for (int64_t p = tileColumns - 1; p > c; --p)
        left -= t.l[p][c] * b[j + p];
      b[j + c] = left * t.l[c][c];
    }
  }
}

/// The forms of up to kFormsAtOnce rows, each in a lane of its own.
TAMRT_INLINE void formsAtOnce(const Matrix &m, const double *__restrict rows,
                              int64_t count, double *__restrict memory,
                              double *__restrict forms) {
  static_assert(sizeof(Wide) == kFormsAtOnce * sizeof(double));
  const int64_t n = m.n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t r = 0; r < kFormsAtOnce; ++r)
      memory[i * kFormsAtOnce + r] = r < count ? rows[r * n + i] : 0.0;
  Wide sums = {};
  for (int64_t i = 0; i < n; i += tileColumns) {
    const int64_t height = std::min(tileColumns, n - i);
    Wide x[tileColumns];
    for (int64_t c = 0; c < height; ++c)
      x[c] = wideAt(memory + (i + c) * kFormsAtOnce);
    if (height == tileColumns)
      for (int64_t k = 0; k < i; ++k) {
        const Wide solved = wideAt(memory + k * kFormsAtOnce);
        for (int64_t c = 0; c < tileColumns; ++c)
          x[c] -= solved * *m.at(i + c, k);
      }
    else
      for (int64_t k = 0; k < i; ++k) {
        const Wide solved = wideAt(memory + k * kFormsAtOnce);
        for (int64_t c = 0; c < height; ++c)
          x[c] -= solved * *m.at(i + c, k);
      }
    for (int64_t c = 0; c < height; ++c) {
      for (int64_t p = 0; p < c; ++p)
        x[c] -= x[p] * *m.at(i + c, i + p);
      x[c] *= *m.at(i + c, i + c);
      wideAt(memory + (i + c) * kFormsAtOnce) = x[c];
      sums += x[c] * x[c];
    }
  }
  for (int64_t r = 0; r < count; ++r)
    forms[r] = sums[r];
}

/// b <- L'^-1 L^-1 b.
TAMRT_WIDE void solve(double *a, int64_t n, double *__restrict b) {
  const Matrix m = {a, n};
  solveDown(m, b);
  solveUp(m, b);
}

/// A column of A below the diagonal, copied above it: column j is in column n -
/// 1 - j, which has as many rows there.
TAMRT_INLINE double *keptColumn(const Matrix &m, int64_t j) {
  return m.at(0, m.n - 1 - j);
}

/// Copies A's lower triangle above the diagonal, and saves its diagonal.
TAMRT_HOT void keep(double *a, int64_t n, double *__restrict diagonal) {
  const Matrix m = {a, n};
  for (int64_t j = 0; j < n; ++j) {
    const double *__restrict column = m.at(j, j) + 1;
    double *__restrict out = keptColumn(m, j);
    const int64_t count = n - 1 - j;
    diagonal[j] = *m.at(j, j);
    // The last vector of a column repeats numbers of the one before it.
    if (count >= 4)
      vectorAt(out + count - 4) = vectorAt(column + count - 4);
    else
      std::copy_n(column, count, out);
    for (int64_t i = 0; i + 4 <= count; i += 4)
      vectorAt(out + i) = vectorAt(column + i);
  }
}

/// The high and the low half of the bits of `x` (Dekker): products of halves
/// are exact.
template <typename T> TAMRT_INLINE void split(T x, T &high, T &low) {
  const T shifted = x * 134217729.0;
  high = shifted - (shifted - x);
  low = x - high;
}

/// Adds a * x to `sum + rest`, where `rest` is the rounding error of `sum`;
/// `high` and `low` are x's halves (Dekker's product, Knuth's sum).
template <typename T, typename X>
TAMRT_INLINE void addProduct(T a, X x, X high, X low, T &sum, T &rest) {
  T aHigh, aLow;
  split(a, aHigh, aLow);
  const T product = a * x;
  const T lost =
      ((aHigh * high - product) + aHigh * low + aLow * high) + aLow * low;
  const T total = sum + product;
  const T added = total - sum;
  rest += ((sum - (total - added)) + (product - added)) + lost;
  sum = total;
}

/// r <- r - A x in twice the precision, from the copy of A and its diagonal.
/// `rest` has n numbers.
TAMRT_HOT void subtractProduct(double *a, int64_t n,
                               const double *__restrict diagonal,
                               const double *__restrict x, double *__restrict r,
                               double *__restrict rest) {
  const Matrix m = {a, n};
  std::fill_n(rest, n, 0.0);
  for (int64_t j = 0; j < n; ++j) {
    // Row j and column j, without the diagonal, come from the copy of the
    // column below it.
    const double *__restrict column = keptColumn(m, j);
    const double *__restrict below = x + j + 1;
    double *__restrict sums = r + j + 1, *__restrict rests = rest + j + 1;
    double high, low;
    split(-x[j], high, low);
    addProduct(diagonal[j], -x[j], high, low, r[j], rest[j]);
    const int64_t count = n - 1 - j;
    AlignedVector rowSum = {}, rowRest = {};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      const AlignedVector value = vectorAt(column + i);
      AlignedVector sum = vectorAt(sums + i), lost = vectorAt(rests + i);
      addProduct(value, -x[j], high, low, sum, lost);
      vectorAt(sums + i) = sum;
      vectorAt(rests + i) = lost;
      const AlignedVector other = -vectorAt(below + i);
      AlignedVector otherHigh, otherLow;
      split(other, otherHigh, otherLow);
      addProduct(value, other, otherHigh, otherLow, rowSum, rowRest);
    }
    for (int64_t c = 0; c < 4; ++c) {
      addProduct(rowSum[c], 1.0, 1.0, 0.0, r[j], rest[j]);
      rest[j] += rowRest[c];
    }
    for (; i < count; ++i) {
      addProduct(column[i], -x[j], high, low, sums[i], rests[i]);
      double otherHigh, otherLow;
      split(-below[i], otherHigh, otherLow);
      addProduct(column[i], -below[i], otherHigh, otherLow, r[j], rest[j]);
    }
  }
  for (int64_t i = 0; i < n; ++i)
    r[i] += rest[i];
}

/// Refines `x`, which has the factor's solution of A x = b, until steps are as
/// small as rounding errors or no longer decrease. `workspace` has 2 n doubles.
void refine(double *a, int64_t n, const double *diagonal, const double *b,
            double *x, double *workspace) {
  double *step = workspace, *rest = workspace + n;
  auto largestOf = [n](const double *v) {
    double largest = 0.0;
    for (int64_t i = 0; i < n; ++i)
      largest = std::max(largest, std::abs(v[i]));
    return largest;
  };
  double bound = std::numeric_limits<double>::max();
  for (int i = 0; i < maxRefinements; ++i) {
    std::copy_n(b, n, step);
    subtractProduct(a, n, diagonal, x, step, rest);
    solve(a, n, step);
    const double size = largestOf(step);
    // Halves of numbers beyond 1e300 overflow. The maximum ignores NaN; the sum
    // does not.
    if (!(size <= bound) || std::isnan(std::accumulate(step, step + n, 0.0)))
      return;
    for (int64_t k = 0; k < n; ++k)
      x[k] += step[k];
    if (size <= std::numeric_limits<double>::epsilon() * largestOf(x))
      return;
    bound = size / 2;
  }
}

} // namespace

void cholesky_factor(tamrt_context *ctx, int64_t n, int64_t column, double *a,
                     double *workspace) {
  // Distinguish an overflow from a lack of definiteness here, because pivots do
  // not show the difference. An overflow appears first in the diagonal, which
  // has sums of squares.
  double *diagonal = workspace + TAMRT_PANEL_WORKSPACE(n);
  double largest = 0.0;
  for (int64_t j = 0; j < n; ++j) {
    const double pivot = diagonal[j] = a[j * n + j];
    if (!std::isfinite(pivot))
      return fail(ctx, TAMRT_ERROR_OVERFLOW, column + j);
    if (!isPivot(pivot))
      return fail(ctx, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, column + j);
    largest = std::max(largest, pivot);
  }
  const double least = minPivot * largest;
  bool isGood = factor(a, n, workspace) < 0;
  for (int64_t j = 0; j < n && isGood; ++j)
    isGood = 1.0 / a[j * n + j] >= least * a[j * n + j];
  if (isGood)
    return;
  // If a matrix is definite except for rounding errors, its diagonal still has
  // the right scale: iterations take longer, but they converge.
  for (int64_t j = 0; j < n; ++j) {
    std::fill_n(a + j * n, n, 0.0);
    a[j * n + j] = 1.0 / std::sqrt(std::max(diagonal[j], least));
  }
}

void cholesky_apply(tamrt_context *ctx, const double *a, const double *b,
                    int64_t n, double *x) {
  std::copy_n(b, n, x);
  solve(const_cast<double *>(a), n, x);
}

TAMRT_WIDE void inverseForms(const double *a, int64_t n, const double *rows,
                             int64_t count, double *memory, double *forms) {
  const Matrix m = {const_cast<double *>(a), n};
  if (count == 1) {
    std::copy_n(rows, n, memory);
    solveDown(m, memory);
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i)
      sum += memory[i] * memory[i];
    *forms = sum;
    return;
  }
  for (int64_t first = 0; first < count; first += kFormsAtOnce)
    formsAtOnce(m, rows + first * n, std::min(kFormsAtOnce, count - first),
                memory, forms + first);
}

void cholesky_solve(tamrt_context *ctx, int64_t n, double *a, double *b,
                    double *workspace) {
  // Distinguish an overflow from a lack of definiteness here, because pivots do
  // not show the difference. An overflow appears first in the diagonal, which
  // has sums of squares.
  for (int64_t j = 0; j < n; ++j)
    if (!std::isfinite(a[j * n + j]) || !std::isfinite(b[j]))
      return fail(ctx, TAMRT_ERROR_OVERFLOW, j);
  const Matrix m = {a, n};
  double *right = workspace + TAMRT_SOLVE_WORKSPACE(n) - n;
  double *diagonal = right - n;
  keep(a, n, diagonal);
  std::copy_n(b, n, right);
  const int64_t failed = factor(a, n, workspace);
  if (failed >= 0)
    return fail(ctx, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, failed);
  solve(a, n, b);
  for (int64_t j = 0; j < n; ++j)
    if (1.0 < minExactPivot * diagonal[j] * *m.at(j, j) * *m.at(j, j))
      return refine(a, n, diagonal, right, b, workspace);
}

} // namespace tamrt::cpu
