//===- StepBuilder.h - a step made of another one ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_STEPBUILDER_H
#define TAMC_DIALECT_TAM_TRANSFORMS_STEPBUILDER_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallVector.h"

namespace tamc::tam {

/// A step under construction: a function of one block with ops and arguments
/// of another one, the source.
class StepBuilder {
public:
  /// Inserts an empty step with `where`, with the source's location.
  StepBuilder(mlir::OpBuilder &where, mlir::func::FuncOp source,
              llvm::StringRef name, StepKind kind);

  /// Adds an argument. The slot may be null.
  mlir::BlockArgument addArgument(mlir::Type type, mlir::Location loc,
                                  SlotAttr slot);
  /// Adds an argument that replaces `original`, a value of the source.
  void addArgument(mlir::Value original, SlotAttr slot);
  /// Adds an argument of the source, with its slot, if it is not there yet.
  void addArgument(mlir::BlockArgument original);

  /// Copies an op of the source, whose operands are there, to the end.
  mlir::Operation *clone(mlir::Operation &op);

  /// Uses `value` for `original`, a value of the source.
  void map(mlir::Value original, mlir::Value value) {
    mapping.map(original, value);
  }
  /// What is used for a value of the source, which must be there.
  mlir::Value lookup(mlir::Value original) const {
    return mapping.lookup(original);
  }

  /// Adds a result, a value of this step. The slot may be null.
  void addResult(mlir::Value value, SlotAttr slot);

  /// Completes the step: writes its return, its type and its slots, each list
  /// of them once, because the context keeps every list.
  void finish();

  /// Inserts at the end of the step.
  mlir::OpBuilder builder;
  mlir::func::FuncOp function;

private:
  mlir::func::FuncOp source;
  mlir::Block &body;
  mlir::IRMapping mapping;
  mlir::SmallVector<mlir::Value> results;
  mlir::SmallVector<SlotAttr> argumentSlots, resultSlots;
};

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_STEPBUILDER_H
