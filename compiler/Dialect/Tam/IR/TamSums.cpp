//===- TamSums.cpp - verifiers of sums over rows ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "tamrt/steps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace tamc::tam;

/// Checks that the panels of sums are those of `side`, the matrix whose columns
/// are along the words.
static LogicalResult verifyPanels(Operation *op, SumsAttr sums, Value side) {
  if (!sums.isPanels())
    return success();
  SmallVector<Value> factors = getFactors(side);
  SmallVector<int64_t> widths, columns;
  for (Value factor : factors) {
    widths.push_back(getBandWidth(factor));
    columns.push_back(columnsOf(factor));
  }
  auto type = cast<RankedTensorType>(
      cast<RowReductionInterface>(op).getAccumulatorMutable().get().getType());
  if (ArrayRef(widths) == sums.getWidths() &&
      columns == sums.getFactorColumns(type))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("expected '");
  diagnostic << stringifySumsLayout(sums.getLayout())
             << "' only for factors of widths ";
  llvm::interleaveComma(sums.getWidths(), diagnostic);
  diagnostic << ", got ";
  if (widths.empty())
    return diagnostic << side.getType();
  llvm::interleaveComma(widths, diagnostic);
  return diagnostic;
}

LogicalResult tamc::tam::verifyFull(Operation *op, Value sums) {
  auto encoding = dyn_cast_if_present<SumsAttr>(getEncoding(sums.getType()));
  if (encoding && encoding.getLayout() != SumsLayout::Full)
    return op->emitOpError("expected 'full' sums, got ") << sums.getType();
  return success();
}

LogicalResult GramOp::verify() {
  if (failed(verifyChunkRows(*this, {getA(), getB()})) ||
      (getWeights() && failed(verifyChunkRows(*this, getWeights()))))
    return failure(); // gram_c7
  int64_t rows = columnsOf(getA()), columns = columnsOf(getB());
  if (shapeOf(getAccumulator()) != ArrayRef<int64_t>({rows, columns}))
    return emitOpError("expected an accumulator of ") // gram_c1
           << rows << " x " << columns << ", got "
           << getAccumulator().getType();
  auto type = cast<RankedTensorType>(getAccumulator().getType());
  auto sums = dyn_cast_if_present<SumsAttr>(type.getEncoding());
  if (!sums)
    return success();
  SumsLayout layout = sums.getLayout();
  auto encoding = dyn_cast_if_present<DesignEncodingInterface>(
      getEncoding(getA().getType()));
  SumsLayout own = encoding ? encoding.getSelfLayout() : SumsLayout::Upper;
  if (sums.isSelf() && getA() != getB()) // gram_c2
    return emitOpError("expected '")
           << stringifySumsLayout(layout) << "' only for a matrix with itself";
  Value side = sums.isTransposed() ? getB() : getA();
  if (failed(verifyPanels(*this, sums, side))) // gram_c3
    return failure();
  if (llvm::is_contained({SumsLayout::Upper, SumsLayout::Diagonal}, layout) &&
      layout != own) // gram_c6
    return emitOpError("expected '")
           << stringifySumsLayout(own) << "' sums of " << getA().getType()
           << " with itself, got '" << stringifySumsLayout(layout) << "'";
  if (layout == SumsLayout::Frequencies) { // gram_c4
    auto fourier = getA().getDefiningOp<FourierOp>();
    if (!fourier || !fourier.hasAngles())
      return emitOpError("expected 'frequencies' only for a tam.fourier that "
                         "does not leave the circle");
  }
  if (layout == SumsLayout::CubicPanels) { // gram_c5
    auto spline = getA().getDefiningOp<BSplineOp>();
    if (!spline || spline.getDegree() != 3)
      return emitOpError("expected 'cubic_panels' only for a tam.bspline of "
                         "degree 3");
  }
  return success();
}

/// The elements of two lists, as pairs.
static SmallVector<std::pair<int64_t, int64_t>>
zipPairs(ArrayRef<int32_t> first, ArrayRef<int32_t> second) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (auto [a, b] : llvm::zip(first, second))
    pairs.push_back({a, b});
  return pairs;
}

