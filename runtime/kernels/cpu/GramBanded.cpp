//===- cpu/GramBanded.cpp - Gram blocks of banded matrices ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gram and cross-product blocks of banded design matrices with banded and
/// dense ones: per row one tile of za x zb, or za rows.
///
/// Rows of a time series are often in the same spans as the row before. For
/// bands of width 4 (cubic splines), consecutive rows in the same spans keep
/// their tile in registers: loading values that were stored just before, with
/// another alignment, would take longer than all the arithmetic of a row.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

namespace {

/// A banded matrix; its band is z wide.
struct Banded {
  const double *values;
  const int32_t *start;
  int64_t z, n;
};

/// The end of the consecutive rows from r on that start at the same column.
TAMRT_INLINE int64_t runEnd(const int32_t *start, int64_t r, int64_t end) {
  const int32_t column = start[r];
  do
    ++r;
  while (r < end && start[r] == column);
  return r;
}

template <bool Weighted>
TAMRT_INLINE void addSquare(const Banded &a, const double *__restrict w,
                            int64_t begin, int64_t end,
                            double *__restrict sums) {
  const double *__restrict values = a.values;
  const int32_t *__restrict start = a.start;
  const int64_t z = a.z, n = a.n;
  for (int64_t r = begin; r < end; ++r) {
    const double weight = weightAt<Weighted>(w, r);
    const double *row = values + r * z;
    double *corner = sums + start[r] * (n + 1);
    for (int64_t i = 0; i < z; ++i) {
      const double factor = weighted<Weighted>(weight, row[i]);
      for (int64_t j = i; j < z; ++j)
        corner[i * n + j] += factor * row[j];
    }
  }
}

template <bool Weighted>
TAMRT_INLINE void addTiles(const Banded &a, const Banded &b,
                           const double *__restrict w, int64_t begin,
                           int64_t end, double *__restrict sums) {
  const double *__restrict aValues = a.values;
  const double *__restrict bValues = b.values;
  const int32_t *__restrict aStart = a.start;
  const int32_t *__restrict bStart = b.start;
  const int64_t za = a.z, zb = b.z, nb = b.n;
  for (int64_t r = begin; r < end; ++r) {
    const double weight = weightAt<Weighted>(w, r);
    const double *aRow = aValues + r * za;
    const double *bRow = bValues + r * zb;
    double *corner = sums + aStart[r] * nb + bStart[r];
    for (int64_t i = 0; i < za; ++i) {
      const double factor = weighted<Weighted>(weight, aRow[i]);
      for (int64_t j = 0; j < zb; ++j)
        corner[i * nb + j] += factor * bRow[j];
    }
  }
}

/// addTiles for za = zb = 4, and for a matrix with itself: then the tiles reach
/// below the diagonal.
template <bool Weighted>
TAMRT_INLINE void addTiles4(const Banded &a, const Banded &b,
                            const double *__restrict w, int64_t begin,
                            int64_t end, double *__restrict sums) {
  const double *__restrict aValues = a.values;
  const double *__restrict bValues = b.values;
  const int32_t *__restrict aStart = a.start;
  const int32_t *__restrict bStart = b.start;
  const int64_t nb = b.n;
  for (int64_t r = begin; r < end;) {
    const int32_t row = aStart[r], column = bStart[r];
    double *corner = sums + row * nb + column;
    Vector tile[4];
    for (int i = 0; i < 4; ++i)
      tile[i] = vectorAt(corner + i * nb);
    do {
      const double weight = weightAt<Weighted>(w, r);
      const Vector right = vectorAt(bValues + 4 * r);
      for (int i = 0; i < 4; ++i)
        tile[i] += weighted<Weighted>(weight, aValues[4 * r + i]) * right;
      ++r;
    } while (r < end && aStart[r] == row && bStart[r] == column);
    for (int i = 0; i < 4; ++i)
      vectorAt(corner + i * nb) = tile[i];
  }
}

template <bool Weighted>
TAMRT_INLINE void addBands(const Banded &a, const double *__restrict b,
                           int64_t nb, const double *__restrict w,
                           int64_t begin, int64_t end,
                           double *__restrict sums) {
  const double *__restrict values = a.values;
  const int32_t *__restrict start = a.start;
  const int64_t z = a.z;
  for (int64_t r = begin; r < end; ++r) {
    const double weight = weightAt<Weighted>(w, r);
    const double *__restrict bRow = b + r * nb;
    for (int64_t i = 0; i < z; ++i) {
      const double factor = weighted<Weighted>(weight, values[r * z + i]);
      double *__restrict out = sums + (start[r] + i) * nb;
      for (int64_t j = 0; j < nb; ++j)
        out[j] += factor * bRow[j];
    }
  }
}

/// addBands for z = 4.
template <bool Weighted>
TAMRT_INLINE void addBands4(const Banded &a, const double *__restrict b,
                            int64_t nb, const double *__restrict w,
                            int64_t begin, int64_t end,
                            double *__restrict sums) {
  const double *__restrict values = a.values;
  const int32_t *__restrict start = a.start;
  while (begin < end) {
    const int64_t next = runEnd(start, begin, end);
    double *__restrict out = sums + start[begin] * nb;
    int64_t j = 0;
    for (; j + 4 <= nb; j += 4) {
      Vector tile[4];
      for (int i = 0; i < 4; ++i)
        tile[i] = vectorAt(out + i * nb + j);
      for (int64_t r = begin; r < next; ++r) {
        const double weight = weightAt<Weighted>(w, r);
        const Vector right = vectorAt(b + r * nb + j);
        for (int i = 0; i < 4; ++i)
          tile[i] += weighted<Weighted>(weight, values[4 * r + i]) * right;
      }
      for (int i = 0; i < 4; ++i)
        vectorAt(out + i * nb + j) = tile[i];
    }
    for (; j < nb; ++j) {
      double column[4];
      for (int i = 0; i < 4; ++i)
        column[i] = out[i * nb + j];
      for (int64_t r = begin; r < next; ++r) {
        const double weight = weightAt<Weighted>(w, r);
        for (int i = 0; i < 4; ++i)
          column[i] +=
              weighted<Weighted>(weight, values[4 * r + i]) * b[r * nb + j];
      }
      for (int i = 0; i < 4; ++i)
        out[i * nb + j] = column[i];
    }
    begin = next;
  }
}

/// addBands for z = 4 and few columns: the 4 * Columns numbers that a row
/// changes are contiguous and are handled as vectors.
template <bool Weighted, int Columns>
TAMRT_INLINE void addNarrow(const Banded &a, const double *__restrict b,
                            const double *__restrict w, int64_t begin,
                            int64_t end, double *__restrict sums) {
  const double *__restrict values = a.values;
  const int32_t *__restrict start = a.start;
  while (begin < end) {
    const int64_t next = runEnd(start, begin, end);
    double *out = sums + start[begin] * Columns;
    Vector tile[Columns];
    for (int v = 0; v < Columns; ++v)
      tile[v] = vectorAt(out + 4 * v);
    for (int64_t r = begin; r < next; ++r) {
      const double weight = weightAt<Weighted>(w, r);
      Vector left = vectorAt(values + 4 * r);
      if constexpr (Weighted)
        left *= weight;
      const double *row = b + r * Columns;
      for (int v = 0; v < Columns; ++v) {
        // Number e of the tile belongs to band e / Columns and column
        // e % Columns.
        const int e = 4 * v;
        const Vector band = {left[e / Columns], left[(e + 1) / Columns],
                             left[(e + 2) / Columns], left[(e + 3) / Columns]};
        const Vector right = {row[e % Columns], row[(e + 1) % Columns],
                              row[(e + 2) % Columns], row[(e + 3) % Columns]};
        tile[v] += band * right;
      }
    }
    for (int v = 0; v < Columns; ++v)
      vectorAt(out + 4 * v) = tile[v];
    begin = next;
  }
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const Banded &a, const double *w, int64_t rows,
                           double *sums) {
  if (a.z == 4)
    addTiles4<Weighted>(a, a, w, 0, rows, sums);
  else
    addSquare<Weighted>(a, w, 0, rows, sums);
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const Banded &a, const Banded &b, const double *w,
                           int64_t rows, double *sums) {
  if (a.z == 4 && b.z == 4)
    addTiles4<Weighted>(a, b, w, 0, rows, sums);
  else
    addTiles<Weighted>(a, b, w, 0, rows, sums);
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const Banded &a, const double *b, int64_t nb,
                           const double *w, int64_t rows, double *sums) {
  if (a.z != 4)
    addBands<Weighted>(a, b, nb, w, 0, rows, sums);
  else if (nb == 1)
    addNarrow<Weighted, 1>(a, b, w, 0, rows, sums);
  else if (nb == 2)
    addNarrow<Weighted, 2>(a, b, w, 0, rows, sums);
  else if (nb == 3)
    addNarrow<Weighted, 3>(a, b, w, 0, rows, sums);
  else
    addBands4<Weighted>(a, b, nb, w, 0, rows, sums);
}

} // namespace

