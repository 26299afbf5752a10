//===- cpu/Support.h - common parts of the CPU's kernels --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Common parts of the CPU's kernels: vectors, copies of rows and the weights
/// of rows.
///
/// Every file that includes this is compiled with -ffp-contract=off: a sum has
/// the same bits in a vector loop, in its scalar remainder and in the code for
/// another instruction set only if none of them uses fused operations.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_SUPPORT_H
#define TAMRT_KERNELS_CPU_SUPPORT_H

#include "kernels/InstructionSets.h"

#include "tamrt/abi.h"

#include <algorithm>
#include <cstring>

namespace tamrt::cpu {

/// Four doubles at any address; two halves on machines with shorter vectors.
typedef double Vector __attribute__((vector_size(32), aligned(8), may_alias));

/// Four doubles that are aligned: as a template argument `Vector` is this type,
/// so what a template gets by reference is to be declared as one.
typedef double AlignedVector __attribute__((vector_size(32)));

/// Eight doubles at any address, for machines with such vectors.
typedef double Wide __attribute__((vector_size(64), aligned(8), may_alias));

/// The four doubles at `p`, as an lvalue.
TAMRT_INLINE Vector &vectorAt(double *p) {
  return *reinterpret_cast<Vector *>(p);
}
TAMRT_INLINE const Vector &vectorAt(const double *p) {
  return *reinterpret_cast<const Vector *>(p);
}

/// The eight doubles at `p`, as an lvalue.
TAMRT_INLINE Wide &wideAt(double *p) { return *reinterpret_cast<Wide *>(p); }
TAMRT_INLINE const Wide &wideAt(const double *p) {
  return *reinterpret_cast<const Wide *>(p);
}

/// Numbers of a vector.
template <typename V> constexpr int64_t lanes = sizeof(V) / sizeof(double);

/// Loads and stores a vector at any address: as a template argument a type
/// loses its alignment.
template <typename V> TAMRT_INLINE void loadVector(const double *p, V &out) {
  std::memcpy(&out, p, sizeof out);
}
template <typename V> TAMRT_INLINE void storeVector(const V &v, double *p) {
  std::memcpy(p, &v, sizeof v);
}

/// Rows of four vectors to columns.
TAMRT_INLINE void transpose(const Vector (&rows)[4], Vector (&columns)[4]) {
  const Vector even01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
  const Vector odd01 = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
  const Vector even23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
  const Vector odd23 = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
  columns[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
  columns[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
  columns[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
  columns[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}

/// The number of columns whose mean a negative one-hot index denotes, the first
/// ones; 0 for TAMRT_INDEX_NONE. The inverse of TAMRT_INDEX_MEAN.
TAMRT_INLINE int64_t meanColumns(int32_t index) {
  return -1 - static_cast<int64_t>(index);
}

/// Copies rows of n numbers to the numbers from `at` on of rows of `width`.
inline void copyRows(const double *from, int64_t rows, int64_t n, int64_t width,
                     int64_t at, double *to) {
  if (n == width) {
    std::copy_n(from, rows * n, to);
    return;
  }
  for (int64_t r = 0; r < rows; ++r)
    std::copy_n(from + r * n, n, to + r * width + at);
}

/// The weight of row `r`.
template <bool Weighted>
TAMRT_INLINE double weightAt(const double *w, int64_t r) {
  if constexpr (Weighted)
    return w[r];
  return 1.0;
}

/// `weight * value`, or `value` if rows have no weights.
template <bool Weighted>
TAMRT_INLINE double weighted(double weight, double value) {
  if constexpr (Weighted)
    return weight * value;
  return value;
}

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_SUPPORT_H