int64_t tamc::tam::sizeOfPairs(ArrayRef<int32_t> first,
                               ArrayRef<int32_t> second,
                               ArrayRef<int64_t> columns) {
  int64_t size = 0;
  for (auto [a, b] : llvm::zip_equal(first, second))
    size += tamrt::pairSize(columns[a], columns[b]);
  return size;
}

SmallVector<std::pair<int64_t, int64_t>> GramPairsOp::getPairList() {
  return zipPairs(getFirst(), getSecond());
}

Value GramPairsOp::getPartner(int64_t design) {
  for (auto [a, b] : getPairList())
    if (a == design || b == design)
      return getDesigns()[a == design ? b : a];
  return {};
}

LogicalResult GramPairsOp::verify() {
  const size_t count = getFirst().size();
  const auto designs = static_cast<int64_t>(getDesigns().size());
  if (count == 0 || getSecond().size() != count) // gram_pairs_c1
    return emitOpError("expected pairs of designs, got ")
           << count << " and " << getSecond().size() << " indices";
  for (auto [a, b] : getPairList())
    if (a < 0 || b < 0 || a >= designs || b >= designs ||
        a == b) // gram_pairs_c1
      return emitOpError("expected pairs of two of ")
             << designs << " designs, got " << a << " and " << b;
  for (Value design : getDesigns())
    if (!isa_and_present<SparseAttr>(
            getEncoding(design.getType()))) // gram_pairs_c2
      return emitOpError("expected sparse matrices, got ") << design.getType();
  if (failed(verifyChunkRows(*this, getDesigns())) ||
      (getWeights() && failed(verifyChunkRows(*this, getWeights()))))
    return failure(); // gram_pairs_c5
  const int64_t size = sizeOfPairs(
      getFirst(), getSecond(), llvm::map_to_vector(getDesigns(), columnsOf));
  if (shapeOf(getAccumulator()) != ArrayRef<int64_t>({size}))
    return emitOpError("expected an accumulator of ") // gram_pairs_c3
           << size << ", got " << getAccumulator().getType();
  return verifyFull(*this, getAccumulator()); // gram_pairs_c4
}

LogicalResult RhsOp::verify() {
  if (failed(verifyChunkRows(*this, {getA(), getY()})) ||
      (getWeights() && failed(verifyChunkRows(*this, getWeights()))))
    return failure(); // rhs_c3
  if (shapeOf(getAccumulator()) != ArrayRef<int64_t>({columnsOf(getA())}))
    return emitOpError("expected an accumulator of ") // rhs_c1
           << columnsOf(getA()) << ", got " << getAccumulator().getType();
  if (auto sums = dyn_cast_if_present<SumsAttr>(
          getEncoding(getAccumulator().getType())))
    return verifyPanels(*this, sums, getA()); // rhs_c2
  return success();
}

LogicalResult SquaresOp::verify() {
  if (failed(verifyChunkRows(*this, getA())) ||
      (getWeights() && failed(verifyChunkRows(*this, getWeights()))))
    return failure(); // squares_c3
  if (shapeOf(getAccumulator()) != ArrayRef<int64_t>({columnsOf(getA())}))
    return emitOpError("expected an accumulator of ") // squares_c1
           << columnsOf(getA()) << ", got " << getAccumulator().getType();
  if (getEncoding(getA().getType()) && !isDense(getA())) // squares_c2
    return emitOpError("expected a dense matrix, got ") << getA().getType();
  return verifyFull(*this, getAccumulator()); // squares_c4
}

