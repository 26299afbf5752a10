//===- PointPatterns.cpp - maps of several variables ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Columns.h"

#include <cmath>

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

/// The sparse components of an encoded matrix: its own, or those of a
/// conversion.
static FailureOr<SmallVector<Value>>
sparsify(ConversionPatternRewriter &rewriter, Operation *source, Value design,
         ValueRange components) {
  RankedTensorType type = tensorType(design);
  if (isa<tam::SparseAttr>(tam::getEncoding(type)))
    return SmallVector<Value>(components);
  int64_t width = tam::getNumbersPerRow(design);
  auto sparse = tam::SparseAttr::get(rewriter.getContext(), width);
  Launch launch = sparsify(rewriter, source, design, components,
                           {/*first=*/0, width, /*at=*/0});
  for (RankedTensorType part :
       sparse.getComponentTypes(type.cloneWithEncoding(sparse)))
    launch.out(part);
  return launch.create();
}

namespace {

class PidPattern : public FeatureMapPattern<tam::PidOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::PidOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    auto results = Launch(rewriter, op, "pid")
                       .in(adaptor.getX())
                       .slot(SlotKind::Rows)
                       .slot(SlotKind::First)
                       .scalar(adaptor.getGroupRows().front())
                       .scalar(static_cast<int64_t>(op.getWindow()))
                       .out(adaptor.getCarry())
                       .out(structuredType(op, 0))
                       .create();
    if (failed(results))
      return failure();
    return SmallVector<Value>{(*results)[1], (*results)[0]};
  }
};

class StackPattern : public KernelPattern<tam::StackOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::StackOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return stack(rewriter, op, adaptor.getOperands(),
                 tensorType(op.getResult()));
  }
};

class ColumnsPattern : public FeatureMapPattern<tam::ColumnsOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::ColumnsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return writeColumns(
        rewriter, op, op.getDesigns(), adaptor.getDesigns(),
        cast<tam::DesignEncodingInterface>(op.getStructuredEncoding()));
  }
};

class SlicePattern : public KernelPattern<tam::SliceOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::SliceOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getResult());
    return Launch(rewriter, op, "slice")
        .in(adaptor.getPoints())
        .rowsOf(op.getResult())
        .scalars64({tensorType(op.getPoints()).getDimSize(1),
                    static_cast<int64_t>(op.getFirst()),
                    type.getRank() == 1 ? 1 : type.getDimSize(1)})
        .out(type)
        .create();
  }
};

class BoundaryPattern : public KernelPattern<tam::BoundaryOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::BoundaryOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "boundary")
        .in(adaptor.getPoints())
        .rowsOf(op.getAmount())
        .scalars64({tensorType(op.getPoints()).getDimSize(1),
                    modeOf(op.getExtrapolate())})
        .out(tensorType(op.getBorder()))
        .out(tensorType(op.getInside()))
        .out(tensorType(op.getAmount()))
        .create();
  }
};

class BlendPattern : public FeatureMapPattern<tam::BlendOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::BlendOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    if (tam::storesAllColumns(op.getBorder())) {
      auto border = densify(rewriter, op, tensorType(op.getBorder()),
                            adaptor.getBorder());
      auto inside = densify(rewriter, op, tensorType(op.getInside()),
                            adaptor.getInside());
      if (failed(border) || failed(inside))
        return failure();
      return Launch(rewriter, op, "blend_dense")
          .in(*border)
          .in(*inside)
          .in(adaptor.getAmount())
          .rowsOf(op.getResult())
          .scalar(op.getColumns())
          .out(structuredType(op, 0))
          .create();
    }
    auto border = sparsify(rewriter, op, op.getBorder(), adaptor.getBorder());
    auto inside = sparsify(rewriter, op, op.getInside(), adaptor.getInside());
    if (failed(border) || failed(inside))
      return failure();
    return Launch(rewriter, op, "blend_sparse")
        .in(*border)
        .in(*inside)
        .in(adaptor.getAmount())
        .rowsOf(op.getResult())
        .scalars64({tam::getNumbersPerRow(op.getBorder()), op.getColumns()})
        .out(structuredType(op, 0))
        .out(structuredType(op, 1))
        .create();
  }
};

class LinearColumnsPattern : public FeatureMapPattern<tam::LinearColumnsOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::LinearColumnsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> modes(op.getInputs().size(),
                               modeOf(tam::Extrapolate::Continue));
    if (auto given = op.getExtrapolateAttr())
      modes = llvm::map_to_vector(
          given.getAsRange<tam::ExtrapolateAttr>(),
          [](tam::ExtrapolateAttr mode) { return modeOf(mode.getValue()); });
    const Location loc = op.getLoc();
    Launch launch(rewriter, op, "linear_columns");
    launch.in(constantTensor<double>(rewriter, loc, op.getScales()))
        .in(constantTensor<int64_t>(rewriter, loc, modes));
    for (auto [column, parameters] :
         llvm::zip(adaptor.getInputs(), adaptor.getParameters()))
      launch.in(column).in(parameters);
    return launch.rowsOf(op.getResult()).out(structuredType(op, 0)).create();
  }
};

