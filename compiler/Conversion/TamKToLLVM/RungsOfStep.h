//===- RungsOfStep.h - clones of a step that share code ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMKTOLLVM_RUNGSOFSTEP_H
#define TAMC_CONVERSION_TAMKTOLLVM_RUNGSOFSTEP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

namespace tamc {

/// The steps of a module in their order, in groups of neighbours that differ
/// only in the offsets of their views: the rungs of one step. A group of one is
/// a step without rungs, with few launches, or with launches that differ from
/// those of its neighbours. O(ops).
llvm::SmallVector<llvm::SmallVector<mlir::func::FuncOp>>
groupRungs(mlir::ModuleOp module);

/// The constant offset of a planned view. Fails with an error if it is not
/// constant.
mlir::FailureOr<int64_t> getViewOffset(mlir::memref::ViewOp view);

/// The constant offsets of a planned step's views, in their order. Fails with
/// an error if an offset is not constant.
mlir::FailureOr<llvm::SmallVector<int64_t>>
getViewOffsets(mlir::func::FuncOp step);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMKTOLLVM_RUNGSOFSTEP_H