LogicalResult NormalEquationsOp::verify() {
  if (getDesigns().empty() ||
      getDesigns().size() != getPenalties().size()) // normal_equations_c1
    return emitOpError("expected as many designs as penalties, got ")
           << getDesigns().size() << " and " << getPenalties().size();
  int64_t size = 0;
  for (auto [design, penalty] : llvm::zip(getDesigns(), getPenalties())) {
    const int64_t columns = shapeOf(penalty)[0];
    if (columnsOf(design) != columns) // normal_equations_c1
      return emitOpError("expected a design of ")
             << columns << " columns, got " << design.getType();
    size += columns;
  }
  if (shapeOf(getMatrix()) != ArrayRef<int64_t>({size, size}) ||
      shapeOf(getVector()) != ArrayRef<int64_t>({size}))
    return emitOpError("expected results of ") // normal_equations_c2
           << size << " x " << size << " and " << size << ", got "
           << getMatrix().getType() << " and " << getVector().getType();
  if (failed(verifyChunkRows(*this, getDesigns())) ||
      failed(verifyChunkRows(*this, getY())) ||
      (getWeights() && failed(verifyChunkRows(*this, getWeights()))))
    return failure(); // normal_equations_c3
  return success();
}

/// For each tuple of the factors' indices, the last fastest, its tuple of the
/// kept factors' indices.
static SmallVector<int64_t> mapOf(ArrayRef<int64_t> factors,
                                  ArrayRef<int64_t> kept) {
  SmallVector<int64_t> map{0};
  for (auto [index, factor] : llvm::enumerate(factors)) {
    bool isKept = llvm::is_contained(kept, static_cast<int64_t>(index));
    SmallVector<int64_t> next;
    for (int64_t before : map)
      for (int64_t i = 0; i < factor; ++i)
        next.push_back(isKept ? before * factor + i : before);
    map = std::move(next);
  }
  return map;
}

SmallVector<int64_t> MarginalOp::getRowMap() {
  return mapOf(getRowFactors(), getRowKept());
}
SmallVector<int64_t> MarginalOp::getColumnMap() {
  return mapOf(getColumnFactors(), getColumnKept());
}

SumsAttr MarginalOp::getPanels() {
  auto type = cast<RankedTensorType>(getSums().getType());
  auto sums = dyn_cast_if_present<SumsAttr>(type.getEncoding());
  if (!sums || !sums.isPanels())
    return {};
  bool hasColumns = getColumnKept().size() == getColumnFactors().size();
  bool hasRows = getRowKept().size() == getRowFactors().size();
  bool alongColumns = sums.isSelf() ? hasColumns : sums.isTransposed();
  if (alongColumns ? !hasColumns : !hasRows)
    return {};
  return SumsAttr::get(getContext(),
                       alongColumns != getTransposed()
                           ? SumsLayout::TransposedPanels
                           : SumsLayout::Panels,
                       sums.getWidths(), sums.getColumns());
}

LogicalResult MarginalOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getSums());
  SmallVector<int64_t> kept;
  auto addSide = [&](StringRef side, ArrayRef<int64_t> factors,
                     ArrayRef<int64_t> indices, int64_t size) -> LogicalResult {
    int64_t all = 1, some = 1;
    bool fits = true;
    for (auto [index, factor] : llvm::enumerate(factors)) {
      if (factor < 1) // marginal_c1
        return emitOpError("expected factors of at least 1 of ")
               << side << ", got " << factor;
      fits &= factor <= size / all;
      if (!fits)
        break;
      all *= factor;
      if (llvm::is_contained(indices, static_cast<int64_t>(index)))
        some *= factor;
    }
    if (!fits || all != size) // marginal_c1
      return emitOpError("expected factors of ")
             << size << ' ' << side << " together, got [" << factors << "]";
    int64_t least = 0;
    for (int64_t index : indices) {
      if (index < least || index >= static_cast<int64_t>(factors.size()))
        return emitOpError("expected ascending indices of ") // marginal_c2
               << factors.size() << " factors of " << side << ", got " << index;
      least = index + 1;
    }
    kept.push_back(some);
    return success();
  };
  if (failed(addSide("rows", getRowFactors(), getRowKept(), shape[0])) ||
      failed(addSide("columns", getColumnFactors(), getColumnKept(),
                     shape.size() == 1 ? 1 : shape[1])))
    return failure();
  if (getTransposed())
    std::swap(kept[0], kept[1]);
  kept.resize(shape.size());
  if (shapeOf(getResult()) != ArrayRef(kept)) { // marginal_c3
    InFlightDiagnostic diagnostic = emitOpError("expected a result of ");
    llvm::interleave(kept, diagnostic, " x ");
    return diagnostic << ", got " << getType();
  }
  auto sumsOf = [](Value value) {
    return dyn_cast_if_present<SumsAttr>(getEncoding(value.getType()));
  };
  if (SumsAttr source = sumsOf(getSums());
      source && !source.isByElements()) // marginal_c5
    return emitOpError("expected sums by elements, got '")
           << stringifySumsLayout(source.getLayout()) << "'";
  SumsAttr sums = sumsOf(getResult());
  if (!sums || sums.getLayout() == SumsLayout::Full ||
      sums.getLayout() == SumsLayout::Diagonal || sums == getPanels())
    return success();
  return emitOpError("expected 'full', 'diagonal' or panels of the sums, got ")
         << sums; // marginal_c4
}

