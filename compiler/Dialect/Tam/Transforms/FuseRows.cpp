//===- FuseRows.cpp - sums over rows in one loop ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleSums.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMFUSEROWS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

/// Puts a tam.rows before the step's terminator in the place of `sums`.
static void fuse(func::FuncOp step, ArrayRef<Operation *> sums) {
  // What the sums need, in the order of the step.
  SetVector<Operation *> needed(sums.begin(), sums.end());
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (Operation *source = operand.getDefiningOp())
        needed.insert(source);
  SmallVector<Operation *> ops;
  for (Operation &op : step.getBody().front())
    if (needed.contains(&op))
      ops.push_back(&op);

  SmallVector<Value> accumulators;
  for (Operation *sum : sums)
    accumulators.push_back(
        cast<RowReductionInterface>(sum).getAccumulatorMutable().get());
  SetVector<Value> inputs;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() &&
          !llvm::is_contained(accumulators, operand))
        inputs.insert(operand);

  Operation *terminator = step.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  SmallVector<Location> locs;
  for (Operation *sum : sums)
    locs.push_back(sum->getLoc());
  auto rows = RowsOp::create(builder, builder.getFusedLoc(locs),
                             TypeRange(ValueRange(accumulators)),
                             inputs.getArrayRef(), accumulators);
  Block &body = rows.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value value : rows.getOperands())
    mapping.map(value, body.addArgument(value.getType(), value.getLoc()));
  builder.setInsertionPointToStart(&body);
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (Operation *sum : sums)
    results.push_back(mapping.lookup(sum->getResult(0)));
  YieldOp::create(builder, rows.getLoc(), results);

  for (auto [sum, result] : llvm::zip(sums, rows.getResults()))
    sum->getResult(0).replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

namespace {

struct FuseRows : public tamc::tam::impl::TamFuseRowsBase<FuseRows> {
  void runOnOperation() override {
    for (auto step : getOperation().getOps<func::FuncOp>()) {
      auto kind = step->getAttrOfType<StepAttr>(kStepAttrName);
      if (!kind || kind.getKind() != StepKind::FitChunk)
        continue;
      SmallVector<Operation *> sums =
          findFusibleSums(step.getBody().front(), /*choosesPanels=*/false);
      if (!sums.empty())
        fuse(step, sums);
    }
  }
};

} // namespace
