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
/// flow of a function requires.
struct OrderedProblem {
  planning::Problem problem;
  /// By operation of the problem: its op; null for the operation at the end of
  /// the function.
  std::vector<mlir::Operation *> ops;
};

/// The planning problem `problem` of a function's allocations, with the partial
/// order of its ops instead of their order in the program.
///
/// In one block an op comes after those whose results it takes, directly or
/// through views, and after those that access the same memory, unless both only
/// read. Memory is the same unless upstream's alias analysis can prove that it
/// is not; the arguments of a step never overlap. An op of unknown effects
/// accesses the memory of its operands and all memory that was not allocated in
/// the function. An op with regions is one op of its block: a buffer that is
/// used inside a loop or a branch, but allocated outside, is used by the whole
/// op. The regions of an op run one after another, and so do the iterations of
/// a loop.
///
/// LiveRanges must have accepted every allocation. O(ops * (operands +
/// memories)).
OrderedProblem orderProblem(mlir::FunctionOpInterface function,
                            const LiveRanges &ranges,
                            mlir::ArrayRef<mlir::memref::AllocOp> allocs,
                            const planning::Problem &problem);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_PROGRAMORDER_H
