//===- ChooseLayouts.cpp - panels for the sums of a row kernel ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleSums.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMCHOOSELAYOUTS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

/// The numbers per row of a band, 0 for other matrices.
static int64_t bandOf(Value design) {
  auto banded = dyn_cast_if_present<BandedAttr>(getEncoding(design.getType()));
  return banded ? banded.getWidth() : 0;
}

/// The layout of a sum that the row kernel will compute, null where it has no
/// band. Words go along the wider one, that there are fewer of them; of equal
/// ones along the later effect's, whose columns lie together in the normal
/// equations' lower triangle.
static SumsAttr panelsOf(Operation *sum) {
  MLIRContext *context = sum->getContext();
  auto panels = [&](SumsLayout layout, int64_t width) {
    return width ? SumsAttr::get(context, layout, width) : SumsAttr();
  };
  if (auto rhs = dyn_cast<RhsOp>(sum))
    return panels(SumsLayout::Panels, bandOf(rhs.getA()));
  auto gram = cast<GramOp>(sum);
  int64_t a = bandOf(gram.getA()), b = bandOf(gram.getB());
  if (gram.getA() == gram.getB())
    return panels(SumsLayout::UpperPanels, a);
  return a > b ? panels(SumsLayout::Panels, a)
               : panels(SumsLayout::TransposedPanels, b);
}

namespace {

struct ChooseLayouts
    : public tamc::tam::impl::TamChooseLayoutsBase<ChooseLayouts> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Operation *sum : findFusibleSums(function.getBody().front())) {
        SumsAttr layout = panelsOf(sum);
        Value accumulator =
            cast<RowReductionInterface>(sum).getAccumulatorMutable().get();
        if (!layout || !accumulator.getDefiningOp<ZerosOp>() ||
            !accumulator.hasOneUse())
          continue;
        for (Value value : {accumulator, Value(sum->getResult(0))})
          value.setType(cast<RankedTensorType>(value.getType())
                            .cloneWithEncoding(layout));
      }
  }
};

} // namespace
