//===- ShareSums.cpp - derives sums from others ---------------------------===//
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

namespace tamc::tam {
#define GEN_PASS_DEF_TAMSHARESUMS
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"
} // namespace tamc::tam

using namespace mlir;
using namespace tamc;
using namespace tamc::tam;

/// Most tuples of levels that merged categories may have.
static constexpr int64_t kMaxLevels = 64;

static bool isOffset(Value design) {
  return design.getDefiningOp<OffsetOp>() != nullptr;
}

namespace {

/// The sums over rows of one function that will share a loop.
class SharedSums {
public:
  SharedSums(Block &block, const Target &target)
      : builder(block.getParentOp()) {
    for (Operation *sum : findFusibleSums(block, &target))
      add(sum);
  }

  void share() {
    if (all.empty() || !haveOneKind() || !canReplace())
      return;
    builder.setInsertionPointAfter(all.back());
    SmallVector<Value> categories = findCategories();
    if (categories.size() > 1)
      merge(categories);
    shareWithOffset();
    for (Operation *sum : replaced)
      eraseSum(sum);
  }

private:
  void add(Operation *sum) {
    all.push_back(sum);
    if (auto gram = dyn_cast<GramOp>(sum))
      grams[{gram.getA(), gram.getB()}] = gram;
    else
      targets[cast<RhsOp>(sum).getA()] = cast<RhsOp>(sum);
  }

  /// Whether all sums start from zero and have the same weights, and right-hand
  /// sides the same target. Otherwise two sums of the same matrices can differ.
  bool haveOneKind() {
    SetVector<Value> weights, ys;
    for (Operation *sum : all) {
      auto reduction = cast<RowReductionInterface>(sum);
      if (!reduction.getAccumulatorMutable().get().getDefiningOp<ZerosOp>())
        return false;
      auto rhs = dyn_cast<RhsOp>(sum);
      weights.insert(rhs ? rhs.getWeights() : cast<GramOp>(sum).getWeights());
      if (rhs)
        ys.insert(rhs.getY());
    }
    return weights.size() == 1 && ys.size() <= 1;
  }

  /// Whether all users of the sums can have replacements: they come after all
  /// sums, and are no returns of a layout that marginal sums do not have.
  bool canReplace() {
    return llvm::all_of(all, [&](Operation *sum) {
      auto type = cast<RankedTensorType>(sum->getResult(0).getType());
      auto layout = dyn_cast_if_present<SumsAttr>(type.getEncoding());
      bool isKept = !layout || layout.getLayout() == SumsLayout::Full ||
                    layout.getLayout() == SumsLayout::Diagonal;
      return llvm::all_of(sum->getUsers(), [&](Operation *user) {
        return user->getBlock() == all.back()->getBlock() &&
               all.back()->isBeforeInBlock(user) &&
               (isKept || !isa<func::ReturnOp>(user));
      });
    });
  }

  /// The gram of two matrices, in either order.
  GramOp gramOf(Value a, Value b) {
    GramOp found = grams.lookup({a, b});
    return found ? found : grams.lookup({b, a});
  }

  /// Categories whose every sum is one of these, in the order of the function,
  /// as long as they have few tuples of levels.
  SmallVector<Value> findCategories() {
    SetVector<Value> designs;
    for (Operation *sum : all)
      if (auto gram = dyn_cast<GramOp>(sum); gram && gram.getA() == gram.getB())
        designs.insert(gram.getA());
    auto isSummedHere = [&](Operation *user) {
      return !isa<RowReductionInterface>(user) || llvm::is_contained(all, user);
    };
    auto hasAllSums = [&](Value category) {
      return targets.lookup(category) &&
             llvm::all_of(designs,
                          [&](Value other) { return gramOf(category, other); });
    };
    SmallVector<Value> categories;
    int64_t tuples = 1;
    for (Value design : designs) {
      if (!design.getDefiningOp<CategoryOp>() ||
          !isa<OneHotAttr>(getEncoding(design.getType())) ||
          !llvm::all_of(design.getUsers(), isSummedHere) ||
          !hasAllSums(design) || tuples * columnsOf(design) > kMaxLevels)
        continue;
      tuples *= columnsOf(design);
      categories.push_back(design);
    }
    return categories;
  }

