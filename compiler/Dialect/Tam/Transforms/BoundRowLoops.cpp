//===- BoundRowLoops.cpp - sums that are left out of a shared loop --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleSums.h"
#include "LoopLimit.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Target/TargetAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMBOUNDROWLOOPS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc;
using namespace tamc::tam;

/// The design matrices that a sum reads, each once.
static OperandRange designsOf(Operation *sum) {
  OperandRange all = cast<RowReductionInterface>(sum).getDesigns();
  return all.front() == all.back() ? all.take_front(1) : all;
}

namespace {

/// Chooses the design matrices whose sums share a loop.
class LoopOfSums {
public:
  LoopOfSums(ArrayRef<Operation *> sums, const Target &target)
      : target(target) {
    for (Operation *sum : sums)
      for (Value design : designsOf(sum))
        sumsOf[design].push_back(sum);
  }

  /// Chooses matrices, those with few numbers per row first, as long as all
  /// sums among them take at most `mostWords` words.
  void choose(int64_t mostWords) {
    SmallVector<Value> order;
    for (auto &[design, sums] : sumsOf)
      order.push_back(design);
    llvm::stable_sort(order,
                      [](Value a, Value b) { return widthOf(a) < widthOf(b); });
    int64_t words = 0;
    for (Value design : order) {
      chosen.insert(design);
      int64_t more = 0;
      for (Operation *sum : sumsOf[design])
        if (isChosen(sum))
          more += getRowWords(sum, target);
      if (words + more > mostWords)
        chosen.erase(design);
      else
        words += more;
    }
  }

  /// Whether all matrices that a sum reads are chosen.
  bool isChosen(Operation *sum) const {
    return llvm::all_of(designsOf(sum),
                        [&](Value design) { return chosen.contains(design); });
  }

  size_t countDesigns() const { return sumsOf.size(); }
  size_t countChosen() const { return chosen.size(); }

  /// The first matrix in the order of the formula that is not chosen.
  Value findFirstLeftOut() const {
    for (auto &[design, sums] : sumsOf)
      if (!chosen.contains(design))
        return design;
    return {};
  }

private:
  /// Nonzero numbers in a row: the order in which matrices are chosen.
  static int64_t widthOf(Value design) {
    int64_t width = 1;
    for (Value factor : getFactors(design))
      width *= getBandWidth(factor);
    return width;
  }

  const Target &target;
  llvm::MapVector<Value, SmallVector<Operation *>> sumsOf;
  DenseSet<Value> chosen;
};

struct BoundRowLoops
    : public tamc::tam::impl::TamBoundRowLoopsBase<BoundRowLoops> {
  using TamBoundRowLoopsBase::TamBoundRowLoopsBase;

  void runOnOperation() override {
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    const std::optional<RowLoopLimits> limits = target->getRowLoopLimits();
    if (!limits)
      return;
    FailureOr<int64_t> most =
        getLoopLimit(getOperation(), mostWords, limits->words, "words");
    if (failed(most))
      return signalPassFailure();
    bool hasRemarked = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      SmallVector<Operation *> sums =
          findFusibleSums(function.getBody().front(), target);
      LoopOfSums loop(sums, *target);
      loop.choose(*most);
      if (loop.countChosen() == loop.countDesigns())
        continue;
      for (Operation *sum : sums)
        if (!loop.isChosen(sum))
          sum->setAttr(kApartAttrName, UnitAttr::get(&getContext()));
      if (hasRemarked)
        continue;
      hasRemarked = true;
      mlir::emitRemark(loop.findFirstLeftOut().getLoc())
          << "the fit's loop over the rows is full: it has "
          << loop.countChosen() << " of " << loop.countDesigns()
          << " terms; this term and "
          << loop.countDesigns() - loop.countChosen() - 1
          << " more are summed pair by pair";
    }
  }
};

} // namespace
