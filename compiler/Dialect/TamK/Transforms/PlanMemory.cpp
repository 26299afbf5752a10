//===- PlanMemory.cpp - offsets for allocations -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveRanges.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Dialect/TamK/Transforms/Passes.h"
#include "tamc/Planning/Check.h"
#include "tamc/Planning/LowerBound.h"
#include "tamc/Planning/Strategy.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

namespace tamc::tamk {
#define GEN_PASS_DEF_PLANMEMORY
#include "tamc/Dialect/TamK/Transforms/Passes.h.inc"
} // namespace tamc::tamk

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

/// Most bytes of a buffer: what a process can address. Sums of many of them do
/// not overflow.
static constexpr int64_t kMostBytes = int64_t(1) << 47;

/// Bytes of a buffer, or nothing if the element type has no fixed size or they
/// are too many.
static std::optional<int64_t> bytesOf(MemRefType type) {
  int64_t bytes = 8; // index: 64 bits on every target tamc has
  if (type.getElementType().isIntOrFloat())
    bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  else if (!type.getElementType().isIndex())
    return {};
  for (int64_t size : type.getShape()) {
    auto product = llvm::checkedMul(bytes, size);
    if (!product || *product > kMostBytes)
      return {};
    bytes = *product;
  }
  return bytes;
}

namespace {

/// An allocation that gets an offset.
struct Planned {
  memref::AllocOp alloc;
  LiveRange live;
};

struct PlanMemory : public tamc::tamk::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    if (!planning::findStrategy(strategy)) {
      getOperation().emitError("unknown planning strategy '")
          << strategy << "'";
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(plan(function)))
        return signalPassFailure();
  }

private:
  LogicalResult refuse(memref::AllocOp alloc, const Twine &reason) {
    if (strict)
      return alloc.emitError("cannot plan this allocation: ") << reason;
    alloc.emitRemark("not planned: ") << reason;
    return success();
  }

  LogicalResult plan(func::FuncOp function);
  DictionaryAttr describe(ArrayRef<Planned> buffers,
                          const planning::Problem &problem,
                          const planning::Plan &plan, int64_t length);
};

} // namespace

/// What the user calls a buffer: parameter, op and term of the first launch
/// that writes it, or the op that uses it first.
static std::tuple<std::string, std::string, std::string>
nameBuffer(memref::AllocOp alloc) {
  Operation *first = nullptr;
  unsigned operand = 0;
  for (OpOperand &use : alloc->getUses()) {
    Operation *user = alloc->getBlock()->findAncestorOpInBlock(*use.getOwner());
    if (user && (!first || user->isBeforeInBlock(first))) {
      first = user;
      operand = use.getOperandNumber();
    }
  }
  if (!first)
    return {"unused", "", ""};
  std::string term = tam::getTermText(first->getLoc()).str();
  auto launch = dyn_cast<LaunchOp>(first);
  if (!launch || operand < launch.getInits().getBeginOperandIndex())
    return {"buffer", first->getName().getStringRef().str(), term};
  StringRef source = launch.getSource().value_or(launch.getKernel());
  return {launch.getInitName(operand - launch.getInits().getBeginOperandIndex())
              .str(),
          source.str(), term};
}

DictionaryAttr PlanMemory::describe(ArrayRef<Planned> buffers,
                                    const planning::Problem &problem,
                                    const planning::Plan &plan,
                                    int64_t length) {
  Builder builder(&getContext());
  auto number = [&](StringRef key, int64_t value) {
    return builder.getNamedAttr(key, builder.getI64IntegerAttr(value));
  };
  auto text = [&](StringRef key, StringRef value) {
    return builder.getNamedAttr(key, builder.getStringAttr(value));
  };
  SmallVector<Attribute> rows;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    auto [name, op, term] = nameBuffer(buffer.alloc);
    const planning::Buffer &entry = problem.buffers[index];
    rows.push_back(builder.getDictionaryAttr(
        {text("name", name), text("op", op), text("term", term),
         number("bytes", entry.size), number("offset", plan.offsets[index]),
         number("first", entry.live.front().lower),
         number("last", entry.live.front().upper),
         number("space", entry.space)}));
  }
  int64_t naive = 0, largest = alignment;
  for (const planning::Buffer &buffer : problem.buffers) {
    naive = llvm::alignTo(naive, buffer.alignment) +
            llvm::alignTo(buffer.size, alignment);
    largest = std::max(largest, buffer.alignment);
  }
  return builder.getDictionaryAttr(
      {number("arena_alignment", largest),
       number("arena_bytes", llvm::alignTo(plan.totalPeak(), alignment)),
       number("lower_bound_bytes", plan.totalBound()),
       number("naive_bytes", naive), number("length", length),
       text("strategy", plan.strategy),
       builder.getNamedAttr("buffers", builder.getArrayAttr(rows))});
}

