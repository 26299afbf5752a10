//===- Patterns.cpp - the kernel of each op ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TamToTamK.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

namespace {

/// Builds one launch: operands in the kernel's order.
class Launch {
public:
  Launch(ConversionPatternRewriter &rewriter, Operation *source,
         const Twine &kernel)
      : rewriter(rewriter), source(source), kernel(kernel.str()) {}

  Launch &in(ValueRange values) {
    llvm::append_range(inputs, values);
    return *this;
  }
  /// An optional input: null, or one value.
  Launch &inOptional(ValueRange values) {
    if (values.empty())
      absent.push_back(inputs.size() + absent.size());
    return in(values);
  }
  Launch &scalar(Value value) {
    scalars.push_back(value);
    return *this;
  }
  Launch &scalar(int64_t value) {
    return scalar(arith::ConstantOp::create(rewriter, source->getLoc(),
                                            rewriter.getI64IntegerAttr(value)));
  }
  Launch &scalars64(ArrayRef<int64_t> values) {
    for (int64_t value : values)
      scalar(value);
    return *this;
  }
  Launch &scalarF64(double value) {
    return scalar(arith::ConstantOp::create(rewriter, source->getLoc(),
                                            rewriter.getF64FloatAttr(value)));
  }
  /// What the runtime passes in an index slot of the step.
  Launch &slot(SlotKind kind) {
    Value argument =
        tam::findSlotArgument(source->getParentOfType<func::FuncOp>(), kind);
    if (!argument) {
      missing = kind;
      return *this;
    }
    return scalar(argument);
  }
  /// A destination that starts as `value`.
  Launch &out(ValueRange values) {
    llvm::append_range(inits, values);
    return *this;
  }
  /// A new destination of this type, of `capacity` rows where it has rows.
  Launch &out(RankedTensorType type) {
    SmallVector<Value> sizes;
    if (!type.hasStaticShape()) {
      Value capacity = tam::findSlotArgument(
          source->getParentOfType<func::FuncOp>(), SlotKind::Capacity);
      if (!capacity) {
        missing = SlotKind::Capacity;
        return *this;
      }
      sizes.push_back(capacity);
    }
    inits.push_back(
        tensor::EmptyOp::create(rewriter, source->getLoc(), type, sizes));
    return *this;
  }

  /// The launch's results; failure if the step lacks a slot.
  FailureOr<SmallVector<Value>> create() {
    if (missing)
      return source->emitOpError("expected an argument with slot '")
             << tam::stringifySlotKind(*missing) << "' in the function";
    auto op = tamk::LaunchOp::create(
        rewriter, source->getLoc(), ValueRange(inits).getTypes(),
        rewriter.getStringAttr(kernel), inputs, scalars, inits,
        absent.empty() ? DenseI32ArrayAttr()
                       : rewriter.getDenseI32ArrayAttr(absent),
        rewriter.getStringAttr(source->getName().getStringRef()));
    return SmallVector<Value>(op->getResults());
  }

private:
  ConversionPatternRewriter &rewriter;
  Operation *source;
  std::string kernel;
  SmallVector<Value> inputs, scalars, inits;
  SmallVector<int32_t> absent;
  std::optional<SlotKind> missing;
};

template <typename Op> class Pattern : public OpConversionPattern<Op> {
public:
  using OpConversionPattern<Op>::OpConversionPattern;
  using OneToNAdaptor =
      typename Op::template GenericAdaptor<ArrayRef<ValueRange>>;

  LogicalResult
  matchAndRewrite(Op op, OneToNAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const final {
    auto values = convert(op, adaptor, rewriter);
    if (failed(values))
      return failure();
    rewriter.replaceOpWithMultiple(
        op, SmallVector<SmallVector<Value>>{std::move(*values)});
    return success();
  }

protected:
  /// The components of the op's one result.
  virtual FailureOr<SmallVector<Value>>
  convert(Op op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const = 0;
};

} // namespace

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t modeOf(tam::Extrapolate mode) {
  return static_cast<int64_t>(mode);
}

static RankedTensorType componentType(Value value, unsigned index) {
  return tam::getEncoding(value.getType())
      .getComponentTypes(tensorType(value))[index];
}

/// Whether a feature map's result is to be stored dense although its kernel
/// makes something sparser.
static bool isExpanded(Value design, Attribute structured) {
  return tensorType(design).getEncoding() != structured;
}

/// Writes an encoded matrix, given by its components, as columns `column`.. of
/// the dense matrix `out`.
static FailureOr<SmallVector<Value>>
expand(ConversionPatternRewriter &rewriter, Operation *source,
       tam::EncodingInterface encoding, RankedTensorType type,
       ValueRange components, int64_t width, int64_t column, Value out) {
  return Launch(rewriter, source, "expand_" + encoding.getKernelTag())
      .in(components)
      .slot(SlotKind::Rows)
      .scalars64(encoding.getKernelSizes(type))
      .scalars64({width, column})
      .out(out)
      .create();
}

/// Launches that make a feature map's result from its structured components:
/// none, or an expansion.
static FailureOr<SmallVector<Value>>
finishFeatureMap(ConversionPatternRewriter &rewriter,
                 tam::FeatureMapInterface op,
                 FailureOr<SmallVector<Value>> components) {
  Value design = op->getResult(0);
  Attribute structured = op.getStructuredEncoding();
  if (failed(components) || !isExpanded(design, structured))
    return components;
  RankedTensorType type = tensorType(design);
  Value capacity = tam::findSlotArgument(op->getParentOfType<func::FuncOp>(),
                                         SlotKind::Capacity);
  if (!capacity)
    return op->emitOpError("expected an argument with slot 'capacity' in the "
                           "function");
  Value out = tensor::EmptyOp::create(rewriter, op->getLoc(),
                                      componentType(design, 0), capacity);
  return expand(rewriter, op, cast<tam::EncodingInterface>(structured),
                type.cloneWithEncoding(structured), *components,
                op.getColumns(), /*column=*/0, out);
}

/// Types of the components that a feature map's kernel writes.
static RankedTensorType structuredType(tam::FeatureMapInterface op,
                                       unsigned index) {
  Attribute structured = op.getStructuredEncoding();
  return cast<tam::EncodingInterface>(structured)
      .getComponentTypes(
          tensorType(op->getResult(0)).cloneWithEncoding(structured))[index];
}

namespace {

class NormalizePattern : public Pattern<tam::NormalizeOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::NormalizeOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "normalize")
        .in(adaptor.getColumn())
        .in(adaptor.getParameters())
        .slot(SlotKind::Rows)
        .out(tensorType(op.getResult()))
        .create();
  }
};

