//===- RowsPattern.cpp - the launch of a row loop ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

namespace {

class RowsPattern : public OpConversionPattern<tam::RowsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tam::RowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getLoop())
      return op.emitOpError("expected a row loop (convert-tam-rows-to-loops)");
    Launch launch(rewriter, op, op.getLoop()->getLeafReference().getValue());
    launch.generated();
    for (auto [input, parts] : llvm::zip(op.getInputs(), adaptor.getInputs()))
      if (!input.getType().isIndex())
        launch.in(parts);
    launch.slot(SlotKind::Rows);
    if (op.getAccumulators().empty())
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
