//===- FuseRows.cpp - sums over rows in one loop ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// Most numbers per row of a band: all products of two bands are written out.
static constexpr int64_t kWidestBand = 8;

/// Whether the row kernel has code for a map or the preparation of its input.
/// What it reads must be there before the loop, or be such an op itself.
static bool isFusibleMap(Operation *op) {
  if (isa<NormalizeOp>(op))
    return true;
  if (!isa<OffsetOp, LinearOp, BSplineOp, CategoryOp>(op))
    return false;
  if (auto spline = dyn_cast<BSplineOp>(op);
      spline && static_cast<int64_t>(spline.getDegree()) >= kWidestBand)
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return type.getEncoding() ==
         cast<FeatureMapInterface>(op).getStructuredEncoding();
}

namespace {

/// The ops of one step that are to be fused.
class Group {
public:
  explicit Group(func::FuncOp step) {
    for (Operation &op : step.getBody().front().without_terminator()) {
      if (isFusibleMap(&op) && areKnown(op.getOperands()))
        known.insert(&op);
      else if (isa<GramOp, RhsOp>(op) && isFusibleSum(&op))
        sums.push_back(&op);
    }
  }

  /// Puts a tam.rows before the step's terminator in the place of the sums.
  void fuse(func::FuncOp step) const;

  ArrayRef<Operation *> getSums() const { return sums; }

private:
  /// Whether each value is an argument of the step or made by a known map.
  bool areKnown(ValueRange values) const {
    return llvm::all_of(values, [&](Value value) {
      Operation *op = value.getDefiningOp();
      return !op || known.contains(op);
    });
  }

  /// Of a sum, the design matrices must be known, and the rest arguments.
  bool isFusibleSum(Operation *op) const {
    unsigned designs = isa<GramOp>(op) ? 2 : 1;
    for (auto [index, value] : llvm::enumerate(op->getOperands())) {
      bool isDesign = index < designs;
      Operation *source = value.getDefiningOp();
      if (isDesign ? !source || !known.contains(source) : source != nullptr)
        return false;
    }
    return isa_and_present<SumsAttr>(getEncoding(op->getResult(0).getType()));
  }

  DenseSet<Operation *> known;
  SmallVector<Operation *> sums;
};

struct FuseRows : public tamc::tam::impl::TamFuseRowsBase<FuseRows> {
  void runOnOperation() override {
    for (auto step : getOperation().getOps<func::FuncOp>()) {
      auto kind = step->getAttrOfType<StepAttr>(kStepAttrName);
      if (!kind || kind.getKind() != StepKind::FitChunk)
        continue;
      Group group(step);
      // One sum alone is what its kernel is for.
      if (group.getSums().size() > 1)
        group.fuse(step);
    }
  }
};

} // namespace

void Group::fuse(func::FuncOp step) const {
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
