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

/// The number of a row's z numbers up to the last nonzero one.
///
/// All rows have as many numbers as the longest one needs: for the slope of
/// rows beyond the range, or for all levels if one is unseen. The kernels that
/// make such rows put the unused numbers last, so that they need not be
/// multiplied.
TAMRT_INLINE int64_t filled(const double *values, int64_t z) {
  while (z > 0 && values[z - 1] == 0.0)
    --z;
  return z;
}

/// Four columns at any address.
typedef int32_t Columns __attribute__((vector_size(16), aligned(4), may_alias));

/// Whether the columns of a row with z numbers are runs of four neighbours
/// each: products of cubic splines are.
TAMRT_INLINE bool inRunsOfFour(const int32_t *index, int64_t z) {
  if (z % 4 != 0)
    return false;
  Columns apart = {};
  for (int64_t i = 0; i < z; i += 4) {
    const Columns run = *reinterpret_cast<const Columns *>(index + i);
    apart |= (run - run[0]) ^ Columns { 0, 1, 2, 3 };
  }
  return (apart[0] | apart[1] | apart[2] | apart[3]) == 0;
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
