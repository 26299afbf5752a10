//===- RowsPattern.cpp - the launch of a row kernel -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "RowKernel.h"

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

namespace {

class RowsPattern : public OpConversionPattern<tam::RowsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tam::RowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(checkRowKernel(op)))
      return failure();
    auto module = op->getParentOfType<ModuleOp>();
    std::string name;
    for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
      name = "rows_" + std::to_string(i);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      writeRowKernel(rewriter, op, name)
          ->setAttr(tamk::kKernelAttrName, rewriter.getUnitAttr());
    }
    Launch launch(rewriter, op, name);
    launch.generated();
    for (auto [input, parts] : llvm::zip(op.getInputs(), adaptor.getInputs()))
      if (!input.getType().isIndex())
        launch.in(parts);
    launch.slot(SlotKind::Rows).slot(SlotKind::First);
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
