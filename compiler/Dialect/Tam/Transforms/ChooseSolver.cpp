//===- ChooseSolver.cpp - chooses solvers of systems ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedEffects.h"
#include "StateLimit.h"
#include "Sums.h"

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
  /// `blockLimit` columns. \returns for each effect of the model whether it is
  /// factored. `areSmall`: these are the functions for when memory is short.
  /// Emits an error if the factors are too large for a state.
  FailureOr<SmallVector<bool>> chooseFactored(int64_t blockLimit,
                                              bool areSmall = false);

  /// Add @cg, @apply or @precondition behind the function and those added
  /// before. With small blocks the function gets the attribute for these.
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

  /// A function that is being written: its values for those of the fit, and the
  /// attributes of its arguments.
  struct Copy {
    func::FuncOp function;
    IRMapping mapping;
    SmallVector<DictionaryAttr> arguments;
  };

  /// Adds name and attribute of small blocks to a function, if it has them.
  void mark(func::FuncOp function);

  /// A copy of the function without the equations and what follows from them;
  /// ops are added at its end.
  Copy begin(StringRef name, StepKind kind);
  /// Makes the copy return `result` instead of the solution, and `more`, and
  /// removes ops that are not used.
  void finish(Copy &copy, Value result,
              ArrayRef<std::pair<Value, SlotAttr>> more);
  /// Sets the type of a function whose body is complete, and the attributes of
  /// its arguments and results: all at once, because each list of attributes is
  /// kept by the context.
  void setSignature(func::FuncOp function, ArrayRef<DictionaryAttr> arguments,
                    ArrayRef<DictionaryAttr> results);
  /// A sum over rows (createSum) in the copy, with the weights of the fit.
  Value sum(Copy &copy, Location loc, Value a, Value b);
  Value sumSquares(Copy &copy, Location loc, Value a);
  Value weightsOf(Copy &copy);

  SlotAttr slot(SlotKind kind, int64_t offset = 0) {
    return SlotAttr::get(builder.getContext(), kind, offset);
  }
  RankedTensorType numbers(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF64Type());
  }
  DictionaryAttr slots(SlotAttr slot) {
    return builder.getDictionaryAttr(builder.getNamedAttr(kSlotAttrName, slot));
  }

  func::FuncOp fit;
  SolveOp solve;
  OpBuilder builder;
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
  builder.setInsertionPointAfter(fit);
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

void CgWriter::mark(func::FuncOp function) {
  if (!areSmall)
    return;
  function.setName((function.getName() + "_small_blocks").str());
  function->setAttr(kSmallBlocksAttrName, builder.getUnitAttr());
}

int64_t CgWriter::getLargest(int64_t limit) const {
  int64_t largest = 0;
  for (const Effect &effect : effects)
    if (effect.blockSize() <= limit)
      largest = std::max(largest, effect.blockSize());
  return largest;
}

CgWriter::Copy CgWriter::begin(StringRef name, StepKind kind) {
  Copy copy = {cast<func::FuncOp>(fit->cloneWithoutRegions()), {}, {}};
  builder.insert(copy.function);
  copy.function.getAllArgAttrs(copy.arguments);
  Block &source = fit.getBody().front(),
        &body = copy.function.getBody().emplaceBlock();
  for (BlockArgument argument : source.getArguments())
    copy.mapping.map(argument,
                     body.addArgument(argument.getType(), argument.getLoc()));
  for (Operation &op : source.without_terminator())
    if (&op != equations && &op != solve)
      body.push_back(op.clone(copy.mapping));
  copy.function.setName(name);
  copy.function->setAttr(kStepAttrName,
                         StepAttr::get(builder.getContext(), kind, 0));
  return copy;
}

