//===- PointPatterns.cpp - maps of several variables ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <cmath>

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

FailureOr<SmallVector<Value>>
tamc::sparsify(ConversionPatternRewriter &rewriter, Operation *source,
               Value design, ValueRange components, SparsePart part) {
  RankedTensorType type = tensorType(design);
  auto encoding = cast<tam::DesignEncodingInterface>(tam::getEncoding(type));
  Launch launch(rewriter, source, "sparsify_" + encoding.getKernelTag());
  launch.in(components)
      .rowsOf(source->getResult(0))
      .scalars64(
          encoding.getSparsifySizes(type, tam::getNumbersPerRow(design)));
  if (FloatAttr number = encoding.getCommonNumber())
    launch.scalarF64(number.getValueAsDouble());
  return launch.scalars64({part.first, part.width, part.at})
      .out(part.destinations)
      .create();
}

FailureOr<SmallVector<Value>>
tamc::sparsifyAll(ConversionPatternRewriter &rewriter, Operation *source,
                  ValueRange designs, ArrayRef<ValueRange> components) {
  int64_t width = 0;
  for (Value design : designs)
    width += tam::getNumbersPerRow(design);
  FailureOr<SmallVector<Value>> all = SmallVector<Value>();
  for (Type element :
       {Type(rewriter.getF64Type()), Type(rewriter.getI32Type())}) {
    all->push_back(createEmpty(
        rewriter, source,
        RankedTensorType::get({ShapedType::kDynamic, width}, element)));
    if (!all->back())
      return missingSlot(source, SlotKind::Capacity);
  }
  int64_t first = 0, at = 0;
  for (auto [design, own] : llvm::zip(designs, components)) {
    all = sparsify(rewriter, source, design, own, {first, width, at, *all});
    if (failed(all))
      return failure();
    first += tensorType(design).getDimSize(1);
    at += tam::getNumbersPerRow(design);
  }
  return all;
}

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
  SmallVector<Value> parts;
  for (RankedTensorType part :
       sparse.getComponentTypes(type.cloneWithEncoding(sparse)))
    if (parts.emplace_back(createEmpty(rewriter, source, part)); !parts.back())
      return missingSlot(source, SlotKind::Capacity);
  return sparsify(rewriter, source, design, components,
                  {/*first=*/0, width, /*at=*/0, parts});
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

/// Operands side by side, as a matrix of this type; each has one number per
/// row.
static FailureOr<SmallVector<Value>> stack(ConversionPatternRewriter &rewriter,
                                           Operation *op,
                                           ArrayRef<ValueRange> operands,
                                           RankedTensorType type) {
  Launch launch(rewriter, op, "stack");
  for (ValueRange column : operands)
    launch.in(column);
  return launch.rowsOf(op->getResult(0)).out(type).create();
}

class StackPattern : public KernelPattern<tam::StackOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::StackOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return stack(rewriter, op, adaptor.getOperands(),
                 tensorType(op.getResult()));
  }
};

/// Launches that write matrices side by side, one part after another. Each is
/// put behind the op that makes its part, so that a part is not kept until the
/// last one is there.
class ColumnsWriter {
public:
  ColumnsWriter(ConversionPatternRewriter &rewriter, tam::ColumnsOp op,
                ArrayRef<ValueRange> components)
      : rewriter(rewriter), op(op), encoding(cast<tam::DesignEncodingInterface>(
                                        op.getStructuredEncoding())),
        type(tensorType(op.getResult()).cloneWithEncoding(encoding)),
        components(components) {}

  /// The components of the matrix.
  FailureOr<SmallVector<Value>> write();

private:
  /// Columns that are written together: numbers of a row that lie together.
  static constexpr size_t kStacked = 16;

  /// The end of the matrices from `begin` on that are written together.
  size_t endOf(size_t begin);
  /// Goes on behind the ops that make these matrices.
  void moveBehind(ArrayRef<ValueRange> parts);
  LogicalResult makeDestinations();
  /// Writes some matrices to the destinations. \returns the new ones.
  FailureOr<SmallVector<Value>> writePart(size_t begin, size_t end);
  FailureOr<SmallVector<Value>> writeDense(size_t begin, size_t end);
  /// Columns as a dense matrix of their own.
  FailureOr<SmallVector<Value>> stackColumns(size_t begin, size_t end);

  ConversionPatternRewriter &rewriter;
  tam::ColumnsOp op;
  tam::DesignEncodingInterface encoding;
  RankedTensorType type;
  ArrayRef<ValueRange> components;
  /// The last op before the next part; null at first.
  Operation *last = nullptr;
  SmallVector<Value> destinations;
  /// Columns and numbers of a row that have been written.
  int64_t column = 0, at = 0;
};

