//===- AddInference.cpp - results for standard errors -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
    for (auto fit : getOperation().getOps<func::FuncOp>())
      if (!fit.isExternal())
        for (auto solve : fit.getOps<SolveOp>())
          if (solve.getSolver() == Solver::Direct &&
              cast<RankedTensorType>(solve.getType()).getDimSize(0) ==
                  model.getColumns())
            add(fit, solve, columns);
  }

private:
  /// Adds results to a fit whose first result is that of `solve`.
  void add(func::FuncOp fit, SolveOp solve, ArrayRef<int64_t> columns) {
    Operation *end = fit.getBody().front().getTerminator();
    auto matrix = solve.getMatrix().getDefiningOp<NormalMatrixOp>();
    if (!matrix || matrix.getBlocks().empty() || end->getNumOperands() == 0 ||
        end->getOperand(0) != solve.getResult())
      return;
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
    for (auto [value, place] :
         {std::pair(Value(inverse.getTriangle()), layout.inverse),
          std::pair(edf, layout.edf), std::pair(means, layout.means),
          std::pair(Value(inverse.getNumbers()), layout.numbers)}) {
      results.push_back(value);
      slots.push_back(SlotAttr::get(&getContext(), SlotKind::Inference,
                                    place * int64_t(sizeof(double))));
    }
    end->setOperands(results);
    fit.setType(builder.getFunctionType(fit.getArgumentTypes(),
                                        ValueRange(results).getTypes()));
    setResultSlots(fit, slots);
  }
};

} // namespace
