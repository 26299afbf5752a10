//===- ChooseSolver.cpp - chooses solvers of systems ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateLimit.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMCHOOSESOLVER
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

namespace {

/// Writes the functions of conjugate gradients for a system, from the function
/// that solves it directly.
class CgWriter {
public:
  CgWriter(func::FuncOp fit, SolveOp solve)
      : fit(fit), solve(solve), builder(solve.getContext()) {}

  /// Finds the system's effects. \returns null, or a message if conjugate
  /// gradients cannot solve the system.
  const char *findEffects();

  /// Makes the functions written from now on factor the effects of at most
  /// `blockLimit` columns. \returns for each effect whether it is factored.
  /// `areSmall`: these are the functions for when memory is short. Emits an
  /// error if the factors are too large for a state.
  FailureOr<SmallVector<bool>> chooseFactored(int64_t blockLimit,
                                              bool areSmall = false);

  /// Add @cg, @apply or @precondition behind the function and those added
  /// before. With small blocks the function gets the attribute for these.
  void writeSetup();
  void writeApply();
  void writePrecondition();

  /// Columns of the largest effect of at most `limit` columns, 0 if none.
  int64_t getLargest(int64_t limit) const;

private:
  /// One effect of the system.
  struct Effect {
    /// First column in the design, and number of columns.
    int64_t first, size;
    /// Values of the function: the effect's sums with itself, its penalty and
    /// its part of the right-hand side.
    Value block, penalty;
    RhsOp rhs;
    /// Offset of its factor in the state, in bytes; -1 if it is not factored.
    int64_t factorOffset = -1;
  };

  /// Whether the matrix and the right-hand side are X'WX and X'Wy of the same
  /// designs, weights and target: the product with the matrix is computed from
  /// the designs.
  bool isOfDesigns();

  /// Adds name and attribute of small blocks to a function, if it has them.
  void mark(func::FuncOp function);

  /// A copy of the function; `mapping` maps its values to those of the copy.
  func::FuncOp copy(StringRef name, StepKind kind, IRMapping &mapping);
  /// Makes `function`, a copy, return `result` instead of the solution, and
  /// `more`, and removes ops that are no longer used.
  void finish(func::FuncOp function, const IRMapping &mapping, Value result,
              ArrayRef<std::pair<Value, SlotAttr>> more);

  SlotAttr slot(SlotKind kind, int64_t offset = 0) {
    return SlotAttr::get(builder.getContext(), kind, offset);
  }
  RankedTensorType numbers(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF64Type());
  }
  Value addArgument(func::FuncOp function, Type type, SlotAttr slot) {
    Block &body = function.getBody().front();
    Value argument = body.addArgument(type, function.getLoc());
    function.setType(builder.getFunctionType(
        body.getArgumentTypes(), function.getFunctionType().getResults()));
    SmallVector<DictionaryAttr> attributes;
    function.getAllArgAttrs(attributes);
    attributes.resize(body.getNumArguments() - 1);
    attributes.push_back(slots(slot));
    function.setAllArgAttrs(attributes);
    return argument;
  }
  DictionaryAttr slots(SlotAttr slot) {
    return builder.getDictionaryAttr(builder.getNamedAttr(kSlotAttrName, slot));
  }

  func::FuncOp fit;
  SolveOp solve;
  OpBuilder builder;
  NormalMatrixOp matrix;
  NormalVectorOp vector;
  SmallVector<Effect> effects;
  /// The sums for pairs of different effects, which copies do not have: they
  /// are nearly all ops of a fit of many terms.
  DenseSet<Operation *> betweenEffects;
  bool areSmall = false;
};

} // namespace

