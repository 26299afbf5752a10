//===- JoinPairs.cpp - sums of pairs of matrices as one op ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusibleSums.h"
#include "Sums.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Target/TargetAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace tamc::tam {
#define GEN_PASS_DEF_TAMJOINPAIRS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

namespace {

/// A sum of two matrices, in the order in which its kernel takes them, and
/// their effects.
struct Pair {
  GramOp sum;
  Value a, b;
  int64_t first, second;
};

} // namespace

static bool isSparse(Value design) {
  return isa_and_present<SparseAttr>(getEncoding(design.getType()));
}

/// The pairs of a normal matrix that can be joined: sums of two sparse matrices
/// that nothing else reads, start from zero and have the same row weights, but
/// for those of `loop`.
static SmallVector<Pair> findPairs(NormalMatrixOp matrix,
                                   const DenseSet<Operation *> &loop) {
  SmallVector<Pair> pairs;
  for (auto [effects, block] :
       llvm::zip(matrix.getBlockEffects(), matrix.getBlocks())) {
    auto [i, j] = effects;
    auto sum = block.getDefiningOp<GramOp>();
    if (!sum || i == j || !sum->hasOneUse() || loop.contains(sum) ||
        !isSparse(sum.getA()) || !isSparse(sum.getB()) ||
        (!pairs.empty() &&
         sum.getWeights() != pairs.front().sum.getWeights()) ||
        !sum.getAccumulator().getDefiningOp<ZerosOp>())
      continue;
    auto layout =
        dyn_cast_if_present<SumsAttr>(getEncoding(sum.getResult().getType()));
    if (layout && layout.getLayout() == SumsLayout::Full)
      pairs.push_back({sum, sum.getA(), sum.getB(), i, j});
    else if (layout && layout.getLayout() == SumsLayout::Transposed)
      pairs.push_back({sum, sum.getB(), sum.getA(), j, i});
  }
  return pairs;
}

/// Replaces the sums of pairs by one.
static void join(NormalMatrixOp matrix, ArrayRef<Pair> pairs) {
  SmallVector<Value> designs;
  DenseMap<Value, int32_t> indices;
  SetVector<Operation *> sums;
  SmallVector<int32_t> first, second, firstEffects, secondEffects;
  auto indexOf = [&](Value design) {
    auto [known, isNew] = indices.try_emplace(design, indices.size());
    if (isNew)
      designs.push_back(design);
    return known->second;
  };
  Operation *last = pairs.front().sum;
  for (const Pair &pair : pairs) {
    first.push_back(indexOf(pair.a));
    second.push_back(indexOf(pair.b));
    firstEffects.push_back(static_cast<int32_t>(pair.first));
    secondEffects.push_back(static_cast<int32_t>(pair.second));
    sums.insert(pair.sum);
    if (last->isBeforeInBlock(pair.sum))
      last = pair.sum;
  }
  OpBuilder builder(last);
  builder.setInsertionPointAfter(last);
  Location loc = matrix.getLoc();
  const int64_t size =
      sizeOfPairs(first, second, llvm::map_to_vector(designs, columnsOf));
  auto type = RankedTensorType::get(
      {size}, builder.getF64Type(),
      SumsAttr::get(builder.getContext(), SumsLayout::Full));
  Value zeros = ZerosOp::create(builder, loc, type);
  Value joined = GramPairsOp::create(builder, loc, type, designs,
                                     GramOp(pairs.front().sum).getWeights(),
                                     zeros, first, second);
  SmallVector<Value> blocks;
  for (Value block : matrix.getBlocks())
    if (!sums.contains(block.getDefiningOp()))
      blocks.push_back(block);
  builder.setInsertionPoint(matrix);
  auto changed = NormalMatrixOp::create(
      builder, loc, matrix.getType(), matrix.getGroupRows(), blocks, joined,
      matrix.getPenalties(), builder.getDenseI32ArrayAttr(firstEffects),
      builder.getDenseI32ArrayAttr(secondEffects));
  matrix.replaceAllUsesWith(changed.getResult());
  matrix.erase();
  for (Operation *sum : sums)
    eraseSum(sum);
}

namespace {

struct JoinPairs : public tamc::tam::impl::TamJoinPairsBase<JoinPairs> {
  using TamJoinPairsBase::TamJoinPairsBase;

  void runOnOperation() override {
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    if (least <= 0 || !target->hasKernel("gram_pairs") ||
        !target->hasKernel("assemble_pairs"))
      return;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      Block &block = function.getBody().front();
      auto matrices = llvm::to_vector(block.getOps<NormalMatrixOp>());
      if (matrices.empty())
        continue;
      SmallVector<Operation *> fusible =
          findFusibleSums(block, /*target=*/nullptr);
      const DenseSet<Operation *> loop(fusible.begin(), fusible.end());
      for (NormalMatrixOp matrix : matrices) {
        if (matrix.getPairs())
          continue;
        SmallVector<Pair> pairs = findPairs(matrix, loop);
        if (static_cast<int64_t>(pairs.size()) >= least)
          join(matrix, pairs);
      }
    }
  }
};

} // namespace