class NeuralPattern : public FeatureMapPattern<tam::NeuralOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::NeuralOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values(adaptor.getPoints());
    size_t layers = op.getWeights().size();
    int64_t rows = tensorType(op.getResult()).getDimSize(0);
    for (size_t layer = 0; layer < layers; ++layer) {
      ArrayRef<int64_t> shape = tensorType(op.getWeights()[layer]).getShape();
      bool isLast = layer + 1 == layers;
      // Only the last layer is scaled, by the square root of its width.
      double scale = isLast ? 1 / std::sqrt(static_cast<double>(shape[1])) : 1;
      auto next = Launch(rewriter, op, "neural_layer")
                      .in(values)
                      .in(adaptor.getWeights()[layer])
                      .in(adaptor.getBias()[layer])
                      .inOptional(adaptor.getOnly())
                      .rowsOf(op.getResult())
                      .scalars64({shape[0], shape[1],
                                  static_cast<int64_t>(op.getActivation())})
                      .scalarF64(scale)
                      .out(RankedTensorType::get({rows, shape[1]},
                                                 rewriter.getF64Type()))
                      .create();
      if (failed(next))
        return failure();
      values = *next;
    }
    return values;
  }
};

class RadialPattern : public FeatureMapPattern<tam::RadialOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::RadialOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> centers = tensorType(op.getCenters()).getShape();
    return Launch(rewriter, op, "radial")
        .in(adaptor.getPoints())
        .in(adaptor.getCenters())
        .in(adaptor.getGamma())
        .inOptional(adaptor.getOnly())
        .rowsOf(op.getResult())
        .scalars64({centers[1], centers[0]})
        .scalarF64(op.getNu().convertToDouble())
        .out(structuredType(op, 0))
        .create();
  }
};

class TreePattern : public FeatureMapPattern<tam::TreeOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::TreeOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> features = tensorType(op.getFeatures()).getShape();
    return Launch(rewriter, op,
                  op.getOblivious() ? "tree_oblivious" : "tree_flat")
        .in(adaptor.getPoints())
        .in(adaptor.getFeatures())
        .in(adaptor.getThresholds())
        .inOptional(adaptor.getOnly())
        .rowsOf(op.getResult())
        .scalars64({tensorType(op.getPoints()).getDimSize(1), features[0],
                    op.getOblivious() ? features[1]
                                      : static_cast<int64_t>(op.getLeaves())})
        .out(structuredType(op, 0))
        .create();
  }
};

class KroneckerPattern : public FeatureMapPattern<tam::KroneckerOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::KroneckerOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    int64_t na = tensorType(op.getA()).getDimSize(1);
    int64_t nb = tensorType(op.getB()).getDimSize(1);
    if (tam::storesAllColumns(op.getA()) && tam::storesAllColumns(op.getB())) {
      auto a = densify(rewriter, op, tensorType(op.getA()), adaptor.getA());
      auto b = densify(rewriter, op, tensorType(op.getB()), adaptor.getB());
      if (failed(a) || failed(b))
        return failure();
      return Launch(rewriter, op, "kronecker_dense")
          .in(*a)
          .in(*b)
          .rowsOf(op.getResult())
          .scalars64({na, nb})
          .out(structuredType(op, 0))
          .create();
    }
    auto a = sparsify(rewriter, op, op.getA(), adaptor.getA());
    auto b = sparsify(rewriter, op, op.getB(), adaptor.getB());
    if (failed(a) || failed(b))
      return failure();
    return Launch(rewriter, op, "kronecker_sparse")
        .in(*a)
        .in(*b)
        .rowsOf(op.getResult())
        .scalars64({tam::getNumbersPerRow(op.getA()), na,
                    tam::getNumbersPerRow(op.getB()), nb})
        .out(structuredType(op, 0))
        .out(structuredType(op, 1))
        .create();
  }
};

class ConvertPattern : public KernelPattern<tam::ConvertOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::ConvertOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    if (isa<tam::DenseAttr>(tam::getEncoding(op.getType())))
      return densify(rewriter, op, tensorType(op.getA()), adaptor.getA());
    return sparsify(rewriter, op, op.getA(), adaptor.getA());
  }
};

} // namespace

void tamc::populatePointPatterns(const ComponentTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<PidPattern, StackPattern, ColumnsPattern, LinearColumnsPattern,
               SlicePattern, BoundaryPattern, BlendPattern, NeuralPattern,
               RadialPattern, TreePattern, KroneckerPattern, ConvertPattern>(
      converter, patterns.getContext());
}
