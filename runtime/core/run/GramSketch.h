//===- core/run/GramSketch.h - a matrix from a few products -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A preconditioner for A = N + C, where systems with C are easy to solve and
/// N, the Gram matrix of many features, has few large eigenvalues. It uses
/// products of N with random vectors (randomised Nystroem approximation;
/// Frangella, Tropp, Udell, "Randomized Nystroem preconditioning", 2021).
/// Nothing allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_GRAMSKETCH_H
#define TAMRT_CORE_RUN_GRAMSKETCH_H

#include "tamrt/abi.h"

#include <cstdint>

namespace tamrt {

/// `count`, rounded up so that the doubles after it are aligned to
/// TAMRT_ALIGNMENT.
int64_t alignedNumbers(int64_t count);

/// A sum of products of n numbers, in an order that depends only on n.
double dot(const double *a, const double *b, int64_t n);

/// N, n x n, is approximately B B', where B' has `size` rows. The inverse of C
/// + B B' is C^-1 - W (I + B'W)^-1 W' with W = C^-1 B. It is nearly the inverse
/// of A, except for eigenvalues of N that are too small for the sketch.
class GramSketch {
public:
  /// Number of vectors for n columns; 0 if there are too few columns for a
  /// sketch.
  static int64_t sizeFor(int64_t n);
  /// Doubles of memory for n columns.
  static int64_t numbersFor(int64_t n);

  /// `memory` has numbersFor(n) doubles. `weights` approximate the size of C in
  /// each column.
  GramSketch(int64_t n, const double *weights, double *memory);

  int64_t size() const { return rank; }
  bool isMade() const { return made; }

  // The following functions are called in this order.

  /// Writes the i-th random vector.
  void fill(int64_t i, double *v) const;
  /// Takes N times it.
  double *product(int64_t i) { return rows + i * stride; }
  /// Computes B' from the products, in place. \returns whether they were
  /// accurate enough.
  bool reduce();
  /// Row j of B', for j = 0, 1, .. in turn, and takes C^-1 times it.
  const double *row(int64_t j) const { return rows + j * stride; }
  void take(int64_t j, const double *solved);
  /// \returns whether the sketch was made.
  bool close();

  /// Replaces C^-1 r in `s` by the sketch's solution for r.
  void apply(const double *r, double *s) const;

private:
  bool factor();

  int64_t n, rank, stride;
  const double *weights;
  /// `rows`: `rank` rows of `stride` numbers, the products, then B', then W'.
  /// `square`: the lower triangle of a matrix, column-major. `small`: a vector
  /// of `rank` numbers. `workspace`: that of cholesky_solve. `scratch`: a
  /// vector of n numbers.
  double *rows, *square, *small, *workspace, *scratch;
  bool made = false;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_GRAMSKETCH_H
