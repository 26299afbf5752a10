//===- NormalEquations.h - systems of fits ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_NORMALEQUATIONS_H
#define TAMC_TEST_REFERENCE_NORMALEQUATIONS_H

#include "Datum.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace tamc::reference {

/// The sums a'Wb of all pairs of designs (i, j), i <= j, in the order (0,0),
/// (0,1), .., (1,1), ..; no weights: the identity.
std::vector<Matrix> sumPairs(llvm::ArrayRef<const Matrix *> designs,
                             const Vector *weights);

/// Pairs of matrices or effects.
using Pairs = llvm::ArrayRef<std::pair<int64_t, int64_t>>;

/// Adds the sums of these pairs of designs to `sums`, in which they lie as in
/// the accumulator of tam.gram_pairs.
void addPairs(llvm::ArrayRef<const Matrix *> designs, Pairs pairs,
              const Vector *weights, Vector &sums);

/// The sums of all pairs of effects i <= j, row by row: those of `pairs` from
/// `sums`, as tam.gram_pairs stores them, the others from `blocks`, in order.
std::vector<Matrix> allBlocks(llvm::ArrayRef<const Matrix *> blocks,
                              Pairs pairs, const Vector &sums,
                              llvm::ArrayRef<const Matrix *> penalties);

/// The sums a'Wy of all designs, one after another.
Vector sumTarget(llvm::ArrayRef<const Matrix *> designs, const Vector &y,
                 const Vector *weights);

/// Gram + T P + 1e-6 T I for T = `rows`, from the sums of pairs in the order
/// above, or none. Without `isPenalized` Gram alone.
Matrix normalMatrix(llvm::ArrayRef<const Matrix *> sums,
                    llvm::ArrayRef<const Matrix *> penalties, int64_t rows,
                    bool isPenalized = true);

/// Gram v + T P v + 1e-6 T v, from the sums a'W(Phi v) of the effects.
Vector normalProduct(llvm::ArrayRef<const Vector *> sums,
                     llvm::ArrayRef<const Matrix *> penalties, int64_t rows,
                     const Vector &v);

/// The inverse square roots of the diagonal of Gram + T P + 1e-6 T I, from that
/// of Gram (null: zero). nullopt if one of its numbers is not positive or not
/// finite; `pivot` is then set to its index.
std::optional<Vector> factorDiagonal(const Vector *sums, const Matrix &penalty,
                                     int64_t rows, size_t *pivot);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_NORMALEQUATIONS_H
