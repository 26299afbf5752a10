//===- SumPatterns.cpp - the kernels of sums over rows ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "tamrt/abi.h"

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

namespace {

/// Emits an error for sums in panels: no kernel of the runtime adds to them.
LogicalResult checkHasKernel(Operation *op, tam::SumsAttr sums) {
  if (!sums.isPanels())
    return success();
  return op->emitOpError("expected sums in panels only in a tam.rows");
}

class GramPattern : public KernelPattern<tam::GramOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::GramOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    Value first = op.getA(), second = op.getB();
    ValueRange firstParts = adaptor.getA(), secondParts = adaptor.getB();
    auto sums = cast<tam::SumsAttr>(tensorType(op.getResult()).getEncoding());
    if (failed(checkHasKernel(op, sums)))
      return failure();
    if (sums.isTransposed()) {
      std::swap(first, second);
      std::swap(firstParts, secondParts);
    }
    tam::EncodingInterface a = tam::getEncoding(first.getType());
    tam::EncodingInterface b = tam::getEncoding(second.getType());
    bool isSelf = sums.isSelf();
    bool areFrequencies = sums.getLayout() == tam::SumsLayout::Frequencies;
    bool areDense = isa<tam::DenseAttr>(a) && isa<tam::DenseAttr>(b);
    bool isWide = areDense && !areFrequencies &&
                  TAMRT_IS_WIDE(tensorType(first).getDimSize(1),
                                tensorType(second).getDimSize(1));
    std::string kernel = areFrequencies     ? "gram_fourier"
                         : isWide && isSelf ? "gram_wide"
                         : isWide           ? "gram_dense_wide"
                         : isSelf           ? ("gram_" + a.getKernelTag()).str()
                                            : tam::getGramKernel(a, b);
    if (!getTarget().hasKernel(kernel))
      return op.emitOpError("expected matrices that a kernel takes in this "
                            "order, got ")
             << first.getType() << " and " << second.getType();
    Launch launch(rewriter, op, kernel);
    launch.in(firstParts);
    if (!isSelf)
      launch.in(secondParts);
    launch.inOptional(adaptor.getWeights())
        .slot(SlotKind::Rows)
        .sizes(a, tensorType(first));
    if (!isSelf)
      launch.sizes(b, tensorType(second));
    launch.out(adaptor.getAccumulator());
    launch.workspace(getTarget(), tensorType(first).getDimSize(1));
    auto results = launch.create();
    if (failed(results))
      return failure();
    return SmallVector<Value>{results->front()};
  }
};

class GramPairsPattern : public KernelPattern<tam::GramPairsOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::GramPairsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    if (!getTarget().hasKernel("gram_pairs"))
      return op.emitOpError("expected a target with a kernel for it");
    SmallVector<int64_t> sizes;
    SmallVector<Value> parts;
    for (auto [design, components] :
         llvm::zip(op.getDesigns(), adaptor.getDesigns())) {
      sizes.append({tam::getNumbersPerRow(design), tam::columnsOf(design)});
      llvm::append_range(parts, components);
    }
    return Launch(rewriter, op, "gram_pairs")
        .in(constantTensor<int64_t>(rewriter, op.getLoc(), sizes))
        .in(constantPairs(rewriter, op.getLoc(), op.getPairList()))
        .inOptional(adaptor.getWeights())
        .in(parts)
        .slot(SlotKind::Rows)
        .scalar(static_cast<int64_t>(op.getFirst().size()))
        .out(adaptor.getAccumulator())
        .create();
  }
};

class RhsPattern : public KernelPattern<tam::RhsOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::RhsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    tam::EncodingInterface encoding = tam::getEncoding(op.getA().getType());
    auto sums = cast<tam::SumsAttr>(tensorType(op.getResult()).getEncoding());
    if (failed(checkHasKernel(op, sums)))
      return failure();
    return Launch(rewriter, op, "rhs_" + encoding.getKernelTag())
        .in(adaptor.getA())
        .in(adaptor.getY())
        .inOptional(adaptor.getWeights())
        .slot(SlotKind::Rows)
        .sizes(encoding, tensorType(op.getA()))
        .out(adaptor.getAccumulator())
        .create();
  }
};

class SquaresPattern : public KernelPattern<tam::SquaresOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::SquaresOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    tam::EncodingInterface encoding = tam::getEncoding(op.getA().getType());
    return Launch(rewriter, op, "squares_" + encoding.getKernelTag())
        .in(adaptor.getA())
        .inOptional(adaptor.getWeights())
        .slot(SlotKind::Rows)
        .sizes(encoding, tensorType(op.getA()))
        .out(adaptor.getAccumulator())
        .create();
  }
};

} // namespace

void tamc::populateSumPatterns(const ComponentTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<GramPattern, GramPairsPattern, RhsPattern, SquaresPattern>(
      converter, patterns.getContext());
}
