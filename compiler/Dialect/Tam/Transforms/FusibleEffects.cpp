//===- FusibleEffects.cpp - which effects share a loop over rows ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleEffects.h"

#include "tamc/Dialect/Tam/IR/RowCode.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tam;

/// Whether the kernel supports the map that makes a design matrix, in its
/// structured encoding, and the ops that the map reads.
static bool isFusible(Value design) {
  Operation *map = design.getDefiningOp();
  if (!map || !isa<FeatureMapInterface>(map) || !hasPredictionCode(map))
    return false;
  return llvm::all_of(map->getOperands(), [](Value value) {
    auto normalize = value.getDefiningOp<NormalizeOp>();
    return normalize ? !normalize.getColumn().getDefiningOp() &&
                           !normalize.getParameters().getDefiningOp()
                     : !value.getDefiningOp();
  });
}

SmallVector<unsigned>
tamc::tam::findFusibleEffects(PredictOp predict, const RowLoopLimits &limits) {
  SmallVector<unsigned> effects;
  int64_t splines = 0;
  for (auto [index, design, coefficients] :
       llvm::enumerate(predict.getDesigns(), predict.getCoefficients())) {
    if (!isFusible(design) || coefficients.getDefiningOp())
      continue;
    if (design.getDefiningOp<BSplineOp>() &&
        ++splines > limits.predictedSplines)
      continue;
    effects.push_back(index);
  }
  if (effects.size() < 2)
    effects.clear();
  return effects;
}
