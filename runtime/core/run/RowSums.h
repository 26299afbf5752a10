//===- core/run/RowSums.h - dense sums of design rows -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sums of w phi phi' and of w y phi over rows with D columns, in an array:
/// the lower triangle, column after column, each from the vector on that has
/// its diagonal element, and the right-hand side, all filled up to whole
/// vectors. What fills them up is not read. Internal to MovingSums.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_ROWSUMS_H
#define TAMRT_CORE_RUN_ROWSUMS_H

#include <cstddef>

namespace tamrt {

/// Rows of a vector: a design row is read up to the end of its last one.
inline constexpr size_t kSumsVector = 4;

/// Numbers of an array of sums, which fill cache lines.
constexpr size_t sumsSize(size_t d) {
  constexpr size_t v = kSumsVector;
  const size_t whole = d / v, rest = d % v;
  // Without those above the vectors of diagonal elements.
  const size_t numbers = (d + v - 1) / v * v * (d + 1) -
                         v * v * (whole * (whole + 1) / 2 - whole) -
                         v * whole * rest;
  return (numbers + 7) / 8 * 8;
}

/// Sets `to` to the sums `from` with a row added; they may be the same. A
/// design row has many zeros: columns of these are copied.
void addRow(const double *row, size_t d, double weight, double target,
            const double *from, double *to);

/// Adds a matrix, D x D, column after column, of which the lower triangle is
/// read, and a right-hand side to `sums`.
void addSystem(const double *matrix, const double *vector, size_t d,
               double *sums);

/// The same matrix and right-hand side from the sums `a` + `b`; `b` may be
/// null. Only the lower triangle is written. Numbers of the matrix and of the
/// right-hand side are `stride` apart.
void expandSums(const double *a, const double *b, size_t d, size_t stride,
                double *matrix, double *vector);

} // namespace tamrt

#endif // TAMRT_CORE_RUN_ROWSUMS_H
