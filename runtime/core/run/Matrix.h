//===- core/run/Matrix.h - dense matrices -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Dense matrices, and the sums that the choice of penalties needs of them.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_MATRIX_H
#define TAMRT_CORE_RUN_MATRIX_H

#include <cstddef>
#include <vector>

namespace tamrt {

/// A dense matrix, row after row.
struct Matrix {
  Matrix() = default;
  Matrix(size_t rows, size_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}

  double *row(size_t i) { return values.data() + i * columns; }
  const double *row(size_t i) const { return values.data() + i * columns; }

  size_t rows = 0, columns = 0;
  std::vector<double> values;
};

/// Adds factor * from to `to`.
inline void addTimes(double factor, const double *from, size_t count,
                     double *to) {
  for (size_t i = 0; i < count; ++i)
    to[i] += factor * from[i];
}

/// a'b. Eight sums, so that additions do not wait for each other.
inline double dot(const double *a, const double *b, size_t count) {
  double sums[8] = {};
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (size_t k = 0; k < 8; ++k)
      sums[k] += a[i + k] * b[i + k];
  double sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
               ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  for (; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// a'v.
inline std::vector<double> transposedProduct(const Matrix &a, const double *v) {
  std::vector<double> out(a.columns);
  for (size_t k = 0; k < a.rows; ++k)
    addTimes(v[k], a.row(k), a.columns, out.data());
  return out;
}

} // namespace tamrt

#endif // TAMRT_CORE_RUN_MATRIX_H
