//===- Model.h - checks of the description of a model -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_MODEL_H
#define TAMC_DIALECT_TAM_IR_MODEL_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

#include <memory>

namespace tamc::tam {

/// Checks the attribute `tam.model` of `op`.
llvm::LogicalResult verifyModel(mlir::Operation *op, mlir::Attribute value);

/// Checks the attribute `name` of the module `op`, which is for a variant.
llvm::LogicalResult verifyVariant(mlir::Operation *op, llvm::StringRef name,
                                  mlir::Attribute value);

/// The bytecode of the dialect: of the description of a model and of its
/// variants. Other attributes are text.
std::unique_ptr<mlir::BytecodeDialectInterface>
makeBytecode(mlir::Dialect *dialect);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_IR_MODEL_H
