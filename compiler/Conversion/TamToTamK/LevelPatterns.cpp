//===- LevelPatterns.cpp - kernels of level compression ---------*- C++ -*-===//
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

class RegridPattern : public KernelPattern<tam::RegridOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::RegridOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "regrid")
        .in(adaptor.getX())
        .in(adaptor.getParameters())
        .rowsOf(op.getResult())
        .scalar(static_cast<int64_t>(op.getLevels()))
        .scalarF64(op.getStep().convertToDouble())
        .out(tensorType(op.getResult()))
        .create();
  }
};

class GridPointsPattern : public KernelPattern<tam::GridPointsOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::GridPointsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getResult());
    return Launch(rewriter, op, "grid_points")
        .in(adaptor.getParameters())
        .scalar(type.getDimSize(0))
        .scalarF64(op.getStep().convertToDouble())
        .out(type)
        .create();
  }
};

class ExpandLevelsPattern : public KernelPattern<tam::ExpandLevelsOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::ExpandLevelsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    RankedTensorType from = tensorType(op.getSums());
    RankedTensorType to = componentType(op.getResult(), 0);
    if (op.getRows() && op.getColumns())
      return Launch(rewriter, op, "expand_counts")
          .in(adaptor.getSums())
          .in(adaptor.getRows())
          .in(adaptor.getColumns())
          .scalars64({from.getDimSize(0),
                      tensorType(op.getRows()).getDimSize(1),
                      tensorType(op.getColumns()).getDimSize(1)})
          .out(to)
          .create();
    // `outer` is the size of the indices slower than the levels, which may also
    // have faster ones.
    auto sums = cast<tam::SumsAttr>(from.getEncoding());
    Value basis = op.getRows() ? op.getRows() : op.getColumns();
    int64_t levels = tensorType(basis).getDimSize(0), outer = 1;
    if (sums.isPanels())
      outer = sums.getPanels(from);
    else if (sums.isTransposed() == bool(op.getRows()) && from.getRank() == 2)
      outer = from.getDimSize(op.getRows() ? 1 : 0);
    return Launch(rewriter, op, "expand_levels")
        .in(adaptor.getSums())
        .in(op.getRows() ? adaptor.getRows() : adaptor.getColumns())
        .scalars64({outer, levels, sums.getCount(from) / (outer * levels),
                    tensorType(basis).getDimSize(1)})
        .out(to)
        .create();
  }
};

} // namespace

void tamc::populateLevelPatterns(const ComponentTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<RegridPattern, GridPointsPattern, ExpandLevelsPattern>(
      converter, patterns.getContext());
}
