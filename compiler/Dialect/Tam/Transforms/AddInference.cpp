//===- AddInference.cpp - results for standard errors -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamrt/steps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMADDINFERENCE
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

namespace {

struct AddInference
    : public tamc::tam::impl::TamAddInferenceBase<AddInference> {
  void runOnOperation() override {
    ModelAttr model = getModel(getOperation());
    if (!model)
      return;
    SmallVector<int64_t> columns;
    for (EffectAttr effect : model.getEffects())
      columns.push_back(effect.getColumns());
    if (llvm::any_of(columns, [](int64_t count) { return count < 1; }))
      return;
    for (auto fit : getOperation().getOps<func::FuncOp>())
      if (fit.getBody().hasOneBlock())
        for (auto solve : fit.getOps<SolveOp>())
          if (solve.getSolver() == Solver::Direct &&
              cast<RankedTensorType>(solve.getType()).getDimSize(0) ==
                  llvm::sum_of(columns) &&
              failed(add(fit, solve, columns)))
            return signalPassFailure();
  }

private:
  /// Whether a penalty is made of arguments of the function.
  static bool isOfArguments(Value penalty) {
    auto source = penalty.getDefiningOp<PenaltyOp>();
    return source && llvm::all_of(source->getOperands(), [](Value operand) {
             return isa<BlockArgument>(operand);
           });
  }

  /// Adds results to a fit whose first result is that of `solve`.
  LogicalResult add(func::FuncOp fit, SolveOp solve,
                    ArrayRef<int64_t> columns) {
    Operation *end = fit.getBody().front().getTerminator();
    auto matrix = solve.getMatrix().getDefiningOp<NormalMatrixOp>();
    if (!matrix || matrix.getBlocks().empty() || end->getNumOperands() == 0 ||
        end->getOperand(0) != solve.getResult() ||
        !isa<BlockArgument>(matrix.getGroupRows()) ||
        !llvm::all_of(matrix.getPenalties(), isOfArguments))
      return success();
    // The penalties are the same by levels.
    const bool hasPenalty = !fit->hasAttr(kByLevelsAttrName);
    if (failed(verifySlots(fit)) ||
        (hasPenalty && failed(verifyFreeName(fit, "penalty"))))
      return failure();
    OpBuilder builder(end);
    Location loc = solve.getLoc();
    auto numbers = [&](int64_t count) {
      return RankedTensorType::get({count}, builder.getF64Type());
    };
    const int64_t size = llvm::sum_of(columns);
    const auto effects = static_cast<int64_t>(columns.size());
    Value rows = matrix.getGroupRows();
    // The inverse takes the place of the matrix.
    Value means = ColumnMeansOp::create(builder, loc, numbers(size), rows,
                                        solve.getMatrix());
    auto inverse =
        InverseOp::create(builder, loc, numbers(tamrt::triangleSize(size)),
                          numbers(2), solve.getMatrix());
    Value edf = EffectiveDfOp::create(builder, loc, numbers(effects), rows,
                                      inverse.getTriangle(),
                                      matrix.getPenalties(), columns);

    const tamrt::InferenceLayout layout(size, effects);
    SmallVector<Value> results(end->getOperands());
    SmallVector<SlotAttr> slots;
    for (unsigned i = 0; i < fit.getNumResults(); ++i)
      slots.push_back(getResultSlot(fit, i));
    auto addResult = [&](Value value, SlotKind kind, int64_t place) {
      results.push_back(value);
      slots.push_back(
          SlotAttr::get(&getContext(), kind, place * int64_t(sizeof(double))));
    };
    addResult(inverse.getTriangle(), SlotKind::Inference, layout.inverse);
    addResult(edf, SlotKind::Inference, layout.edf);
    addResult(means, SlotKind::Inference, layout.means);
    addResult(inverse.getNumbers(), SlotKind::Inference, layout.numbers);
    addResult(solve.getMatrix(), SlotKind::System, 0);
    addResult(solve.getVector(), SlotKind::System, tamrt::vectorInSystem(size));
    end->setOperands(results);
    fit.setType(builder.getFunctionType(fit.getArgumentTypes(),
                                        ValueRange(results).getTypes()));
    setResultSlots(fit, slots);
    if (hasPenalty)
      addPenalty(fit, matrix);
    return success();
  }

  /// Adds a function with the penalties of `matrix` alone.
  void addPenalty(func::FuncOp fit, NormalMatrixOp matrix) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(fit);
    StepBuilder step(builder, fit, "penalty", StepKind::Penalty);
    step.addArgument(cast<BlockArgument>(matrix.getGroupRows()));
    SmallVector<Value> penalties;
    for (Value penalty : matrix.getPenalties()) {
      Operation *source = penalty.getDefiningOp();
      for (Value operand : source->getOperands())
        step.addArgument(cast<BlockArgument>(operand));
      penalties.push_back(step.clone(*source)->getResult(0));
    }
    Value result = NormalMatrixOp::create(
        step.builder, matrix.getLoc(), matrix.getType(),
        step.lookup(matrix.getGroupRows()), /*blocks=*/ValueRange(), penalties);
    step.addResult(result, SlotAttr::get(&getContext(), SlotKind::Output, 0));
    step.finish();
  }
};

} // namespace
