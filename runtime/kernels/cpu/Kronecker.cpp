//===- cpu/Kronecker.cpp - row-wise Kronecker products --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Row-wise Kronecker products, the second factor fastest (docs/math.md section
/// 3, term te).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/SparseRow.h"

#include <limits>

namespace tamrt::cpu {

namespace {

/// A row of a sparse matrix.
struct Row {
  const double *values;
  const int32_t *index;
};

/// The product of rows of za and z numbers; z is a constant if Z is not 0.
template <int Z>
TAMRT_INLINE void multiply(const Row &a, int64_t za, const Row &b, int64_t zb,
                           int64_t nb, double *__restrict values,
                           int32_t *__restrict index) {
  const int64_t z = Z ? Z : zb;
  for (int64_t i = 0; i < za; ++i, values += z, index += z) {
    const double factor = a.values[i];
    // Unsigned, because rows that are not needed may contain anything.
    const uint32_t block =
        static_cast<uint32_t>(a.index[i]) * static_cast<uint32_t>(nb);
    for (int64_t j = 0; j < z; ++j) {
      values[j] = factor * b.values[j];
      index[j] =
          static_cast<int32_t>(block + static_cast<uint32_t>(b.index[j]));
    }
  }
}

} // namespace

TAMRT_HOT void kronecker_dense(tamrt_context *ctx, const double *a,
                               const double *b, int64_t rows, int64_t na,
                               int64_t nb, double *values) {
  for (int64_t r = 0; r < rows; ++r, a += na, b += nb)
    for (int64_t i = 0; i < na; ++i, values += nb) {
      const double factor = a[i];
      double *__restrict out = values;
      for (int64_t j = 0; j < nb; ++j)
        out[j] = factor * b[j];
    }
}

TAMRT_HOT void kronecker_sparse(tamrt_context *ctx, const double *a,
                                const int32_t *a_index, const double *b,
                                const int32_t *b_index, int64_t rows,
                                int64_t za, int64_t na, int64_t zb, int64_t nb,
                                double *values, int32_t *index) {
  if (nb < 0 || (nb > 0 && na > std::numeric_limits<int32_t>::max() / nb))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 9);
  const int64_t z = za * zb;
  for (int64_t r = 0; r < rows; ++r, values += z, index += z) {
    const Row left = {a + r * za, a_index + r * za};
    const Row right = {b + r * zb, b_index + r * zb};
    const int64_t leftCount = filled(left.values, za);
    const int64_t rightCount = filled(right.values, zb);
    switch (rightCount) {
    case 1:
      multiply<1>(left, leftCount, right, 1, nb, values, index);
      break;
    case 2:
      multiply<2>(left, leftCount, right, 2, nb, values, index);
      break;
    case 4:
      multiply<4>(left, leftCount, right, 4, nb, values, index);
      break;
    default:
      multiply<0>(left, leftCount, right, rightCount, nb, values, index);
    }
    const int64_t used = leftCount * rightCount;
    std::fill_n(values + used, z - used, 0.0);
    std::fill_n(index + used, z - used, 0);
  }
}

} // namespace tamrt::cpu
