//===- Allocations.h - what a plan replaces ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_ALLOCATIONS_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_ALLOCATIONS_H

#include "LiveRanges.h"

#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Planning/Problem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tamc::tamk {

/// Bytes of a buffer of static shape, or nothing if the element type has no
/// fixed size or the bytes are too many.
std::optional<int64_t> bytesOf(mlir::MemRefType type);

/// Collects the users of `value` into `ops`, each after its own users, if all
/// of them only name its memory without a further use; false if one does more.
bool collectUnused(mlir::Value value, llvm::SetVector<mlir::Operation *> &ops);

/// Most bytes that the allocations of a function take at one time without
/// planning: each lasts from its allocation to its last deallocation, or to the
/// end of the function if there is none; all iterations of a loop are like the
/// first. `dynamic` has the bytes of allocations of dynamic shape.
int64_t heapPeak(mlir::func::FuncOp function, const LiveRanges &ranges,
                 const llvm::DenseMap<mlir::Operation *, int64_t> &dynamic);

/// An allocation of a function.
struct Candidate {
  mlir::memref::AllocOp alloc;
  LiveRange live;
  /// If the shape is static.
  std::optional<int64_t> bytes;
  /// Why it is not planned; empty if it is.
  std::string reason;
};

/// A buffer's description for the user: parameter, op and term of the first
/// launch that writes it, or the op that uses it first. That of `like`, if it
/// is not null.
std::tuple<std::string, std::string, std::string>
nameBuffer(mlir::memref::AllocOp alloc, BufferAttr like);

/// Refuses allocations that are freed by deallocations of other memory if the
/// address does not tell: without bytes it may be the arena's end, and with a
/// choice of spaces there are several arenas.
void refuseMixed(std::vector<Candidate> &candidates, const LiveRanges &ranges,
                 bool hasOneArena);

/// Removes the deallocations in the regions of `root` of what `planned` has,
/// the results of allocations. One that may also free other memory keeps that:
/// it is skipped if the address is in the arena. `arenas` has the arena of each
/// memory space.
void removeDeallocations(
    mlir::Operation *root, const LiveRanges &ranges,
    const llvm::DenseSet<mlir::Value> &planned,
    llvm::function_ref<mlir::Value(mlir::Attribute space)> arena);

/// Gives one address to buffers of which only one exists in a run: those that
/// leave different branches of one op, the largest with the largest. Sets
/// planning::Buffer::aliasClass; `allocs` has the allocation of each buffer.
void shareAcrossBranches(planning::Problem &problem,
                         llvm::ArrayRef<mlir::memref::AllocOp> allocs,
                         const LiveRanges &ranges);

/// Frees `value`, which is there from the begin of the function, wherever the
/// function returns.
void freeAtEnd(mlir::func::FuncOp function, mlir::Value value);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_ALLOCATIONS_H