TAMRT_HOT void gram_banded(tamrt_context *ctx, const double *a,
                           const int32_t *a_start, const double *w,
                           int64_t rows, int64_t z, int64_t n, double *sums) {
  const Banded matrix = {a, a_start, z, n};
  if (w)
    addChunk<true>(matrix, w, rows, sums);
  else
    addChunk<false>(matrix, w, rows, sums);
}

TAMRT_HOT void gram_banded_banded(tamrt_context *ctx, const double *a,
                                  const int32_t *a_start, const double *b,
                                  const int32_t *b_start, const double *w,
                                  int64_t rows, int64_t za, int64_t na,
                                  int64_t zb, int64_t nb, double *sums) {
  const Banded left = {a, a_start, za, na};
  const Banded right = {b, b_start, zb, nb};
  if (w)
    addChunk<true>(left, right, w, rows, sums);
  else
    addChunk<false>(left, right, w, rows, sums);
}

TAMRT_WIDE void gram_banded_dense(tamrt_context *ctx, const double *a,
                                  const int32_t *a_start, const double *b,
                                  const double *w, int64_t rows, int64_t za,
                                  int64_t na, int64_t nb, double *sums) {
  const Banded matrix = {a, a_start, za, na};
  if (w)
    addChunk<true>(matrix, b, nb, w, rows, sums);
  else
    addChunk<false>(matrix, b, nb, w, rows, sums);
}

TAMRT_HOT void rhs_banded(tamrt_context *ctx, const double *a,
                          const int32_t *a_start, const double *y,
                          const double *w, int64_t rows, int64_t z, int64_t n,
                          double *sums) {
  const Banded matrix = {a, a_start, z, n};
  if (w)
    addChunk<true>(matrix, y, 1, w, rows, sums);
  else
    addChunk<false>(matrix, y, 1, w, rows, sums);
}

} // namespace tamrt::cpu
