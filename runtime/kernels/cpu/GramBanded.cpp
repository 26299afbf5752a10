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
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

namespace {

/// A banded matrix; Z is its band's width where that is known, else 0.
struct Banded {
  const double *values;
  const int32_t *start;
  int64_t z, n;
};

template <int Z> TAMRT_INLINE int64_t widthOf(const Banded &matrix) {
  return Z ? Z : matrix.z;
}

template <bool Weighted, int Z>
TAMRT_INLINE void addSquare(const Banded &a, const double *__restrict w,
                            int64_t begin, int64_t end,
                            double *__restrict sums) {
  const double *__restrict values = a.values;
  const int32_t *__restrict start = a.start;
  const int64_t z = widthOf<Z>(a), n = a.n;
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

template <bool Weighted, int ZA, int ZB>
TAMRT_INLINE void addTiles(const Banded &a, const Banded &b,
                           const double *__restrict w, int64_t begin,
                           int64_t end, double *__restrict sums) {
  const double *__restrict aValues = a.values;
  const double *__restrict bValues = b.values;
  const int32_t *__restrict aStart = a.start;
  const int32_t *__restrict bStart = b.start;
  const int64_t za = widthOf<ZA>(a), zb = widthOf<ZB>(b), nb = b.n;
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

template <bool Weighted, int Z>
TAMRT_INLINE void addBands(const Banded &a, const double *__restrict b,
                           int64_t nb, const double *__restrict w,
                           int64_t begin, int64_t end,
                           double *__restrict sums) {
  const double *__restrict values = a.values;
  const int32_t *__restrict start = a.start;
  const int64_t z = widthOf<Z>(a);
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

/// Adds a column's products: what addBands does, for nb = 1.
template <bool Weighted, int Z>
TAMRT_INLINE void addBand(const Banded &a, const double *__restrict b,
                          const double *__restrict w, int64_t begin,
                          int64_t end, double *__restrict sums) {
  const double *__restrict values = a.values;
  const int32_t *__restrict start = a.start;
  const int64_t z = widthOf<Z>(a);
  for (int64_t r = begin; r < end; ++r) {
    const double factor = weighted<Weighted>(weightAt<Weighted>(w, r), b[r]);
    double *out = sums + start[r];
    for (int64_t i = 0; i < z; ++i)
      out[i] += factor * values[r * z + i];
  }
}

template <bool Weighted, int Z>
TAMRT_INLINE void addColumn(const Banded &a, const double *b, const double *w,
                            int64_t rows, int64_t first, double *sums) {
  forEachSegment(rows, first, a.n, sums,
                 [&](int64_t begin, int64_t end) TAMRT_LAMBDA {
                   addBand<Weighted, Z>(a, b, w, begin, end, sums);
                 });
}

template <bool Weighted>
TAMRT_INLINE void addColumn(const Banded &a, const double *b, const double *w,
                            int64_t rows, int64_t first, double *sums) {
  if (a.z == 4)
    addColumn<Weighted, 4>(a, b, w, rows, first, sums);
  else
    addColumn<Weighted, 0>(a, b, w, rows, first, sums);
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const Banded &a, const double *w, int64_t rows,
                           int64_t first, double *sums) {
  forEachSegment(rows, first, a.n * a.n, sums,
                 [&](int64_t begin, int64_t end) TAMRT_LAMBDA {
                   if (a.z == 4)
                     addSquare<Weighted, 4>(a, w, begin, end, sums);
                   else
                     addSquare<Weighted, 0>(a, w, begin, end, sums);
                 });
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const Banded &a, const Banded &b, const double *w,
                           int64_t rows, int64_t first, double *sums) {
  forEachSegment(rows, first, a.n * b.n, sums,
                 [&](int64_t begin, int64_t end) TAMRT_LAMBDA {
                   if (a.z == 4 && b.z == 4)
                     addTiles<Weighted, 4, 4>(a, b, w, begin, end, sums);
                   else
                     addTiles<Weighted, 0, 0>(a, b, w, begin, end, sums);
                 });
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const Banded &a, const double *b, int64_t nb,
                           const double *w, int64_t rows, int64_t first,
                           double *sums) {
  if (nb == 1)
    return addColumn<Weighted>(a, b, w, rows, first, sums);
  forEachSegment(rows, first, a.n * nb, sums,
                 [&](int64_t begin, int64_t end) TAMRT_LAMBDA {
                   if (a.z == 4)
                     addBands<Weighted, 4>(a, b, nb, w, begin, end, sums);
                   else
                     addBands<Weighted, 0>(a, b, nb, w, begin, end, sums);
                 });
}

} // namespace

TAMRT_HOT void gram_banded(tamrt_context *ctx, const double *a,
                           const int32_t *a_start, const double *w,
                           int64_t rows, int64_t first, int64_t z, int64_t n,
                           double *sums) {
  const Banded matrix = {a, a_start, z, n};
  if (w)
    addChunk<true>(matrix, w, rows, first, sums);
  else
    addChunk<false>(matrix, w, rows, first, sums);
}

TAMRT_HOT void gram_banded_banded(tamrt_context *ctx, const double *a,
                                  const int32_t *a_start, const double *b,
                                  const int32_t *b_start, const double *w,
                                  int64_t rows, int64_t first, int64_t za,
                                  int64_t na, int64_t zb, int64_t nb,
                                  double *sums) {
  const Banded left = {a, a_start, za, na};
  const Banded right = {b, b_start, zb, nb};
  if (w)
    addChunk<true>(left, right, w, rows, first, sums);
  else
    addChunk<false>(left, right, w, rows, first, sums);
}

TAMRT_HOT void gram_banded_dense(tamrt_context *ctx, const double *a,
                                 const int32_t *a_start, const double *b,
                                 const double *w, int64_t rows, int64_t first,
                                 int64_t za, int64_t na, int64_t nb,
                                 double *sums) {
  const Banded matrix = {a, a_start, za, na};
  if (w)
    addChunk<true>(matrix, b, nb, w, rows, first, sums);
  else
    addChunk<false>(matrix, b, nb, w, rows, first, sums);
}

TAMRT_HOT void rhs_banded(tamrt_context *ctx, const double *a,
                          const int32_t *a_start, const double *y,
                          const double *w, int64_t rows, int64_t first,
                          int64_t z, int64_t n, double *sums) {
  const Banded matrix = {a, a_start, z, n};
  if (w)
    addColumn<true>(matrix, y, w, rows, first, sums);
  else
    addColumn<false>(matrix, y, w, rows, first, sums);
}

} // namespace tamrt::cpu
