//===- FusibleSums.cpp - which sums share a loop over rows ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleSums.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tamc::tam;

/// Most numbers per row of a band: all products of two bands are written out.
static constexpr int64_t kWidestBand = 8;

/// Whether the row kernel has code for a map or the preparation of its input.
/// What it reads must be there before the loop, or be such an op itself.
static bool isFusibleMap(Operation *op) {
  if (isa<NormalizeOp>(op))
    return true;
  if (!isa<OffsetOp, LinearOp, BSplineOp, CategoryOp>(op))
    return false;
  if (auto spline = dyn_cast<BSplineOp>(op);
      spline && static_cast<int64_t>(spline.getDegree()) >= kWidestBand)
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return type.getEncoding() ==
         cast<FeatureMapInterface>(op).getStructuredEncoding();
}

SmallVector<Operation *> tamc::tam::findFusibleSums(Block &block) {
  DenseSet<Operation *> known;
  auto isKnown = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || known.contains(op);
  };
  // Of a sum, the design matrices must be known, and the rest given.
  auto isFusibleSum = [&](Operation &op) {
    unsigned designs = isa<GramOp>(op) ? 2 : 1;
    for (auto [index, value] : llvm::enumerate(op.getOperands())) {
      Operation *source = value.getDefiningOp();
      if (index < designs ? !source || !known.contains(source)
                          : source && !isa<ZerosOp>(source))
        return false;
    }
    return isa_and_present<SumsAttr>(getEncoding(op.getResult(0).getType()));
  };
  SmallVector<Operation *> sums;
  for (Operation &op : block.without_terminator()) {
    if (isFusibleMap(&op) && llvm::all_of(op.getOperands(), isKnown))
      known.insert(&op);
    else if (isa<GramOp, RhsOp>(op) && isFusibleSum(op))
      sums.push_back(&op);
  }
  if (sums.size() < 2)
    sums.clear();
  return sums;
}
