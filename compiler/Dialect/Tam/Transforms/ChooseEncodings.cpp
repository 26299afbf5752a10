//===- ChooseEncodings.cpp - chooses encodings of matrices ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleSums.h"

#include "tamc/Dialect/Tam/IR/RowCode.h"
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

static Attribute encodingOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getEncoding();
}

static void encode(Value value, Attribute encoding) {
  auto type = cast<RankedTensorType>(value.getType());
  value.setType(type.cloneWithEncoding(encoding));
}

/// Whether a row of a matrix has neighbouring numbers.
static bool hasBands(Value design) {
  if (auto columns = design.getDefiningOp<ColumnsOp>())
    return llvm::any_of(columns.getDesigns(), hasBands);
  return bandOf(getFactors(design)) > 1;
}

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
      if (!encodingOf(op->getResult(0)))
        encode(op->getResult(0), dense ? Attribute(DenseAttr::get(context))
                                       : op.getStructuredEncoding());
    });
    if (failed(verifyDesigns()))
      return signalPassFailure();
    SmallVector<GramOp> grams;
    getOperation().walk([&](GramOp op) { grams.push_back(op); });
    DenseMap<Value, Value> converted;
    getOperation().walk([&](ConvertOp op) {
      if (isa<SparseAttr>(encodingOf(op.getResult())))
        converted[op.getA()] = op.getResult();
    });
    for (GramOp op : grams)
      fallBack(op, *target, converted);
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
        encodeSums(gram, layoutOf(gram, *target));
      else if (auto rhs = dyn_cast<RhsOp>(op))
        encodeSums(rhs, SumsLayout::Full);
    });
    encodeExpanded(getOperation());
    if (failed(verifyReaders()))
      signalPassFailure();
  }

private:
  /// Whether the target has a kernel for the sums of two different matrices of
  /// these encodings, in this order.
  static bool hasKernel(const Target &target, Attribute a, Attribute b) {
    auto first = dyn_cast<EncodingInterface>(a);
    auto second = dyn_cast<EncodingInterface>(b);
    return first && second && target.hasKernel(getGramKernel(first, second));
  }

  SumsLayout layoutOf(GramOp op, const Target &target) const {
    Attribute a = encodingOf(op.getA()), b = encodingOf(op.getB());
    if (op.getA() == op.getB()) {
      auto fourier = op.getA().getDefiningOp<FourierOp>();
      if (frequencies && !dense && fourier && fourier.hasAngles())
        return SumsLayout::Frequencies;
      return cast<DesignEncodingInterface>(a).getSelfLayout();
    }
    if (!hasKernel(target, a, b))
      return SumsLayout::Transposed;
    // Bands that lie along the rows of the sums are added number by number.
    const bool isAcross = isa<SparseAttr>(a) && isa<SparseAttr>(b) &&
                          (op.getA().getDefiningOp<ColumnsOp>() ||
                           op.getB().getDefiningOp<ColumnsOp>()) &&
                          hasBands(op.getA()) && !hasBands(op.getB());
    return isAcross ? SumsLayout::Transposed : SumsLayout::Full;
  }

  /// Checks that the operands of sums have an encoding now: they are results of
  /// feature maps, or had an encoding before the pass.
  LogicalResult verifyDesigns() {
    WalkResult result = getOperation().walk([](RowReductionInterface op) {
      for (Value design : op->getOperands().take_front(isa<GramOp>(op) ? 2 : 1))
        if (!encodingOf(design)) {
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

  /// Converts a pair without a kernel of its own for the generic kernel, which
  /// takes sparse matrices. `converted` has the sparse form of matrices
  /// converted before.
  void fallBack(GramOp op, const Target &target,
                DenseMap<Value, Value> &converted) {
    Attribute a = encodingOf(op.getA()), b = encodingOf(op.getB());
    if (op.getA() == op.getB() || hasKernel(target, a, b) ||
        hasKernel(target, b, a))
      return;
    for (OpOperand *operand : {&op.getAMutable(), &op.getBMutable()}) {
      Value design = operand->get();
      if (isa<DenseAttr, SparseAttr>(encodingOf(design)))
        continue;
      Value &sparse = converted[design];
      if (!sparse) {
        OpBuilder builder(&getContext());
        builder.setInsertionPointAfterValue(design);
        auto type = cast<RankedTensorType>(design.getType());
        sparse =
            ConvertOp::create(builder, design.getLoc(),
                              type.cloneWithEncoding(SparseAttr::get(
                                  &getContext(), getNumbersPerRow(design))),
                              design);
      }
      operand->set(sparse);
    }
  }
};

} // namespace
