//===- WriteSums.cpp - writes the sums of normal equations ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sums.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMWRITESUMS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

static void writeSums(NormalEquationsOp equations) {
  OpBuilder builder(equations);
  auto sum = [&](Value a, Value b) -> Value {
    return createSum(builder, a.getLoc(), a, b, equations.getWeights())
        ->getResult(0);
  };
  SmallVector<Value> blocks, vectors;
  for (auto [i, a] : llvm::enumerate(equations.getDesigns())) {
    for (Value b : equations.getDesigns().drop_front(i))
      blocks.push_back(sum(a, b));
    vectors.push_back(sum(a, equations.getY()));
  }
  Location loc = equations.getLoc();
  Value matrix = NormalMatrixOp::create(
      builder, loc, equations.getMatrix().getType(), equations.getGroupRows(),
      blocks, equations.getPenalties());
  Value vector = NormalVectorOp::create(
      builder, loc, equations.getVector().getType(), vectors);
  equations.replaceAllUsesWith(ValueRange{matrix, vector});
  equations.erase();
}

namespace {

struct WriteSums : public tamc::tam::impl::TamWriteSumsBase<WriteSums> {
  void runOnOperation() override {
    SmallVector<NormalEquationsOp> all;
    getOperation().walk([&](NormalEquationsOp op) { all.push_back(op); });
    llvm::for_each(all, writeSums);
  }
};

} // namespace