LogicalResult PlanMemory::plan(func::FuncOp function) {
  LiveRanges ranges(function);
  SmallVector<Planned> buffers;
  planning::Problem problem;
  problem.name = function.getName().str();
  problem.spaces.clear();
  llvm::MapVector<Attribute, int32_t> spaces;

  auto allocs = SmallVector<memref::AllocOp>();
  function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  bool isStep = function->hasAttr(tam::kStepAttrName);
  bool isCalled = !SymbolTable::symbolKnownUseEmpty(function, getOperation());
  for (memref::AllocOp alloc : allocs) {
    std::string reason;
    std::optional<int64_t> bytes = bytesOf(alloc.getType());
    FailureOr<LiveRange> live = ranges.compute(alloc, reason);
    if (succeeded(live) && !bytes)
      reason = alloc.getType().getElementType().isIntOrIndexOrFloat()
                   ? "it is larger than any memory"
                   : "the size of its elements is not known";
    if (isStep && alloc.getAlignment().value_or(1) > TAMRT_ALIGNMENT)
      reason = ("the runtime aligns arenas to " + Twine(TAMRT_ALIGNMENT) +
                " bytes alone")
                   .str();
    if (isCalled)
      reason = "its function is called, and its arguments must stay";
    if (!reason.empty()) {
      if (failed(refuse(alloc, reason)))
        return failure();
      continue;
    }
    Attribute key = alloc.getType().getMemorySpace();
    auto [space, isNew] = spaces.insert({key, int32_t(spaces.size())});
    if (isNew)
      problem.spaces.emplace_back();
    // A buffer that nobody uses still needs a place for its address.
    int32_t index = planning::addBuffer(
        problem, live->first, std::max(live->last, live->first + 1), *bytes,
        "b" + std::to_string(buffers.size()));
    problem.buffers[index].space = space->second;
    problem.buffers[index].alignment =
        std::max<int64_t>(alignment, alloc.getAlignment().value_or(1));
    buffers.push_back({alloc, *live});
  }
  if (problem.spaces.empty())
    problem.spaces.emplace_back();

  planning::Options options;
  options.strategy = strategy;
  options.alignment = alignment;
  options.threads = 1;
  planning::Plan plan = planning::plan(problem, options);
  if (!plan.fits())
    return function.emitError("no memory plan: ") << plan.reason;
  // The check shares nothing with the strategies and stays in release builds.
  planning::CheckOptions checkOptions;
  checkOptions.alignment = alignment;
  for (const planning::Finding &finding :
       planning::check(problem, plan.offsets, checkOptions))
    return function.emitError("the plan of '")
           << plan.strategy << "' is wrong: " << finding.message;

  DictionaryAttr description =
      describe(buffers, problem, plan, ranges.length());

  OpBuilder builder(&getContext());
  SmallVector<Value> arenas;
  for (auto &[key, space] : spaces) {
    int64_t size = llvm::alignTo(plan.peak[space], alignment);
    auto type = MemRefType::get({size}, builder.getI8Type(),
                                MemRefLayoutAttrInterface(), key);
    // Only the steps of a model have slots.
    DictionaryAttr attributes;
    if (isStep)
      attributes = builder.getDictionaryAttr(builder.getNamedAttr(
          tam::kSlotAttrName,
          tam::SlotAttr::get(&getContext(), tam::SlotKind::Arena, space)));
    unsigned position = function.getNumArguments();
    if (failed(function.insertArgument(position, type, attributes,
                                       function.getLoc())))
      return failure();
    arenas.push_back(function.getArgument(position));
  }
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    for (memref::DeallocOp dealloc : ranges.deallocations(buffer.alloc))
      dealloc.erase();
    builder.setInsertionPoint(buffer.alloc);
    Value offset = arith::ConstantIndexOp::create(
        builder, buffer.alloc.getLoc(), plan.offsets[index]);
    Value view = memref::ViewOp::create(
        builder, buffer.alloc.getLoc(), buffer.alloc.getType(),
        arenas[problem.buffers[index].space], offset, ValueRange());
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc.erase();
  }
  function->setAttr(kPlanAttrName, description);
  return success();
}
