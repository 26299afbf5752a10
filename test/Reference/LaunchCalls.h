//===- LaunchCalls.h - launches as calls of C functions ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What tam-drive makes of the ops of tamc's dialects in bufferised steps.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_LAUNCHCALLS_H
#define TAMC_TEST_REFERENCE_LAUNCHCALLS_H

#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tamc::reference {

/// Writes code in upstream dialects into a module of steps.
class LaunchCalls {
public:
  explicit LaunchCalls(mlir::ModuleOp module)
      : b(module.getContext()), module(module),
        pointer(mlir::LLVM::LLVMPointerType::get(module.getContext())) {}

  /// Moves row loops beside the steps, replaces launches by calls of loops and
  /// of the runtime's kernels, and removes all else that is tamc's own.
  void replaceLaunches();

  /// Calls a C function without a result.
  void call(llvm::StringRef name, mlir::ValueRange arguments);

  /// The address of a memref's first element.
  mlir::Value addressOf(mlir::Value buffer);

  mlir::OpBuilder b;

private:
  mlir::Value integer(mlir::Value index);
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name,
                                 mlir::TypeRange arguments,
                                 mlir::Type result = {});
  void callLoop(tamk::LaunchOp launch);
  void callKernel(tamk::LaunchOp launch);
  /// Appends an array of buffers' addresses, and how many there are.
  void addList(mlir::ValueRange buffers,
               llvm::SmallVectorImpl<mlir::Value> &arguments);

  mlir::ModuleOp module;
  mlir::Type pointer;
};

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_LAUNCHCALLS_H
