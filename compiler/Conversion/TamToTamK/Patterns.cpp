//===- Patterns.cpp - the kernel of each op ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Columns.h"
#include "PenaltyEntries.h"

#include <array>
#include <map>

using namespace mlir;
using namespace tamc;
using tam::SlotKind;

FailureOr<SmallVector<Value>>
tamc::finishFeatureMap(ConversionPatternRewriter &rewriter,
                       tam::FeatureMapInterface op,
                       FailureOr<SmallVector<Value>> results) {
  RankedTensorType type = tensorType(op->getResult(0));
  Attribute structured = op.getStructuredEncoding();
  if (failed(results) || type.getEncoding() == structured)
    return results;
  assert(op->getNumResults() == 1 && "expected an expanded matrix alone");
  return densify(rewriter, op, type.cloneWithEncoding(structured), *results);
}

RankedTensorType tamc::structuredType(tam::FeatureMapInterface op,
                                      unsigned index) {
  Attribute structured = op.getStructuredEncoding();
  return cast<tam::EncodingInterface>(structured)
      .getComponentTypes(
          tensorType(op->getResult(0)).cloneWithEncoding(structured))[index];
}

namespace {

class NormalizePattern : public KernelPattern<tam::NormalizeOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::NormalizeOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "normalize")
        .in(adaptor.getColumn())
        .in(adaptor.getParameters())
        .rowsOf(op.getResult())
        .out(tensorType(op.getResult()))
        .create();
  }
};

class OffsetPattern : public FeatureMapPattern<tam::OffsetOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::OffsetOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "offset")
        .slot(SlotKind::Rows)
        .out(structuredType(op, 0))
        .create();
  }
};

class LinearPattern : public FeatureMapPattern<tam::LinearOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::LinearOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "linear")
        .in(adaptor.getX())
        .rowsOf(op.getResult())
        .scalarF64(op.getScale().convertToDouble())
        .scalar(modeOf(op.getExtrapolate()))
        .out(structuredType(op, 0))
        .create();
  }
};

class FourierPattern : public FeatureMapPattern<tam::FourierOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::FourierOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "fourier")
        .in(adaptor.getX())
        .rowsOf(op.getResult())
        .scalars64({static_cast<int64_t>(op.getOrder()), op.getCyclic() ? 1 : 0,
                    modeOf(op.getExtrapolate())})
        .out(structuredType(op, 0))
        .create();
  }
};

class ChebyshevPattern : public FeatureMapPattern<tam::ChebyshevOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::ChebyshevOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "chebyshev")
        .in(adaptor.getX())
        .rowsOf(op.getResult())
        .scalars64(
            {static_cast<int64_t>(op.getDegree()), modeOf(op.getExtrapolate())})
        .out(structuredType(op, 0))
        .create();
  }
};

class BSplinePattern : public FeatureMapPattern<tam::BSplineOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::BSplineOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "bspline")
        .in(adaptor.getX())
        .in(adaptor.getParameters())
        .rowsOf(op.getResult())
        .scalars64({static_cast<int64_t>(op.getIntervals()),
                    static_cast<int64_t>(op.getDegree()),
                    modeOf(op.getExtrapolate())})
        .out(structuredType(op, 0))
        .out(structuredType(op, 1))
        .create();
  }
};

class CategoryPattern : public FeatureMapPattern<tam::CategoryOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::CategoryOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "onehot")
        .in(adaptor.getX())
        .rowsOf(op.getResult())
        .scalar(static_cast<int64_t>(op.getLevels()))
        .out(structuredType(op, 0))
        .create();
  }
};

class LevelsPattern : public FeatureMapPattern<tam::LevelsOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::LevelsOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return SmallVector<Value>(adaptor.getCodes());
  }
};

class AffinePattern : public FeatureMapPattern<tam::AffineOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::AffineOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "affine")
        .in(adaptor.getX())
        .rowsOf(op.getResult())
        .scalarF64(op.getScale().convertToDouble())
        .out(structuredType(op, 0))
        .create();
  }
};