const char *CgWriter::findEffects() {
  matrix = solve.getMatrix().getDefiningOp<NormalMatrixOp>();
  vector = solve.getVector().getDefiningOp<NormalVectorOp>();
  bool isOutput =
      solve->hasOneUse() && isa<func::ReturnOp>(*solve->getUsers().begin());
  if (!matrix || !vector || !isOutput || matrix.getBlocks().empty() ||
      matrix.getPenalties().size() != vector.getBlocks().size())
    return "expected the normal equations of a fit for solver 'cg'";
  auto solves = fit.getOps<SolveOp>();
  if (std::distance(solves.begin(), solves.end()) != 1)
    return "expected one system in a function for solver 'cg'";
  for (StringRef name : {"cg", "apply", "precondition", "cg_small_blocks",
                         "precondition_small_blocks"})
    if (SymbolTable::lookupSymbolIn(fit->getParentOp(), name))
      return "expected no function that has a name of solver 'cg'";
  size_t count = matrix.getPenalties().size(), block = 0;
  int64_t first = 0;
  for (auto [index, penalty, sums] :
       llvm::enumerate(matrix.getPenalties(), vector.getBlocks())) {
    Effect effect = {
        first, cast<RankedTensorType>(penalty.getType()).getDimSize(0),
        matrix.getBlocks()[block], penalty, sums.getDefiningOp<RhsOp>()};
    if (!effect.rhs)
      return "expected a right-hand side of sums over rows for solver 'cg'";
    first += effect.size;
    block += count - index;
    effects.push_back(effect);
  }
  if (!isOfDesigns())
    return "expected a matrix of sums over the designs of the right-hand side "
           "for solver 'cg'";
  builder.setInsertionPointAfter(fit);
  return nullptr;
}

bool CgWriter::isOfDesigns() {
  auto startsAtZero = [](auto sum) {
    return sum.getAccumulator().template getDefiningOp<ZerosOp>() != nullptr;
  };
  auto block = matrix.getBlocks().begin();
  auto leaveOut = [&](GramOp gram) {
    if (!gram->hasOneUse())
      return;
    betweenEffects.insert(gram);
    if (Operation *zeros = gram.getAccumulator().getDefiningOp();
        zeros->hasOneUse())
      betweenEffects.insert(zeros);
  };
  for (size_t i = 0; i < effects.size(); ++i) {
    RhsOp rhs = effects[i].rhs, first = effects.front().rhs;
    if (rhs.getY() != first.getY() || rhs.getWeights() != first.getWeights() ||
        !startsAtZero(rhs))
      return false;
    for (size_t j = i; j < effects.size(); ++j) {
      auto gram = (*block++).getDefiningOp<GramOp>();
      if (!gram || gram.getA() != rhs.getA() ||
          gram.getB() != effects[j].rhs.getA() ||
          gram.getWeights() != rhs.getWeights() || !startsAtZero(gram))
        return false;
      if (i != j)
        leaveOut(gram);
    }
  }
  return true;
}

FailureOr<SmallVector<bool>> CgWriter::chooseFactored(int64_t blockLimit,
                                                      bool areSmall) {
  this->areSmall = areSmall;
  int64_t state = 0;
  for (Effect &effect : effects) {
    effect.factorOffset = -1;
    if (effect.size > blockLimit)
      continue;
    effect.factorOffset = state;
    state += llvm::alignTo(effect.size * effect.size * sizeof(double),
                           TAMRT_ALIGNMENT);
  }
  if (failed(verifyStateBytes(fit, state)))
    return failure();
  return llvm::map_to_vector(
      effects, [](const Effect &effect) { return effect.factorOffset >= 0; });
}

void CgWriter::mark(func::FuncOp function) {
  if (!areSmall)
    return;
  function.setName((function.getName() + "_small_blocks").str());
  function->setAttr(kSmallBlocksAttrName, builder.getUnitAttr());
}

int64_t CgWriter::getLargest(int64_t limit) const {
  int64_t largest = 0;
  for (const Effect &effect : effects)
    if (effect.size <= limit)
      largest = std::max(largest, effect.size);
  return largest;
}

