//===- Sums.cpp - makes and removes sums over rows ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sums.h"

using namespace mlir;
using namespace tamc::tam;

RowReductionInterface tamc::tam::createSum(OpBuilder &builder, Location loc,
                                           Value a, Value b, Value weights) {
  SmallVector<int64_t> shape{columnsOf(a)};
  const bool isGram = cast<RankedTensorType>(b.getType()).getRank() == 2;
  if (isGram)
    shape.push_back(columnsOf(b));
  auto type = RankedTensorType::get(shape, builder.getF64Type());
  Value zeros = ZerosOp::create(builder, loc, type);
  if (isGram)
    return GramOp::create(builder, loc, type, a, b, weights, zeros);
  return RhsOp::create(builder, loc, type, a, b, weights, zeros);
}

Value tamc::tam::createSquares(OpBuilder &builder, Location loc, Value a,
                               Value weights) {
  auto type = RankedTensorType::get({columnsOf(a)}, builder.getF64Type());
  Value zeros = ZerosOp::create(builder, loc, type);
  return SquaresOp::create(builder, loc, type, a, weights, zeros);
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