class WaveletPattern : public FeatureMapPattern<tam::WaveletOp> {
  using FeatureMapPattern::FeatureMapPattern;
  FailureOr<SmallVector<Value>>
  compute(tam::WaveletOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "wavelet")
        .in(adaptor.getX())
        .in(adaptor.getRange())
        .rowsOf(op.getResult())
        .scalars64({static_cast<int64_t>(op.getScales()),
                    static_cast<int64_t>(op.getLocations()),
                    modeOf(op.getExtrapolate())})
        .out(structuredType(op, 0))
        .create();
  }
};

class ZerosPattern : public KernelPattern<tam::ZerosOp> {
  using KernelPattern::KernelPattern;
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

/// Number of a layout in the table of the kernel assemble_matrix.
int64_t formOf(tam::SumsAttr sums) {
  switch (sums.getLayout()) {
  case tam::SumsLayout::Full:
  case tam::SumsLayout::Transposed:
    return 0;
  case tam::SumsLayout::Upper:
    return 1;
  case tam::SumsLayout::Diagonal:
    return 2;
  case tam::SumsLayout::Panels:
  case tam::SumsLayout::TransposedPanels:
    return sums.isProduct() ? 5 : 3;
  case tam::SumsLayout::UpperPanels:
    return sums.isProduct() ? 6 : 4;
  case tam::SumsLayout::Frequencies:
    return 7;
  case tam::SumsLayout::CubicPanels:
    return 8;
  }
  llvm_unreachable("all layouts are handled");
}

/// The width of a band, or the number of factors of a product.
int64_t tableWidth(tam::SumsAttr sums) {
  return sums.isProduct() ? sums.getWidths().size() : sums.getWidth();
}

/// Appends the widths and columns of the factors of a product.
void appendFactors(tam::SumsAttr sums, SmallVectorImpl<int64_t> &table) {
  if (sums.isProduct())
    for (auto [width, columns] : llvm::zip(sums.getWidths(), sums.getColumns()))
      table.append({width, columns});
}

class PenaltyPattern : public KernelPattern<tam::PenaltyOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::PenaltyOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    // The users read the op, and nothing reads these.
    SmallVector<Value> components;
    for (unsigned i = 0; i < 3; ++i) {
      RankedTensorType type = componentType(op.getResult(), i);
      components.push_back(tensor::EmptyOp::create(
          rewriter, op.getLoc(), type.getShape(), type.getElementType()));
    }
    return components;
  }
};

class MarginalPattern : public KernelPattern<tam::MarginalOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::MarginalOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    RankedTensorType from = tensorType(op.getSums()),
                     to = tensorType(op.getResult());
    auto source = cast<tam::SumsAttr>(from.getEncoding());
    auto target = cast<tam::SumsAttr>(to.getEncoding());
    // For each number of the result, the numbers that add up to it: those of
    // the same element, and of the same panel if it has panels.
    using Key = std::array<int64_t, 3>;
    std::map<Key, int64_t> numberOf;
    auto keyOf = [&](int64_t row, int64_t column, int64_t panel) {
      return Key{target.isPanels() ? panel : 0, row, column};
    };
    target.forEachNumber(to, [&](tam::SumsAttr::Number number) {
      numberOf[keyOf(number.row, number.column, number.panel)] = number.index;
    });
    SmallVector<SmallVector<int32_t>> parts(target.getCount(to));
    SmallVector<int64_t> rows = op.getRowMap(), columns = op.getColumnMap();
    source.forEachNumber(from, [&](tam::SumsAttr::Number number) {
      int64_t row = rows[number.row], column = columns[number.column];
      if (op.getTransposed())
        std::swap(row, column);
      auto found = numberOf.find(keyOf(row, column, number.panel));
      if (found != numberOf.end())
        parts[found->second].push_back(static_cast<int32_t>(number.index));
    });
    int64_t size =
        findWordSize(parts, source.isPanels() ? source.getWordSize() : 1);
    SmallVector<int32_t> starts{0}, index;
    for (size_t i = 0; i < parts.size(); i += size) {
      llvm::append_range(index, parts[i]);
      starts.push_back(static_cast<int32_t>(index.size()));
    }
    return Launch(rewriter, op, "marginal")
        .in(constantTensor<int32_t>(rewriter, op.getLoc(), starts))
        .in(constantTensor<int32_t>(rewriter, op.getLoc(), index))
        .in(adaptor.getSums())
        .scalars64({static_cast<int64_t>(parts.size()), size})
        .out(componentType(op.getResult(), 0))
        .create();
  }