  /// Adds the sums of the tuples of the categories' levels, and replaces the
  /// sums of each category by marginal sums of these.
  void merge(ArrayRef<Value> categories) {
    Value tuples = categories.front();
    SmallVector<int64_t> factors{columnsOf(tuples)};
    for (Value category : categories.drop_front()) {
      factors.push_back(columnsOf(category));
      auto type = RankedTensorType::get(
          {cast<RankedTensorType>(tuples.getType()).getDimSize(0),
           columnsOf(tuples) * factors.back()},
          builder.getF64Type(), SparseAttr::get(builder.getContext(), 1));
      tuples = KroneckerOp::create(
          builder, builder.getFusedLoc({tuples.getLoc(), category.getLoc()}),
          type, tuples, category);
    }
    Value weights = gramOf(categories[0], categories[0]).getWeights();
    GramOp self = createGram(tuples, tuples, weights, SumsLayout::Upper);
    RhsOp target = targets[categories[0]];
    auto vector = RankedTensorType::get({columnsOf(tuples)},
                                        builder.getF64Type(), fullSums());
    auto rhs = RhsOp::create(builder, tuples.getLoc(), vector, tuples,
                             target.getY(), weights,
                             ZerosOp::create(builder, tuples.getLoc(), vector));

    SmallVector<GramOp> before;
    for (Operation *sum : all)
      if (auto gram = dyn_cast<GramOp>(sum))
        before.push_back(gram);
    DenseMap<Value, GramOp> withOthers;
    for (auto [i, category] : llvm::enumerate(categories)) {
      int64_t kept = i;
      replace(targets[category],
              createMarginal(targets[category], rhs.getResult(), factors, kept,
                             {}, {}, false));
      for (GramOp gram : before) {
        bool isFirst = gram.getA() == category;
        if (!isFirst && gram.getB() != category)
          continue;
        Value other = isFirst ? gram.getB() : gram.getA();
        const auto *place = llvm::find(categories, other);
        if (place != categories.end()) {
          // Handle a pair of categories once, for its first category.
          if (isFirst)
            replace(gram, createMarginal(
                              gram, self.getResult(), factors, kept, factors,
                              int64_t(place - categories.begin()), false));
          continue;
        }
        if (isOffset(other)) {
          replace(gram, createMarginal(gram, self.getResult(), factors, kept,
                                       factors, {}, !isFirst));
          continue;
        }
        GramOp &joint = withOthers[other];
        if (!joint)
          joints.push_back(
              joint = createGram(tuples, other, weights, SumsLayout::Full));
        replace(gram, createMarginal(gram, joint.getResult(), factors, kept,
                                     columnsOf(other), 0, !isFirst));
      }
    }
  }

  /// The sums of a cubic spline with one or several categories of few levels;
  /// null if there are none.
  GramOp sumsByLevels(Value design) {
    auto spline = design.getDefiningOp<BSplineOp>();
    if (!spline || spline.getDegree() != 3)
      return {};
    SmallVector<GramOp> candidates(joints);
    for (Operation *sum : all)
      if (auto gram = dyn_cast_if_present<GramOp>(sum))
        candidates.push_back(gram);
    auto isByLevels = [&](GramOp gram) {
      if (gram.getA() != design && gram.getB() != design)
        return false;
      Value other = gram.getA() == design ? gram.getB() : gram.getA();
      return areLevels(getFactors(other)) && columnsOf(other) <= kMaxLevels;
    };
    auto *found = llvm::find_if(candidates, isByLevels);
    return found == candidates.end() ? GramOp() : *found;
  }

