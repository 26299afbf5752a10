//===- PredictKernel.h - code for predictions -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMTOTAMK_PREDICTKERNEL_H
#define TAMC_CONVERSION_TAMTOTAMK_PREDICTKERNEL_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tamc {

/// Writes the function that computes `op`, which has a prediction and is
/// verified, where `builder` stands: `name`(context, each input but indices,
/// rows, predictions), all but the number pointers. What a row's prediction is
/// depends, to the bit, on that row alone. Complexity: linear in the effects.
mlir::LLVM::LLVMFuncOp writePredictKernel(mlir::OpBuilder &builder,
                                          tam::RowsOp op, llvm::StringRef name);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMTOTAMK_PREDICTKERNEL_H
