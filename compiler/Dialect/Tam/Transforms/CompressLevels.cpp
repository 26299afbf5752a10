//===- CompressLevels.cpp - sums by the levels of a column ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sums.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMCOMPRESSLEVELS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

/// Most numbers of the sums of two columns' levels, and of the sums of a
/// column's levels with all effects. More do not fit in a cache and are large
/// compared with other sums.
static constexpr int64_t kMaxPairs = 16384;
static constexpr int64_t kMaxSums = 131072;

/// Most levels for a map with few numbers per row: its own sums are small, so
/// that sums of more levels would be slower. And the factor by which such a map
/// needs more rows per level than a dense one.
static constexpr int64_t kMaxBandLevels = 256;
static constexpr int64_t kBandFactor = 4;

namespace {

/// A column's grid from the profile: at most `levels` values at distance
/// `step`.
struct Grid {
  int64_t levels = 0;
  FloatAttr step;
};

/// A copy of a fit that sums by the levels of some of its inputs.
class LevelWriter {
public:
  /// Maps of columns with more than `maxLevels` levels are not compressed.
  LevelWriter(func::FuncOp fit, ArrayRef<InputAttr> inputs, int64_t maxLevels)
      : fit(fit), inputs(inputs), maxLevels(maxLevels),
        builder(fit.getContext()) {}

  /// Writes the copy behind the fit, if there is an input to compress. Returns
  /// the indices of these inputs.
  SmallVector<int32_t> write();

private:
  /// A compressed input in the copy.
  struct Compressed {
    Grid grid;
    Value x, parameters, levels, points;
  };

  /// The index of the only input that `map` reads; negative if `map` cannot be
  /// applied at the end.
  int64_t findInput(Operation *map);
  Grid gridOf(int64_t input);
  void findInputs();
  /// Whether all sums of the fit start from zero and come before all users of
  /// sums, as they must in the copy.
  bool areSumsFirst();
  /// The one-hot matrix of the levels of the input of `map`.
  Value levelsOf(Operation *map);
  /// The map's matrix with one row per level.
  Value basisOf(Value design);
  /// A sum over rows of `a` and `b`, at the location of `source`.
  Value sumOf(Operation *source, Value a, Value b);
  Value expand(Location loc, Value sums, Value rows, Value columns);
  void replace(Operation *sum);

  func::FuncOp fit;
  ArrayRef<InputAttr> inputs;
  int64_t maxLevels;
  OpBuilder builder;
  llvm::SmallMapVector<int64_t, Compressed, 4> compressed;
  /// The designs of the copy that are applied at the end, with the input of
  /// each; and the values made for them.
  llvm::MapVector<Value, int64_t> designs;
  DenseMap<Value, Value> bases;
  /// Sums by their two sides and the weights.
  DenseMap<std::tuple<Value, Value, Value>, Value> sums;
  /// The first op of the copy that reads a sum.
  Operation *end = nullptr;
};

} // namespace

int64_t LevelWriter::findInput(Operation *map) {
  if (!isa<BSplineOp, FourierOp, ChebyshevOp, WaveletOp>(map) ||
      cast<FeatureMapInterface>(map).getColumns() < 2)
    return -1;
  auto normalize = map->getOperand(0).getDefiningOp<NormalizeOp>();
  auto column = normalize ? dyn_cast<BlockArgument>(normalize.getColumn())
                          : BlockArgument();
  SlotAttr slot =
      column ? getArgumentSlot(fit, column.getArgNumber()) : SlotAttr();
  if (!slot || slot.getKind() != SlotKind::Column)
    return -1;
  // There is no kernel for the sums of levels and leaves, and a product of
  // several maps is not a map of this input.
  for (Operation *user : map->getUsers()) {
    auto gram = dyn_cast<GramOp>(user);
    if (!gram && !isa<RhsOp>(user))
      return -1;
    if (gram && (gram.getA().getDefiningOp<TreeOp>() ||
                 gram.getB().getDefiningOp<TreeOp>()))
      return -1;
  }
  return slot.getOffset();
}

