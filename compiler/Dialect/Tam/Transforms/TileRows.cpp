//===- TileRows.cpp - init, chunk and finish --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum over the rows so far is an accumulator. The fit is split at its
// accumulators: ops that feed them run for each chunk, ops that read them run
// once at the end.
//
//===----------------------------------------------------------------------===//

#include "StateLimit.h"
#include "StepBuilder.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamrt/steps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

#include <set>
#include <tuple>

namespace tamc::tam {
#define GEN_PASS_DEF_TAMTILEROWS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

namespace {

/// One accumulator of the fit: the op that adds to it, and its bytes in the
/// state.
struct Accumulator {
  RowReductionInterface reduction;
  int64_t offset;
  Value value() { return reduction->getResult(0); }
  Value start() { return reduction.getAccumulatorMutable().get(); }
};

/// A step that runs once after the chunks: what it returns, and the ops that it
/// needs for that.
struct Ending {
  StringRef part;
  StepKind kind;
  SmallVector<Value> results = {};
  SmallVector<SlotAttr> slots = {};
  DenseSet<Operation *> ops = {};
};

struct TileRows : public tamc::tam::impl::TamTileRowsBase<TileRows> {
  void runOnOperation() override {
    hasSmallBlocks = llvm::any_of(
        getOperation().getOps<func::FuncOp>(), [](func::FuncOp function) {
          return function->hasAttr(kSmallBlocksAttrName);
        });
    if (failed(verifySteps()) || failed(placeKept()))
      return signalPassFailure();
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      if (failed(verifyCounts(function)) || failed(verifyCarries(function)))
        return signalPassFailure();
      bool hasSums = !function.getOps<RowReductionInterface>().empty();
      if (hasSums && failed(splitFit(function)))
        return signalPassFailure();
      if (!hasSums && findSlotArgument(function, SlotKind::Rows) &&
          !runsOnce(function))
        addChunkArguments(function);
    }
  }

private:
  /// The state of conjugate gradients begins with the sums of a product, the
  /// same for all blocks. Factors follow; products do not overwrite them.
  int64_t appliedBytes = 0;
  bool hasSmallBlocks = false;

  SlotAttr slot(SlotKind kind, int64_t offset = 0) {
    return SlotAttr::get(&getContext(), kind, offset);
  }

  /// Whether a function is a step that runs before or after the chunks.
  static bool runsOnce(func::FuncOp function) {
    auto step = function->getAttrOfType<StepAttr>(kStepAttrName);
    return step &&
           !tamrt::describe(static_cast<int32_t>(step.getKind())).takesRows();
  }

  void addChunkArguments(func::FuncOp function) {
    for (SlotKind kind : {SlotKind::First, SlotKind::Capacity}) {
      NamedAttribute attribute(StringAttr::get(&getContext(), kSlotAttrName),
                               slot(kind));
      (void)function.insertArgument(
          function.getNumArguments(), IndexType::get(&getContext()),
          DictionaryAttr::get(&getContext(), attribute), function.getLoc());
    }
  }

  /// Bytes of an accumulator with the initial value `start`, which has an
  /// encoding.
  static int64_t bytesOf(Value start) {
    int64_t bytes = 0;
    if (EncodingInterface encoding = getEncoding(start.getType()))
      for (RankedTensorType part :
           encoding.getComponentTypes(cast<RankedTensorType>(start.getType())))
        bytes += llvm::alignTo(part.getNumElements() * sizeof(double),
                               TAMRT_ALIGNMENT);
    return bytes;
  }