size_t ColumnsWriter::endOf(size_t begin) {
  auto isColumn = [&](size_t i) {
    return tensorType(op.getDesigns()[i]).getDimSize(1) == 1;
  };
  size_t end = begin + 1;
  if (encoding.storesAllColumns() && isColumn(begin))
    while (end < components.size() && end < begin + kStacked && isColumn(end))
      ++end;
  return end;
}

void ColumnsWriter::moveBehind(ArrayRef<ValueRange> parts) {
  for (ValueRange part : parts)
    for (Value value : part) {
      Operation *source = value.getDefiningOp();
      if (!source || source->getBlock() != op->getBlock())
        last = op;
      else if (!last || last->isBeforeInBlock(source))
        last = source;
    }
  if (last == op)
    rewriter.setInsertionPoint(op);
  else
    rewriter.setInsertionPointAfter(last);
}

LogicalResult ColumnsWriter::makeDestinations() {
  for (RankedTensorType component : encoding.getComponentTypes(type)) {
    destinations.push_back(createEmpty(rewriter, op, component));
    if (!destinations.back())
      return missingSlot(op, SlotKind::Capacity);
  }
  return success();
}

FailureOr<SmallVector<Value>> ColumnsWriter::stackColumns(size_t begin,
                                                          size_t end) {
  SmallVector<SmallVector<Value>> columns;
  for (size_t i = begin; i < end; ++i) {
    auto column =
        densify(rewriter, op, tensorType(op.getDesigns()[i]), components[i]);
    if (failed(column))
      return failure();
    columns.push_back(*column);
  }
  return stack(rewriter, op, llvm::to_vector_of<ValueRange>(columns),
               RankedTensorType::get(
                   {type.getDimSize(0), static_cast<int64_t>(end - begin)},
                   type.getElementType()));
}

FailureOr<SmallVector<Value>> ColumnsWriter::writeDense(size_t begin,
                                                        size_t end) {
  RankedTensorType part = tensorType(op.getDesigns()[begin]);
  FailureOr<SmallVector<Value>> own = SmallVector<Value>(components[begin]);
  if (end > begin + 1) {
    own = stackColumns(begin, end);
    if (failed(own))
      return failure();
    part = tensorType(own->front());
  }
  if (!part.getEncoding())
    part = part.cloneWithEncoding(encoding);
  return expand(rewriter, op, tam::getEncoding(part), part, *own,
                type.getDimSize(1), column)
      .out(destinations)
      .create();
}

FailureOr<SmallVector<Value>> ColumnsWriter::writePart(size_t begin,
                                                       size_t end) {
  if (encoding.storesAllColumns())
    return writeDense(begin, end);
  ValueRange own = components[begin];
  if (auto bands = dyn_cast<tam::BandsAttr>(Attribute(encoding)))
    return Launch(rewriter, op, "place_band")
        .in(own)
        .rowsOf(op.getResult())
        .scalars64({bands.getWidth(), column, static_cast<int64_t>(begin)})
        .out(destinations)
        .create();
  return sparsify(rewriter, op, op.getDesigns()[begin], own,
                  {column, encoding.getRowNumbers(type), at, destinations});
}

FailureOr<SmallVector<Value>> ColumnsWriter::write() {
  OpBuilder::InsertionGuard guard(rewriter);
  for (size_t begin = 0; begin < components.size();) {
    const size_t end = endOf(begin);
    moveBehind(components.slice(begin, end - begin));
    if (end - begin > 1 && end - begin == components.size())
      return stackColumns(begin, end);
    if (destinations.empty() && failed(makeDestinations()))
      return failure();
    auto written = writePart(begin, end);
    if (failed(written))
      return failure();
    destinations = *written;
    if (last != op)
      last = destinations.front().getDefiningOp();
    for (; begin < end; ++begin) {
      Value design = op.getDesigns()[begin];
      column += tensorType(design).getDimSize(1);
      at += tam::getNumbersPerRow(design);
    }
  }
  return destinations;
}

class ColumnsPattern : public FeatureMapPattern<tam::ColumnsOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::ColumnsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return ColumnsWriter(rewriter, op, adaptor.getDesigns()).write();
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
  patterns.add<PidPattern, StackPattern, ColumnsPattern, SlicePattern,
               BoundaryPattern, BlendPattern, NeuralPattern, RadialPattern,
               TreePattern, KroneckerPattern, ConvertPattern>(
      converter, patterns.getContext());
}