SumsAttr ExpandLevelsOp::inferEncoding() {
  auto sums = dyn_cast_if_present<SumsAttr>(
      cast<RankedTensorType>(getSums().getType()).getEncoding());
  if (!sums)
    return {};
  if (getRows() && getColumns()) {
    if (sums.getLayout() != SumsLayout::Diagonal)
      return {};
    return SumsAttr::get(getContext(), getRows() == getColumns()
                                           ? SumsLayout::Upper
                                           : SumsLayout::Full);
  }
  bool isOtherSide =
      sums.getLayout() ==
      (getRows() ? SumsLayout::TransposedPanels : SumsLayout::Panels);
  bool isPlain = sums.getLayout() == SumsLayout::Full ||
                 sums.getLayout() == SumsLayout::Transposed;
  return isOtherSide || isPlain ? sums : SumsAttr();
}

LogicalResult ExpandLevelsOp::verify() {
  SmallVector<int64_t> shape(shapeOf(getSums()));
  if ((!getRows() && !getColumns()) ||
      (getColumns() && shape.size() == 1)) // expand_levels_c1
    return emitOpError("expected a matrix for each side that is expanded, and "
                       "no columns of a vector");
  const Value sides[] = {getRows(), getColumns()};
  for (auto [side, basis] : llvm::enumerate(sides)) {
    if (!basis)
      continue;
    if (shapeOf(basis)[0] != shape[side]) // expand_levels_c2
      return emitOpError("expected a matrix of ")
             << shape[side] << " rows, got " << basis.getType();
    shape[side] = columnsOf(basis);
  }
  if (shapeOf(getResult()) != ArrayRef(shape)) { // expand_levels_c2
    InFlightDiagnostic diagnostic = emitOpError("expected a result of ");
    llvm::interleave(shape, diagnostic, " x ");
    return diagnostic << ", got " << getType();
  }
  Attribute before = getEncoding(getSums().getType()),
            after = getEncoding(getResult().getType());
  if (!before && !after)
    return success();
  for (Value basis : sides)
    if (basis && !isDense(basis)) // expand_levels_c2
      return emitOpError("expected dense matrices, got ") << basis.getType();
  SumsAttr expected = inferEncoding();
  if (!expected) // expand_levels_c3, expand_levels_c4
    return emitOpError("expected sums that can be expanded, got ")
           << getSums().getType();
  if (after != expected) // expand_levels_c3, expand_levels_c4
    return emitOpError("expected a result with encoding ")
           << expected << ", got " << getType();
  return success();
}

/// Builds the terminator of a body that is filled later.
void YieldOp::build(OpBuilder &, OperationState &) {}

void NormalMatrixOp::build(OpBuilder &builder, OperationState &state,
                           Type result, Value groupRows, ValueRange blocks,
                           ValueRange penalties) {
  build(builder, state, result, groupRows, blocks, /*pairs=*/Value(), penalties,
        /*first=*/DenseI32ArrayAttr(), /*second=*/DenseI32ArrayAttr());
}

SmallVector<std::pair<int64_t, int64_t>> NormalMatrixOp::getPairList() {
  if (!getPairs())
    return {};
  return zipPairs(*getFirst(), *getSecond());
}

