//===- RowLoops.h - functions of tam.rows -----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMROWSTOLOOPS_ROWLOOPS_H
#define TAMC_CONVERSION_TAMROWSTOLOOPS_ROWLOOPS_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tamc {

/// Writes the function that computes `op`, which has sums and is verified, at
/// the insertion point of `builder`. Its arguments are those of the op's launch
/// (tam::getLoopArguments). Complexity: linear in the products that a row adds.
///
/// `offsets` has for each accumulator its first number's place in the state, or
/// is empty if the accumulators are not all in the state.
mlir::func::FuncOp writeRowLoop(mlir::OpBuilder &builder, tam::RowsOp op,
                                llvm::StringRef name,
                                llvm::ArrayRef<int64_t> offsets);

/// The same for an op that has a prediction. What a row's prediction is
/// depends, to the bit, on that row alone. Complexity: linear in the effects.
mlir::func::FuncOp writePredictLoop(mlir::OpBuilder &builder, tam::RowsOp op,
                                    llvm::StringRef name);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMROWSTOLOOPS_ROWLOOPS_H
