//===- TamKToLLVM.h - a library's module with weights -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMKTOLLVM_H
#define TAMC_CONVERSION_TAMKTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace tamc {

/// Adds the constant `<prefix>_weights` and the function `<prefix>_forecast`,
/// which predicts with it, to a library that has been converted.
void addWeights(mlir::ModuleOp module, llvm::StringRef prefix,
                llvm::StringRef weights);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMKTOLLVM_H