void CgWriter::finish(Copy &copy, Value result,
                      ArrayRef<std::pair<Value, SlotAttr>> more) {
  copy.mapping.map(solve.getResult(), result);
  Operation *terminator =
      builder.clone(*fit.getBody().front().getTerminator(), copy.mapping);
  SmallVector<DictionaryAttr> attributes;
  copy.function.getAllResultAttrs(attributes);
  SmallVector<Value> results(terminator->getOperands());
  for (auto [value, slot] : more) {
    results.push_back(value);
    attributes.push_back(slots(slot));
  }
  terminator->setOperands(results);
  setSignature(copy.function, copy.arguments, attributes);
  SmallVector<Operation *> ops;
  for (Operation &op : copy.function.getBody().front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

void CgWriter::setSignature(func::FuncOp function,
                            ArrayRef<DictionaryAttr> arguments,
                            ArrayRef<DictionaryAttr> results) {
  Block &body = function.getBody().front();
  function.setType(builder.getFunctionType(
      body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  function.setAllArgAttrs(arguments);
  function.setAllResultAttrs(results);
}

Value CgWriter::weightsOf(Copy &copy) {
  Value weights = equations.getWeights();
  return weights ? copy.mapping.lookup(weights) : weights;
}

Value CgWriter::sum(Copy &copy, Location loc, Value a, Value b) {
  return createSum(builder, loc, a, b, weightsOf(copy))->getResult(0);
}

Value CgWriter::sumSquares(Copy &copy, Location loc, Value a) {
  return createSquares(builder, loc, a, weightsOf(copy));
}

void CgWriter::writeSetup() {
  Copy copy = begin("cg", StepKind::CgFinish);
  mark(copy.function);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&copy.function.getBody().front());
  // If an effect is not factored, its sums are not in the preconditioner. If
  // those of effects that share functions with it, such as the intercept, were,
  // the preconditioner would be far from A in the direction of these functions.
  bool hasSums = llvm::all_of(
      effects, [](const Effect &effect) { return effect.factorOffset >= 0; });
  SmallVector<Value> blocks, sums;
  for (const Effect &effect : effects) {
    Location loc = effect.design.getLoc();
    Value design = copy.mapping.lookup(effect.design);
    if (hasSums)
      blocks.push_back(effect.isDiagonal ? sumSquares(copy, loc, design)
                                         : sum(copy, loc, design, design));
    sums.push_back(
        sum(copy, loc, design, copy.mapping.lookup(equations.getY())));
  }
  Value vector = NormalVectorOp::create(builder, equations.getLoc(),
                                        solve.getType(), sums);
  SmallVector<std::pair<Value, SlotAttr>> factors;
  for (auto [index, effect] : llvm::enumerate(effects)) {
    if (effect.factorOffset < 0)
      continue;
    Location loc = effect.penalty.getLoc();
    auto type = numbers(effect.factorShape());
    Value rows = copy.mapping.lookup(equations.getGroupRows());
    Value penalty = copy.mapping.lookup(effect.penalty);
    Value block = hasSums ? blocks[index] : Value();
    Value factor;
    if (effect.isDiagonal) {
      factor = DiagonalFactorOp::create(builder, loc, type, rows, block,
                                        penalty, effect.first);
    } else {
      Value matrix = NormalMatrixOp::create(
          builder, loc, type, rows, block ? ValueRange(block) : ValueRange(),
          penalty);
      factor = FactorOp::create(builder, loc, type, matrix, effect.first);
    }
    factors.push_back({factor, slot(SlotKind::State, effect.factorOffset)});
  }
  finish(copy, vector, factors);
}

void CgWriter::writeApply() {
  Copy copy = begin("apply", StepKind::ApplyFinish);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = copy.function.getBody().front();
  builder.setInsertionPointToEnd(&body);
  Location loc = solve.getLoc();
  auto addCoefficients = [&](Type type, int64_t first) -> Value {
    copy.arguments.push_back(slots(slot(
        SlotKind::Coefficients, first * static_cast<int64_t>(sizeof(double)))));
    return body.addArgument(type, fit.getLoc());
  };
  Value whole = addCoefficients(solve.getType(), 0);
  SmallVector<Value> designs, penalties, slices, sums;
  for (const Effect &effect : effects) {
    designs.push_back(copy.mapping.lookup(effect.design));
    penalties.push_back(copy.mapping.lookup(effect.penalty));
    slices.push_back(addCoefficients(numbers({effect.size}), effect.first));
  }
  Value product = PredictOp::create(builder, loc, equations.getY().getType(),
                                    designs, slices, /*start=*/Value());
  for (Value design : designs)
    sums.push_back(sum(copy, design.getLoc(), design, product));
  Value result = NormalProductOp::create(
      builder, loc, solve.getType(),
      copy.mapping.lookup(equations.getGroupRows()), sums, penalties, whole);
  finish(copy, result, {});
  // The target is not used here.
  if (auto target =
          dyn_cast<BlockArgument>(copy.mapping.lookup(equations.getY()));
      target && target.use_empty())
    (void)copy.function.eraseArgument(target.getArgNumber());
}

void CgWriter::writePrecondition() {
  Location loc = fit.getLoc();
  auto function = func::FuncOp::create(builder, loc, "precondition",
                                       builder.getFunctionType({}, {}));
  mark(function);
  function->setAttr(kStepAttrName, StepAttr::get(builder.getContext(),
                                                 StepKind::Precondition, 0));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  SmallVector<Value> parts;
  SmallVector<DictionaryAttr> arguments, results;
  for (const Effect &effect : effects) {
    if (effect.factorOffset < 0)
      continue;
    int64_t offset = effect.first * static_cast<int64_t>(sizeof(double));
    auto vector = numbers({effect.size});
    Value factor = body->addArgument(numbers(effect.factorShape()), loc);
    Value part = body->addArgument(vector, loc);
    arguments.push_back(slots(slot(SlotKind::State, effect.factorOffset)));
    arguments.push_back(slots(slot(SlotKind::Coefficients, offset)));
    Location where = effect.penalty.getLoc();
    parts.push_back(
        effect.isDiagonal
            ? DiagonalSolveOp::create(builder, where, vector, factor, part)
                  .getResult()
            : FactorSolveOp::create(builder, where, vector, factor, part)
                  .getResult());
    results.push_back(slots(slot(SlotKind::Output, offset)));
  }
  func::ReturnOp::create(builder, loc, parts);
  setSignature(function, arguments, results);
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
