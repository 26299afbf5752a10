//===- Model.h - the description of a model ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_MODEL_H
#define TAMC_DIALECT_TAM_IR_MODEL_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tamc::tam {

/// Checks `tam.model` of the module `op`: the entries that passes and the
/// runtime read have the types that these expect. Ignores other entries.
llvm::LogicalResult verifyModel(mlir::Operation *op,
                                mlir::DictionaryAttr model);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_IR_MODEL_H