Grid LevelWriter::gridOf(int64_t input) {
  if (input < 0 || input >= static_cast<int64_t>(inputs.size()))
    return {};
  GridAttr grid = inputs[input].getGrid();
  if (!grid)
    return {};
  return {grid.getLevels(), builder.getF64FloatAttr(grid.getStep())};
}

void LevelWriter::findInputs() {
  int64_t columns = 0;
  for (auto system : fit.getOps<SolveOp>())
    columns += cast<RankedTensorType>(system.getType()).getDimSize(0);
  for (Operation &op : fit.getBody().front()) {
    int64_t input = findInput(&op);
    Grid grid = gridOf(input);
    auto isTooMany = [&](auto &other) {
      return other.second.grid.levels * grid.levels > kMaxPairs;
    };
    bool isBand = isa<BSplineOp>(op);
    int64_t most =
        isBand ? std::min(maxLevels / kBandFactor, kMaxBandLevels) : maxLevels;
    if (grid.levels < 2 || grid.levels > std::min(most, kMaxSums) ||
        grid.levels * columns > kMaxSums || compressed.contains(input) ||
        llvm::any_of(compressed, isTooMany))
      continue;
    compressed[input].grid = grid;
  }
}

Value LevelWriter::levelsOf(Operation *map) {
  Compressed &input = compressed[designs[map->getResult(0)]];
  if (input.levels)
    return input.levels;
  OpBuilder::InsertionGuard guard(builder);
  auto normalize = map->getOperand(0).getDefiningOp<NormalizeOp>();
  builder.setInsertionPointAfter(normalize);
  Location loc = normalize.getLoc();
  input.x = normalize.getResult();
  input.parameters = normalize.getParameters();
  Value place = RegridOp::create(
      builder, loc, input.x.getType(), input.x, input.parameters,
      builder.getI64IntegerAttr(input.grid.levels), input.grid.step);
  auto type = RankedTensorType::get({ShapedType::kDynamic, input.grid.levels},
                                    builder.getF64Type());
  input.levels =
      CategoryOp::create(builder, loc, type, place, input.grid.levels);
  builder.setInsertionPoint(end);
  input.points = GridPointsOp::create(
      builder, loc,
      RankedTensorType::get({input.grid.levels}, builder.getF64Type()),
      input.parameters, input.grid.step);
  return input.levels;
}

Value LevelWriter::basisOf(Value design) {
  Value &basis = bases[design];
  if (basis)
    return basis;
  const Compressed &input = compressed[designs[design]];
  builder.setInsertionPoint(end);
  IRMapping mapping;
  mapping.map(input.x, input.points);
  Operation *map = builder.clone(*design.getDefiningOp(), mapping);
  basis = map->getResult(0);
  basis.setType(RankedTensorType::get(
      {input.grid.levels, cast<FeatureMapInterface>(map).getColumns()},
      builder.getF64Type(), DenseAttr::get(builder.getContext())));
  return basis;
}

Value LevelWriter::sumOf(Operation *source, Value a, Value b) {
  auto gram = dyn_cast<GramOp>(source);
  Value weights = gram ? gram.getWeights() : cast<RhsOp>(source).getWeights();
  Value &sum = sums[{a, b, weights}];
  if (sum)
    return sum;
  builder.setInsertionPoint(source);
  sum = createSum(builder, source->getLoc(), a, b, weights)->getResult(0);
  return sum;
}

/// B'S, SB or A'SB.
Value LevelWriter::expand(Location loc, Value sums, Value rows, Value columns) {
  builder.setInsertionPoint(end);
  auto type = cast<RankedTensorType>(sums.getType());
  SmallVector<int64_t> shape(type.getShape());
  const Value sides[] = {rows, columns};
  for (auto [side, basis] : llvm::enumerate(sides))
    if (basis)
      shape[side] = cast<RankedTensorType>(basis.getType()).getDimSize(1);
  return ExpandLevelsOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), sums,
      rows, columns);
}