private:
  /// `size` if each `size` consecutive numbers add up consecutive numbers of
  /// the sums, so that whole words can be added; else 1.
  static int64_t findWordSize(ArrayRef<SmallVector<int32_t>> parts,
                              int64_t size) {
    if (parts.size() % size != 0)
      return 1;
    for (size_t i = 0; i < parts.size(); ++i) {
      ArrayRef<int32_t> first = parts[i / size * size], own = parts[i];
      int32_t along = i % size;
      if (own.size() != first.size())
        return 1;
      for (auto [a, b] : llvm::zip(first, own))
        if (a + along != b)
          return 1;
    }
    return size;
  }
};

class NormalMatrixPattern : public KernelPattern<tam::NormalMatrixOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::NormalMatrixOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    auto sources = sourcesOf(op, op.getPenalties());
    if (failed(sources))
      return failure();
    const AllPenalties all(*sources);

    SmallVector<int64_t> table;
    SmallVector<Value> blocks;
    for (auto [effects, block, components] : llvm::zip_equal(
             op.getBlockEffects(), op.getBlocks(), adaptor.getBlocks())) {
      RankedTensorType type = tensorType(block);
      auto sums = cast<tam::SumsAttr>(type.getEncoding());
      int64_t height = type.getDimSize(0), width = type.getDimSize(1);
      int64_t row = all.starts[effects.first];
      int64_t column = all.starts[effects.second];
      if (sums.isTransposed()) {
        std::swap(height, width);
        std::swap(row, column);
      }
      table.append(
          {formOf(sums), tableWidth(sums), height, width, row, column});
      appendFactors(sums, table);
      llvm::append_range(blocks, components);
    }

    Location loc = op.getLoc();
    FailureOr<SmallVector<Value>> matrix = SmallVector<Value>();
    // The first launch makes the matrix, the others add to it.
    auto add = [&](const PenaltyEntries &some, ValueRange weights) {
      if (failed(matrix))
        return failure();
      const bool isFirst = matrix->empty();
      Launch launch(rewriter, op, isFirst ? "assemble_matrix" : "add_penalty");
      if (isFirst)
        launch.in(constantTensor<int64_t>(rewriter, loc, table));
      if (failed(some.addTo(launch, rewriter, op)))
        return failure();
      launch.in(isFirst ? ValueRange(blocks) : weights)
          .slot(SlotKind::Rows)
          .scalars64({all.size, some.size()});
      matrix = isFirst ? launch.out(tensorType(op.getResult())).create()
                       : launch.out(*matrix).create();
      return success();
    };
    if (failed(all.forEach(add)))
      return failure();
    if (!op.getPairs())
      return matrix;
    SmallVector<int64_t> starts(all.starts);
    starts.push_back(all.size);
    return Launch(rewriter, op, "assemble_pairs")
        .in(constantTensor<int64_t>(rewriter, loc, starts))
        .in(constantPairs(rewriter, loc, op.getPairList()))
        .in(adaptor.getPairs())
        .scalars64({all.size, static_cast<int64_t>(op.getFirst()->size())})
        .out(*matrix)
        .create();
  }
};

