//===- RowsPattern.cpp - the launch of a row kernel -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "PredictKernel.h"
#include "RowKernel.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

namespace {

/// Where in the state an accumulator of a step lies, negative if it does not
/// come from there.
int64_t stateOffset(Value accumulator) {
  while (auto cast = accumulator.getDefiningOp<UnrealizedConversionCastOp>())
    accumulator = cast.getInputs().front();
  auto tensor = accumulator.getDefiningOp<bufferization::ToTensorOp>();
  auto argument =
      tensor ? dyn_cast<BlockArgument>(tensor.getBuffer()) : BlockArgument();
  auto step =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  tam::SlotAttr slot = step
                           ? tam::getArgumentSlot(step, argument.getArgNumber())
                           : tam::SlotAttr();
  return slot && slot.getKind() == tam::SlotKind::State ? slot.getOffset() : -1;
}

/// The accumulators' offsets from the first, empty if one is not known.
SmallVector<int64_t> offsetsOf(ValueRange accumulators) {
  SmallVector<int64_t> offsets;
  for (Value accumulator : accumulators) {
    int64_t offset = stateOffset(accumulator);
    if (offset < 0)
      return {};
    offsets.push_back(offset);
  }
  for (int64_t &offset : llvm::drop_begin(offsets))
    offset -= offsets.front();
  if (!offsets.empty())
    offsets.front() = 0;
  return offsets;
}

/// Whether a loop is that of the right-hand side and the blocks of conjugate
/// gradients: it runs once, before iterations that have none.
bool isSetup(tam::RowsOp op) {
  auto step = op->getParentOfType<FunctionOpInterface>();
  auto kind = step ? step->getAttrOfType<tam::StepAttr>(tam::kStepAttrName)
                   : tam::StepAttr();
  return kind && kind.getKind() == tam::StepKind::CgChunk;
}

class RowsPattern : public OpConversionPattern<tam::RowsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tam::RowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool predicts = op.getAccumulators().empty();
    auto module = op->getParentOfType<ModuleOp>();
    std::string name;
    for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
      name = (predicts ? "predict_rows_" : "rows_") + std::to_string(i);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      LLVM::LLVMFuncOp kernel =
          predicts ? writePredictKernel(rewriter, op, name)
                   : writeRowKernel(rewriter, op, name,
                                    offsetsOf(op.getAccumulators()));
      kernel->setAttr(tamk::kKernelAttrName, rewriter.getUnitAttr());
      if (isSetup(op))
        kernel->setAttr(tamk::kBaselineAttrName, rewriter.getUnitAttr());
    }
    Launch launch(rewriter, op, name);
    launch.generated();
    for (auto [input, parts] : llvm::zip(op.getInputs(), adaptor.getInputs()))
      if (!input.getType().isIndex())
        launch.in(parts);
    launch.slot(SlotKind::Rows);
    if (predicts)
      launch.out(tensorType(op.getResult(0)));
    for (ValueRange parts : adaptor.getAccumulators())
      launch.out(parts);
    auto results = launch.create();
    if (failed(results))
      return failure();
    SmallVector<SmallVector<Value>> values;
    for (Value result : *results)
      values.push_back({result});
    rewriter.replaceOpWithMultiple(op, std::move(values));
    return success();
  }
};

} // namespace

void tamc::populateRowsPatterns(const ComponentTypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<RowsPattern>(converter, patterns.getContext());
}
