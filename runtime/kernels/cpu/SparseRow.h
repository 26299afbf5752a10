//===- cpu/SparseRow.h - rows of sparse matrices ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Queries of the kernels on a row of a sparse matrix: where its numbers end,
/// and whether their columns are neighbours.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_SPARSEROW_H
#define TAMRT_KERNELS_CPU_SPARSEROW_H

#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

/// How many of a row's z numbers there are up to the last that is not zero.
///
/// Rows have room for the most any row needs: for the slope of rows beyond the
/// range, for all levels where one is unseen. The kernels that make such rows
/// put what most rows leave empty last, so that nobody multiplies it.
TAMRT_INLINE int64_t filled(const double *values, int64_t z) {
  while (z > 0 && values[z - 1] == 0.0)
    --z;
  return z;
}

/// Whether the columns of a row with z numbers are runs of four neighbours
/// each: products of cubic splines are.
TAMRT_INLINE bool inRunsOfFour(const int32_t *index, int64_t z) {
  if (z % 4 != 0)
    return false;
  int32_t apart = 0;
  for (int64_t i = 0; i < z; i += 4)
    for (int32_t k = 1; k < 4; ++k)
      apart |= (index[i + k] - index[i]) ^ k;
  return apart == 0;
}

/// Whether a row's columns ascend.
TAMRT_INLINE bool ascends(const int32_t *index, int64_t z) {
  bool result = true;
  for (int64_t i = 1; i < z; ++i)
    result &= index[i - 1] < index[i];
  return result;
}

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_SPARSEROW_H
