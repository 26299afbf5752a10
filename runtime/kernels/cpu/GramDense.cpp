//===- cpu/GramDense.cpp - Gram blocks of dense matrices ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gram and cross-product blocks of dense design matrices. Register-blocked
/// over columns; the rows of each entry's sum keep their order.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

namespace {

/// Rows a tile stays in registers for: the rows of both matrices then remain in
/// the first-level cache while all tiles pass over them.
constexpr int64_t blockRows = 32;

/// Two row-major matrices with the same rows, their weights, and the sums.
struct Operands {
  const double *a, *b, *w;
  int64_t na, nb;
  double *sums;
};

/// Adds rows [begin, end) to Height x (4 * Width) entries from (i, j).
template <bool Weighted, int Height, int Width>
TAMRT_INLINE void addTile(const Operands &o, int64_t begin, int64_t end,
                          int64_t i, int64_t j) {
  const double *__restrict a = o.a + i;
  const double *__restrict b = o.b + j;
  const double *__restrict w = o.w;
  const int64_t na = o.na, nb = o.nb;
  double *__restrict sums = o.sums + i * nb + j;
  Vector sum[Height][Width];
  for (int h = 0; h < Height; ++h)
    for (int v = 0; v < Width; ++v)
      sum[h][v] = vectorAt(sums + h * nb + 4 * v);
  for (int64_t r = begin; r < end; ++r) {
    const double weight = weightAt<Weighted>(w, r);
    for (int h = 0; h < Height; ++h) {
      const double factor = weighted<Weighted>(weight, a[r * na + h]);
      for (int v = 0; v < Width; ++v)
        sum[h][v] += factor * vectorAt(b + r * nb + 4 * v);
    }
  }
  for (int h = 0; h < Height; ++h)
    for (int v = 0; v < Width; ++v)
      vectorAt(sums + h * nb + 4 * v) = sum[h][v];
}

/// Adds rows [begin, end) to Height entries of one column from (i, j).
template <bool Weighted, int Height>
TAMRT_INLINE void addColumn(const Operands &o, int64_t begin, int64_t end,
                            int64_t i, int64_t j) {
  const double *__restrict a = o.a + i;
  const double *__restrict b = o.b + j;
  const double *__restrict w = o.w;
  const int64_t na = o.na, nb = o.nb;
  double *__restrict sums = o.sums + i * nb + j;
  double sum[Height];
  for (int h = 0; h < Height; ++h)
    sum[h] = sums[h * nb];
  for (int64_t r = begin; r < end; ++r) {
    const double weight = weightAt<Weighted>(w, r);
    for (int h = 0; h < Height; ++h)
      sum[h] += weighted<Weighted>(weight, a[r * na + h]) * b[r * nb];
  }
  for (int h = 0; h < Height; ++h)
    sums[h * nb] = sum[h];
}

/// Adds rows [begin, end) to 4 x Width entries from (i, j), Width < 4: the
/// vectors stand upright.
template <bool Weighted, int Width>
TAMRT_INLINE void addUpright(const Operands &o, int64_t begin, int64_t end,
                             int64_t i, int64_t j) {
  const double *__restrict a = o.a + i;
  const double *__restrict b = o.b + j;
  const double *__restrict w = o.w;
  const int64_t na = o.na, nb = o.nb;
  double *__restrict sums = o.sums + i * nb + j;
  Vector sum[Width];
  for (int v = 0; v < Width; ++v) {
    double column[4];
    for (int h = 0; h < 4; ++h)
      column[h] = sums[h * nb + v];
    sum[v] = vectorAt(column);
  }
  for (int64_t r = begin; r < end; ++r) {
    Vector factor = vectorAt(a + r * na);
    if constexpr (Weighted)
      factor *= w[r];
    for (int v = 0; v < Width; ++v)
      sum[v] += factor * b[r * nb + v];
  }
  for (int v = 0; v < Width; ++v) {
    double column[4];
    vectorAt(column) = sum[v];
    for (int h = 0; h < 4; ++h)
      sums[h * nb + v] = column[h];
  }
}

/// Adds rows [begin, end) to the entries of rows i .. i+Height-1 with columns
/// from j on.
template <bool Weighted, int Height>
TAMRT_INLINE void addPanel(const Operands &o, int64_t begin, int64_t end,
                           int64_t i, int64_t j) {
  // One sum after another would wait for an addition to end; eight do not.
  if constexpr (Height == 1)
    for (; j + 32 <= o.nb; j += 32)
      addTile<Weighted, Height, 8>(o, begin, end, i, j);
  if constexpr (Height == 1)
    for (; j + 16 <= o.nb; j += 16)
      addTile<Weighted, Height, 4>(o, begin, end, i, j);
  for (; j + 8 <= o.nb; j += 8)
    addTile<Weighted, Height, 2>(o, begin, end, i, j);
  for (; j + 4 <= o.nb; j += 4)
    addTile<Weighted, Height, 1>(o, begin, end, i, j);
  if constexpr (Height == 4) {
    if (o.nb - j == 3)
      addUpright<Weighted, 3>(o, begin, end, i, j);
    else if (o.nb - j == 2)
      addUpright<Weighted, 2>(o, begin, end, i, j);
    else if (o.nb - j == 1)
      addUpright<Weighted, 1>(o, begin, end, i, j);
    return;
  }
  for (; j < o.nb; ++j)
    addColumn<Weighted, Height>(o, begin, end, i, j);
}

/// A matrix is wide if a block of its rows and the sums that they meet leave
/// the first-level cache: then strips of its columns are copied for as many
/// rows as pay for it.
constexpr int64_t wideColumns = 160, packedRows = 96;
/// Columns of a strip, and of the strips that fit the cache together.
constexpr int64_t stripColumns = 8, packedColumns = 32;

/// Copies columns [j, j + columns) of rows [begin, end), strip after strip.
TAMRT_INLINE void pack(const Operands &o, int64_t begin, int64_t end, int64_t j,
                       int64_t columns, double *__restrict packed) {
  for (int64_t strip = 0; strip < columns; strip += stripColumns) {
    const double *__restrict from = o.b + begin * o.nb + j + strip;
    for (int64_t r = begin; r < end;
         ++r, from += o.nb, packed += stripColumns) {
      vectorAt(packed) = vectorAt(from);
      vectorAt(packed + 4) = vectorAt(from + 4);
    }
  }
}

/// Adds rows [begin, end) to the entries of rows i .. i+Height-1 with the
/// strips [first, last) of those packed, whose first column is j.
template <bool Weighted, int Height>
TAMRT_INLINE void addStrips(const Operands &o, const double *packed,
                            int64_t begin, int64_t end, int64_t i, int64_t j,
                            int64_t first, int64_t last) {
  const int64_t rows = end - begin, na = o.na, nb = o.nb;
  const double *__restrict w = o.w;
  for (int64_t strip = first; strip < last; ++strip) {
    const double *__restrict b = packed + strip * rows * stripColumns;
    const double *__restrict a = o.a + begin * na + i;
    double *__restrict sums = o.sums + i * nb + j + strip * stripColumns;
    Vector sum[Height][2];
    for (int h = 0; h < Height; ++h)
      for (int v = 0; v < 2; ++v)
        sum[h][v] = vectorAt(sums + h * nb + 4 * v);
    for (int64_t r = begin; r < end; ++r, a += na, b += stripColumns) {
      const double weight = weightAt<Weighted>(w, r);
      const Vector left = vectorAt(b), right = vectorAt(b + 4);
      for (int h = 0; h < Height; ++h) {
        const double factor = weighted<Weighted>(weight, a[h]);
        sum[h][0] += factor * left;
        sum[h][1] += factor * right;
      }
    }
    for (int h = 0; h < Height; ++h)
      for (int v = 0; v < 2; ++v)
        vectorAt(sums + h * nb + 4 * v) = sum[h][v];
  }
}

/// addRows for a wide matrix: whole strips; returns the columns they cover.
template <bool Weighted, bool Upper>
TAMRT_INLINE int64_t addPacked(const Operands &o, int64_t begin, int64_t end) {
  alignas(TAMRT_ALIGNMENT) double packed[packedRows * packedColumns];
  const int64_t covered = o.nb / stripColumns * stripColumns;
  for (int64_t block = begin; block < end; block += packedRows) {
    const int64_t blockEnd = std::min(end, block + packedRows);
    for (int64_t j = 0; j < covered; j += packedColumns) {
      const int64_t columns = std::min(packedColumns, covered - j);
      pack(o, block, blockEnd, j, columns, packed);
      const int64_t strips = columns / stripColumns;
      const int64_t rows = Upper ? std::min(o.na, j + columns) : o.na;
      const auto firstOf = [&](int64_t i) TAMRT_LAMBDA {
        return Upper && i > j ? (i - j) / stripColumns : 0;
      };
      int64_t i = 0;
      for (; i + 6 <= rows; i += 6)
        addStrips<Weighted, 6>(o, packed, block, blockEnd, i, j, firstOf(i),
                               strips);
      for (; i + 2 <= rows; i += 2)
        addStrips<Weighted, 2>(o, packed, block, blockEnd, i, j, firstOf(i),
                               strips);
      for (; i < rows; ++i)
        addStrips<Weighted, 1>(o, packed, block, blockEnd, i, j, firstOf(i),
                               strips);
    }
  }
  return covered;
}

/// Adds rows [begin, end) to all entries, or to those with column >= row (and
/// to some of the others) when `Upper`.
template <bool Weighted, bool Upper>
TAMRT_INLINE void addRows(const Operands &o, int64_t begin, int64_t end) {
  // Columns before this one are done.
  const int64_t done = o.nb >= wideColumns && o.na >= 4
                           ? addPacked<Weighted, Upper>(o, begin, end)
                           : 0;
  if (done == o.nb)
    return;
  for (int64_t block = begin; block < end; block += blockRows) {
    const int64_t blockEnd = std::min(end, block + blockRows);
    int64_t i = 0;
    // Six rows load less per product; what is left of the columns is for four.
    if (!Upper && o.nb % 8 == 0)
      for (; i + 6 <= o.na; i += 6)
        addPanel<Weighted, 6>(o, block, blockEnd, i, 0);
    for (; i + 4 <= o.na; i += 4)
      addPanel<Weighted, 4>(o, block, blockEnd, i,
                            std::max(done, Upper ? i : 0));
    const int64_t j = std::max(done, Upper ? i : 0);
    if (o.na - i == 3)
      addPanel<Weighted, 3>(o, block, blockEnd, i, j);
    else if (o.na - i == 2)
      addPanel<Weighted, 2>(o, block, blockEnd, i, j);
    else if (o.na - i == 1)
      addPanel<Weighted, 1>(o, block, blockEnd, i, j);
  }
}

template <bool Weighted, bool Upper>
TAMRT_INLINE void addChunk(const Operands &o, int64_t rows, int64_t first) {
  forEachSegment(rows, first, o.na * o.nb, o.sums,
                 [&](int64_t begin, int64_t end)
                     TAMRT_LAMBDA { addRows<Weighted, Upper>(o, begin, end); });
}

} // namespace

