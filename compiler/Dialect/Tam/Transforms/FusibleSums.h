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
#include "tamc/Target/Target.h"

#include "mlir/IR/Block.h"

namespace tamc::tam {

/// The sums over rows of `block` that one kernel can compute, in their order;
/// empty if there is only one, which has its own kernel.
///
/// These are the sums whose matrices are made, within the block and from its
/// arguments, by feature maps that the row loop supports, and whose other
/// operands are arguments or empty accumulators. A sum of a matrix that is a
/// product of several factors must be in panels, or get a layout of panels on
/// `target`, which is null once layouts are chosen. Sums with the attribute
/// `tam.apart` are not among them. Linear in the ops.
llvm::SmallVector<mlir::Operation *> findFusibleSums(mlir::Block &block,
                                                     const Target *target);

/// Words of 32 bytes that a row adds to if the row loop computes a sum. The
/// kernel's code and its time per row are proportional to it. At least 1; a sum
/// of two columns, which is in a register, counts as 1.
int64_t getRowWords(mlir::Operation *sum, const Target &target);

/// Sets the encodings of results expanded from sums of levels to those that
/// follow from the encoding of the sums.
void encodeExpanded(mlir::Operation *root);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_FUSIBLESUMS_H
