//===- Launch.h - building launches of kernels ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMTOTAMK_LAUNCH_H
#define TAMC_CONVERSION_TAMTOTAMK_LAUNCH_H

#include "TamToTamK.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

#include <optional>
#include <string>
#include <type_traits>

namespace tamc {

/// A constant at the begin of the block in which the rewriter inserts: one that
/// is there, if it has the value. Each launch has several, and there are as
/// many launches as pairs of terms.
mlir::Value constantScalar(mlir::ConversionPatternRewriter &rewriter,
                           mlir::Location loc, mlir::TypedAttr value);

/// Builds one launch: operands in the kernel's order.
class Launch {
public:
  Launch(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *source,
         const llvm::Twine &kernel)
      : rewriter(rewriter), source(source), kernel(kernel.str()) {}

  Launch &in(mlir::ValueRange values) {
    llvm::append_range(inputs, values);
    return *this;
  }
  mlir::ValueRange getInputs() const { return inputs; }
  /// An optional input: null, or one value.
  Launch &inOptional(mlir::ValueRange values) {
    if (values.empty())
      absent.push_back(inputs.size() + absent.size());
    return in(values);
  }
  Launch &scalar(mlir::Value value) {
    scalars.push_back(value);
    return *this;
  }
  Launch &scalar(int64_t value) {
    return scalar(constantScalar(rewriter, source->getLoc(),
                                 rewriter.getI64IntegerAttr(value)));
  }
  Launch &scalars64(mlir::ArrayRef<int64_t> values) {
    for (int64_t value : values)
      scalar(value);
    return *this;
  }
  /// The sizes of an encoded matrix that a kernel takes (kernels.def).
  Launch &sizes(tam::EncodingInterface encoding, mlir::RankedTensorType type);
  /// Sizes of a design matrix, and the number that all of its numbers equal.
  Launch &sizes(tam::DesignEncodingInterface encoding,
                mlir::ArrayRef<int64_t> values);
  Launch &scalarF64(double value) {
    return scalar(constantScalar(rewriter, source->getLoc(),
                                 rewriter.getF64FloatAttr(value)));
  }
  /// The value of an index slot of the step.
  Launch &slot(tam::SlotKind kind);
  /// Number of rows of a map: that of `result` if it is static, else that of
  /// the chunk.
  Launch &rowsOf(mlir::Value result);
  /// A destination with the initial contents `value`.
  Launch &out(mlir::ValueRange values) {
    llvm::append_range(inits, values);
    return *this;
  }
  /// A new destination of this type, with `capacity` rows if its rows are
  /// dynamic.
  Launch &out(mlir::RankedTensorType type);

  /// The kernel's workspace on the target, for a matrix of `columns` columns;
  /// none if it needs none.
  Launch &workspace(const Target &target, int64_t columns);

  /// Marks the kernel as a function of the module.
  Launch &generated() {
    isGenerated = true;
    return *this;
  }

  /// Creates the launch and returns its results; failure if the step lacks a
  /// slot.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> create();

private:
  /// The argument of the step with that slot; null, and missing, if it has
  /// none.
  mlir::Value findSlot(tam::SlotKind kind);

  mlir::ConversionPatternRewriter &rewriter;
  mlir::Operation *source;
  std::string kernel;
  mlir::SmallVector<mlir::Value> inputs, scalars, inits;
  mlir::SmallVector<int32_t> absent;
  std::optional<tam::SlotKind> missing;
  bool isGenerated = false;
};

template <typename Op>
class KernelPattern : public mlir::OpConversionPattern<Op> {
public:
  using mlir::OpConversionPattern<Op>::OpConversionPattern;
  using OneToNAdaptor =
      typename Op::template GenericAdaptor<mlir::ArrayRef<mlir::ValueRange>>;

