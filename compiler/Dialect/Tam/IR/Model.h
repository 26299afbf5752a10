//===- Model.h - checks of the description of a model -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_MODEL_H
#define TAMC_DIALECT_TAM_IR_MODEL_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace tamc::tam {

/// Checks the attribute `tam.model` of `op`.
llvm::LogicalResult verifyModel(mlir::Operation *op, mlir::Attribute value);

/// Checks the attribute `name` of the module `op`, which is for a variant.
llvm::LogicalResult verifyVariant(mlir::Operation *op, llvm::StringRef name,
                                  mlir::Attribute value);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_IR_MODEL_H
