//===- Cpp.h - a planned model as C++ source --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TARGET_CPP_H
#define TAMC_TARGET_CPP_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace tamc {

/// Writes a planned module (phase `plan`) as one C++ source: a function per
/// step and rung, the model's description, `main`. Compiled against
/// tamrt/abi.h and linked with libtamrt it is the executable that tamc makes.
/// Consumes the module.
mlir::LogicalResult emitCpp(mlir::ModuleOp module, llvm::StringRef version,
                            llvm::raw_ostream &out);

} // namespace tamc

#endif // TAMC_TARGET_CPP_H
