//===- FusibleSums.h - which sums share a loop over rows --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_FUSIBLESUMS_H
#define TAMC_DIALECT_TAM_TRANSFORMS_FUSIBLESUMS_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/IR/Block.h"

namespace tamc::tam {

/// The sums over rows of `block` for which one kernel can be written, in their
/// order; empty when there is but one, which is what its own kernel is for.
///
/// A sum is one of them if its matrices are made, within the block and from its
/// arguments, by feature maps that the row kernel has code for, and all else it
/// reads is an argument or an empty accumulator. Linear in the ops.
/// A sum of a matrix that is a product of several factors must lie in panels,
/// or have panels to choose where `choosesPanels` says that they may be chosen.
/// A sum with the attribute `tam.apart` is none of them.
llvm::SmallVector<mlir::Operation *> findFusibleSums(mlir::Block &block,
                                                     bool choosesPanels);

/// The layout in panels of a sum that the row kernel will compute; null where
/// it has none: no band, or a product whose panels would take far more numbers
/// or code than the plain layout.
SumsAttr getPanels(mlir::Operation *sum);

/// Words of 32 bytes that a row adds to when the row kernel computes a sum:
/// what the kernel's code, and the time of a row, grow with. At least 1; a sum
/// of two columns, which is kept in a register, counts as 1.
int64_t getRowWords(mlir::Operation *sum);

/// Erases a sum over rows that has no use, and its zeros if they have no other.
void eraseSum(mlir::Operation *sum);

/// Puts `value` in place of a sum over rows, which is erased.
void replaceSum(mlir::Operation *sum, mlir::Value value);

/// Gives what is expanded from sums by levels the encoding that goes with that
/// of the sums.
void encodeExpanded(mlir::Operation *root);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_FUSIBLESUMS_H