  mlir::LogicalResult
  matchAndRewrite(Op op, OneToNAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const final {
    auto values = convert(op, adaptor, rewriter);
    if (mlir::failed(values))
      return mlir::failure();
    mlir::ArrayRef<mlir::Value> rest = *values;
    mlir::SmallVector<mlir::ValueRange> results;
    for (mlir::Type type : op->getResultTypes()) {
      mlir::SmallVector<mlir::Type> components;
      if (mlir::failed(this->typeConverter->convertType(type, components)))
        return mlir::failure();
      results.push_back(rest.take_front(components.size()));
      rest = rest.drop_front(components.size());
    }
    rewriter.replaceOpWithMultiple(op, results);
    return mlir::success();
  }

protected:
  /// What kernels are chosen for.
  const Target &getTarget() const {
    return this->template getTypeConverter<ComponentTypeConverter>()
        ->getTarget();
  }

  /// The components of the op's results, one result after another.
  virtual mlir::FailureOr<mlir::SmallVector<mlir::Value>>
  convert(Op op, OneToNAdaptor adaptor,
          mlir::ConversionPatternRewriter &rewriter) const = 0;
};

/// The results of a feature map from those of its kernel, which writes the
/// structured components: the same, or, where the design matrix is dense, that
/// of a launch that expands it. Only a map without other results is expanded.
mlir::FailureOr<mlir::SmallVector<mlir::Value>>
finishFeatureMap(mlir::ConversionPatternRewriter &rewriter,
                 tam::FeatureMapInterface op,
                 mlir::FailureOr<mlir::SmallVector<mlir::Value>> results);

/// A feature map, whatever encoding its design matrix has.
template <typename Op> class FeatureMapPattern : public KernelPattern<Op> {
public:
  using KernelPattern<Op>::KernelPattern;
  using typename KernelPattern<Op>::OneToNAdaptor;

private:
  mlir::FailureOr<mlir::SmallVector<mlir::Value>>
  convert(Op op, OneToNAdaptor adaptor,
          mlir::ConversionPatternRewriter &rewriter) const final {
    return finishFeatureMap(rewriter, op, compute(op, adaptor, rewriter));
  }

  /// The components of the design matrix in its structured encoding
  /// (structuredType), then those of the op's other results.
  virtual mlir::FailureOr<mlir::SmallVector<mlir::Value>>
  compute(Op op, OneToNAdaptor adaptor,
          mlir::ConversionPatternRewriter &rewriter) const = 0;
};

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

inline int64_t modeOf(tam::Extrapolate mode) {
  return static_cast<int64_t>(mode);
}

/// The type of a component of an encoded value.
inline mlir::RankedTensorType componentType(mlir::Value value, unsigned index) {
  return tam::getEncoding(value.getType())
      .getComponentTypes(tensorType(value))[index];
}

/// A constant tensor of rank 1, of f64 or integers.
template <typename T>
mlir::Value constantTensor(mlir::ConversionPatternRewriter &rewriter,
                           mlir::Location loc, mlir::ArrayRef<T> values) {
  mlir::Type element;
  if constexpr (std::is_same_v<T, double>)
    element = rewriter.getF64Type();
  else
    element = rewriter.getIntegerType(8 * sizeof(T));
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(values.size())},
                                          element);
  return mlir::arith::ConstantOp::create(
      rewriter, loc, mlir::DenseElementsAttr::get(type, values));
}

/// A constant tensor of rank 1 with the numbers of each pair, one after
/// another.
mlir::Value constantPairs(mlir::ConversionPatternRewriter &rewriter,
                          mlir::Location loc,
                          mlir::ArrayRef<std::pair<int64_t, int64_t>> pairs);

/// A launch, without its destination, that writes an encoded matrix, given by
/// its components, to the columns from `column` on of a dense matrix of `width`
/// columns.
Launch expand(mlir::ConversionPatternRewriter &rewriter,
              mlir::Operation *source, tam::EncodingInterface encoding,
              mlir::RankedTensorType type, mlir::ValueRange components,
              int64_t width, int64_t column);

/// The component of a dense matrix that has all columns of an encoded one,
/// given by its components: its own if it is dense, or that of a launch that
/// expands it.
mlir::FailureOr<mlir::SmallVector<mlir::Value>>
densify(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *source,
        mlir::RankedTensorType type, mlir::ValueRange components);

/// Types of the components that a feature map's kernel writes.
mlir::RankedTensorType structuredType(tam::FeatureMapInterface op,
                                      unsigned index);

/// The pattern of sums over rows that are computed together.
void populateRowsPatterns(const ComponentTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

/// The patterns of sums over rows.
void populateSumPatterns(const ComponentTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);

/// The patterns of maps of several variables, and of products.
void populatePointPatterns(const ComponentTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);

/// The patterns of inference.
void populateInferencePatterns(const ComponentTypeConverter &converter,
                               mlir::RewritePatternSet &patterns);

/// The patterns of level compression.
void populateLevelPatterns(const ComponentTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMTOTAMK_LAUNCH_H
