//===- cpu/GramSparse.cpp - Gram blocks of sparse matrices ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gram and cross-product blocks of sparse design matrices with themselves,
/// with each other and with dense ones.
///
/// A row's numbers are in any order, and a column may appear twice. If they are
/// in runs of four neighbouring columns, as for products of cubic splines, they
/// are handled as vectors. The choice depends only on the row, and each entry
/// gets the same products in both ways.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/SparseRow.h"

#include "tamrt/steps.h"

namespace tamrt::cpu {

namespace {

/// A row of a sparse matrix: z numbers and their columns.
struct Row {
  const double *values;
  const int32_t *index;
  int64_t z;
};

TAMRT_INLINE Row rowAt(const double *values, const int32_t *index, int64_t z,
                       int64_t r) {
  return {values + r * z, index + r * z, filled(values + r * z, z)};
}

template <bool Weighted>
TAMRT_INLINE void addSquare(const Row &row, double weight, int64_t n,
                            double *sums) {
  const double *values = row.values;
  const int32_t *index = row.index;
  if (inRunsOfFour(index, row.z) && ascends(index, row.z)) {
    for (int64_t i = 0; i < row.z; i += 4) {
      double factors[4];
      for (int k = 0; k < 4; ++k)
        factors[k] = weighted<Weighted>(weight, values[i + k]);
      // A tile on the diagonal reaches below it.
      for (int64_t j = i; j < row.z; j += 4) {
        const Vector right = vectorAt(values + j);
        double *corner = sums + index[i] * n + index[j];
        for (int k = 0; k < 4; ++k)
          vectorAt(corner + k * n) += factors[k] * right;
      }
    }
    return;
  }
  for (int64_t i = 0; i < row.z; ++i) {
    const double factor = weighted<Weighted>(weight, values[i]);
    const int64_t column = index[i];
    sums[column * n + column] += factor * values[i];
    for (int64_t j = i + 1; j < row.z; ++j) {
      const int64_t other = index[j];
      const double product = factor * values[j];
      // For two numbers of one column, the square of their sum contains their
      // product twice.
      sums[std::min(column, other) * n + std::max(column, other)] +=
          column == other ? product + product : product;
    }
  }
}

template <bool Weighted>
TAMRT_INLINE void addDense(const Row &row, double weight,
                           const double *__restrict b, int64_t nb,
                           double *__restrict sums) {
  for (int64_t i = 0; i < row.z; ++i) {
    const double factor = weighted<Weighted>(weight, row.values[i]);
    double *__restrict out = sums + row.index[i] * nb;
    for (int64_t j = 0; j < nb; ++j)
      out[j] += factor * b[j];
  }
}

template <bool Weighted>
TAMRT_INLINE void addCross(const Row &a, const Row &b, double weight,
                           int64_t nb, double *sums) {
  if (inRunsOfFour(b.index, b.z)) {
    for (int64_t i = 0; i < a.z; ++i) {
      const double factor = weighted<Weighted>(weight, a.values[i]);
      double *out = sums + a.index[i] * nb;
      for (int64_t j = 0; j < b.z; j += 4)
        vectorAt(out + b.index[j]) += factor * vectorAt(b.values + j);
    }
    return;
  }
  for (int64_t i = 0; i < a.z; ++i) {
    const double factor = weighted<Weighted>(weight, a.values[i]);
    double *out = sums + a.index[i] * nb;
    for (int64_t j = 0; j < b.z; ++j)
      out[b.index[j]] += factor * b.values[j];
  }
}

/// addCross() of a row of b with room for `runs` runs of four. A row that fills
/// it with runs stays in registers while a's numbers are multiplied.
template <bool Weighted, int64_t runs>
TAMRT_INLINE void addRuns(const Row &a, const double *b, const int32_t *index,
                          double weight, int64_t nb, double *sums) {
  constexpr int64_t z = 4 * runs;
  if (b[z - 1] == 0.0 || !inRunsOfFour(index, z))
    return addCross<Weighted>(a, rowAt(b, index, z, 0), weight, nb, sums);
  AlignedVector right[runs];
  int64_t column[runs];
  for (int64_t j = 0; j < runs; ++j) {
    right[j] = vectorAt(b + 4 * j);
    column[j] = index[4 * j];
  }
  for (int64_t i = 0; i < a.z; ++i) {
    const double factor = weighted<Weighted>(weight, a.values[i]);
    double *out = sums + a.index[i] * nb;
    for (int64_t j = 0; j < runs; ++j)
      vectorAt(out + column[j]) += factor * right[j];
  }
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const double *a, const int32_t *index,
                           const double *w, int64_t rows, int64_t z, int64_t n,
                           double *sums) {
  for (int64_t r = 0; r < rows; ++r)
    addSquare<Weighted>(rowAt(a, index, z, r), weightAt<Weighted>(w, r), n,
                        sums);
}

template <bool Weighted>
TAMRT_INLINE void addChunk(const double *a, const int32_t *index,
                           const double *b, const double *w, int64_t rows,
                           int64_t za, int64_t na, int64_t nb, double *sums) {
  for (int64_t r = 0; r < rows; ++r)
    addDense<Weighted>(rowAt(a, index, za, r), weightAt<Weighted>(w, r),
                       b + r * nb, nb, sums);
}

/// `runs`: the runs of four that a row of b has room for; 0 for other rows.
template <bool Weighted, int64_t runs>
TAMRT_INLINE void addCrossChunk(const double *a, const int32_t *a_index,
                                const double *b, const int32_t *b_index,
                                const double *w, int64_t rows, int64_t za,
                                int64_t zb, int64_t nb, double *sums) {
  for (int64_t r = 0; r < rows; ++r) {
    const Row row = rowAt(a, a_index, za, r);
    const double weight = weightAt<Weighted>(w, r);
    if constexpr (runs > 0)
      addRuns<Weighted, runs>(row, b + r * zb, b_index + r * zb, weight, nb,
                              sums);
    else
      addCross<Weighted>(row, rowAt(b, b_index, zb, r), weight, nb, sums);
  }
}

template <bool Weighted>
TAMRT_INLINE void addCrossChunk(const double *a, const int32_t *a_index,
                                const double *b, const int32_t *b_index,
                                const double *w, int64_t rows, int64_t za,
                                int64_t zb, int64_t nb, double *sums) {
  if (zb == 4)
    addCrossChunk<Weighted, 1>(a, a_index, b, b_index, w, rows, za, zb, nb,
                               sums);
  else if (zb == 16)
    addCrossChunk<Weighted, 4>(a, a_index, b, b_index, w, rows, za, zb, nb,
                               sums);
  else
    addCrossChunk<Weighted, 0>(a, a_index, b, b_index, w, rows, za, zb, nb,
                               sums);
}

} // namespace

TAMRT_HOT void gram_sparse(tamrt_context *ctx, const double *a,
                           const int32_t *a_index, const double *w,
                           int64_t rows, int64_t z, int64_t n, double *sums) {
  if (w)
    addChunk<true>(a, a_index, w, rows, z, n, sums);
  else
    addChunk<false>(a, a_index, w, rows, z, n, sums);
}

TAMRT_HOT void gram_sparse_dense(tamrt_context *ctx, const double *a,
                                 const int32_t *a_index, const double *b,
                                 const double *w, int64_t rows, int64_t za,
                                 int64_t na, int64_t nb, double *sums) {
  if (w)
    addChunk<true>(a, a_index, b, w, rows, za, na, nb, sums);
  else
    addChunk<false>(a, a_index, b, w, rows, za, na, nb, sums);
}

TAMRT_HOT void gram_sparse_sparse(tamrt_context *ctx, const double *a,
                                  const int32_t *a_index, const double *b,
                                  const int32_t *b_index, const double *w,
                                  int64_t rows, int64_t za, int64_t na,
                                  int64_t zb, int64_t nb, double *sums) {
  if (w)
    addCrossChunk<true>(a, a_index, b, b_index, w, rows, za, zb, nb, sums);
  else
    addCrossChunk<false>(a, a_index, b, b_index, w, rows, za, zb, nb, sums);
}

void gram_pairs(tamrt_context *ctx, const int64_t *sizes, const int32_t *pairs,
                const double *w, const void *const *matrices,
                int64_t matrices_count, int64_t rows, int64_t count,
                double *sums) {
  const auto valuesOf = [=](int64_t i) {
    return static_cast<const double *>(matrices[2 * i]);
  };
  const auto indexOf = [=](int64_t i) {
    return static_cast<const int32_t *>(matrices[2 * i + 1]);
  };
  for (int64_t k = 0; k < count; ++k) {
    const int64_t i = pairs[2 * k], j = pairs[2 * k + 1];
    const int64_t *a = sizes + 2 * i, *b = sizes + 2 * j;
    gram_sparse_sparse(ctx, valuesOf(i), indexOf(i), valuesOf(j), indexOf(j), w,
                       rows, a[0], a[1], b[0], b[1], sums);
    sums += pairSize(a[1], b[1]);
  }
}

void rhs_sparse(tamrt_context *ctx, const double *a, const int32_t *a_index,
                const double *y, const double *w, int64_t rows, int64_t z,
                int64_t n, double *sums) {
  for (int64_t r = 0; r < rows; ++r) {
    const Row row = rowAt(a, a_index, z, r);
    const double factor = w ? w[r] * y[r] : y[r];
    for (int64_t i = 0; i < row.z; ++i)
      sums[row.index[i]] += factor * row.values[i];
  }
}

} // namespace tamrt::cpu
