//===- LiveRanges.h - live ranges of buffers --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_LIVERANGES_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_LIVERANGES_H

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace tamc::tamk {

/// Half-open range of the clock of a function.
struct LiveRange {
  int64_t first = 0, last = 0;
};

/// Whether `op` only names memory or ends a block, so that it uses no buffer:
/// constants, views, allocations, deallocations, terminators.
bool isTimeless(mlir::Operation *op);

/// The live ranges of the buffers of one function of structured control flow.
///
/// The clock ticks at every op that may access memory, in program order. An op
/// with regions lasts from its begin to its end. A buffer that is used inside a
/// loop but allocated outside lives as long as the loop. Construction is linear
/// in the number of ops.
class LiveRanges {
public:
  explicit LiveRanges(mlir::FunctionOpInterface function);

  /// The range in which the bytes of an allocation are needed, or the reason
  /// why no single address is safe for it, whatever its size.
  mlir::FailureOr<LiveRange> compute(mlir::memref::AllocOp alloc,
                                     std::string &reason) const;

  /// Ticks of the whole function.
  int64_t length() const { return now; }

  /// The values that name memory of `alloc`, including its own result, in no
  /// particular order.
  llvm::SmallVector<mlir::Value> aliasesOf(mlir::memref::AllocOp alloc) const;

  /// The deallocations of the memory of `alloc`.
  llvm::SmallVector<mlir::memref::DeallocOp>
  deallocations(mlir::memref::AllocOp alloc) const;

private:
  void tick(mlir::Operation *op);

  mlir::BufferViewFlowAnalysis aliases;
  llvm::DenseMap<mlir::Operation *, LiveRange> times;
  int64_t now = 0;
};

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_LIVERANGES_H
