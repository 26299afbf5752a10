//===- Steps.h - planned steps --------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMKTOLLVM_STEPS_H
#define TAMC_CONVERSION_TAMKTOLLVM_STEPS_H

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

namespace tamc {

/// The steps of a module in their order, in groups of neighbours that differ
/// only in the offsets of their views: the rungs of one step. A group of one is
/// a step without rungs, or with launches that differ from those of its
/// neighbours. Rungs without launches are in the group of those whose launches
/// they have; fails with an error if that group is not before them.
/// O(operands).
mlir::FailureOr<llvm::SmallVector<llvm::SmallVector<mlir::func::FuncOp>>>
groupRungs(mlir::ModuleOp module);

/// What the runtime passes as an argument of a step. Fails with an error if it
/// passes nothing.
mlir::FailureOr<tam::SlotAttr> getSlot(mlir::BlockArgument argument);

/// The function of a launch of a generated kernel. Fails with an error if it is
/// none of the LLVM dialect.
mlir::FailureOr<mlir::LLVM::LLVMFuncOp>
getGeneratedKernel(tamk::LaunchOp launch);

/// Emits the error that a step must not have the op.
mlir::LogicalResult emitStepOpError(mlir::Operation *op);

/// The constant offset of a planned view. Fails with an error if it is not
/// constant.
mlir::FailureOr<int64_t> getViewOffset(mlir::memref::ViewOp view);

/// The constant offsets of a planned step's views, in their order. Fails with
/// an error if an offset is not constant.
mlir::FailureOr<llvm::SmallVector<int64_t>>
getViewOffsets(mlir::func::FuncOp step);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMKTOLLVM_STEPS_H