TAMRT_HOT void gram_dense(tamrt_context *ctx, const double *a, const double *w,
                          int64_t rows, int64_t first, int64_t n,
                          double *sums) {
  const Operands o = {a, a, w, n, n, sums};
  if (w)
    addChunk<true, true>(o, rows, first);
  else
    addChunk<false, true>(o, rows, first);
}

TAMRT_HOT void gram_dense_dense(tamrt_context *ctx, const double *a,
                                const double *b, const double *w, int64_t rows,
                                int64_t first, int64_t na, int64_t nb,
                                double *sums) {
  // A result of one column lies in memory as one of one row, and vectors run
  // along rows.
  const Operands o = nb == 1 ? Operands{b, a, w, nb, na, sums}
                             : Operands{a, b, w, na, nb, sums};
  if (w)
    addChunk<true, false>(o, rows, first);
  else
    addChunk<false, false>(o, rows, first);
}

TAMRT_HOT void rhs_dense(tamrt_context *ctx, const double *a, const double *y,
                         const double *w, int64_t rows, int64_t first,
                         int64_t n, double *sums) {
  const Operands o = {y, a, w, 1, n, sums};
  if (w)
    addChunk<true, false>(o, rows, first);
  else
    addChunk<false, false>(o, rows, first);
}

} // namespace tamrt::cpu