class OffsetPattern : public Pattern<tam::OffsetOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::OffsetOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "offset")
        .slot(SlotKind::Rows)
        .out(componentType(op.getResult(), 0))
        .create();
  }
};

class LinearPattern : public Pattern<tam::LinearOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::LinearOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "linear")
        .in(adaptor.getX())
        .slot(SlotKind::Rows)
        .scalarF64(op.getScale().convertToDouble())
        .scalar(modeOf(op.getExtrapolate()))
        .out(componentType(op.getResult(), 0))
        .create();
  }
};

class FourierPattern : public Pattern<tam::FourierOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::FourierOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "fourier")
        .in(adaptor.getX())
        .slot(SlotKind::Rows)
        .scalars64({static_cast<int64_t>(op.getOrder()), op.getCyclic() ? 1 : 0,
                    modeOf(op.getExtrapolate())})
        .out(componentType(op.getResult(), 0))
        .create();
  }
};

class ChebyshevPattern : public Pattern<tam::ChebyshevOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::ChebyshevOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "chebyshev")
        .in(adaptor.getX())
        .slot(SlotKind::Rows)
        .scalars64(
            {static_cast<int64_t>(op.getDegree()), modeOf(op.getExtrapolate())})
        .out(componentType(op.getResult(), 0))
        .create();
  }
};

class BSplinePattern : public Pattern<tam::BSplineOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::BSplineOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return finishFeatureMap(
        rewriter, op,
        Launch(rewriter, op, "bspline")
            .in(adaptor.getX())
            .in(adaptor.getParameters())
            .slot(SlotKind::Rows)
            .scalars64({static_cast<int64_t>(op.getIntervals()),
                        static_cast<int64_t>(op.getDegree()),
                        modeOf(op.getExtrapolate())})
            .out(structuredType(op, 0))
            .out(structuredType(op, 1))
            .create());
  }
};

class CategoryPattern : public Pattern<tam::CategoryOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::CategoryOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return finishFeatureMap(rewriter, op,
                            Launch(rewriter, op, "onehot")
                                .in(adaptor.getX())
                                .slot(SlotKind::Rows)
                                .scalar(static_cast<int64_t>(op.getLevels()))
                                .out(structuredType(op, 0))
                                .create());
  }
};

class LevelsPattern : public Pattern<tam::LevelsOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::LevelsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return finishFeatureMap(rewriter, op,
                            SmallVector<Value>(adaptor.getCodes()));
  }
};

class ZerosPattern : public Pattern<tam::ZerosOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::ZerosOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = componentType(op.getResult(), 0);
    return Launch(rewriter, op, "zero")
        .scalar(type.getNumElements())
        .out(type)
        .create();
  }
};

