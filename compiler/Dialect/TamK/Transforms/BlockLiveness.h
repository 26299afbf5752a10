//===- BlockLiveness.h - names of a buffer in blocks ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_BLOCKLIVENESS_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_BLOCKLIVENESS_H

#include "BufferAliases.h"

#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseSet.h"

namespace tamc::tamk {

/// A part of a block of a function in which a value is needed: from the op that
/// defines it to the last op that needs it. Ops in regions count as the op of
/// the block that has them.
struct NameSpan {
  mlir::Block *block = nullptr;
  /// Null for the begin of the block.
  mlir::Operation *from = nullptr;
  /// Null for the end of the block.
  mlir::Operation *to = nullptr;
};

/// Where the values that may name a buffer are needed in the blocks of a
/// function, as SSA values are: from a definition, along all paths, to the uses
/// that it reaches. A value that a branch passes on is needed until the branch
/// if what it becomes is needed; so is one of which a view is made. A
/// deallocation needs nothing. O(values * blocks + uses).
llvm::SmallVector<NameSpan> spansOfNames(mlir::Region &body, mlir::Value buffer,
                                         const BufferAliases &aliases);

/// The branches at the ends of blocks at which no value names the buffer any
/// more, where the blocks have `spans`.
llvm::SmallVector<mlir::Operation *>
endsWithoutNames(mlir::Region &body, llvm::ArrayRef<NameSpan> spans);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_BLOCKLIVENESS_H