/// A vector of the effects' sums, one effect after another, from their
/// components `parts`.
FailureOr<SmallVector<Value>>
assembleVector(Operation *op, ValueRange blocks, ArrayRef<ValueRange> parts,
               RankedTensorType type, ConversionPatternRewriter &rewriter) {
  SmallVector<int64_t> table;
  SmallVector<Value> components;
  int64_t start = 0;
  for (auto [block, part] : llvm::zip(blocks, parts)) {
    int64_t size = tensorType(block).getDimSize(0);
    auto sums = cast<tam::SumsAttr>(tensorType(block).getEncoding());
    int64_t width = tableWidth(sums);
    table.append({sums.isProduct() ? -width : width, size, start});
    appendFactors(sums, table);
    llvm::append_range(components, part);
    start += size;
  }
  return Launch(rewriter, op, "assemble_vector")
      .in(constantTensor<int64_t>(rewriter, op->getLoc(), table))
      .in(components)
      .scalar(start)
      .out(type)
      .create();
}

class NormalVectorPattern : public KernelPattern<tam::NormalVectorOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::NormalVectorOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return assembleVector(op, op.getBlocks(), adaptor.getBlocks(),
                          tensorType(op.getResult()), rewriter);
  }
};

class NormalProductPattern : public KernelPattern<tam::NormalProductOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::NormalProductOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    auto sources = sourcesOf(op, op.getPenalties());
    if (failed(sources))
      return failure();
    const AllPenalties all(*sources);
    auto product = assembleVector(op, op.getSums(), adaptor.getSums(),
                                  tensorType(op.getResult()), rewriter);
    auto add = [&](const PenaltyEntries &some, ValueRange weights) {
      if (failed(product))
        return failure();
      Launch launch(rewriter, op,
                    weights.empty() ? "multiply_penalty"
                                    : "multiply_learnt_penalty");
      if (failed(some.addTo(launch, rewriter, op)))
        return failure();
      product = launch.in(weights)
                    .in(adaptor.getVector())
                    .slot(SlotKind::Rows)
                    .scalars64({all.size, some.size()})
                    .out(*product)
                    .create();
      return success();
    };
    if (failed(all.forEach(add)))
      return failure();
    return product;
  }
};

class FactorPattern : public KernelPattern<tam::FactorOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::FactorOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    int64_t columns = tensorType(op.getMatrix()).getDimSize(0);
    auto results =
        Launch(rewriter, op, "cholesky_factor")
            .scalars64({columns, static_cast<int64_t>(op.getColumn())})
            .out(adaptor.getMatrix())
            .workspace(getTarget(), columns)
            .create();
    if (failed(results))
      return failure();
    return SmallVector<Value>{(*results)[0]};
  }
};

class FactorSolvePattern : public KernelPattern<tam::FactorSolveOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::FactorSolveOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "cholesky_apply")
        .in(adaptor.getFactor())
        .in(adaptor.getVector())
        .scalar(tensorType(op.getVector()).getDimSize(0))
        .out(tensorType(op.getResult()))
        .create();
  }
};

class DiagonalFactorPattern : public KernelPattern<tam::DiagonalFactorOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::DiagonalFactorOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    auto sources = sourcesOf(op, op.getPenalty());
    if (failed(sources))
      return failure();
    tam::PenaltyOp source = sources->front();
    if (!source.getWeights().empty())
      return op.emitOpError("expected a penalty that is not learnt");
    PenaltyEntries entries;
    entries.add(source, /*start=*/0, /*table=*/-1);
    Launch launch(rewriter, op, "diagonal_factor");
    if (failed(entries.addTo(launch, rewriter, op)))
      return failure();
    RankedTensorType type = tensorType(op.getResult());
    return launch.inOptional(adaptor.getSums())
        .slot(SlotKind::Rows)
        .scalars64({type.getDimSize(0), static_cast<int64_t>(op.getColumn()),
                    entries.size()})
        .out(type)
        .create();
  }
};

