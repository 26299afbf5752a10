//===- Sums.h - makes and removes sums over rows ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_SUMS_H
#define TAMC_DIALECT_TAM_TRANSFORMS_SUMS_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/IR/Builders.h"

namespace tamc::tam {

/// Makes a tam.gram a'Wb, or a tam.rhs a'Wb if `b` is a column, that starts
/// from a tam.zeros of its own. Without `weights` W is the identity.
RowReductionInterface createSum(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value a, mlir::Value b,
                                mlir::Value weights);

/// The diagonal of a'Wa, likewise.
mlir::Value createSquares(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value a, mlir::Value weights);

/// Erases a sum over rows that has no use, and its zeros if they have no other
/// use.
void eraseSum(mlir::Operation *sum);

/// Replaces a sum over rows by `value` and erases it.
void replaceSum(mlir::Operation *sum, mlir::Value value);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_SUMS_H
