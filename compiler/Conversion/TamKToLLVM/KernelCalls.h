//===- KernelCalls.h - declarations of the runtime's kernels ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMKTOLLVM_KERNELCALLS_H
#define TAMC_CONVERSION_TAMKTOLLVM_KERNELCALLS_H

#include "tamc/Dialect/TamK/IR/Kernels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tamc {

/// The declaration of a kernel of the runtime in `module`, which is added if it
/// is not there: `tamrt_<kernel>`(context, a pointer or a number for each
/// parameter, and after a list the number of its elements). O(symbols).
mlir::LLVM::LLVMFuncOp declareKernel(mlir::ModuleOp module,
                                     const tamk::Kernel &kernel);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMKTOLLVM_KERNELCALLS_H
