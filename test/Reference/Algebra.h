//===- Algebra.h - sums and systems of equations, the plain way -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_REFERENCE_ALGEBRA_H
#define TAMC_TEST_REFERENCE_ALGEBRA_H

#include "Datum.h"

#include <optional>

namespace tamc::reference {

/// Adds a' diag(weights) b to `sum`; no weights: the identity. Three loops.
void addGram(const Matrix &a, const Matrix &b, const Vector *weights,
             Matrix &sum);

/// Adds a' diag(weights) y to `sum`.
void addRhs(const Matrix &a, const Vector &y, const Vector *weights,
            Vector &sum);

/// Adds the diagonal of a' diag(weights) a to `sum`.
void addSquares(const Matrix &a, const Vector *weights, Vector &sum);

/// L of A = L L' from the lower triangle of A, zero above the diagonal. nullopt
/// if a pivot is not positive; `pivot`, if given, is then set to its index.
std::optional<Matrix> factorCholesky(const Matrix &a, size_t *pivot = nullptr);

/// The solution of L L' x = b.
Vector solveFactored(const Matrix &l, const Vector &b);

/// The solution of A x = b by A = L L', in long double throughout; nullopt as
/// `factorCholesky`.
std::optional<Vector> solveCholesky(const Matrix &a, const Vector &b,
                                    size_t *pivot = nullptr);

/// The inverse of A, whole, column by column as `solveCholesky`;
/// `logDeterminant` gets log|A|.
std::optional<Matrix> invertCholesky(const Matrix &a, double &logDeterminant,
                                     size_t *pivot = nullptr);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_ALGEBRA_H
