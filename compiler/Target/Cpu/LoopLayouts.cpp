//===- LoopLayouts.cpp - layouts of sums in the CPU's loops ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopLayouts.h"

#include "tamc/Dialect/Tam/IR/RowCode.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tam;

/// Panels of a product may have at most this many times the numbers of the
/// plain layout, or any number up to the second limit.
static constexpr int64_t kMaxGrowth = 4;
static constexpr int64_t kFreeNumbers = 16384;

/// Words are along a product of bands, else along the wider band, which gives
/// fewer words. For equal widths they are along the band of the later effect,
/// whose columns lie together in the normal equations' lower triangle.
SumsAttr tamc::getCpuLoopLayout(Operation *sum) {
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
    widths.push_back(getBandWidth(factor));
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
