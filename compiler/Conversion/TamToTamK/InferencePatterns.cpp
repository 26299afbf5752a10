//===- InferencePatterns.cpp - inverses and variances -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Columns.h"
#include "PenaltyEntries.h"

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

namespace {

/// The ends of runs of the given lengths, one after another.
SmallVector<int64_t> endsOf(ArrayRef<int64_t> lengths) {
  SmallVector<int64_t> ends;
  int64_t end = 0;
  for (int64_t length : lengths)
    ends.push_back(end += length);
  return ends;
}

Value constantEnds(ConversionPatternRewriter &rewriter, Location loc,
                   ArrayRef<int64_t> lengths) {
  return constantTensor<int64_t>(rewriter, loc, endsOf(lengths));
}

class InversePattern : public KernelPattern<tam::InverseOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::InverseOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    int64_t columns = tensorType(op.getMatrix()).getDimSize(0);
    auto results = Launch(rewriter, op, "cholesky_inverse")
                       .scalar(columns)
                       .out(adaptor.getMatrix())
                       .out(tensorType(op.getTriangle()))
                       .out(tensorType(op.getNumbers()))
                       .workspace(getTarget(), columns)
                       .create();
    if (failed(results))
      return failure();
    return SmallVector<Value>{(*results)[1], (*results)[2]};
  }
};

class ColumnMeansPattern : public KernelPattern<tam::ColumnMeansOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::ColumnMeansOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "column_means")
        .in(adaptor.getMatrix())
        .slot(SlotKind::Rows)
        .scalar(tensorType(op.getResult()).getDimSize(0))
        .out(tensorType(op.getResult()))
        .create();
  }
};

class EffectiveDfPattern : public KernelPattern<tam::EffectiveDfOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::EffectiveDfOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    auto sources = sourcesOf(op, op.getPenalties());
    if (failed(sources))
      return failure();
    const AllPenalties all(*sources);
    const auto effects = static_cast<int64_t>(op.getColumns().size());
    Value ends = constantEnds(rewriter, op.getLoc(), op.getColumns());
    auto edf = Launch(rewriter, op, "effective_df")
                   .in(ends)
                   .in(adaptor.getInverse())
                   .slot(SlotKind::Rows)
                   .scalar(effects)
                   .out(tensorType(op.getResult()))
                   .create();
    // Less the traces of the penalties.
    auto subtract = [&](const PenaltyEntries &some, ValueRange weights) {
      if (failed(edf))
        return failure();
      Launch launch(rewriter, op, "penalty_trace");
      launch.in(ends);
      if (failed(some.addTo(launch, rewriter, op)))
        return failure();
      if (weights.empty())
        launch.inOptional({});
      edf = launch.inOptional(weights)
                .in(adaptor.getInverse())
                .slot(SlotKind::Rows)
                .scalars64({effects, some.size()})
                .out(*edf)
                .create();
      return success();
    };
    if (failed(all.forEach(subtract)))
      return failure();
    return edf;
  }
};

class QuadraticFormsPattern : public KernelPattern<tam::QuadraticFormsOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::QuadraticFormsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> lengths;
    for (Value design : op.getDesigns())
      lengths.push_back(tam::getNumbersPerRow(design));
    // The rows of all effects as one sparse matrix.
    const int64_t width = llvm::sum_of(lengths);
    auto row = writeColumns(rewriter, op, op.getDesigns(), adaptor.getDesigns(),
                            tam::SparseAttr::get(op.getContext(), width));
    if (failed(row))
      return failure();
    return Launch(rewriter, op, "quadratic_forms")
        .in(*row)
        .in(constantEnds(rewriter, op.getLoc(), lengths))
        .in(adaptor.getTriangle())
        .slot(SlotKind::Rows)
        .scalars64({width, static_cast<int64_t>(lengths.size())})
        .out(tensorType(op.getResult()))
        .create();
  }
};

} // namespace

void tamc::populateInferencePatterns(const ComponentTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<InversePattern, ColumnMeansPattern, EffectiveDfPattern,
               QuadraticFormsPattern>(converter, patterns.getContext());
}