class GramPattern : public Pattern<tam::GramOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::GramOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    Value first = op.getA(), second = op.getB();
    ValueRange firstParts = adaptor.getA(), secondParts = adaptor.getB();
    auto layout = cast<tam::SumsAttr>(tensorType(op.getResult()).getEncoding())
                      .getLayout();
    if (layout == tam::SumsLayout::Transposed) {
      std::swap(first, second);
      std::swap(firstParts, secondParts);
    }
    tam::EncodingInterface a = tam::getEncoding(first.getType());
    tam::EncodingInterface b = tam::getEncoding(second.getType());
    bool isSelf =
        layout == tam::SumsLayout::Upper || layout == tam::SumsLayout::Diagonal;
    std::string kernel = ("gram_" + a.getKernelTag()).str();
    if (!isSelf)
      kernel += ("_" + b.getKernelTag()).str();
    Launch launch(rewriter, op, kernel);
    launch.in(firstParts);
    if (!isSelf)
      launch.in(secondParts);
    launch.inOptional(adaptor.getWeights())
        .slot(SlotKind::Rows)
        .slot(SlotKind::First)
        .scalars64(a.getKernelSizes(tensorType(first)));
    if (!isSelf)
      launch.scalars64(b.getKernelSizes(tensorType(second)));
    return launch.out(adaptor.getAccumulator()).create();
  }
};

class RhsPattern : public Pattern<tam::RhsOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::RhsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    tam::EncodingInterface encoding = tam::getEncoding(op.getA().getType());
    return Launch(rewriter, op, "rhs_" + encoding.getKernelTag())
        .in(adaptor.getA())
        .in(adaptor.getY())
        .inOptional(adaptor.getWeights())
        .slot(SlotKind::Rows)
        .slot(SlotKind::First)
        .scalars64(encoding.getKernelSizes(tensorType(op.getA())))
        .out(adaptor.getAccumulator())
        .create();
  }
};

class PenaltyPattern : public Pattern<tam::PenaltyOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::PenaltyOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    // tam.normal_matrix reads the constant off the op; as a value it has no
    // other use in the dialect.
    auto constant = [&](DenseElementsAttr value) -> Value {
      return arith::ConstantOp::create(rewriter, op.getLoc(), value);
    };
    return SmallVector<Value>{
        constant(DenseElementsAttr::get(componentType(op.getResult(), 0),
                                        op.getRows())),
        constant(DenseElementsAttr::get(componentType(op.getResult(), 1),
                                        op.getColumns())),
        constant(DenseElementsAttr::get(componentType(op.getResult(), 2),
                                        op.getValues()))};
  }
};

template <typename T>
Value constantTensor(ConversionPatternRewriter &rewriter, Location loc,
                     Type element, ArrayRef<T> values) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  return arith::ConstantOp::create(rewriter, loc,
                                   DenseElementsAttr::get(type, values));
}

class NormalMatrixPattern : public Pattern<tam::NormalMatrixOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::NormalMatrixOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    // Where each effect starts, and the penalties of all of them as one matrix.
    SmallVector<int64_t> starts;
    SmallVector<int32_t> rows, columns;
    SmallVector<double> values;
    int64_t size = 0;
    for (Value penalty : op.getPenalties()) {
      auto source = penalty.getDefiningOp<tam::PenaltyOp>();
      if (!source)
        return op.emitOpError("expected penalties known at compile time");
      for (auto [row, column, value] : llvm::zip(
               source.getRows(), source.getColumns(), source.getValues())) {
        rows.push_back(size + row);
        columns.push_back(size + column);
        values.push_back(value);
      }
      starts.push_back(size);
      size += tensorType(penalty).getDimSize(0);
    }

    SmallVector<int64_t> table;
    SmallVector<Value> blocks;
    size_t block = 0;
    for (size_t i = 0; i < starts.size(); ++i)
      for (size_t j = i; j < starts.size(); ++j, ++block) {
        RankedTensorType type = tensorType(op.getBlocks()[block]);
        auto layout = cast<tam::SumsAttr>(type.getEncoding()).getLayout();
        int64_t height = type.getDimSize(0), width = type.getDimSize(1);
        int64_t row = starts[i], column = starts[j];
        if (layout == tam::SumsLayout::Transposed) {
          std::swap(height, width);
          std::swap(row, column);
        }
        int64_t form = layout == tam::SumsLayout::Upper      ? 1
                       : layout == tam::SumsLayout::Diagonal ? 2
                                                             : 0;
        table.append({form, height, width, row, column});
        llvm::append_range(blocks, adaptor.getBlocks()[block]);
      }

    Location loc = op.getLoc();
    return Launch(rewriter, op, "assemble_matrix")
        .in(constantTensor<int64_t>(rewriter, loc, rewriter.getI64Type(),
                                    table))
        .in(constantTensor<int32_t>(rewriter, loc, rewriter.getI32Type(), rows))
        .in(constantTensor<int32_t>(rewriter, loc, rewriter.getI32Type(),
                                    columns))
        .in(constantTensor<double>(rewriter, loc, rewriter.getF64Type(),
                                   values))
        .in(blocks)
        .slot(SlotKind::Rows)
        .scalars64({size, static_cast<int64_t>(values.size())})
        .out(tensorType(op.getResult()))
        .create();
  }
};