class DiagonalSolvePattern : public KernelPattern<tam::DiagonalSolveOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::DiagonalSolveOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return Launch(rewriter, op, "diagonal_apply")
        .in(adaptor.getFactor())
        .in(adaptor.getVector())
        .scalar(tensorType(op.getVector()).getDimSize(0))
        .out(tensorType(op.getResult()))
        .create();
  }
};

class SolvePattern : public KernelPattern<tam::SolveOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::SolveOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    if (op.getSolver() != tam::Solver::Direct)
      return op.emitOpError("expected solver 'direct', got '")
             << tam::stringifySolver(op.getSolver()) << "'";
    int64_t columns = tensorType(op.getVector()).getDimSize(0);
    auto results = Launch(rewriter, op, "cholesky_solve")
                       .scalar(columns)
                       .out(adaptor.getMatrix())
                       .out(adaptor.getVector())
                       .workspace(getTarget(), columns)
                       .create();
    if (failed(results))
      return failure();
    return SmallVector<Value>{(*results)[1]};
  }
};

/// Predict and decompose: one launch per effect, each into its column of a
/// matrix of `width` columns, or all into one column that adds them up.
template <typename Op> class ApplyPattern : public KernelPattern<Op> {
public:
  using KernelPattern<Op>::KernelPattern;
  using typename KernelPattern<Op>::OneToNAdaptor;

  FailureOr<SmallVector<Value>>
  convert(Op op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    constexpr bool addsUp = std::is_same_v<Op, tam::PredictOp>;
    RankedTensorType type = tensorType(op.getResult());
    int64_t width = addsUp ? 1 : type.getDimSize(1);
    ValueRange start;
    if constexpr (addsUp)
      start = adaptor.getStart();
    PartsWriter writer(rewriter, op, type, start);
    for (auto [index, design] : llvm::enumerate(op.getDesigns())) {
      tam::EncodingInterface encoding = tam::getEncoding(design.getType());
      Launch launch(rewriter, op, "predict_" + encoding.getKernelTag());
      launch.in(adaptor.getDesigns()[index])
          .in(adaptor.getCoefficients()[index])
          .slot(SlotKind::Rows)
          .sizes(encoding, tensorType(design))
          .scalars64({width, addsUp ? 0 : static_cast<int64_t>(index),
                      addsUp && (!start.empty() || index > 0) ? 1 : 0});
      if (failed(writer.write(launch)))
        return failure();
    }
    return writer.getValues();
  }
};

class DesignPattern : public KernelPattern<tam::DesignOp> {
  using KernelPattern::KernelPattern;
  FailureOr<SmallVector<Value>>
  convert(tam::DesignOp op, OneToNAdaptor adaptor,
          ConversionPatternRewriter &rewriter) const override {
    return writeColumns(rewriter, op, op.getDesigns(), adaptor.getDesigns(),
                        tam::DenseAttr::get(op.getContext()));
  }
};

} // namespace

void tamc::populateTamToTamKPatterns(const ComponentTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<NormalizePattern, OffsetPattern, LinearPattern, FourierPattern,
               ChebyshevPattern, BSplinePattern, CategoryPattern, LevelsPattern,
               AffinePattern, WaveletPattern, ZerosPattern, PenaltyPattern,
               MarginalPattern, NormalMatrixPattern, NormalVectorPattern,
               NormalProductPattern, SolvePattern, FactorPattern,
               FactorSolvePattern, DiagonalFactorPattern, DiagonalSolvePattern,
               ApplyPattern<tam::PredictOp>, ApplyPattern<tam::DecomposeOp>,
               DesignPattern>(converter, patterns.getContext());
  populateSumPatterns(converter, patterns);
  populatePointPatterns(converter, patterns);
  populateInferencePatterns(converter, patterns);
  populateLevelPatterns(converter, patterns);
  populateRowsPatterns(converter, patterns);
}