/// Replaces a sum by the one computed from the sums of levels.
void LevelWriter::replace(Operation *sum) {
  auto gram = dyn_cast<GramOp>(sum);
  SmallVector<Value> sides{sum->getOperand(0), sum->getOperand(1)}, summed,
      basis;
  for (Value side : sides) {
    bool isMap = designs.contains(side);
    summed.push_back(isMap ? levelsOf(side.getDefiningOp()) : side);
    basis.push_back(isMap ? basisOf(side) : Value());
  }
  if (!basis[0] && !basis[1])
    return;
  Location loc = sum->getLoc();
  Value result = sumOf(sum, summed[0], summed[1]);
  if (gram && summed[0] == summed[1]) {
    result = expand(loc, result, basis[0], basis[1]);
  } else {
    if (basis[0])
      result = expand(loc, result, basis[0], Value());
    if (basis[1])
      result = expand(loc, result, Value(), basis[1]);
  }
  replaceSum(sum, result);
}

static bool isSum(Value value) {
  return value.getDefiningOp<RowReductionInterface>() != nullptr;
}

bool LevelWriter::areSumsFirst() {
  bool isRead = false;
  for (Operation &op : fit.getBody().front()) {
    isRead |= llvm::any_of(op.getOperands(), isSum);
    auto sum = dyn_cast<RowReductionInterface>(op);
    if (sum &&
        (isRead || !sum.getAccumulatorMutable().get().getDefiningOp<ZerosOp>()))
      return false;
  }
  return true;
}

SmallVector<int32_t> LevelWriter::write() {
  std::string name = (fit.getName() + "_by_levels").str();
  if (!areSumsFirst() || SymbolTable::lookupSymbolIn(fit->getParentOp(), name))
    return {};
  findInputs();
  if (compressed.empty())
    return {};
  builder.setInsertionPointAfter(fit);
  IRMapping mapping;
  auto copy = cast<func::FuncOp>(builder.clone(*fit, mapping));
  copy.setName(name);
  copy->setAttr(kByLevelsAttrName, builder.getUnitAttr());
  for (Operation &op : fit.getBody().front())
    if (int64_t input = findInput(&op); compressed.contains(input))
      designs[mapping.lookup(op.getResult(0))] = input;
  SmallVector<Operation *> all;
  for (Operation &op : copy.getBody().front()) {
    if (isa<GramOp, RhsOp>(op))
      all.push_back(&op);
    if (!end && llvm::any_of(op.getOperands(), isSum))
      end = &op;
  }
  for (Operation *sum : all)
    replace(sum);
  for (auto [design, input] : designs)
    design.getDefiningOp()->erase();
  SmallVector<int32_t> numbers;
  for (auto &[input, found] : compressed)
    numbers.push_back(static_cast<int32_t>(input));
  return numbers;
}

namespace {

struct CompressLevels
    : public tamc::tam::impl::TamCompressLevelsBase<CompressLevels> {
  using TamCompressLevelsBase::TamCompressLevelsBase;

  void runOnOperation() override {
    ModelAttr model = getModel(getOperation());
    if (!model || model.getRowsPerGroup() <= 0 || rowsPerLevel <= 0)
      return;
    SmallVector<SolveOp> systems;
    getOperation().walk([&](SolveOp op) {
      if (op.getSolver() == Solver::Direct)
        systems.push_back(op);
    });
    SetVector<Operation *> fits;
    for (SolveOp system : systems)
      fits.insert(system->getParentOp());
    SmallVector<int32_t> compressed;
    for (Operation *parent : fits)
      if (auto fit = dyn_cast<func::FuncOp>(parent))
        llvm::append_range(compressed,
                           LevelWriter(fit, model.getInputs(),
                                       model.getRowsPerGroup() / rowsPerLevel)
                               .write());
    if (compressed.empty())
      return;
    llvm::sort(compressed);
    compressed.erase(llvm::unique(compressed), compressed.end());
    getOperation()->setAttr(
        kByLevelsAttrName,
        getVariant(getOperation(), kByLevelsAttrName).withByLevels(compressed));
  }
};

} // namespace
