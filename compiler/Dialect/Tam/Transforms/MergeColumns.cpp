//===- MergeColumns.cpp - merges the matrices of terms --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedEffects.h"
#include "SumEncoder.h"
#include "Sums.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Target/TargetAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

#include <limits>
#include <vector>

namespace tamc::tam {
#define GEN_PASS_DEF_TAMMERGEAPART
#define GEN_PASS_DEF_TAMMERGECOLUMNS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc::tam;

namespace {

/// Normal equations whose sums are written, effect by effect.
struct WrittenEquations : Effects {
  NormalMatrixOp matrix;
  NormalVectorOp vector;
  /// Sums of the effects (i, j), i <= j, in the order of the matrix.
  SmallVector<GramOp> grams;
  SmallVector<RhsOp> rhs;

  /// The equations of a solve; fails if the sums are not those of one list of
  /// matrices.
  static FailureOr<WrittenEquations> of(SolveOp solve) {
    WrittenEquations all;
    all.matrix = solve.getMatrix().getDefiningOp<NormalMatrixOp>();
    all.vector = solve.getVector().getDefiningOp<NormalVectorOp>();
    if (!all.matrix || !all.vector || all.matrix.getBlocks().empty() ||
        all.matrix.getPairs() || !all.matrix->hasOneUse() ||
        !all.vector->hasOneUse())
      return failure();
    for (Value block : all.vector.getBlocks()) {
      auto rhs = block.getDefiningOp<RhsOp>();
      if (!rhs)
        return failure();
      all.rhs.push_back(rhs);
      all.designs.push_back(rhs.getA());
      if (rhs.getY() != all.rhs.front().getY() ||
          rhs.getWeights() != all.rhs.front().getWeights())
        return failure();
    }
    auto startsFromZero = [](RowReductionInterface sum) {
      return sum.getAccumulatorMutable().get().getDefiningOp<ZerosOp>();
    };
    if (!llvm::all_of(all.rhs, startsFromZero))
      return failure();
    all.penalties = llvm::to_vector(all.matrix.getPenalties());
    if (all.penalties.size() != all.designs.size())
      return failure();
    for (auto [effects, block] :
         llvm::zip(all.matrix.getBlockEffects(), all.matrix.getBlocks())) {
      auto gram = block.getDefiningOp<GramOp>();
      if (!gram || !startsFromZero(gram) ||
          getUnconverted(gram.getA()) != all.designs[effects.first] ||
          getUnconverted(gram.getB()) != all.designs[effects.second] ||
          gram.getWeights() != all.rhs.front().getWeights())
        return failure();
      all.grams.push_back(gram);
    }
    return all;
  }

