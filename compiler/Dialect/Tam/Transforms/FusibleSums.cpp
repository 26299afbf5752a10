//===- FusibleSums.cpp - which sums share a loop over rows ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleSums.h"

#include "tamc/Dialect/Tam/IR/RowCode.h"
#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tamc::tam;

/// Numbers of a word.
static constexpr int64_t kWord = 4;

/// Panels of a product may have at most this many times the numbers of the
/// plain layout, or any number up to the second limit.
static constexpr int64_t kMaxGrowth = 4;
static constexpr int64_t kFreeNumbers = 16384;

/// Whether a matrix is a product of factors, or is converted to sparse for a
/// sum with one.
static bool isProduct(Value design) {
  return isa_and_present<SparseAttr>(getEncoding(design.getType()));
}

/// Words are along a product of bands, else along the wider band, which gives
/// fewer words. For equal widths they are along the band of the later effect,
/// whose columns lie together in the normal equations' lower triangle.
SumsAttr tamc::tam::getPanels(Operation *sum) {
  auto type = cast<RankedTensorType>(sum->getResult(0).getType());
  SumsLayout layout = SumsLayout::Panels;
  SmallVector<Value> along, others;
  if (auto rhs = dyn_cast<RhsOp>(sum)) {
    along = getFactors(rhs.getA());
  } else {
    auto gram = cast<GramOp>(sum);
    along = getFactors(gram.getA());
    others = getFactors(gram.getB());
    if (gram.getA() == gram.getB()) {
      // Users that read elements need all of them.
      auto spline = gram.getA().getDefiningOp<BSplineOp>();
      bool isCubic = spline && spline.getDegree() == 3 &&
                     llvm::none_of(gram->getUsers(), [](Operation *user) {
                       return isa<MarginalOp>(user);
                     });
      layout = isCubic ? SumsLayout::CubicPanels : SumsLayout::UpperPanels;
      others.clear();
    } else if (canMeetPanels(along) &&
               (bandOf(along) <= bandOf(others) || !canMeetPanels(others))) {
      layout = SumsLayout::TransposedPanels;
      std::swap(along, others);
    }
  }
  if (bandOf(along) == 0 || !canMeetPanels(others) ||
      along.size() > kMaxFactors)
    return {};
  SmallVector<int64_t> widths, columns;
  for (Value factor : along) {
    widths.push_back(getFactorWidth(factor));
    if (along.size() > 1)
      columns.push_back(cast<RankedTensorType>(factor.getType()).getDimSize(1));
  }
  auto panels = SumsAttr::get(sum->getContext(), layout, widths, columns);
  if (along.size() == 1)
    return panels;
  int64_t most = std::max(kMaxGrowth * type.getNumElements(), kFreeNumbers);
  if (countWords(panels, type, along, others) > kMaxWords ||
      panels.getCount(type) > most)
    return {};
  return panels;
}

int64_t tamc::tam::getRowWords(Operation *sum) {
  auto type = cast<RankedTensorType>(sum->getResult(0).getType());
  SumsAttr panels = getPanels(sum);
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
                                                    bool choosesPanels) {
  DenseSet<Operation *> known;
  auto isKnown = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || known.contains(op);
  };
  // A sum's design matrices must be fusible maps, its other operands arguments.
  auto isFusibleSum = [&](Operation &op) {
    unsigned designs = isa<GramOp>(op) ? 2 : 1;
    for (auto [index, value] : llvm::enumerate(op.getOperands())) {
      Operation *source = value.getDefiningOp();
      if (index < designs ? !source || !known.contains(source)
                          : source && !isa<ZerosOp>(source))
        return false;
    }
    // Two sums into one argument would share its bytes.
    Value start = cast<RowReductionInterface>(op).getAccumulatorMutable().get();
    if (!start.getDefiningOp() && !start.hasOneUse())
      return false;
    auto sums =
        dyn_cast_if_present<SumsAttr>(getEncoding(op.getResult(0).getType()));
    if (!sums || hasSumCode(&op, sums))
      return static_cast<bool>(sums);
    return choosesPanels && !sums.isPanels() &&
           llvm::any_of(op.getOperands().take_front(designs), isProduct) &&
           getPanels(&op);
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

void tamc::tam::eraseSum(Operation *sum) {
  Value start = cast<RowReductionInterface>(sum).getAccumulatorMutable().get();
  sum->erase();
  if (Operation *zeros = start.getDefiningOp(); zeros && start.use_empty())
    zeros->erase();
}

void tamc::tam::replaceSum(Operation *sum, Value value) {
  sum->getResult(0).replaceAllUsesWith(value);
  eraseSum(sum);
}

void tamc::tam::encodeExpanded(Operation *root) {
  root->walk([](ExpandLevelsOp op) {
    if (SumsAttr encoding = op.inferEncoding())
      op.getResult().setType(
          cast<RankedTensorType>(op.getType()).cloneWithEncoding(encoding));
  });
}
