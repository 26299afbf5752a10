//===- FusibleSums.cpp - which sums share a loop over rows ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleSums.h"
#include "SumEncoder.h"

#include "tamc/Dialect/Tam/IR/RowCode.h"
#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tam;

/// Numbers of a word.
static constexpr int64_t kWord = 4;

/// Whether a matrix is a product of factors, or is converted to sparse for a
/// sum with one.
static bool isProduct(Value design) {
  return isa_and_present<SparseAttr>(getEncoding(design.getType()));
}

int64_t tamc::tam::getRowWords(Operation *sum, const Target &target) {
  auto type = cast<RankedTensorType>(sum->getResult(0).getType());
  SumsAttr panels = target.getLoopLayout(sum);
  if (panels && panels.isSelf())
    return panels.getWordsPerPanel(type);
  auto bandOfSide = [](Value side) {
    return std::max<int64_t>(1, bandOf(getFactors(side)));
  };
  int64_t first = bandOfSide(sum->getOperand(0)), second = 1;
  if (auto gram = dyn_cast<GramOp>(sum))
    second = bandOfSide(gram.getB());
  // Words are along the wider band.
  return llvm::divideCeil(std::max(first, second), kWord) *
         std::min(first, second);
}

SmallVector<Operation *> tamc::tam::findFusibleSums(Block &block,
                                                    const Target *target) {
  DenseSet<Operation *> known;
  auto isKnown = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || known.contains(op);
  };
  // A sum's design matrices must be fusible maps, its other operands arguments.
  auto isFusibleSum = [&](Operation &op) {
    auto sum = cast<RowReductionInterface>(op);
    const OperandRange designs = sum.getDesigns();
    for (auto [index, value] : llvm::enumerate(op.getOperands())) {
      Operation *source = value.getDefiningOp();
      if (index < designs.size() ? !source || !known.contains(source)
                                 : source && !isa<ZerosOp>(source))
        return false;
    }
    // Two sums into one argument would share its bytes.
    Value start = sum.getAccumulatorMutable().get();
    if (!start.getDefiningOp() && !start.hasOneUse())
      return false;
    auto sums =
        dyn_cast_if_present<SumsAttr>(getEncoding(op.getResult(0).getType()));
    if (!sums || hasSumCode(&op, sums))
      return static_cast<bool>(sums);
    return target && !sums.isPanels() && llvm::any_of(designs, isProduct) &&
           target->getLoopLayout(&op);
  };
  SmallVector<Operation *> sums;
  for (Operation &op : block.without_terminator()) {
    if (hasSumCode(&op) && llvm::all_of(op.getOperands(), isKnown))
      known.insert(&op);
    else if (isa<GramOp, RhsOp>(op) && !op.hasAttr(kApartAttrName) &&
             isFusibleSum(op))
      sums.push_back(&op);
  }
  if (sums.size() < 2)
    sums.clear();
  return sums;
}

void tamc::tam::encodeExpanded(Operation *root) {
  root->walk([](ExpandLevelsOp op) {
    if (SumsAttr encoding = op.inferEncoding())
      setEncoding(op.getResult(), encoding);
  });
}