func::FuncOp CgWriter::copy(StringRef name, StepKind kind, IRMapping &mapping) {
  auto function = cast<func::FuncOp>(fit->cloneWithoutRegions());
  builder.insert(function);
  Block &source = fit.getBody().front(),
        &body = function.getBody().emplaceBlock();
  for (BlockArgument argument : source.getArguments())
    mapping.map(argument,
                body.addArgument(argument.getType(), argument.getLoc()));
  for (Operation &op : source)
    if (!betweenEffects.contains(&op))
      body.push_back(op.clone(mapping));
  function.setName(name);
  function->setAttr(kStepAttrName,
                    StepAttr::get(builder.getContext(), kind, 0));
  return function;
}

void CgWriter::finish(func::FuncOp function, const IRMapping &mapping,
                      Value result, ArrayRef<std::pair<Value, SlotAttr>> more) {
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<DictionaryAttr> attributes;
  function.getAllResultAttrs(attributes);
  mapping.lookup(solve.getResult()).replaceAllUsesWith(result);
  SmallVector<Value> results(terminator->getOperands());
  for (auto [value, slot] : more) {
    results.push_back(value);
    attributes.push_back(slots(slot));
  }
  terminator->setOperands(results);
  function.setType(builder.getFunctionType(body.getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  function.setAllResultAttrs(attributes);
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

void CgWriter::writeSetup() {
  IRMapping mapping;
  func::FuncOp function = copy("cg", StepKind::CgFinish, mapping);
  mark(function);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  SmallVector<std::pair<Value, SlotAttr>> factors;
  // If an effect is not factored, its sums are not in the preconditioner. If
  // those of effects that share functions with it, such as the intercept, were,
  // the preconditioner would be far from A in the direction of these functions.
  bool hasSums = llvm::all_of(
      effects, [](const Effect &effect) { return effect.factorOffset >= 0; });
  for (const Effect &effect : effects) {
    if (effect.factorOffset < 0)
      continue;
    Location loc = effect.penalty.getLoc();
    auto type = numbers({effect.size, effect.size});
    SmallVector<Value> blocks;
    if (hasSums)
      blocks.push_back(mapping.lookup(effect.block));
    Value block = NormalMatrixOp::create(
        builder, loc, type, mapping.lookup(matrix.getGroupRows()), blocks,
        mapping.lookup(effect.penalty));
    Value factor = FactorOp::create(builder, loc, type, block, effect.first);
    factors.push_back({factor, slot(SlotKind::State, effect.factorOffset)});
  }
  finish(function, mapping, mapping.lookup(solve.getVector()), factors);
}

void CgWriter::writeApply() {
  IRMapping mapping;
  func::FuncOp function = copy("apply", StepKind::ApplyFinish, mapping);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  Location loc = solve.getLoc();
  Value whole =
      addArgument(function, solve.getType(), slot(SlotKind::Coefficients));
  SmallVector<Value> designs, slices, sums, penalties;
  for (Effect &effect : effects) {
    designs.push_back(mapping.lookup(effect.rhs.getA()));
    slices.push_back(
        addArgument(function, numbers({effect.size}),
                    slot(SlotKind::Coefficients,
                         effect.first * static_cast<int64_t>(sizeof(double)))));
    penalties.push_back(mapping.lookup(effect.penalty));
  }
  Type column = effects.front().rhs.getY().getType();
  Value product = PredictOp::create(builder, loc, column, designs, slices,
                                    /*start=*/Value());
  for (auto [effect, design] : llvm::zip(effects, designs)) {
    Location place = effect.rhs.getLoc();
    auto type = numbers({effect.size});
    Value zeros = ZerosOp::create(builder, place, type);
    Value weights = effect.rhs.getWeights();
    if (weights)
      weights = mapping.lookup(weights);
    sums.push_back(
        RhsOp::create(builder, place, type, design, product, weights, zeros));
  }
  Value result = NormalProductOp::create(builder, loc, solve.getType(),
                                         mapping.lookup(matrix.getGroupRows()),
                                         sums, penalties, whole);
  finish(function, mapping, result, {});
  // The target is not used here.
  Value target = mapping.lookup(effects.front().rhs.getY());
  if (auto argument = dyn_cast<BlockArgument>(target);
      argument && argument.use_empty())
    (void)function.eraseArgument(argument.getArgNumber());
}

void CgWriter::writePrecondition() {
  Location loc = fit.getLoc();
  auto function = func::FuncOp::create(builder, loc, "precondition",
                                       builder.getFunctionType({}, {}));
  mark(function);
  function->setAttr(kStepAttrName, StepAttr::get(builder.getContext(),
                                                 StepKind::Precondition, 0));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(function.addEntryBlock());
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  for (const Effect &effect : effects) {
    if (effect.factorOffset < 0)
      continue;
    int64_t offset = effect.first * static_cast<int64_t>(sizeof(double));
    Value factor = addArgument(function, numbers({effect.size, effect.size}),
                               slot(SlotKind::State, effect.factorOffset));
    Value part = addArgument(function, numbers({effect.size}),
                             slot(SlotKind::Coefficients, offset));
    results.push_back(FactorSolveOp::create(builder, effect.penalty.getLoc(),
                                            part.getType(), factor, part));
    attributes.push_back(slots(slot(SlotKind::Output, offset)));
  }
  func::ReturnOp::create(builder, loc, results);
  function.setType(
      builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                              ValueRange(results).getTypes()));
  function.setAllResultAttrs(attributes);
}

namespace {

struct ChooseSolver
    : public tamc::tam::impl::TamChooseSolverBase<ChooseSolver> {
  using TamChooseSolverBase::TamChooseSolverBase;

  void runOnOperation() override {
    ModelAttr model = getModel(getOperation());
    Solver asked = model ? model.getSolver() : Solver::Auto;
    SmallVector<SolveOp> systems;
    getOperation().walk([&](SolveOp op) {
      if (op.getSolver() == Solver::Auto)
        systems.push_back(op);
    });
    for (SolveOp op : systems)
      if (failed(choose(op, asked)))
        return signalPassFailure();
  }

private:
  LogicalResult choose(SolveOp op, Solver asked) {
    int64_t unknowns =
        cast<RankedTensorType>(op.getVector().getType()).getDimSize(0);
    bool isDirect = asked == Solver::Direct ||
                    (asked == Solver::Auto && unknowns <= maxDirect);
    if (isDirect) {
      // Squares of larger numbers would overflow.
      const int64_t size = std::min(unknowns, int64_t(1) << 29);
      if (failed(verifyStateBytes(op, size * size * int64_t(sizeof(double)))))
        return failure();
      op.setSolver(Solver::Direct);
    }
    if (isDirect && (asked == Solver::Direct || unknowns < minCg))
      return success();
    auto fit = dyn_cast<func::FuncOp>(op->getParentOp());
    CgWriter writer(fit, op);
    const char *expected =
        fit ? writer.findEffects()
            : "expected a system of a function's body for solver 'cg'";
    if (expected)
      return isDirect ? success() : LogicalResult(op.emitError(expected));
    auto factored = writer.chooseFactored(blockLimit);
    if (failed(factored))
      return failure();
    describe(*factored, kPlainAttrName);
    writer.writeSetup();
    writer.writeApply();
    writer.writePrecondition();
    if (smallBlockLimit > 0 &&
        writer.getLargest(blockLimit) > smallBlockLimit) {
      auto small = writer.chooseFactored(smallBlockLimit, /*areSmall=*/true);
      if (failed(small))
        return failure();
      describe(*small, kSmallBlocksAttrName);
      writer.writeSetup();
      writer.writePrecondition();
    }
    if (!isDirect)
      fit.erase();
    return success();
  }

  /// Tells the module which effects a variant factors, if the system is that of
  /// the model.
  void describe(ArrayRef<bool> isFactored, StringRef variant) {
    ModelAttr model = getModel(getOperation());
    if (!model || model.getEffects().size() != isFactored.size())
      return;
    SmallVector<int32_t> factored;
    for (auto [index, flag] : llvm::enumerate(isFactored))
      if (flag)
        factored.push_back(static_cast<int32_t>(index));
    getOperation()->setAttr(
        variant, getVariant(getOperation(), variant).withFactored(factored));
  }
};

} // namespace
