//===- Verify.cpp - verifiers of phases -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Target/TargetAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMVERIFYCHOICES
#define GEN_PASS_DEF_TAMVERIFYTILED
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

/// The operands and results of `op` that are design matrices or sums.
static SmallVector<Value> encodedValues(Operation *op) {
  SmallVector<Value> values;
  auto add = [&](ValueRange some) { llvm::append_range(values, some); };
  if (isa<FeatureMapInterface, RowReductionInterface, ZerosOp>(op))
    add(op->getResult(0));
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](GramOp gram) {
        add({gram.getA(), gram.getB()});
      })
      .Case([&](GramPairsOp sum) { add(sum.getDesigns()); })
      .Case<RhsOp, SquaresOp>([&](auto sum) { add(sum.getA()); })
      .Case([&](BlendOp blend) {
        add({blend.getBorder(), blend.getInside()});
      })
      .Case<KroneckerOp, ColumnsOp, ConvertOp, ExpandLevelsOp, MarginalOp>(
          [&](Operation *any) {
            add(any->getOperands());
            add(any->getResults());
          })
      .Case([&](NormalMatrixOp matrix) {
        add(matrix.getBlocks());
        if (matrix.getPairs())
          add(matrix.getPairs());
      })
      .Case([&](NormalVectorOp vector) { add(vector.getBlocks()); })
      .Case([&](NormalProductOp product) { add(product.getSums()); })
      .Case([&](DiagonalFactorOp factor) {
        if (factor.getSums())
          add(factor.getSums());
      })
      .Case<PredictOp, DecomposeOp, DesignOp, QuadraticFormsOp>(
          [&](auto apply) { add(apply.getDesigns()); });
  return values;
}

/// Checks a function of the solver graph.
static LogicalResult verifyFunction(func::FuncOp function) {
  if (function.isExternal())
    return success();
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected one block in the solver graph");
  for (Type type : function.getArgumentTypes())
    if (!isa<IndexType, RankedTensorType>(type))
      return function.emitOpError("expected index or a tensor as argument in "
                                  "the solver graph, got ")
             << type;
  for (Type type : function.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return function.emitOpError("expected a tensor as result in the solver "
                                  "graph, got ")
             << type;
  return success();
}

LogicalResult tamc::tam::verifyChoices(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return verifyFunction(function);
  if (auto solve = dyn_cast<SolveOp>(op);
      solve && solve.getSolver() == Solver::Auto)
    return op->emitOpError("expected a chosen solver");
  if (isa<NormalEquationsOp>(op))
    return op->emitOpError("expected sums over rows instead");
  for (Value value : encodedValues(op))
    if (!getEncoding(value.getType()))
      return op->emitOpError("expected an encoding, got ") << value.getType();
  return success();
}

namespace {

struct VerifyChoices
    : public tamc::tam::impl::TamVerifyChoicesBase<VerifyChoices> {
  void runOnOperation() override {
    // Nothing changes, so nothing need be verified again.
    markAllAnalysesPreserved();
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (!isa<ModuleOp, func::FuncOp, func::ReturnOp>(op) &&
          !isa_and_present<TamDialect>(op->getDialect())) {
        op->emitOpError("expected only tam ops in the solver graph");
        return WalkResult::interrupt();
      }
      return succeeded(verifyChoices(op)) ? WalkResult::advance()
                                          : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

/// Emits a remark for a matrix that is converted to sparse although it has a
/// better encoding, with the first matrix that it has sums with in this form. A
/// tam.rows converts nothing to sparse, even if its body has conversions.
void remarkOnSparse(ConvertOp convert) {
  if (!isa<SparseAttr>(getEncoding(convert.getType())))
    return;
  Value copy = convert.getResult(), other;
  for (OpOperand &use : copy.getUses()) {
    if (auto gram = dyn_cast<GramOp>(use.getOwner()))
      other = gram.getA() == copy ? gram.getB() : gram.getA();
    else if (auto pairs = dyn_cast<GramPairsOp>(use.getOwner()))
      other = pairs.getPartner(use.getOperandNumber());
    if (other)
      break;
  }
  if (!other)
    return;
  InFlightDiagnostic remark = mlir::emitRemark(
      convert.getLoc(),
      "the fit sums products of this term and another one by a kernel for any "
      "two terms, which is slower; its results are the same");
  remark.attachNote(getUnconverted(other).getLoc()) << "the other term is here";
}

struct VerifyTiled : public tamc::tam::impl::TamVerifyTiledBase<VerifyTiled> {
  void runOnOperation() override {
    // Nothing changes, so nothing need be verified again.
    markAllAnalysesPreserved();
    const tamc::Target *target = getAnalysis<tamc::TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->getAttrOfType<StepAttr>(kStepAttrName)) {
        function.emitOpError("expected a 'tam.step'");
        return signalPassFailure();
      }
      if (function.isExternal()) {
        function.emitOpError("expected a body");
        return signalPassFailure();
      }
      // Where all sums are kernels there is nothing to say.
      if (target->getRowLoopLimits())
        for (auto convert : function.getOps<ConvertOp>())
          remarkOnSparse(convert);
      if (failed(verifySlots(function)))
        return signalPassFailure();
    }
  }
};

} // namespace
