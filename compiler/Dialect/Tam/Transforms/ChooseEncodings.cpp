//===- ChooseEncodings.cpp - chooses encodings of matrices ----------------===//
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
#define GEN_PASS_DEF_TAMCHOOSEENCODINGS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc;
using namespace tamc::tam;

namespace {

struct ChooseEncodings
    : public tamc::tam::impl::TamChooseEncodingsBase<ChooseEncodings> {
  using TamChooseEncodingsBase::TamChooseEncodingsBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    getOperation().walk([&](FeatureMapInterface op) {
      if (!getEncoding(op->getResult(0).getType()))
        setEncoding(op->getResult(0), dense ? Attribute(DenseAttr::get(context))
                                            : target->getEncoding(op));
    });
    if (failed(verifyDesigns()))
      return signalPassFailure();
    SmallVector<RowReductionInterface> sums;
    getOperation().walk([&](RowReductionInterface op) {
      if (isa<GramOp, RhsOp, SquaresOp>(op))
        sums.push_back(op);
    });
    SumEncoder encoder(getOperation(), *target, frequencies && !dense);
    for (RowReductionInterface op : sums) {
      auto zeros = op.getAccumulatorMutable().get().getDefiningOp<ZerosOp>();
      if (!getEncoding(op->getResult(0).getType()) &&
          (!zeros || !zeros->hasOneUse())) {
        op->emitError("expected an accumulator that starts from tam.zeros of "
                      "its own");
        signalPassFailure();
        continue;
      }
      encoder.encode(op);
    }
    encodeExpanded(getOperation());
    if (failed(verifyReaders()))
      signalPassFailure();
  }

private:
  /// Checks that the operands of sums have an encoding now: they are results of
  /// feature maps, or had an encoding before the pass.
  LogicalResult verifyDesigns() {
    WalkResult result = getOperation().walk([](RowReductionInterface op) {
      for (Value design : op.getDesigns())
        if (!getEncoding(design.getType())) {
          op->emitOpError("expected a design matrix that a feature map makes, "
                          "got ")
              << design.getType();
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Checks that all readers of design matrices and sums accept their present
  /// encodings.
  LogicalResult verifyReaders() {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      bool isReader = llvm::any_of(op->getOperandTypes(), [](Type type) {
        return getEncoding(type) != nullptr;
      });
      auto end = dyn_cast<func::ReturnOp>(op);
      if (!end)
        return isReader ? op->getName().verifyInvariants(op) : success();
      if (op->getOperandTypes() ==
          end->getParentOfType<func::FuncOp>().getResultTypes())
        return success();
      return op->emitOpError("expected results that have no encoding: neither "
                             "design matrices nor sums");
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