  /// The sums of effects i <= j.
  Value gram(size_t i, size_t j) const {
    size_t before = i * size() - i * (i + 1) / 2;
    return GramOp(grams[before + j]).getResult();
  }
};

} // namespace

/// Erases the ops of `values` that have no use, and those before them that only
/// they used. A value may appear twice.
static void eraseUnused(ArrayRef<Value> values) {
  SetVector<Operation *> sources;
  auto add = [&](ValueRange some) {
    for (Value value : some)
      if (Operation *source = value.getDefiningOp();
          source && isOpTriviallyDead(source))
        sources.insert(source);
  };
  add(values);
  while (!sources.empty()) {
    Operation *source = sources.pop_back_val();
    SmallVector<Value> operands(source->getOperands());
    source->erase();
    add(operands);
  }
}

/// Replaces equations by those of merged effects, one for each run.
static void merge(NormalEquationsOp equations, const Effects &effects,
                  ArrayRef<EffectRun> runs) {
  if (runs.size() == effects.size())
    return;
  OpBuilder builder(equations);
  Effects merged = mergeRuns(builder, effects, runs);
  equations.getDesignsMutable().assign(merged.designs);
  equations.getPenaltiesMutable().assign(merged.penalties);
  eraseUnused(effects.penalties);
  eraseUnused(effects.designs);
}

/// The encoding of merged matrices, which are of one kind: banded ones become
/// bands if `asBands`.
static Attribute encodingOf(ColumnsOp merged, const Target &target,
                            bool asBands) {
  auto band =
      dyn_cast<BandedAttr>(getEncoding(merged.getDesigns().front().getType()));
  if (band && asBands)
    return BandsAttr::get(merged.getContext(), band.getWidth(),
                          merged.getDesigns().size());
  return target.getEncoding(merged);
}

/// Replaces equations by those of merged effects, one for each run, whose
/// matrices and sums get encodings. Where other sums have loops, those of
/// merged effects are apart from them, and banded matrices become bands.
static void merge(WrittenEquations &equations, ArrayRef<EffectRun> runs,
                  bool hasLoops, const Target &target) {
  if (runs.size() == equations.size())
    return;
  OpBuilder builder(*equations.matrix->getUsers().begin());
  // For this merge alone, which erases conversions at its end. Sums of
  // frequencies are those of single effects, which keep theirs.
  SumEncoder encoder(equations.matrix->getParentOp(), target,
                     /*frequencies=*/false);
  Effects merged = mergeRuns(builder, equations, runs);
  ArrayRef<Value> designs = merged.designs;
  for (auto [run, design] : llvm::zip(runs, designs))
    if (run.count > 1)
      setEncoding(design, encodingOf(design.getDefiningOp<ColumnsOp>(), target,
                                     hasLoops));
  Value weights = equations.rhs.front().getWeights();
  Value y = equations.rhs.front().getY();
  auto sum = [&](Value a, Value b) -> Value {
    RowReductionInterface op = createSum(builder, a.getLoc(), a, b, weights);
    if (hasLoops)
      op->setAttr(kApartAttrName, builder.getUnitAttr());
    encoder.encode(op);
    return op->getResult(0);
  };
  SmallVector<Value> grams, rhs;
  for (auto [i, run] : llvm::enumerate(runs)) {
    for (size_t j = i; j < runs.size(); ++j)
      grams.push_back(run.count == 1 && runs[j].count == 1
                          ? equations.gram(run.first, runs[j].first)
                          : sum(designs[i], designs[j]));
    rhs.push_back(run.count == 1 ? Value(equations.rhs[run.first].getResult())
                                 : sum(designs[i], y));
  }
  NormalMatrixOp matrix = equations.matrix;
  NormalVectorOp vector = equations.vector;
  auto newMatrix =
      NormalMatrixOp::create(builder, matrix.getLoc(), matrix.getType(),
                             matrix.getGroupRows(), grams, merged.penalties);
  auto newVector =
      NormalVectorOp::create(builder, vector.getLoc(), vector.getType(), rhs);
  matrix.replaceAllUsesWith(newMatrix.getResult());
  vector.replaceAllUsesWith(newVector.getResult());
  matrix.erase();
  vector.erase();
  // Effects may share a sum, a penalty or a copy in another encoding.
  SetVector<Operation *> sums;
  sums.insert_range(equations.grams);
  sums.insert_range(equations.rhs);
  SmallVector<Value> sources = equations.penalties;
  for (Operation *sum : sums)
    if (sum->use_empty()) {
      for (Value operand : sum->getOperands())
        if (operand.getDefiningOp<ConvertOp>())
          sources.push_back(operand);
      eraseSum(sum);
    }
  eraseUnused(sources);
}

namespace {

struct MergeColumns
    : public tamc::tam::impl::TamMergeColumnsBase<MergeColumns> {
  using TamMergeColumnsBase::TamMergeColumnsBase;

  void runOnOperation() override {
    if (least <= 0)
      return;
    SmallVector<NormalEquationsOp> all;
    getOperation().walk([&](NormalEquationsOp op) { all.push_back(op); });
    for (NormalEquationsOp equations : all) {
      const Effects effects = Effects::of(equations);
      auto kindOf = [&](size_t i) -> EffectKind {
        return {getLinearInput(effects.designs[i]) && effects.hasPlainPenalty(i)
                    ? EffectKind::Column
                    : EffectKind::None};
      };
      merge(equations, effects,
            findRuns(effects, kindOf, least,
                     std::numeric_limits<int64_t>::max()));
    }
  }
};

struct MergeApart : public tamc::tam::impl::TamMergeApartBase<MergeApart> {
  using TamMergeApartBase::TamMergeApartBase;

  void runOnOperation() override {
    if (least <= 0)
      return;
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    const bool hasLoops = loops && target->getRowLoopLimits().has_value();
    std::vector<WrittenEquations> all;
    getOperation().walk([&](SolveOp solve) {
      if (auto equations = WrittenEquations::of(solve); succeeded(equations))
        all.push_back(*equations);
    });
    for (WrittenEquations &equations : all) {
      if (!llvm::all_of(equations.designs, [](Value design) {
            return getEncoding(design.getType());
          }))
        continue;
      auto kindOf = [&](size_t i) -> EffectKind {
        if (!equations.hasPlainPenalty(i))
          return {EffectKind::None};
        Value design = equations.designs[i];
        if (storesAllColumns(design))
          return {columnsOf(design) > 1 ? EffectKind::Dense : EffectKind::None};
        if (hasLoops && !equations.rhs[i]->hasAttr(kApartAttrName))
          return {EffectKind::None};
        auto encoding =
            cast<DesignEncodingInterface>(getEncoding(design.getType()));
        if (encoding.getSelfLayout() == SumsLayout::Diagonal)
          return {getNumbersPerRow(design) == 1 ? EffectKind::Category
                                                : EffectKind::None};
        if (!hasLoops)
          return {EffectKind::Sparse};
        if (const int64_t band = encoding.getBand())
          return {EffectKind::Bands, band};
        return {EffectKind::None};
      };
      merge(equations, findRuns(equations, kindOf, least, mostColumns),
            hasLoops, *target);
    }
  }
};

} // namespace
