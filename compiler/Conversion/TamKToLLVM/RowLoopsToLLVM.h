//===- RowLoopsToLLVM.h - row loops in the LLVM dialect ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMKTOLLVM_ROWLOOPSTOLLVM_H
#define TAMC_CONVERSION_TAMKTOLLVM_ROWLOOPSTOLLVM_H

#include "mlir/IR/BuiltinOps.h"

namespace tamc {

/// Converts the functions of `@row_loops` (TamKOps.td) to the LLVM dialect and
/// moves them into `module`. Each gets the run's context as first argument; of
/// a memref it gets the address of the first element. A function with the
/// attribute tamk.kernel passes tamk.versions on to LLVM's function, unless it
/// has tamk.baseline. Nothing is contracted. Complexity: linear in the ops.
mlir::LogicalResult convertRowLoops(mlir::ModuleOp module);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMKTOLLVM_ROWLOOPSTOLLVM_H
