//===- ChooseSolver.cpp - chooses solvers of systems ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedEffects.h"
#include "StateLimit.h"
#include "StepBuilder.h"
#include "Sums.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
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
      : fit(fit), solve(solve), where(solve.getContext()) {}

  /// Finds the system's effects. \returns null, or a message if conjugate
  /// gradients cannot solve the system.
  const char *findEffects();

  /// Makes the functions written from now on factor the effects of at most
  /// `blockLimit` columns. \returns for each effect of the model whether it is
  /// factored. `areSmall`: these are the functions for when memory is short.
  /// Emits an error if the factors are too large for a state.
  FailureOr<SmallVector<bool>> chooseFactored(int64_t blockLimit,
                                              bool areSmall = false);

  /// Add @cg, @apply or @precondition.
  void writeSetup();
  void writeApply();
  void writePrecondition();

  /// Columns of the largest block of at most `limit` columns, 0 if none.
  int64_t getLargest(int64_t limit) const;

private:
  /// One effect of the system.
  struct Effect {
    /// First column in the design, and number of columns.
    int64_t first, size;
    /// Values of the function: its design matrix and its penalty.
    Value design, penalty;
    /// The matrix is one of linear terms, which are effects of the model: each
    /// is a block of one column.
    bool isDiagonal;
    /// Offset of its factor in the state, in bytes; -1 if it is not factored.
    int64_t factorOffset = -1;

    /// Columns of the largest of the blocks that are factored.
    int64_t blockSize() const { return isDiagonal ? 1 : size; }
    /// Effects of the model.
    int64_t count() const { return isDiagonal ? size : 1; }
    /// Numbers of the factor.
    SmallVector<int64_t, 2> factorShape() const {
      if (isDiagonal)
        return {size};
      return {size, size};
    }
  };

  /// A step behind the function and those added before. With small blocks its
  /// name says so, and it gets the attribute for these.
  StepBuilder begin(StringRef name, StepKind kind);
  /// A step with the function's arguments and ops, without the equations and
  /// what follows from them; ops are added at its end.
  StepBuilder copyFit(StringRef name, StepKind kind);
  /// Makes a copy return `result` instead of the solution, and `more`, and
  /// removes ops that are not used.
  void finish(StepBuilder &copy, Value result,
              ArrayRef<std::pair<Value, SlotAttr>> more);
  /// A sum over rows (createSum) in the copy, with the weights of the fit.
  Value sum(StepBuilder &copy, Location loc, Value a, Value b);
  Value sumSquares(StepBuilder &copy, Location loc, Value a);
  Value weightsOf(StepBuilder &copy);

  SlotAttr slot(SlotKind kind, int64_t offset = 0) {
    return SlotAttr::get(where.getContext(), kind, offset);
  }
  RankedTensorType numbers(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, where.getF64Type());
  }

  func::FuncOp fit;
  SolveOp solve;
  /// Behind the functions that have been written.
  OpBuilder where;
  NormalEquationsOp equations;
  SmallVector<Effect> effects;
  bool areSmall = false;
};

} // namespace

const char *CgWriter::findEffects() {
  const char *noEquations =
      "expected the normal equations of a fit for solver 'cg'";
  equations = solve.getMatrix().getDefiningOp<NormalEquationsOp>();
  bool isOutput =
      solve->hasOneUse() && isa<func::ReturnOp>(*solve->getUsers().begin());
  if (!equations || equations.getVector() != solve.getVector() || !isOutput ||
      !fit.getBody().hasOneBlock())
    return noEquations;
  auto solves = fit.getOps<SolveOp>();
  if (std::distance(solves.begin(), solves.end()) != 1)
    return "expected one system in a function for solver 'cg'";
  if (!llvm::all_of(equations->getUsers(),
                    [&](Operation *user) { return user == solve; }))
    return noEquations;
  for (StringRef name : {"cg", "apply", "precondition", "cg_small_blocks",
                         "precondition_small_blocks"})
    if (SymbolTable::lookupSymbolIn(fit->getParentOp(), name))
      return "expected no function that has a name of solver 'cg'";
  const Effects all = Effects::of(equations);
  int64_t first = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    Value design = all.designs[i];
    effects.push_back(
        {first, columnsOf(design), design, all.penalties[i],
         design.getDefiningOp<LinearColumnsOp>() && all.hasPlainPenalty(i)});
    first += effects.back().size;
  }
  where.setInsertionPointAfter(fit);
  return nullptr;
}

FailureOr<SmallVector<bool>> CgWriter::chooseFactored(int64_t blockLimit,
                                                      bool areSmall) {
  this->areSmall = areSmall;
  int64_t state = 0;
  for (Effect &effect : effects) {
    effect.factorOffset = -1;
    if (effect.blockSize() > blockLimit)
      continue;
    effect.factorOffset = state;
    state += llvm::alignTo(ShapedType::getNumElements(effect.factorShape()) *
                               sizeof(double),
                           TAMRT_ALIGNMENT);
  }
  if (failed(verifyStateBytes(fit, state)))
    return failure();
  SmallVector<bool> isFactored;
  for (const Effect &effect : effects)
    isFactored.append(effect.count(), effect.factorOffset >= 0);
  return isFactored;
}

int64_t CgWriter::getLargest(int64_t limit) const {
  int64_t largest = 0;
  for (const Effect &effect : effects)
    if (effect.blockSize() <= limit)
      largest = std::max(largest, effect.blockSize());
  return largest;
}

StepBuilder CgWriter::begin(StringRef name, StepKind kind) {
  if (!areSmall)
    return StepBuilder(where, fit, name, kind);
  StepBuilder step(where, fit, (name + "_small_blocks").str(), kind);
  step.function->setAttr(kSmallBlocksAttrName, where.getUnitAttr());
  return step;
}

