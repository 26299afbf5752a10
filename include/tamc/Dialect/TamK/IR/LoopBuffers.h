//===- LoopBuffers.h - the buffers of row loops -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_IR_LOOPBUFFERS_H
#define TAMC_DIALECT_TAMK_IR_LOOPBUFFERS_H

#include "mlir/IR/BuiltinOps.h"

namespace tamc::tamk {

/// Checks that the buffers of row loops have rank 1 and contiguous numbers of
/// whole bytes. Emits an error at the first op that has another one. O(ops).
mlir::LogicalResult verifyLoopBuffers(mlir::ModuleOp loops);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_IR_LOOPBUFFERS_H
