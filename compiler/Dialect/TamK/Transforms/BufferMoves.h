//===- BufferMoves.h - buffers that change their memory ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_BUFFERMOVES_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_BUFFERMOVES_H

#include "LiveRanges.h"

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"
#include "tamc/Planning/Strategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tamc::tamk {

/// A stay of an allocation's memory in one space: a row of the plan.
struct Stay {
  mlir::memref::AllocOp alloc;
  /// The op before which the memory is copied to this place; null for the first
  /// stay.
  mlir::Operation *begin = nullptr;
};

/// The ops that use the memory of `alloc`, in their order: those of the block
/// with all uses, each with what is in its regions; those of the function's
/// blocks if several of them use it.
llvm::SmallVector<mlir::Operation *> usersInScope(mlir::memref::AllocOp alloc,
                                                  const LiveRanges &ranges);

/// Whether the memory of `alloc` may be elsewhere after a use: every use is in
/// the block of the allocation, or in the regions of an op there that has run
/// them when it ends; only one thread runs the block at a time; and all names
/// of the memory are views, which can be made of another place.
bool mayMove(mlir::memref::AllocOp alloc, const LiveRanges &ranges);

/// Chooses the spaces of a function's buffers, and checks the plan. `stays` has
/// the allocation of each buffer. With Options::evict, buffers for which
/// mayMove() is true, and in whose uses no other buffer begins or ends, may
/// move; then the problem, the plan and `stays` get a row for each further
/// stay, after all first ones, by buffer and time.
mlir::FailureOr<planning::Plan> chooseSpaces(mlir::func::FuncOp function,
                                             planning::Problem &problem,
                                             llvm::SmallVector<Stay> &stays,
                                             const LiveRanges &ranges,
                                             const planning::Options &options);

/// Replaces the allocations of the rows of a plan by their places, and copies
/// what moves. `makePlace` makes the place of a row where the builder is.
void replaceAllocations(
    mlir::MLIRContext *context, llvm::ArrayRef<Stay> stays,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, size_t row)> makePlace);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_BUFFERMOVES_H
