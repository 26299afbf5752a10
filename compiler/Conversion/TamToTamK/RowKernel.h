//===- RowKernel.h - code for sums that share a loop ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMTOTAMK_ROWKERNEL_H
#define TAMC_CONVERSION_TAMTOTAMK_ROWKERNEL_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tamc {

/// Writes the function that computes `op`, which has sums and is verified,
/// where `builder` stands: `name`(context, each input but indices, rows, first,
/// each accumulator), all but the two numbers pointers. Complexity: linear in
/// the products that a row adds.
///
/// `offsets` has for each accumulator the bytes from the first one to it, if
/// they are always the same, else it is empty.
mlir::LLVM::LLVMFuncOp writeRowKernel(mlir::OpBuilder &builder, tam::RowsOp op,
                                      llvm::StringRef name,
                                      llvm::ArrayRef<int64_t> offsets);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMTOTAMK_ROWKERNEL_H