  /// Moves the values that functions pass to each other in the state behind the
  /// sums of a product.
  LogicalResult placeKept() {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isStep(function, StepKind::ApplyFinish))
        for (auto reduction : function.getOps<RowReductionInterface>())
          appliedBytes += bytesOf(reduction.getAccumulatorMutable().get());
    auto move = [&](SlotAttr known, func::FuncOp function) {
      if (known.getKind() != SlotKind::State)
        return known;
      const int64_t offset = known.getOffset() + appliedBytes;
      return succeeded(verifyStateBytes(function, offset))
                 ? slot(SlotKind::State, offset)
                 : SlotAttr();
    };
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (appliedBytes == 0 || function.isExternal() ||
          (!isStep(function, StepKind::CgFinish) &&
           !isStep(function, StepKind::Precondition)))
        continue;
      if (failed(verifySlots(function)))
        return failure();
      SmallVector<SlotAttr> arguments, results;
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        arguments.push_back(move(getArgumentSlot(function, i), function));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        results.push_back(move(getResultSlot(function, i), function));
      if (llvm::is_contained(arguments, SlotAttr()) ||
          llvm::is_contained(results, SlotAttr()))
        return failure();
      setArgumentSlots(function, arguments);
      setResultSlots(function, results);
    }
    return success();
  }

  static bool isStep(func::FuncOp function, StepKind kind) {
    auto step = function->getAttrOfType<StepAttr>(kStepAttrName);
    return step && step.getKind() == kind;
  }

  /// End of the sums of a product and of the values that `fit` stores in the
  /// state.
  int64_t keptEnd(func::FuncOp fit) {
    int64_t end = appliedBytes;
    for (unsigned i = 0; i < fit.getNumResults(); ++i)
      if (SlotAttr known = getResultSlot(fit, i);
          known && known.getKind() == SlotKind::State)
        end = std::max<int64_t>(
            end,
            llvm::alignTo(
                known.getOffset() +
                    cast<ShapedType>(fit.getResultTypes()[i]).getNumElements() *
                        int64_t(sizeof(double)),
                TAMRT_ALIGNMENT));
    return end;
  }

  /// Describes an accumulator to which steps of kind `chunk` add.
  AccumulatorAttr describe(Accumulator accumulator, StepKind chunk) {
    auto type = cast<RankedTensorType>(accumulator.start().getType());
    // Sums of rows without weights are row counts.
    double unit = 0;
    auto gram = dyn_cast<GramOp>(accumulator.reduction.getOperation());
    if (gram && !gram.getWeights() &&
        cast<SumsAttr>(type.getEncoding()).isSelf())
      if (auto design = dyn_cast_if_present<DesignEncodingInterface>(
              getEncoding(gram.getA().getType())))
        if (FloatAttr number = design.getCommonNumber())
          unit = number.getValueAsDouble() * number.getValueAsDouble();
    int64_t numbers =
        getEncoding(type).getComponentTypes(type).front().getNumElements();
    return AccumulatorAttr::get(&getContext(), chunk, accumulator.offset,
                                numbers, unit);
  }

  /// Assigns offsets in the state to the accumulators of steps of kind `chunk`.
  /// Those of the set-up of conjugate gradients share bytes with the sums of a
  /// product as far as there is room; the rest lie behind the kept values.
  /// Tells the model.
  FailureOr<SmallVector<Accumulator>> placeState(func::FuncOp fit,
                                                 StepKind chunk) {
    const bool isSetup = chunk == StepKind::CgChunk;
    int64_t begin = 0, end = isSetup ? keptEnd(fit) : 0;
    SmallVector<Accumulator> accumulators;
    for (auto reduction : fit.getOps<RowReductionInterface>()) {
      OpOperand &operand = reduction.getAccumulatorMutable();
      // Two sums may start from one zero (CSE), but each needs its own bytes.
      if (auto zeros = operand.get().getDefiningOp<ZerosOp>();
          zeros && !zeros->hasOneUse())
        operand.set(OpBuilder(reduction).clone(*zeros)->getResult(0));
      Value start = operand.get();
      if (!getEncoding(start.getType()) || !start.getDefiningOp<ZerosOp>())
        return reduction->emitOpError(
            "expected an encoded accumulator that starts from tam.zeros");
      const int64_t bytes = bytesOf(start);
      int64_t &at = isSetup && begin + bytes <= appliedBytes ? begin : end;
      accumulators.push_back({reduction, at});
      at += bytes;
    }
    if (failed(verifyStateBytes(fit, end)))
      return failure();
    tellModel(fit, chunk, accumulators, end);
    return accumulators;
  }

  /// The ranges of bytes of the state that accumulators take, each as large as
  /// possible, in order. Accumulators follow one another without a gap but for
  /// their alignment.
  static SmallVector<std::pair<int64_t, int64_t>>
  findRanges(ArrayRef<Accumulator> accumulators) {
    SmallVector<std::pair<int64_t, int64_t>> ranges;
    for (Accumulator accumulator : accumulators)
      ranges.push_back({accumulator.offset,
                        accumulator.offset + bytesOf(accumulator.start())});
    llvm::sort(ranges);
    SmallVector<std::pair<int64_t, int64_t>> joined;
    for (auto [from, to] : ranges)
      if (!joined.empty() && joined.back().second == from)
        joined.back().second = to;
      else
        joined.push_back({from, to});
    return joined;
  }

  /// Adds accumulators to the variants of the model that have the steps of kind
  /// `chunk` of `fit`, and makes their states at least `bytes` large.
  void tellModel(func::FuncOp fit, StepKind chunk,
                 ArrayRef<Accumulator> accumulators, int64_t bytes) {
    if (!getModel(getOperation()))
      return;
    SmallVector<AccumulatorAttr> described;
    for (const Accumulator &accumulator : accumulators)
      described.push_back(describe(accumulator, chunk));
    const bool isDirect = chunk == StepKind::FitChunk;
    auto tell = [&](StringRef variant) {
      getOperation()->setAttr(
          variant,
          getVariant(getOperation(), variant)
              .withMore(described, isDirect ? bytes : 0, isDirect ? 0 : bytes));
    };
    const bool isSmall = fit->hasAttr(kSmallBlocksAttrName);
    if (isDirect && fit->hasAttr(kByLevelsAttrName))
      tell(kByLevelsAttrName);
    else if (isDirect || !isSmall)
      tell(kPlainAttrName);
    if (isSmall || (chunk == StepKind::ApplyChunk && hasSmallBlocks))
      tell(kSmallBlocksAttrName);
  }

  /// Checks that each variant of the model has one function per kind of step:
  /// the accumulators of a kind have one list and one state.
  LogicalResult verifySteps() {
    std::set<std::tuple<StepKind, bool, bool>> known;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto step = function->getAttrOfType<StepAttr>(kStepAttrName);
      if (step &&
          !known
               .emplace(step.getKind(), function->hasAttr(kByLevelsAttrName),
                        function->hasAttr(kSmallBlocksAttrName))
               .second)
        return function.emitOpError("expected one function of step '")
               << stringifyStepKind(step.getKind()) << "'";
    }
    return success();
  }

  /// The slot of an argument of the step; null for other values and without
  /// one.
  static SlotAttr slotOf(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto function =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                 : func::FuncOp();
    return function ? getArgumentSlot(function, argument.getArgNumber())
                    : SlotAttr();
  }
  static bool isOf(Value value, SlotKind kind) {
    SlotAttr known = slotOf(value);
    return known && known.getKind() == kind;
  }

  /// Checks that maps with one row per row of the chunk, or that need the rows
  /// of the group, get that number: both are the same only before tiling.
  LogicalResult verifyCounts(func::FuncOp function) {
    for (Operation &op : function.getBody().front()) {
      if (auto offset = dyn_cast<OffsetOp>(op);
          offset && !isOf(offset.getRows(), SlotKind::Rows))
        return op.emitOpError("expected the number of rows of the chunk");
      if (auto pid = dyn_cast<PidOp>(op);
          pid && !isOf(pid.getGroupRows(), SlotKind::GroupRows))
        return op.emitOpError("expected the number of rows of the group");
    }
    return success();
  }

  /// Checks that recursions in time go on from one chunk to the next: each
  /// starts from a carry, and what it ends with is returned as the same one.
  LogicalResult verifyCarries(func::FuncOp function) {
    Operation *end = function.getBody().front().getTerminator();
    auto isReturnedAs = [&](Value value, SlotAttr carry) {
      return llvm::any_of(end->getOpOperands(), [&](OpOperand &operand) {
        return operand.get() == value &&
               getResultSlot(function, operand.getOperandNumber()) == carry;
      });
    };
    DenseSet<Value> ends;
    for (auto pid : function.getOps<PidOp>()) {
      SlotAttr carry = slotOf(pid.getCarry());
      if (!carry || carry.getKind() != SlotKind::Carry)
        return pid.emitOpError("expected to start from a carry");
      if (!isReturnedAs(pid.getCarried(), carry))
        return pid.emitOpError("expected its last values to be returned as ")
               << carry;
      ends.insert(pid.getCarried());
    }
    for (OpOperand &operand : end->getOpOperands())
      if (SlotAttr known = getResultSlot(function, operand.getOperandNumber());
          known && known.getKind() == SlotKind::Carry &&
          !ends.contains(operand.get()))
        return end->emitOpError("expected the last values of a recursion as ")
               << known;
    return success();
  }

  /// The first slot of a result that is for a step of its own; null if there is
  /// none.
  static SlotAttr findExtra(func::FuncOp fit) {
    for (unsigned i = 0; i < fit.getNumResults(); ++i)
      if (SlotAttr slot = getResultSlot(fit, i); getExtraStep(slot.getKind()))
        return slot;
    return {};
  }

  LogicalResult splitFit(func::FuncOp fit) {
    if (failed(verifySlots(fit)))
      return failure();
    auto step = fit->getAttrOfType<StepAttr>(kStepAttrName);
    StepKind lastKind = step ? step.getKind() : StepKind::FitFinish;
    if (lastKind != StepKind::FitFinish && lastKind != StepKind::CgFinish &&
        lastKind != StepKind::ApplyFinish)
      return fit.emitOpError("expected no sums over rows in step '")
             << stringifyStepKind(lastKind) << "'";
    if (SlotAttr extra = findExtra(fit);
        extra && lastKind != StepKind::FitFinish)
      return fit.emitOpError("expected no slot '")
             << stringifySlotKind(extra.getKind()) << "' in step '"
             << stringifyStepKind(lastKind) << "'";
    // The kinds of a step's parts have consecutive numbers.
    auto kindOf = [&](int32_t before) {
      return static_cast<StepKind>(static_cast<int32_t>(lastKind) - before);
    };
    auto nameOf = [&](StringRef part) {
      return (fit.getName() + "_" + part).str();
    };
    for (StringRef part : {"init", "chunk", "finish", "infer", "system"})
      if (failed(verifyFreeName(fit, nameOf(part))))
        return failure();
    auto accumulators = placeState(fit, kindOf(1));
    if (failed(accumulators))
      return failure();
    auto reads = [&](Operation *op, const DenseSet<Operation *> &set) {
      return llvm::any_of(op->getOperands(), [&](Value operand) {
        return set.contains(operand.getDefiningOp());
      });
    };
    // Ops that depend on a sum run at the end; a sum over such values would
    // need a second pass over the rows.
    DenseSet<Operation *> sums, late;
    for (Operation &op : fit.getBody().front()) {
      if (isa<RowReductionInterface>(op)) {
        if (reads(&op, late) || reads(&op, sums))
          return op.emitOpError("expected a sum over rows of what rows alone "
                                "determine");
        sums.insert(&op);
      } else if (reads(&op, sums) || reads(&op, late)) {
        late.insert(&op);
      }
    }

    // The last parts have the sums, the number of rows and the values of the
    // whole group, but no row.
    BlockArgument rows = findSlotArgument(fit, SlotKind::Rows);
    auto isConstant = [&](Value value) {
      return isOf(value, SlotKind::Table) ||
             isOf(value, SlotKind::Parameters) ||
             isOf(value, SlotKind::Coefficients);
    };
    // Results that depend on neither are computed there, too.
    DenseSet<Operation *> plain;
    for (Operation &op : fit.getBody().front().without_terminator())
      if (llvm::all_of(op.getOperands(), [&](Value operand) {
            Operation *source = operand.getDefiningOp();
            return source ? plain.contains(source)
                          : operand == rows || isConstant(operand);
          }))
        plain.insert(&op);
    Operation *terminator = fit.getBody().front().getTerminator();
    // Carries are results of every chunk.
    SmallVector<Value> carried;
    SmallVector<SlotAttr> carriedSlots;
    Ending finishing = {"finish", kindOf(0)},
           inferring = {"infer", StepKind::FitInfer},
           system = {"system", StepKind::FitSystem};
    for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
      SlotAttr known = getResultSlot(fit, index);
      const std::optional<StepKind> extra =
          known ? getExtraStep(known.getKind()) : std::nullopt;
      if (known && known.getKind() == SlotKind::Carry) {
        carried.push_back(value);
        carriedSlots.push_back(known);
        continue;
      }
      if (Operation *source = value.getDefiningOp();
          source ? !late.contains(source) && !plain.contains(source) &&
                       !sums.contains(source)
                 : value != rows && !isConstant(value))
        return terminator->emitOpError("expected what sums and the number of "
                                       "rows determine, got operand ")
               << index;
      Ending &ending = !extra                         ? finishing
                       : *extra == StepKind::FitInfer ? inferring
                                                      : system;
      ending.results.push_back(value);
      ending.slots.push_back(extra ? slot(SlotKind::Output, known.getOffset())
                                   : known);
    }
    for (Ending *ending : {&finishing, &inferring, &system}) {
      DenseSet<Operation *> last;
      for (Value result : ending->results)
        if (Operation *source = result.getDefiningOp();
            source && !sums.contains(source))
          last.insert(source);
      ending->ops = neededBy(fit, last, /*stop=*/sums);
      for (Operation &op : fit.getBody().front().without_terminator())
        for (OpOperand &operand : op.getOpOperands()) {
          Operation *source = operand.get().getDefiningOp();
          if (ending->ops.contains(&op) &&
              !(source ? ending->ops.contains(source) || sums.contains(source)
                       : operand.get() == rows || isConstant(operand.get())))
            return op.emitOpError("expected what sums and the number of rows "
                                  "determine, got operand ")
                   << operand.getOperandNumber();
        }
    }

    OpBuilder builder(fit);
    SmallVector<SlotAttr> stateSlots;
    SmallVector<Value> starts, values;
    for (Accumulator &accumulator : *accumulators) {
      stateSlots.push_back(slot(SlotKind::State, accumulator.offset));
      starts.push_back(accumulator.start());
      values.push_back(accumulator.value());
    }

    auto begin = [&](StringRef part, StepKind kind) {
      StepBuilder step(builder, fit, nameOf(part), kind);
      for (StringRef name : {kByLevelsAttrName, kSmallBlocksAttrName})
        if (Attribute mark = fit->getAttr(name))
          step.function->setAttr(name, mark);
      return step;
    };
    auto finish = [](StepBuilder &step, ArrayRef<Value> results,
                     ArrayRef<SlotAttr> slots) {
      for (auto [result, slot] : llvm::zip_equal(results, slots))
        step.addResult(step.lookup(result), slot);
      step.finish();
    };
    StepBuilder init = begin("init", kindOf(2));
    for (auto [from, to] : findRanges(*accumulators)) {
      auto type = RankedTensorType::get(
          {(to - from) / int64_t(sizeof(double))}, builder.getF64Type(),
          SumsAttr::get(&getContext(), SumsLayout::Full));
      init.addResult(ZerosOp::create(init.builder, fit.getLoc(), type),
                     slot(SlotKind::State, from));
    }
    init.finish();

    StepBuilder chunk = begin("chunk", kindOf(1));
    for (BlockArgument argument : fit.getArguments())
      chunk.addArgument(argument);
    for (SlotKind kind : {SlotKind::First, SlotKind::Capacity})
      chunk.addArgument(builder.getIndexType(), fit.getLoc(), slot(kind));
    for (auto [start, slot] : llvm::zip(starts, stateSlots))
      chunk.addArgument(start, slot);
    DenseSet<Operation *> seeds = sums;
    SmallVector<Value> chunkValues(values);
    SmallVector<SlotAttr> chunkSlots(stateSlots);
    llvm::append_range(chunkValues, carried);
    llvm::append_range(chunkSlots, carriedSlots);
    for (Value value : carried)
      if (Operation *source = value.getDefiningOp())
        seeds.insert(source);
    DenseSet<Operation *> early = neededBy(fit, seeds, /*stop=*/{});
    for (Operation &op : fit.getBody().front().without_terminator())
      if (early.contains(&op) && !isa<ZerosOp>(op))
        chunk.clone(op);
    finish(chunk, chunkValues, chunkSlots);

    auto buildEnding = [&](const Ending &ending) {
      StepBuilder step = begin(ending.part, ending.kind);
      if (rows)
        step.addArgument(rows, slot(SlotKind::Rows));
      for (BlockArgument argument : fit.getArguments())
        if (isConstant(argument) &&
            (llvm::is_contained(ending.results, argument) ||
             llvm::any_of(argument.getUsers(), [&](Operation *user) {
               return ending.ops.contains(user);
             })))
          step.addArgument(argument);
      for (auto [value, slot] : llvm::zip(values, stateSlots))
        step.addArgument(value, slot);
      for (Operation &op : fit.getBody().front().without_terminator())
        if (ending.ops.contains(&op))
          step.clone(op);
      finish(step, ending.results, ending.slots);
    };
    buildEnding(finishing);
    for (const Ending &ending : {inferring, system})
      if (!ending.results.empty())
        buildEnding(ending);
    fit.erase();
    return success();
  }

  /// The ops of `seed` and all ops that they depend on, except the ops of
  /// `stop` and ops that only these depend on.
  static DenseSet<Operation *> neededBy(func::FuncOp function,
                                        const DenseSet<Operation *> &seed,
                                        const DenseSet<Operation *> &stop) {
    DenseSet<Operation *> needed;
    for (Operation &op :
         llvm::reverse(function.getBody().front().without_terminator()))
      if (!stop.contains(&op) &&
          (seed.contains(&op) ||
           llvm::any_of(op.getUsers(), [&](Operation *user) {
             return needed.contains(user);
           })))
        needed.insert(&op);
    return needed;
  }
};

} // namespace
