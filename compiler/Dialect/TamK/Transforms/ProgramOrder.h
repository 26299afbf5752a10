//===- ProgramOrder.h - dependencies between ops ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_PROGRAMORDER_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_PROGRAMORDER_H

#include "LiveRanges.h"

#include "tamc/Planning/Problem.h"

#include <vector>

namespace tamc::tamk {

/// A planning problem whose times are operations, with the order that the data
/// flow of a function demands of them.
struct OrderedProblem {
  planning::Problem problem;
  /// By operation of the problem: the op it belongs to; null for one that
  /// stands for the end of the function.
  std::vector<mlir::Operation *> ops;
};

/// The problem of a function's allocations, `problem` buffer by buffer, in the
/// partial order of its ops instead of the order of its list.
///
/// In one block an op comes after those whose results it takes, directly or
/// through views, and after those that touch memory that it touches too, unless
/// both only read. Memory is the same when upstream's alias analysis cannot
/// tell it apart; the arguments of a step are always apart. An op of unknown
/// effects touches what its operands name and all memory that was not
/// allocated here. An op with regions is one op of its block: so a buffer that
/// is used inside a loop or a branch, but allocated outside, is used by the
/// whole of it. The regions of an op run one after another, and so do the turns
/// of a loop.
///
/// Every allocation was accepted by LiveRanges. O(ops * (operands + memories)).
OrderedProblem orderProblem(mlir::FunctionOpInterface function,
                            const LiveRanges &ranges,
                            mlir::ArrayRef<mlir::memref::AllocOp> allocs,
                            const planning::Problem &problem);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_PROGRAMORDER_H
