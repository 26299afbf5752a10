//===- ChooseLayouts.cpp - layouts for the sums of a row loop -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleSums.h"
#include "SumEncoder.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Target/TargetAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMCHOOSELAYOUTS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc;
using namespace tamc::tam;

namespace {

struct ChooseLayouts
    : public tamc::tam::impl::TamChooseLayoutsBase<ChooseLayouts> {
  void runOnOperation() override {
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    if (!target->getRowLoopLimits())
      return;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      for (Operation *sum :
           findFusibleSums(function.getBody().front(), target)) {
        SumsAttr layout = target->getLoopLayout(sum);
        Value accumulator =
            cast<RowReductionInterface>(sum).getAccumulatorMutable().get();
        // The types of a function's result, and of a sum that starts from this
        // one, must not change.
        bool isFixed = llvm::any_of(sum->getUsers(), [](Operation *user) {
          return isa<func::ReturnOp, RowReductionInterface>(user);
        });
        if (!layout || isFixed || !accumulator.getDefiningOp<ZerosOp>() ||
            !accumulator.hasOneUse())
          continue;
        for (Value value : {accumulator, Value(sum->getResult(0))})
          setEncoding(value, layout);
      }
      // Marginal sums of panels get panels, too, if all factors of a side are
      // kept.
      function.walk([&](MarginalOp marginal) {
        if (SumsAttr layout = marginal.getPanels())
          setEncoding(marginal.getResult(), layout);
      });
    }
    encodeExpanded(getOperation());
  }
};

} // namespace
