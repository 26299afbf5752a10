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

/// Checks `tam.model` of the module `op`: what is known to passes and to the
/// runtime has the form that they read. Other keys are left alone.
llvm::LogicalResult verifyModel(mlir::Operation *op,
                                mlir::DictionaryAttr model);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_IR_MODEL_H