SmallVector<std::pair<int64_t, int64_t>> NormalMatrixOp::getBlockEffects() {
  DenseSet<std::pair<int64_t, int64_t>> paired;
  for (auto [a, b] : getPairList())
    paired.insert(std::minmax(a, b));
  SmallVector<std::pair<int64_t, int64_t>> effects;
  const auto count = static_cast<int64_t>(getPenalties().size());
  for (int64_t i = 0; i < count && !getBlocks().empty(); ++i)
    for (int64_t j = i; j < count; ++j)
      if (!paired.contains({i, j}))
        effects.push_back({i, j});
  return effects;
}

/// Checks the pairs of a normal matrix of effects with so many columns.
static LogicalResult verifyPairs(NormalMatrixOp op, ArrayRef<int64_t> columns) {
  const bool hasPairs = static_cast<bool>(op.getPairs());
  if (hasPairs != op.getFirst().has_value() ||
      hasPairs != op.getSecond().has_value()) // normal_matrix_c4
    return op.emitOpError(
        "expected the effects of each pair beside their sums");
  if (!hasPairs)
    return success();
  if (op.getFirst()->size() != op.getSecond()->size()) // normal_matrix_c4
    return op.emitOpError("expected two effects for each pair, got ")
           << op.getFirst()->size() << " and " << op.getSecond()->size();
  const auto count = static_cast<int64_t>(columns.size());
  DenseSet<std::pair<int64_t, int64_t>> known;
  for (auto [a, b] : op.getPairList())
    if (a < 0 || b < 0 || a >= count || b >= count || a == b ||
        !known.insert(std::minmax(a, b)).second) // normal_matrix_c4
      return op.emitOpError("expected each pair of two of ")
             << count << " effects once, got " << a << " and " << b;
  const int64_t size = sizeOfPairs(*op.getFirst(), *op.getSecond(), columns);
  if (shapeOf(op.getPairs()) != ArrayRef<int64_t>({size})) // normal_matrix_c5
    return op.emitOpError("expected sums of pairs of ")
           << size << ", got " << op.getPairs().getType();
  return verifyFull(op, op.getPairs()); // normal_matrix_c5
}

LogicalResult NormalMatrixOp::verify() {
  const size_t effects = getPenalties().size();
  if (effects == 0) // normal_matrix_c1
    return emitOpError("expected a penalty for each effect, got none");
  SmallVector<int64_t> columns;
  for (Value penalty : getPenalties())
    columns.push_back(shapeOf(penalty)[0]);
  if (failed(verifyPairs(*this, columns)))
    return failure();
  const size_t paired = getFirst() ? getFirst()->size() : 0;
  if ((paired > 0 || !getBlocks().empty()) &&
      getBlocks().size() + paired !=
          effects * (effects + 1) / 2) // normal_matrix_c1
    return emitOpError("expected ")
           << effects * (effects + 1) / 2 - paired << " blocks for " << effects
           << " penalties, got " << getBlocks().size();
  for (auto [place, block] : llvm::zip(getBlockEffects(), getBlocks())) {
    auto [i, j] = place;
    if (shapeOf(block) != ArrayRef<int64_t>({columns[i], columns[j]}))
      return emitOpError("expected block (") // normal_matrix_c2
             << i << ", " << j << ") of " << columns[i] << " x " << columns[j]
             << ", got " << block.getType();
  }
  const int64_t size = llvm::sum_of(columns);
  if (shapeOf(getResult()) != ArrayRef<int64_t>({size, size}))
    return emitOpError("expected a result of ") // normal_matrix_c3
           << size << " x " << size << ", got " << getType();
  return success();
}

LogicalResult NormalVectorOp::verify() {
  if (getBlocks().empty()) // normal_vector_c1
    return emitOpError("expected sums, got none");
  int64_t size = 0;
  for (Value block : getBlocks())
    size += shapeOf(block)[0];
  if (shapeOf(getResult()) != ArrayRef<int64_t>({size})) // normal_vector_c1
    return emitOpError("expected a result of ")
           << size << ", got " << getType();
  return success();
}
