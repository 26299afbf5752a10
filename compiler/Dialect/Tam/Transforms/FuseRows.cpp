//===- FuseRows.cpp - sums and predictions in one loop ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleEffects.h"
#include "FusibleSums.h"
#include "LoopLimit.h"

#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Target/TargetAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMFUSEROWS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc;
using namespace tamc::tam;

/// Replaces `roots`, ops of one result that are sums over rows or predictions,
/// by a tam.rows before `place`.
static void fuse(func::FuncOp step, ArrayRef<Operation *> roots,
                 Operation *place) {
  SmallVector<Value> accumulators;
  for (Operation *root : roots) {
    if (auto sum = dyn_cast<RowReductionInterface>(root))
      accumulators.push_back(sum.getAccumulatorMutable().get());
    else if (Value start = cast<PredictOp>(root).getStart())
      accumulators.push_back(start);
  }
  // The ops that the roots need, in the order of the step.
  SetVector<Operation *> needed(roots.begin(), roots.end());
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && !llvm::is_contained(accumulators, operand))
        needed.insert(source);
  SmallVector<Operation *> ops;
  for (Operation &op : step.getBody().front())
    if (needed.contains(&op))
      ops.push_back(&op);

  SetVector<Value> inputs;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() &&
          !llvm::is_contained(accumulators, operand))
        inputs.insert(operand);

  OpBuilder builder(place);
  SmallVector<Location> locs;
  SmallVector<Type> types;
  for (Operation *root : roots) {
    locs.push_back(root->getLoc());
    types.push_back(root->getResult(0).getType());
  }
  auto rows = RowsOp::create(builder, builder.getFusedLoc(locs), types,
                             inputs.getArrayRef(), accumulators);
  Block &body = rows.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value value : rows.getOperands())
    mapping.map(value, body.addArgument(value.getType(), value.getLoc()));
  builder.setInsertionPointToStart(&body);
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (Operation *root : roots)
    results.push_back(mapping.lookup(root->getResult(0)));
  YieldOp::create(builder, rows.getLoc(), results);

  for (auto [root, result] : llvm::zip(roots, rows.getResults()))
    root->getResult(0).replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

/// Moves the effects of `predict` that row loops can compute into tam.rows,
/// each with at most so many, one after another. The other effects, if there
/// are any, are added to the last one's result.
static void fusePrediction(func::FuncOp step, PredictOp predict,
                           const RowLoopLimits &limits, size_t mostEffects) {
  SmallVector<unsigned> effects = findFusibleEffects(predict, limits);
  if (effects.empty() || predict.getStart())
    return;
  SmallVector<Value> designs[2], coefficients[2];
  for (auto [index, design, vector] :
       llvm::enumerate(predict.getDesigns(), predict.getCoefficients())) {
    bool isOther = !llvm::is_contained(effects, index);
    designs[isOther].push_back(design);
    coefficients[isOther].push_back(vector);
  }
  OpBuilder builder(predict);
  Value result;
  auto add = [&](ValueRange matrices, ValueRange vectors) {
    auto next = PredictOp::create(builder, predict.getLoc(), predict.getType(),
                                  matrices, vectors, result);
    result = next;
    return next;
  };
  SmallVector<PredictOp> fused;
  for (size_t first = 0; first < designs[0].size(); first += mostEffects) {
    const size_t count = std::min(mostEffects, designs[0].size() - first);
    fused.push_back(add(ArrayRef(designs[0]).slice(first, count),
                        ArrayRef(coefficients[0]).slice(first, count)));
  }
  if (!designs[1].empty())
    add(designs[1], coefficients[1]);
  predict.replaceAllUsesWith(result);
  predict.erase();
  for (PredictOp part : fused)
    fuse(step, {part}, part);
}

namespace {

struct FuseRows : public tamc::tam::impl::TamFuseRowsBase<FuseRows> {
  using TamFuseRowsBase::TamFuseRowsBase;

  void runOnOperation() override {
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    const std::optional<RowLoopLimits> limits = target->getRowLoopLimits();
    if (!limits)
      return;
    FailureOr<int64_t> most = getLoopLimit(getOperation(), mostEffects,
                                           limits->predictedEffects, "effects");
    if (failed(most))
      return signalPassFailure();
    for (auto step : getOperation().getOps<func::FuncOp>()) {
      if (step.isExternal())
        continue;
      auto kind = step->getAttrOfType<StepAttr>(kStepAttrName);
      Block &block = step.getBody().front();
      if (kind && (kind.getKind() == StepKind::FitChunk ||
                   kind.getKind() == StepKind::CgChunk)) {
        SmallVector<Operation *> sums =
            findFusibleSums(block, /*target=*/nullptr);
        for (Operation *sum : sums)
          if (!llvm::all_of(sum->getUsers(), llvm::IsaPred<func::ReturnOp>)) {
            sum->emitOpError("expected a sum that the step only returns");
            return signalPassFailure();
          }
        if (!sums.empty())
          fuse(step, sums, block.getTerminator());
      } else if (kind && kind.getKind() == StepKind::Predict) {
        for (auto predict : llvm::to_vector(block.getOps<PredictOp>()))
          fusePrediction(step, predict, *limits, static_cast<size_t>(*most));
      }
    }
  }
};

} // namespace