StepBuilder CgWriter::copyFit(StringRef name, StepKind kind) {
  StepBuilder copy = begin(name, kind);
  for (BlockArgument argument : fit.getArguments())
    copy.addArgument(argument);
  for (Operation &op : fit.getBody().front().without_terminator())
    if (&op != equations && &op != solve)
      copy.clone(op);
  return copy;
}

void CgWriter::finish(StepBuilder &copy, Value result,
                      ArrayRef<std::pair<Value, SlotAttr>> more) {
  copy.map(solve.getResult(), result);
  Operation *terminator = fit.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands())
    copy.addResult(copy.lookup(operand.get()),
                   getResultSlot(fit, operand.getOperandNumber()));
  for (auto [value, slot] : more)
    copy.addResult(value, slot);
  copy.finish();
  SmallVector<Operation *> ops;
  for (Operation &op : copy.function.getBody().front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

Value CgWriter::weightsOf(StepBuilder &copy) {
  Value weights = equations.getWeights();
  return weights ? copy.lookup(weights) : weights;
}

Value CgWriter::sum(StepBuilder &copy, Location loc, Value a, Value b) {
  return createSum(copy.builder, loc, a, b, weightsOf(copy))->getResult(0);
}

Value CgWriter::sumSquares(StepBuilder &copy, Location loc, Value a) {
  return createSquares(copy.builder, loc, a, weightsOf(copy));
}

void CgWriter::writeSetup() {
  StepBuilder copy = copyFit("cg", StepKind::CgFinish);
  // If an effect is not factored, its sums are not in the preconditioner. If
  // those of effects that share functions with it, such as the intercept, were,
  // the preconditioner would be far from A in the direction of these functions.
  bool hasSums = llvm::all_of(
      effects, [](const Effect &effect) { return effect.factorOffset >= 0; });
  SmallVector<Value> blocks, sums;
  for (const Effect &effect : effects) {
    Location loc = effect.design.getLoc();
    Value design = copy.lookup(effect.design);
    if (hasSums)
      blocks.push_back(effect.isDiagonal ? sumSquares(copy, loc, design)
                                         : sum(copy, loc, design, design));
    sums.push_back(sum(copy, loc, design, copy.lookup(equations.getY())));
  }
  Value vector = NormalVectorOp::create(copy.builder, equations.getLoc(),
                                        solve.getType(), sums);
  SmallVector<std::pair<Value, SlotAttr>> factors;
  for (auto [index, effect] : llvm::enumerate(effects)) {
    if (effect.factorOffset < 0)
      continue;
    Location loc = effect.penalty.getLoc();
    auto type = numbers(effect.factorShape());
    Value rows = copy.lookup(equations.getGroupRows());
    Value penalty = copy.lookup(effect.penalty);
    Value block = hasSums ? blocks[index] : Value();
    Value factor;
    if (effect.isDiagonal) {
      factor = DiagonalFactorOp::create(copy.builder, loc, type, rows, block,
                                        penalty, effect.first);
    } else {
      Value matrix = NormalMatrixOp::create(
          copy.builder, loc, type, rows,
          block ? ValueRange(block) : ValueRange(), penalty);
      factor = FactorOp::create(copy.builder, loc, type, matrix, effect.first);
    }
    factors.push_back({factor, slot(SlotKind::State, effect.factorOffset)});
  }
  finish(copy, vector, factors);
}

void CgWriter::writeApply() {
  StepBuilder copy = copyFit("apply", StepKind::ApplyFinish);
  Location loc = solve.getLoc();
  auto addCoefficients = [&](Type type, int64_t first) -> Value {
    return copy.addArgument(type, fit.getLoc(),
                            slot(SlotKind::Coefficients,
                                 first * static_cast<int64_t>(sizeof(double))));
  };
  Value whole = addCoefficients(solve.getType(), 0);
  SmallVector<Value> designs, penalties, slices, sums;
  for (const Effect &effect : effects) {
    designs.push_back(copy.lookup(effect.design));
    penalties.push_back(copy.lookup(effect.penalty));
    slices.push_back(addCoefficients(numbers({effect.size}), effect.first));
  }
  Value product =
      PredictOp::create(copy.builder, loc, equations.getY().getType(), designs,
                        slices, /*start=*/Value());
  for (Value design : designs)
    sums.push_back(sum(copy, design.getLoc(), design, product));
  Value result = NormalProductOp::create(copy.builder, loc, solve.getType(),
                                         copy.lookup(equations.getGroupRows()),
                                         sums, penalties, whole);
  finish(copy, result, {});
  // The target is not used here.
  if (auto target = dyn_cast<BlockArgument>(copy.lookup(equations.getY()));
      target && target.use_empty())
    (void)copy.function.eraseArgument(target.getArgNumber());
}

void CgWriter::writePrecondition() {
  StepBuilder step = begin("precondition", StepKind::Precondition);
  for (const Effect &effect : effects) {
    if (effect.factorOffset < 0)
      continue;
    int64_t offset = effect.first * static_cast<int64_t>(sizeof(double));
    auto vector = numbers({effect.size});
    Value factor = step.addArgument(numbers(effect.factorShape()), fit.getLoc(),
                                    slot(SlotKind::State, effect.factorOffset));
    Value part = step.addArgument(vector, fit.getLoc(),
                                  slot(SlotKind::Coefficients, offset));
    Location loc = effect.penalty.getLoc();
    Value result =
        effect.isDiagonal
            ? DiagonalSolveOp::create(step.builder, loc, vector, factor, part)
                  .getResult()
            : FactorSolveOp::create(step.builder, loc, vector, factor, part)
                  .getResult();
    step.addResult(result, slot(SlotKind::Output, offset));
  }
  step.finish();
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
