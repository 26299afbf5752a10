//===- core/run/GramSketch.h - a matrix from a few products -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A preconditioner for A = N + C, of which C is easily solved with and N, the
/// Gram matrix of many features, has few large eigenvalues: from products of N
/// with random vectors (randomised Nystroem approximation; Frangella, Tropp,
/// Udell, "Randomized Nystroem preconditioning", 2021). Nothing allocates or
/// throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_GRAMSKETCH_H
#define TAMRT_CORE_RUN_GRAMSKETCH_H

#include "tamrt/abi.h"

#include <cstdint>

namespace tamrt {

/// `count` doubles, rounded up so that what follows is aligned to
/// TAMRT_ALIGNMENT.
int64_t alignedNumbers(int64_t count);

/// A sum of products of n numbers, in an order that depends on nothing but n.
double dot(const double *a, const double *b, int64_t n);

/// N of n columns is nearly B B', where B' has `size` rows. What solves with
/// C + B B' is C^-1 - W (I + B'W)^-1 W' with W = C^-1 B: as good as with A but
/// for the eigenvalues of N that are too small for the sketch.
class GramSketch {
public:
  /// Vectors for n columns; 0 for so few that a sketch makes no sense.
  static int64_t sizeFor(int64_t n);
  /// Doubles of memory for n columns.
  static int64_t numbersFor(int64_t n);

  /// `memory` is numbersFor(n) doubles. `weights` are about what C is in each
  /// column.
  GramSketch(int64_t n, const double *weights, double *memory);

  int64_t size() const { return rank; }
  bool isMade() const { return made; }

  // To be called in this order.

  /// Writes the i-th random vector.
  void fill(int64_t i, double *v) const;
  /// Takes N times it.
  double *product(int64_t i) { return rows + i * stride; }
  /// Makes B' of the products, in their place. \returns whether they were good
  /// enough.
  bool reduce();
  /// Row j of B', for j = 0, 1, .. in turn, and takes C^-1 times it.
  const double *row(int64_t j) const { return rows + j * stride; }
  void take(int64_t j, const double *solved);
  /// \returns whether the sketch is made.
  bool close();

  /// From r and C^-1 r, in `s`, makes what the sketch solves of r.
  void apply(const double *r, double *s) const;

private:
  bool factor();

  int64_t n, rank, stride;
  const double *weights;
  /// `rank` rows of `stride`: products, B', W'. The lower triangle of a matrix,
  /// column-major. A vector of `rank` numbers, what cholesky_solve works in, a
  /// vector of n.
  double *rows, *square, *small, *workspace, *scratch;
  bool made = false;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_GRAMSKETCH_H
