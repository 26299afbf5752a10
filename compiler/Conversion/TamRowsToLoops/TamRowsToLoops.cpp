//===- TamRowsToLoops.cpp - functions for loops over rows -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"

#include "tamc/Conversion/Passes.h"
#include "tamc/Dialect/TamK/IR/LoopBuffers.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tamc {
#define GEN_PASS_DEF_CONVERTTAMROWSTOLOOPS
#define GEN_PASS_DEF_VERIFYROWLOOPS
#include "tamc/Conversion/Passes.h.inc"
} // namespace tamc

using namespace mlir;
using namespace tamc;

/// The accumulators' places in the state, in numbers; empty if one of them is
/// not in the state.
static SmallVector<int64_t> offsetsOf(tam::RowsOp op) {
  SmallVector<int64_t> offsets;
  for (Value accumulator : op.getAccumulators()) {
    auto argument = dyn_cast<BlockArgument>(accumulator);
    auto step =
        argument
            ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
            : FunctionOpInterface();
    tam::SlotAttr slot =
        step ? tam::getArgumentSlot(step, argument.getArgNumber())
             : tam::SlotAttr();
    auto size = static_cast<int64_t>(sizeof(double));
    if (!slot || slot.getKind() != tam::SlotKind::State ||
        slot.getOffset() % size != 0)
      return {};
    offsets.push_back(slot.getOffset() / size);
  }
  return offsets;
}

/// Whether a loop is that of the right-hand side and the blocks of conjugate
/// gradients: it runs once, before iterations that have none.
static bool isSetup(tam::RowsOp op) {
  auto step = op->getParentOfType<FunctionOpInterface>();
  auto kind = step ? step->getAttrOfType<tam::StepAttr>(tam::kStepAttrName)
                   : tam::StepAttr();
  return kind && kind.getKind() == tam::StepKind::CgChunk;
}

/// Makes the module of the loops; emits an error if its name is taken.
static FailureOr<ModuleOp> createRowLoops(ModuleOp module) {
  if (Operation *other = module.lookupSymbol(tamk::kRowLoopsName))
    return other->emitOpError("expected no symbol '")
           << tamk::kRowLoopsName << "'";
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  return ModuleOp::create(builder, module.getLoc(), tamk::kRowLoopsName);
}

namespace {

struct ConvertTamRowsToLoops
    : public tamc::impl::ConvertTamRowsToLoopsBase<ConvertTamRowsToLoops> {
  void runOnOperation() override {
    SmallVector<tam::RowsOp> ops;
    for (auto step : getOperation().getOps<func::FuncOp>())
      if (!step.isExternal())
        llvm::append_range(ops, step.getOps<tam::RowsOp>());
    if (ops.empty())
      return;
    FailureOr<ModuleOp> loops = createRowLoops(getOperation());
    if (failed(loops))
      return signalPassFailure();
    int64_t sums = 0, predictions = 0;
    for (tam::RowsOp op : ops) {
      const bool predicts = op.getPrediction() != nullptr;
      std::string name = predicts
                             ? "predict_rows_" + std::to_string(predictions++)
                             : "rows_" + std::to_string(sums++);
      OpBuilder builder = OpBuilder::atBlockEnd(loops->getBody());
      func::FuncOp loop = predicts
                              ? writePredictLoop(builder, op, name)
                              : writeRowLoop(builder, op, name, offsetsOf(op));
      loop->setAttr(tamk::kKernelAttrName, builder.getUnitAttr());
      if (isSetup(op))
        loop->setAttr(tamk::kBaselineAttrName, builder.getUnitAttr());
      op.setLoopAttr(tamk::rowLoopSymbol(loop.getSymNameAttr()));
    }
  }
};

/// Whether a row loop may have an op.
bool isLoopCode(Operation *op) {
  if (auto launch = dyn_cast<tamk::LaunchOp>(op))
    return !launch.getGenerated();
  return isa<ModuleOp, func::FuncOp, func::CallOp, func::ReturnOp,
             memref::AllocaOp, memref::CastOp, memref::GetGlobalOp,
             memref::GlobalOp, memref::LoadOp, memref::PrefetchOp,
             memref::ReinterpretCastOp, memref::StoreOp, memref::SubViewOp,
             memref::ViewOp, tamk::LaunderOp>(op) ||
         isa_and_present<arith::ArithDialect, math::MathDialect,
                         scf::SCFDialect, vector::VectorDialect>(
             op->getDialect());
}

struct VerifyRowLoops : public tamc::impl::VerifyRowLoopsBase<VerifyRowLoops> {
  void runOnOperation() override {
    // Nothing changes, so nothing need be verified again.
    markAllAnalysesPreserved();
    WalkResult result = getOperation().walk([](tam::RowsOp op) -> WalkResult {
      if (op.getLoop())
        return WalkResult::advance();
      return op.emitOpError("expected a row loop");
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    ModuleOp loops = tamk::findRowLoops(getOperation());
    if (!loops)
      return;
    result = loops.walk([](Operation *op) -> WalkResult {
      if (isLoopCode(op))
        return WalkResult::advance();
      return op->emitOpError("expected only code of row loops");
    });
    if (result.wasInterrupted() || failed(tamk::verifyLoopBuffers(loops)))
      signalPassFailure();
  }
};

} // namespace
