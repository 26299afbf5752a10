//===- RowCode.cpp - what the body of a tam.rows may hold -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/Tam/IR/RowCode.h"

#include "Values.h"

#include <limits>

using namespace mlir;
using namespace tamc::tam;

/// Splines that predictions have code for. Those of degree 0 have steps at
/// their knots, where a kernel that rounds otherwise is not near the runtime's.
static constexpr uint64_t kMinDegree = 1;
static constexpr uint64_t kMaxDegree = 7;
static constexpr uint64_t kMaxIntervals = std::numeric_limits<int32_t>::max();

/// Whether a map's result is stored as it is computed, for rows of a chunk.
static bool isStructured(FeatureMapInterface map) {
  Value design = map->getResult(0);
  return getEncoding(design.getType()) == map.getStructuredEncoding() &&
         ShapedType::isDynamic(shapeOf(design)[0]);
}

bool tamc::tam::hasSumCode(Operation *map) {
  if (isa<NormalizeOp, RegridOp>(map))
    return ShapedType::isDynamic(shapeOf(map->getResult(0))[0]);
  if (auto convert = dyn_cast<ConvertOp>(map))
    return isa_and_present<SparseAttr>(
               getEncoding(convert.getResult().getType())) &&
           !getFactors(convert.getA()).empty();
  if (isa<KroneckerOp>(map))
    return !getFactors(map->getResult(0)).empty();
  if (auto spline = dyn_cast<BSplineOp>(map);
      spline && static_cast<int64_t>(spline.getDegree()) >= kWidestBand)
    return false;
  return isa<OffsetOp, LinearOp, BSplineOp, CategoryOp>(map) &&
         isStructured(cast<FeatureMapInterface>(map));
}

bool tamc::tam::hasPredictionCode(Operation *map) {
  if (isa<NormalizeOp>(map))
    return ShapedType::isDynamic(shapeOf(map->getResult(0))[0]);
  if (auto spline = dyn_cast<BSplineOp>(map);
      spline &&
      (spline.getDegree() < kMinDegree || spline.getDegree() > kMaxDegree ||
       spline.getIntervals() > kMaxIntervals))
    return false;
  return isa<OffsetOp, LinearOp, BSplineOp, CategoryOp, LevelsOp>(map) &&
         isStructured(cast<FeatureMapInterface>(map));
}

int64_t tamc::tam::bandOf(ArrayRef<Value> factors) {
  int64_t width = factors.size() > 1 ? 1 : 0;
  for (Value factor : factors)
    if (int64_t own = getBandWidth(factor);
        own > 1 || isa<BandedAttr>(getEncoding(factor.getType())))
      width = std::max<int64_t>(width, 1) * own;
  return width;
}

bool tamc::tam::canMeetPanels(ArrayRef<Value> factors) {
  return factors.size() <= 1 || areLevels(factors);
}

int64_t tamc::tam::countWords(SumsAttr panels, RankedTensorType type,
                              ArrayRef<Value> along, ArrayRef<Value> others) {
  if (panels.getLayout() == SumsLayout::UpperPanels)
    return panels.getWordsPerPanel(type);
  return bandOf(along) * std::max<int64_t>(1, bandOf(others));
}

/// Place of a matrix or column in the order in which kernels take their
/// operands; negative for encodings without a place in it, some of which have
/// sums in panels.
static int rankOf(Value side) {
  Attribute encoding = getEncoding(side.getType());
  if (isa_and_present<OneHotAttr>(encoding))
    return 0;
  if (isa_and_present<BandedAttr>(encoding))
    return 1;
  return !encoding || isa<DenseAttr>(encoding) ? 2 : -1;
}

bool tamc::tam::hasSumCode(Operation *sum, SumsAttr sums) {
  auto gram = dyn_cast<GramOp>(sum);
  auto rhs = dyn_cast<RhsOp>(sum);
  if (!gram && !rhs)
    return false;
  Value left = gram ? gram.getA() : rhs.getA();
  Value right = gram ? gram.getB() : rhs.getY();
  bool isSelf = left == right;
  if (sums.isTransposed())
    std::swap(left, right);
  if (!sums.isPanels()) {
    if (sums.getLayout() == SumsLayout::Frequencies || rankOf(left) < 0 ||
        rankOf(right) < rankOf(left))
      return false;
    return !isSelf || rankOf(left) > 0 ||
           sums.getLayout() == SumsLayout::Diagonal;
  }
  SmallVector<Value> along = getFactors(left), others;
  if (gram && !isSelf)
    others = getFactors(right);
  if (isSelf && !sums.isSelf())
    return false;
  if (along.empty() || along.size() > kMaxFactors || !canMeetPanels(others))
    return false;
  auto type = cast<RankedTensorType>(sum->getResult(0).getType());
  return along.size() == 1 ||
         countWords(sums, type, along, others) <= kMaxWords;
}

