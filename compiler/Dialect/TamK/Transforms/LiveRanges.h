//===- LiveRanges.h - live ranges of buffers --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_LIVERANGES_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_LIVERANGES_H

#include "BufferAliases.h"

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace tamc::tamk {

/// Half-open range of the clock of a function.
struct LiveRange {
  int64_t first = 0, last = 0;
  /// Sorted, disjoint times within the range in which the buffer is not needed:
  /// those of the branches that exclude the one that allocates it, or of
  /// blocks.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 1> gaps;
};

/// Whether `op` ends its block. (A plug-in that another compiler built than
/// MLIR cannot ask for a trait: the two name it differently.)
bool isTerminator(mlir::Operation *op);

/// Whether `op` only names memory or ends a block, so that it uses no buffer:
/// constants, views, a choice between buffers, allocations, deallocations,
/// terminators.
bool isTimeless(mlir::Operation *op);

/// Whether an op runs its regions on the caller's thread, one after another.
bool isSequential(mlir::Operation *op);

/// Whether an op runs its regions at once, but all before it ends.
bool isParallel(mlir::Operation *op);

/// Whether an op runs its regions before it ends, in whatever way.
bool endsAfterRegions(mlir::Operation *op);

/// The op that waits in the same block for what an op starts; null if there is
/// none, or the op starts nothing.
mlir::Operation *findAwait(mlir::Operation *op);

/// Whether an op may free the memory that one of its operands names. What a
/// callee does is not looked at.
bool mayFree(mlir::OpOperand &use);

/// Why the use of memory by an op may lead to others that no name of the memory
/// shows, or has effects that are not known; empty if it does not. What a
/// callee does is not looked at.
std::string whyUnsafe(mlir::OpOperand &use);

/// The memory whose address an index is, for an address that is only compared;
/// null for any other value.
mlir::Value addressedBy(mlir::Value index);

/// The live ranges of the buffers of one function, in structured control flow
/// and in the blocks of the function.
///
/// The clock ticks at every op that may access memory, in program order. An op
/// with regions lasts from its begin to its end. A buffer that is used inside a
/// loop but allocated outside lives as long as the loop. A buffer may reach its
/// uses through views, choices, and the arguments and results of ops with
/// regions; then all buffers that a value may name are used. Construction is
/// linear in the number of ops.
class LiveRanges {
public:
  explicit LiveRanges(mlir::FunctionOpInterface function);

  /// The range in which the bytes of an allocation are needed, or the reason
  /// why no single address is safe for it, whatever its size. For an allocation
  /// in a parallel loop, that is an address for each iteration of the innermost
  /// such loop.
  mlir::FailureOr<LiveRange> compute(mlir::memref::AllocOp alloc,
                                     std::string &reason) const;

  /// The innermost block that has, also in the regions of its ops, the
  /// allocation and all uses of its memory, and the loops that carry it on; the
  /// block with the function if that is none of the function's.
  mlir::Block *scopeOf(mlir::memref::AllocOp alloc) const;

  /// Whether several blocks of the function use the memory, or pass it on.
  bool leavesBlock(mlir::memref::AllocOp alloc) const;

  /// The values that `value` may be a view of and that are no views themselves:
  /// allocations, arguments of the function, and others, in no particular
  /// order.
  llvm::SmallVector<mlir::Value> originsOf(mlir::Value value) const;

  /// The times of an op.
  LiveRange timeOf(mlir::Operation *op) const { return times.lookup(op); }

  /// Ticks of the whole function.
  int64_t length() const { return now; }

  /// The values that name memory of `alloc`, including its own result, in no
  /// particular order.
  llvm::SmallVector<mlir::Value> aliasesOf(mlir::memref::AllocOp alloc) const;

  /// The deallocations of the memory of `alloc`.
  llvm::SmallVector<mlir::memref::DeallocOp>
  deallocations(mlir::memref::AllocOp alloc) const;

  /// The ops that use the memory of `alloc`, in no particular order.
  llvm::SmallVector<mlir::Operation *>
  usersOf(mlir::memref::AllocOp alloc) const;

private:
  void tick(mlir::Operation *op);
  std::string whyTwice(mlir::memref::AllocOp alloc,
                       mlir::Operation *loop) const;
  std::string
  spanBlocks(mlir::memref::AllocOp alloc,
             llvm::ArrayRef<std::pair<mlir::Operation *, int64_t>> uses,
             LiveRange &range) const;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 1>
  exclusiveTimes(mlir::memref::AllocOp alloc, mlir::Block *scope) const;

  BufferAliases aliases;
  /// Whether a value may name the memory of others, as far as it was asked.
  mutable llvm::DenseMap<mlir::Value, bool> views;
  llvm::DenseMap<mlir::Operation *, LiveRange> times;
  int64_t now = 0;
};

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_LIVERANGES_H
