//===- Cpp.h - a planned model as C++ source --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_CPP_H
#define TAMC_EMIT_CPP_H

#include "tamc/Emit/Object.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace tamc {

/// Writes a planned module (phase `plan`) as one C++ source: a function per
/// step and rung, the model's description, `main`. Compiled against tamrt/abi.h
/// and linked with libtamrt and the object of its generated kernels, if it has
/// any, it gives the executable that tamc makes. The symbols of the kernels
/// begin with `prefix`, a C identifier. Consumes the module.
mlir::LogicalResult emitCpp(mlir::ModuleOp module, llvm::StringRef version,
                            llvm::StringRef prefix, llvm::raw_ostream &out);

/// Whether a planned module has generated kernels.
bool hasGeneratedKernels(mlir::ModuleOp module);

/// Writes the generated kernels of a planned module as an object file: those
/// that `emitCpp` declares, for the same prefix. Does not change the module.
mlir::LogicalResult emitGeneratedKernels(mlir::ModuleOp module,
                                         llvm::StringRef prefix,
                                         const CodeOptions &code,
                                         llvm::raw_pwrite_stream &out);

} // namespace tamc

#endif // TAMC_EMIT_CPP_H
