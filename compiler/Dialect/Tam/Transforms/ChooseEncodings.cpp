//===- ChooseEncodings.cpp - how matrices are stored ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMCHOOSEENCODINGS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

static Attribute encodingOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getEncoding();
}

static void encode(Value value, Attribute encoding) {
  auto type = cast<RankedTensorType>(value.getType());
  value.setType(type.cloneWithEncoding(encoding));
}

/// Place of an encoding in the order in which pair kernels take their operands.
static int kernelRank(Attribute encoding) {
  return llvm::TypeSwitch<Attribute, int>(encoding)
      .Case<OneHotAttr>([](auto) { return 0; })
      .Case<BandedAttr>([](auto) { return 1; })
      .Default([](auto) { return 2; });
}

static SumsLayout layoutOf(GramOp op) {
  Attribute a = encodingOf(op.getA()), b = encodingOf(op.getB());
  if (op.getA() == op.getB())
    return isa<OneHotAttr>(a) ? SumsLayout::Diagonal : SumsLayout::Upper;
  return kernelRank(a) <= kernelRank(b) ? SumsLayout::Full
                                        : SumsLayout::Transposed;
}

namespace {

struct ChooseEncodings
    : public tamc::tam::impl::TamChooseEncodingsBase<ChooseEncodings> {
  using TamChooseEncodingsBase::TamChooseEncodingsBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    getOperation().walk([&](FeatureMapInterface op) {
      if (!encodingOf(op->getResult(0)))
        encode(op->getResult(0), dense ? Attribute(DenseAttr::get(context))
                                       : op.getStructuredEncoding());
    });
    auto encodeSums = [&](RowReductionInterface op, SumsLayout layout) {
      auto zeros = op.getAccumulatorMutable().get().getDefiningOp<ZerosOp>();
      if (encodingOf(op->getResult(0)))
        return;
      if (!zeros || !zeros->hasOneUse()) {
        op->emitError("expected an accumulator that starts from tam.zeros of "
                      "its own");
        return signalPassFailure();
      }
      auto sums = SumsAttr::get(context, layout);
      encode(zeros.getResult(), sums);
      encode(op->getResult(0), sums);
    };
    getOperation().walk([&](Operation *op) {
      if (auto gram = dyn_cast<GramOp>(op))
        encodeSums(gram, layoutOf(gram));
      else if (auto rhs = dyn_cast<RhsOp>(op))
        encodeSums(rhs, SumsLayout::Full);
    });
  }
};

} // namespace