  /// Rows of splines and categories add up to one, so their sums with the
  /// intercept follow from other sums. For a cubic spline, sums with levels are
  /// preferred to its sums with itself: these can then be stored in fewer
  /// numbers (tam-choose-layouts).
  void shareWithOffset() {
    for (Operation *sum : SmallVector<Operation *>(all)) {
      auto gram = dyn_cast_if_present<GramOp>(sum);
      if (!gram || isOffset(gram.getA()) == isOffset(gram.getB()))
        continue;
      bool isFirst = isOffset(gram.getA());
      Value other = isFirst ? gram.getB() : gram.getA();
      if (getFactors(other).empty())
        continue;
      GramOp source = sumsByLevels(other);
      if (!source)
        source = grams.lookup({other, other});
      if (!source)
        continue;
      bool isRight = source.getB() == other;
      std::optional<int64_t> rowKept, columnKept;
      (isRight ? columnKept : rowKept) = 0;
      replace(gram,
              createMarginal(gram, source.getResult(), columnsOf(source.getA()),
                             rowKept, columnsOf(source.getB()), columnKept,
                             isRight != isFirst));
    }
  }

  SumsAttr fullSums() {
    return SumsAttr::get(builder.getContext(), SumsLayout::Full);
  }

  GramOp createGram(Value a, Value b, Value weights, SumsLayout layout) {
    auto type = RankedTensorType::get(
        {columnsOf(a), columnsOf(b)}, builder.getF64Type(),
        SumsAttr::get(builder.getContext(), layout));
    Location loc = builder.getFusedLoc({a.getLoc(), b.getLoc()});
    return GramOp::create(builder, loc, type, a, b, weights,
                          ZerosOp::create(builder, loc, type));
  }

  /// The replacement for `sum`: the marginal of `sums` that keeps `rows` and
  /// `columns`, each at most one factor.
  Value createMarginal(Operation *sum, Value sums, ArrayRef<int64_t> rows,
                       std::optional<int64_t> rowKept,
                       ArrayRef<int64_t> columns,
                       std::optional<int64_t> columnKept, bool transposed) {
    auto asList = [](std::optional<int64_t> kept) {
      return kept ? SmallVector<int64_t>{*kept} : SmallVector<int64_t>();
    };
    auto type = cast<RankedTensorType>(sum->getResult(0).getType());
    auto layout = cast<SumsAttr>(type.getEncoding());
    if (layout.getLayout() != SumsLayout::Diagonal)
      type = type.cloneWithEncoding(fullSums());
    return MarginalOp::create(builder, sum->getLoc(), type, sums, rows,
                              asList(rowKept), columns, asList(columnKept),
                              transposed);
  }

  /// Replaces `sum` by `marginal`. `sum` is erased at the end, because a pair
  /// of categories is visited again for its second category.
  void replace(Operation *sum, Value marginal) {
    llvm::replace(all, sum, static_cast<Operation *>(nullptr));
    if (auto gram = dyn_cast<GramOp>(sum))
      grams.erase({gram.getA(), gram.getB()});
    sum->getResult(0).replaceAllUsesWith(marginal);
    replaced.push_back(sum);
  }

  OpBuilder builder;
  /// All sums in their order; null for those that have been replaced.
  SmallVector<Operation *> all;
  /// Sums without a use, in the order in which they were replaced.
  SmallVector<Operation *> replaced;
  DenseMap<std::pair<Value, Value>, GramOp> grams;
  DenseMap<Value, RhsOp> targets;
  /// Sums of merged categories with other matrices.
  SmallVector<GramOp> joints;
};

struct ShareSums : public tamc::tam::impl::TamShareSumsBase<ShareSums> {
  void runOnOperation() override {
    const Target *target = getAnalysis<TargetAnalysis>().get();
    if (!target)
      return signalPassFailure();
    if (!target->getRowLoopLimits())
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        SharedSums(function.getBody().front(), *target).share();
    encodeExpanded(getOperation());
  }
};

} // namespace
