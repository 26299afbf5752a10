//===- IterationArenas.h - arenas in parallel loops -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_ITERATIONARENAS_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_ITERATIONARENAS_H

#include "MemorySpaces.h"

#include "tamc/Planning/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>
#include <string>

namespace tamc::tamk {

class LiveRanges;

/// The innermost parallel loop around an op; null if there is none.
mlir::Operation *parallelLoopOf(mlir::Operation *op);

/// Parallel loops around an op.
int64_t parallelDepth(mlir::Operation *op);

/// Why the iterations of a parallel loop get no arenas; empty if they do, as
/// there are at most `most`.
std::string whyNoArenas(mlir::Operation *loop, int64_t most);

/// The allocations of a parallel loop, with a place for each in the arena of an
/// iteration.
struct LoopPlan {
  mlir::Operation *loop;
  llvm::SmallVector<mlir::memref::AllocOp> allocs;
  planning::Problem problem;
  planning::Plan plan;
  SpaceNumbers spaces;
};

/// Whether the arenas of all iterations of such a loop together are not larger
/// than any memory.
bool fitsMemory(const LoopPlan &plan, int64_t alignment);

/// Replaces the allocations of a loop for which whyNoArenas() is empty by views
/// of an allocation before the loop, which is freed after it and has an arena
/// for each iteration. `alignment` is that of the arenas, or more if a buffer
/// needs it.
void placeInLoop(const LoopPlan &plan, const LiveRanges &ranges,
                 int64_t alignment);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_ITERATIONARENAS_H