class NormalVectorPattern : public Pattern<tam::NormalVectorOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::NormalVectorOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> table;
    SmallVector<Value> blocks;
    int64_t start = 0;
    for (auto [block, parts] : llvm::zip(op.getBlocks(), adaptor.getBlocks())) {
      int64_t size = tensorType(block).getDimSize(0);
      table.append({size, start});
      llvm::append_range(blocks, parts);
      start += size;
    }
    return Launch(rewriter, op, "assemble_vector")
        .in(constantTensor<int64_t>(rewriter, op.getLoc(),
                                    rewriter.getI64Type(), table))
        .in(blocks)
        .scalar(start)
        .out(tensorType(op.getResult()))
        .create();
  }
};

class SolvePattern : public Pattern<tam::SolveOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::SolveOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    if (op.getSolver() != tam::Solver::Direct)
      return op.emitOpError("expected solver 'direct', got '")
             << tam::stringifySolver(op.getSolver()) << "'";
    auto results = Launch(rewriter, op, "cholesky_solve")
                       .scalar(tensorType(op.getVector()).getDimSize(0))
                       .out(adaptor.getMatrix())
                       .out(adaptor.getVector())
                       .create();
    if (failed(results))
      return failure();
    return SmallVector<Value>{results->back()};
  }
};

/// Predict and decompose: one launch per effect, each into its column of a
/// matrix of `width` columns; or all added up in one column.
template <typename Op> class ApplyPattern : public Pattern<Op> {
public:
  using Pattern<Op>::Pattern;
  using typename Pattern<Op>::OneToNAdaptor;

  FailureOr<SmallVector<Value>>
  convert(Op op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    bool addsUp = std::is_same_v<Op, tam::PredictOp>;
    RankedTensorType type = tensorType(op.getResult());
    int64_t width = addsUp ? 1 : type.getDimSize(1);
    Value capacity = tam::findSlotArgument(
        op->template getParentOfType<func::FuncOp>(), SlotKind::Capacity);
    if (!capacity)
      return op.emitOpError("expected an argument with slot 'capacity' in the "
                            "function");
    SmallVector<Value> out{tensor::EmptyOp::create(rewriter, op.getLoc(), type,
                                                   ValueRange(capacity))};
    for (auto [index, design] : llvm::enumerate(op.getDesigns())) {
      tam::EncodingInterface encoding = tam::getEncoding(design.getType());
      auto next =
          Launch(rewriter, op, "predict_" + encoding.getKernelTag())
              .in(adaptor.getDesigns()[index])
              .in(adaptor.getCoefficients()[index])
              .slot(SlotKind::Rows)
              .scalars64(encoding.getKernelSizes(tensorType(design)))
              .scalars64({width, addsUp ? 0 : static_cast<int64_t>(index),
                          addsUp && index > 0 ? 1 : 0})
              .out(out)
              .create();
      if (failed(next))
        return failure();
      out = *next;
    }
    return out;
  }
};

class DesignPattern : public Pattern<tam::DesignOp> {
  using Pattern::Pattern;
  FailureOr<SmallVector<Value>>
  convert(tam::DesignOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getResult());
    Value capacity = tam::findSlotArgument(op->getParentOfType<func::FuncOp>(),
                                           SlotKind::Capacity);
    if (!capacity)
      return op.emitOpError("expected an argument with slot 'capacity' in the "
                            "function");
    SmallVector<Value> out{tensor::EmptyOp::create(rewriter, op.getLoc(), type,
                                                   ValueRange(capacity))};
    int64_t column = 0;
    for (auto [index, design] : llvm::enumerate(op.getDesigns())) {
      auto next = expand(rewriter, op, tam::getEncoding(design.getType()),
                         tensorType(design), adaptor.getDesigns()[index],
                         type.getDimSize(1), column, out.front());
      if (failed(next))
        return failure();
      out = *next;
      column += tensorType(design).getDimSize(1);
    }
    return out;
  }
};

} // namespace

void tamc::populateTamToTamKPatterns(const ComponentTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<NormalizePattern, OffsetPattern, LinearPattern, FourierPattern,
               ChebyshevPattern, BSplinePattern, CategoryPattern, LevelsPattern,
               ZerosPattern, GramPattern, RhsPattern, PenaltyPattern,
               NormalMatrixPattern, NormalVectorPattern, SolvePattern,
               ApplyPattern<tam::PredictOp>, ApplyPattern<tam::DecomposeOp>,
               DesignPattern>(converter, patterns.getContext());
}
