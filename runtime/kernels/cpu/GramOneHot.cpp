//===- cpu/GramOneHot.cpp - Gram blocks of one-hot matrices ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gram and cross-product blocks of one-hot matrices: per row one number, one
/// band or one row of the block.
///
/// A row with TAMRT_INDEX_NONE adds nothing; one with TAMRT_INDEX_MEAN(m) has
/// 1/m in the first m columns. Both are rare, so that the loops only test for
/// them.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

namespace {

/// Calls `add(column, factor)` for each column in which a row with this index
/// is not zero, with the row's weight times its value there.
template <typename Add>
TAMRT_INLINE void forEachColumn(int32_t index, double weight, Add add) {
  if (index >= 0)
    return add(index, weight);
  const int64_t columns = meanColumns(index);
  if (columns == 0)
    return;
  const double share = weight * (1.0 / static_cast<double>(columns));
  for (int64_t i = 0; i < columns; ++i)
    add(i, share);
}

template <bool Weighted>
TAMRT_INLINE void addDense(const int32_t *__restrict a, int64_t na,
                           const double *__restrict b, int64_t nb,
                           const double *__restrict w, int64_t begin,
                           int64_t end, double *__restrict sums) {
  for (int64_t r = begin; r < end; ++r) {
    const double *__restrict row = b + r * nb;
    forEachColumn(a[r], weightAt<Weighted>(w, r),
                  [&](int64_t i, double factor) TAMRT_LAMBDA {
                    double *__restrict out = sums + i * nb;
                    for (int64_t j = 0; j < nb; ++j)
                      out[j] += factor * row[j];
                  });
  }
}

/// A sum per level: what addDense does, for nb = 1.
template <bool Weighted>
TAMRT_INLINE void addColumn(const int32_t *__restrict a, int64_t na,
                            const double *__restrict b,
                            const double *__restrict w, int64_t begin,
                            int64_t end, double *__restrict sums) {
  for (int64_t r = begin; r < end; ++r) {
    forEachColumn(a[r], weightAt<Weighted>(w, r),
                  [&](int64_t i, double factor)
                      TAMRT_LAMBDA { sums[i] += factor * b[r]; });
  }
}

template <bool Weighted, int Z>
TAMRT_INLINE void
addBanded(const int32_t *__restrict a, int64_t na, const double *__restrict b,
          const int32_t *__restrict start, int64_t width, int64_t nb,
          const double *__restrict w, int64_t begin, int64_t end,
          double *__restrict sums) {
  const int64_t z = Z ? Z : width;
  for (int64_t r = begin; r < end; ++r) {
    const double *row = b + r * z;
    forEachColumn(a[r], weightAt<Weighted>(w, r),
                  [&](int64_t i, double factor) TAMRT_LAMBDA {
                    double *out = sums + i * nb + start[r];
                    for (int64_t j = 0; j < z; ++j)
                      out[j] += factor * row[j];
                  });
  }
}

template <bool Weighted>
TAMRT_INLINE void addOneHot(const int32_t *__restrict a, int64_t na,
                            const int32_t *__restrict b, int64_t nb,
                            const double *__restrict w, int64_t begin,
                            int64_t end, double *__restrict sums) {
  for (int64_t r = begin; r < end; ++r) {
    forEachColumn(a[r], weightAt<Weighted>(w, r),
                  [&](int64_t i, double factor) TAMRT_LAMBDA {
                    forEachColumn(b[r], factor,
                                  [&](int64_t j, double product) TAMRT_LAMBDA {
                                    sums[i * nb + j] += product;
                                  });
                  });
  }
}

/// Dispatches to addColumn and addDense.
template <bool Weighted>
TAMRT_INLINE void addChunk(const int32_t *a, int64_t na, const double *b,
                           int64_t nb, const double *w, int64_t rows,
                           double *sums) {
  if (nb == 1)
    addColumn<Weighted>(a, na, b, w, 0, rows, sums);
  else
    addDense<Weighted>(a, na, b, nb, w, 0, rows, sums);
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const int32_t *a, int64_t na, const double *b,
                           const int32_t *b_start, int64_t zb, int64_t nb,
                           const double *w, int64_t rows, double *sums) {
  if (zb == 4)
    addBanded<Weighted, 4>(a, na, b, b_start, zb, nb, w, 0, rows, sums);
  else
    addBanded<Weighted, 0>(a, na, b, b_start, zb, nb, w, 0, rows, sums);
}

} // namespace

void gram_onehot(tamrt_context *ctx, const int32_t *a, const double *w,
                 int64_t rows, int64_t n, double *sums) {
  for (int64_t r = 0; r < rows; ++r) {
    if (a[r] >= 0)
      sums[a[r]] += w ? w[r] : 1.0;
    else if (a[r] != TAMRT_INDEX_NONE)
      // This row would have products of all columns with each
      // other, which a diagonal cannot store. No training row
      // has this index.
      fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 1);
  }
}

TAMRT_HOT void gram_onehot_dense(tamrt_context *ctx, const int32_t *a,
                                 const double *b, const double *w, int64_t rows,
                                 int64_t na, int64_t nb, double *sums) {
  if (w)
    addChunk<true>(a, na, b, nb, w, rows, sums);
  else
    addChunk<false>(a, na, b, nb, w, rows, sums);
}

TAMRT_HOT void gram_onehot_banded(tamrt_context *ctx, const int32_t *a,
                                  const double *b, const int32_t *b_start,
                                  const double *w, int64_t rows, int64_t na,
                                  int64_t zb, int64_t nb, double *sums) {
  if (w)
    addChunk<true>(a, na, b, b_start, zb, nb, w, rows, sums);
  else
    addChunk<false>(a, na, b, b_start, zb, nb, w, rows, sums);
}

void gram_onehot_onehot(tamrt_context *ctx, const int32_t *a, const int32_t *b,
                        const double *w, int64_t rows, int64_t na, int64_t nb,
                        double *sums) {
  if (w)
    addOneHot<true>(a, na, b, nb, w, 0, rows, sums);
  else
    addOneHot<false>(a, na, b, nb, w, 0, rows, sums);
}

void rhs_onehot(tamrt_context *ctx, const int32_t *a, const double *y,
                const double *w, int64_t rows, int64_t n, double *sums) {
  if (w)
    addChunk<true>(a, n, y, 1, w, rows, sums);
  else
    addChunk<false>(a, n, y, 1, w, rows, sums);
}

} // namespace tamrt::cpu
