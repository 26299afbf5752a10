//===- IterationArenas.cpp - arenas in parallel loops ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IterationArenas.h"
#include "Allocations.h"
#include "EntrySizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

Operation *tamc::tamk::parallelLoopOf(Operation *op) {
  while ((op = op->getParentOp()) && !isa<FunctionOpInterface>(op))
    if (isParallel(op))
      return op;
  return nullptr;
}

int64_t tamc::tamk::parallelDepth(Operation *op) {
  int64_t depth = 0;
  while ((op = parallelLoopOf(op)))
    ++depth;
  return depth;
}

namespace {

/// One of the counters of a parallel loop, all constants.
struct Counter {
  Value variable;
  int64_t begin, step, turns;
};

} // namespace

/// The counters of a loop, or nothing if they are not constant.
static std::optional<SmallVector<Counter>> countersOf(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  auto variables = loop.getLoopInductionVars();
  auto begins = loop.getLoopLowerBounds(), ends = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  if (!variables || !begins || !ends || !steps)
    return {};
  SmallVector<Counter> counters;
  for (auto [variable, begin, end, step] :
       llvm::zip_equal(*variables, *begins, *ends, *steps)) {
    std::optional<int64_t> first = getConstantIntValue(begin),
                           last = getConstantIntValue(end),
                           each = getConstantIntValue(step);
    if (!first || !last || !each || *each < 1)
      return {};
    std::optional<int64_t> length = llvm::checkedSub(*last, *first);
    if (!length)
      return {};
    int64_t turns = *length < 1 ? 0 : (*length - 1) / *each + 1;
    counters.push_back({variable, *first, *each, turns});
  }
  return counters;
}

static std::optional<int64_t> iterationsOf(ArrayRef<Counter> counters) {
  std::optional<int64_t> iterations = 1;
  for (const Counter &counter : counters)
    if (counter.turns == 0)
      return 0;
  for (const Counter &counter : counters)
    if (iterations)
      iterations = llvm::checkedMul(*iterations, counter.turns);
  return iterations;
}

std::string tamc::tamk::whyNoArenas(Operation *loop, int64_t most) {
  std::string name = ("'" + loop->getName().getStringRef() + "'").str();
  auto counters = countersOf(loop);
  if (!counters)
    return "it is inside " + name +
           ", whose iterations may run at once and whose number is not "
           "constant";
  std::optional<int64_t> iterations = iterationsOf(*counters);
  if (iterations && *iterations <= most)
    return {};
  return "it is inside " + name + ", which has " +
         (iterations ? std::to_string(*iterations) : "too many") +
         " iterations, and at most " + std::to_string(most) +
         " get an arena each";
}

/// Number of an iteration of a loop, counted from 0.
static Value emitNumber(OpBuilder &builder, Location loc,
                        ArrayRef<Counter> counters) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value number = constant(0);
  for (const Counter &counter : counters) {
    Value turn = arith::SubIOp::create(builder, loc, counter.variable,
                                       constant(counter.begin));
    turn = arith::DivUIOp::create(builder, loc, turn, constant(counter.step));
    number =
        arith::MulIOp::create(builder, loc, number, constant(counter.turns));
    number = arith::AddIOp::create(builder, loc, number, turn);
  }
  return number;
}

/// The alignment of the arenas of a loop.
static int64_t arenaAlignment(const LoopPlan &plan, int64_t least) {
  for (const planning::Buffer &buffer : plan.problem.buffers)
    least = std::max(least, buffer.alignment);
  return least;
}

bool tamc::tamk::fitsMemory(const LoopPlan &plan, int64_t alignment) {
  std::optional<int64_t> all = 0;
  for (int64_t peak : plan.plan.peak)
    if (all)
      all = llvm::checkedAdd(
          *all, int64_t(llvm::alignTo(peak, arenaAlignment(plan, alignment))));
  if (all)
    all = llvm::checkedMul(*all, *iterationsOf(*countersOf(plan.loop)));
  return all && *all <= kMaxBytes;
}

void tamc::tamk::placeInLoop(const LoopPlan &plan, const LiveRanges &ranges,
                             int64_t alignment) {
  Operation *loop = plan.loop;
  Location loc = loop->getLoc();
  SmallVector<Counter> counters = *countersOf(loop);
  int64_t iterations = *iterationsOf(counters);
  alignment = arenaAlignment(plan, alignment);
  OpBuilder builder(loop);
  Block *body = &loop->getRegion(0).front();
  builder.setInsertionPointToStart(body);
  Value number = emitNumber(builder, loc, counters);
  SmallVector<Value> arenas, begins;
  for (auto &[key, space] : plan.spaces) {
    auto bytes = int64_t(llvm::alignTo(plan.plan.peak[space], alignment));
    builder.setInsertionPoint(loop);
    auto type = MemRefType::get({iterations * bytes}, builder.getI8Type(),
                                MemRefLayoutAttrInterface(), key);
    auto arena = memref::AllocOp::create(builder, loc, type, ValueRange(),
                                         builder.getI64IntegerAttr(alignment));
    builder.setInsertionPointAfter(loop);
    memref::DeallocOp::create(builder, loc, arena);
    builder.setInsertionPointAfterValue(number);
    Value size = arith::ConstantIndexOp::create(builder, loc, bytes);
    begins.push_back(arith::MulIOp::create(builder, loc, number, size));
    arenas.push_back(arena);
  }
  DenseSet<Value> planned;
  for (memref::AllocOp alloc : plan.allocs)
    planned.insert(alloc.getResult());
  removeDeallocations(loop, ranges, planned, [&](Attribute space) {
    return arenas[plan.spaces.lookup(space)];
  });
  for (auto [index, each] : llvm::enumerate(plan.allocs)) {
    memref::AllocOp alloc = each;
    int32_t space = plan.problem.buffers[index].space;
    builder.setInsertionPoint(alloc);
    Value offset = arith::ConstantIndexOp::create(builder, alloc.getLoc(),
                                                  plan.plan.offsets[index]);
    offset =
        arith::AddIOp::create(builder, alloc.getLoc(), begins[space], offset);
    auto view = memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(),
                                       arenas[space], offset, ValueRange());
    alloc.replaceAllUsesWith(view.getResult());
    alloc.erase();
  }
}