/// Whether the loop of sums has code for `op`, one of the body of a tam.rows.
static LogicalResult verifySumCode(Operation &op) {
  if (!isa<GramOp, RhsOp>(op)) {
    if (hasSumCode(&op))
      return success();
    return op.emitOpError("expected a map that a loop of sums over rows has "
                          "code for, dynamic rows and the encoding that goes "
                          "with it"); // rows_c5
  }
  auto sums =
      dyn_cast_if_present<SumsAttr>(getEncoding(op.getResult(0).getType()));
  const OperandRange designs = cast<RowReductionInterface>(op).getDesigns();
  bool areMade =
      llvm::all_of(designs, [](Value v) { return v.getDefiningOp(); });
  bool areGiven = llvm::all_of(op.getOperands().drop_front(designs.size()),
                               [](Value v) { return !v.getDefiningOp(); });
  if (sums && areMade && areGiven && hasSumCode(&op, sums))
    return success();
  return op.emitOpError("expected a sum that a loop over rows has code for, of "
                        "maps of the body and its arguments, got ")
         << op.getResult(0).getType(); // rows_c6
}

/// The same of the loop of the prediction `predict`.
static LogicalResult verifyPredictionCode(Operation &op, PredictOp predict) {
  auto isGiven = [](Value value) { return !value.getDefiningOp(); };
  auto isPrepared = [&](Value value) {
    auto normalize = value.getDefiningOp<NormalizeOp>();
    return normalize ? llvm::all_of(normalize->getOperands(), isGiven)
                     : isGiven(value);
  };
  if (&op == predict) {
    auto rows = cast<RowsOp>(op.getParentOp());
    const bool startsFromAccumulator = !rows.getAccumulators().empty();
    if (llvm::all_of(predict.getCoefficients(), isGiven) &&
        llvm::none_of(predict.getDesigns(), isGiven) &&
        bool(predict.getStart()) == startsFromAccumulator &&
        predict->hasOneUse())
      return success();
    return op.emitOpError("expected maps of the body, coefficients that are "
                          "its arguments, and no start but an "
                          "accumulator"); // rows_c7
  }
  if (hasPredictionCode(&op) && llvm::all_of(op.getOperands(), isPrepared))
    return success();
  return op.emitOpError("expected a map that a loop of predictions has code "
                        "for, dynamic rows and the encoding that goes with "
                        "it"); // rows_c5
}

PredictOp RowsOp::getPrediction() {
  Operation *yield = getBody().front().getTerminator();
  if (yield->getNumOperands() == 0)
    return {};
  return yield->getOperand(0).getDefiningOp<PredictOp>();
}

/// The value that an op of the body of a tam.rows adds to.
static Value startOf(Operation *op) {
  if (auto sum = dyn_cast_if_present<RowReductionInterface>(op))
    return sum.getAccumulatorMutable().get();
  auto predict = dyn_cast_if_present<PredictOp>(op);
  return predict ? predict.getStart() : Value();
}

LogicalResult RowsOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  size_t accumulators = getAccumulators().size(), sums = 0;
  if (block.getArgumentTypes() != getOperandTypes() ||
      getNumResults() < accumulators ||
      TypeRange(getAccumulators()) !=
          TypeRange(getResults().take_front(accumulators)) ||
      TypeRange(yield.getValues()) != getResultTypes()) // rows_c1
    return emitOpError("expected a body from the operands to the results, "
                       "which are of the accumulators' types, then columns");
  auto starts = block.getArguments().drop_front(getInputs().size());
  size_t summed = 0;
  for (Operation &op : block)
    summed += isa<RowReductionInterface>(op);
  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    Operation *source = value.getDefiningOp();
    sums += isa_and_present<RowReductionInterface>(source);
    if (index >= accumulators) {
      if (!isa_and_present<PredictOp>(source)) // rows_c3
        return emitOpError("expected result ")
               << index << " to be what a tam.predict of the body makes";
      continue;
    }
    if (startOf(source) != starts[index] ||
        !starts[index].hasOneUse()) // rows_c2
      return emitOpError("expected result ")
             << index << " to be what one op adds to accumulator " << index;
  }
  if (summed != sums) // rows_c2
    return emitOpError("expected ")
           << sums << " sums in the body, got " << summed;
  if (getNumResults() != std::max<size_t>(sums, 1)) // rows_c4
    return emitOpError("expected sums or one prediction, got ")
           << sums << " sums and " << getNumResults() - sums << " predictions";
  PredictOp predict = getPrediction();
  for (Operation &op : block.without_terminator())
    if (failed(predict ? verifyPredictionCode(op, predict) : verifySumCode(op)))
      return failure();
  return success();
}

SmallVector<Type> tamc::tam::getLoopArguments(RowsOp rows) {
  SmallVector<Type> types;
  auto add = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<RankedTensorType> parts{tensor};
    if (EncodingInterface encoding = getEncoding(type))
      parts = encoding.getComponentTypes(tensor);
    for (RankedTensorType part : parts)
      types.push_back(MemRefType::get(part.getShape(), part.getElementType()));
  };
  for (Type input : rows.getInputs().getTypes())
    if (!input.isIndex())
      add(input);
  types.push_back(IndexType::get(rows.getContext()));
  for (Type result : rows.getResultTypes())
    add(result);
  return types;
}

LogicalResult RowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getLoop())
    return success();
  auto function =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, *getLoop());
  SmallVector<Type> types = getLoopArguments(*this);
  if (!function) // rows_c8
    return emitOpError("expected a function ") << *getLoop();
  if (function.getArgumentTypes() == ArrayRef<Type>(types)) // rows_c8
    return success();
  InFlightDiagnostic diagnostic = emitOpError("expected ");
  diagnostic << *getLoop() << " to take ";
  llvm::interleaveComma(types, diagnostic);
  return diagnostic;
}
