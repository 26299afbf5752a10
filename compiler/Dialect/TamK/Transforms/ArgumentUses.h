//===- ArgumentUses.h - what functions do with arguments --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_ARGUMENTUSES_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_ARGUMENTUSES_H

#include "Calls.h"
#include "LiveRanges.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace tamc::tamk {

/// What the functions of a module may do with their arguments, other than use
/// them until they return.
class ArgumentUses {
public:
  /// `calls` are those of `module`, and are kept.
  ArgumentUses(mlir::ModuleOp module, const Calls &calls);

  /// Why a callee that gets the memory of `alloc` makes planning unsafe; empty
  /// if none does.
  std::string whyUnsafe(mlir::memref::AllocOp alloc,
                        const LiveRanges &ranges) const;

private:
  bool isPassed(mlir::OpOperand &use,
                const llvm::DenseSet<mlir::Value> &arguments) const;
  bool isFreedBy(mlir::OpOperand &use) const;
  bool isKeptBy(mlir::OpOperand &use) const;

  const Calls &calls;
  /// Those that may be freed, and those that may be used after the return.
  llvm::DenseSet<mlir::Value> freed, kept;
};

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_ARGUMENTUSES_H
