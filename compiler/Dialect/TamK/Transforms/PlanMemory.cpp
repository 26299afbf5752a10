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
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <map>

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
  FailureOr<Value> makeArena(func::FuncOp function, MemRefType type,
                             int64_t space, int64_t byteAlignment);
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

/// Most bytes that the allocations of a function take at one time when each
/// lasts from its allocation to its last deallocation, or else to the end of
/// the function, and every turn of a loop is like the first.
static int64_t heapPeak(func::FuncOp function, const LiveRanges &ranges) {
  DenseMap<Operation *, int64_t> positions;
  int64_t end = 0;
  function.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { positions[op] = end++; });
  std::map<int64_t, int64_t> change;
  function.walk([&](memref::AllocOp alloc) {
    std::optional<int64_t> bytes = bytesOf(alloc.getType());
    if (!bytes)
      return;
    int64_t last = -1;
    for (memref::DeallocOp dealloc : ranges.deallocations(alloc))
      last = std::max(last, positions.lookup(dealloc));
    change[positions.lookup(alloc)] += *bytes;
    change[last < 0 ? end : last] -= *bytes;
  });
  int64_t now = 0, peak = 0;
  for (auto [position, bytes] : change)
    peak = std::max(peak, now += bytes);
  return peak;
}

/// Whether the module shows that `function` can be entered while it runs.
static bool isRecursive(func::FuncOp function, ModuleOp module) {
  SmallVector<func::FuncOp> stack{function};
  DenseSet<Operation *> seen;
  while (!stack.empty()) {
    func::FuncOp caller = stack.pop_back_val();
    WalkResult result = caller.walk([&](CallOpInterface call) {
      auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
      auto callee =
          symbol ? module.lookupSymbol<func::FuncOp>(symbol.getRootReference())
                 : func::FuncOp();
      if (callee == function)
        return WalkResult::interrupt();
      if (callee && seen.insert(callee).second)
        stack.push_back(callee);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

FailureOr<Value> PlanMemory::makeArena(func::FuncOp function, MemRefType type,
                                       int64_t space, int64_t byteAlignment) {
  Location loc = function.getLoc();
  if (arena == ArenaKind::Argument) {
    // Only the steps of a model have slots.
    DictionaryAttr attributes;
    if (function->hasAttr(tam::kStepAttrName))
      attributes = DictionaryAttr::get(
          &getContext(),
          NamedAttribute(
              StringAttr::get(&getContext(), tam::kSlotAttrName),
              tam::SlotAttr::get(&getContext(), tam::SlotKind::Arena, space)));
    unsigned position = function.getNumArguments();
    if (failed(function.insertArgument(position, type, attributes, loc)))
      return failure();
    return Value(function.getArgument(position));
  }
  Block &body = function.getBody().front();
  auto builder = OpBuilder::atBlockBegin(&body);
  auto alignmentAttr = builder.getI64IntegerAttr(byteAlignment);
  if (arena == ArenaKind::Alloc) {
    auto alloc = memref::AllocOp::create(builder, loc, type, alignmentAttr);
    builder.setInsertionPoint(body.getTerminator());
    memref::DeallocOp::create(builder, loc, alloc);
    return alloc.getResult();
  }
  // The table makes the name unique before the global is in the module.
  OpBuilder detached(&getContext());
  auto global = memref::GlobalOp::create(
      detached, loc, ("__arena_" + function.getName()).str(),
      detached.getStringAttr("private"), type,
      /*initial_value=*/UnitAttr::get(&getContext()), /*constant=*/false,
      alignmentAttr);
  SymbolTable(getOperation()).insert(global, getOperation().getBody()->begin());
  return memref::GetGlobalOp::create(builder, loc, type, global.getSymName())
      .getResult();
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
  if (arena == ArenaKind::Global && isRecursive(function, getOperation())) {
    for (memref::AllocOp alloc : allocs)
      if (failed(refuse(alloc, "its function is recursive")))
        return failure();
    allocs.clear();
  }
  if (isStep && arena != ArenaKind::Argument)
    return function.emitOpError("expected the arena of a step as its argument");
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
    if (isCalled && arena == ArenaKind::Argument)
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

  int64_t before = report ? heapPeak(function, ranges) : 0;

  OpBuilder builder(&getContext());
  SmallVector<Value> arenas;
  for (auto &[key, space] : spaces) {
    int64_t byteAlignment = alignment;
    for (const planning::Buffer &buffer : problem.buffers)
      if (buffer.space == space)
        byteAlignment = std::max(byteAlignment, buffer.alignment);
    auto type =
        MemRefType::get({int64_t(llvm::alignTo(plan.peak[space], alignment))},
                        builder.getI8Type(), MemRefLayoutAttrInterface(), key);
    FailureOr<Value> made = makeArena(function, type, space, byteAlignment);
    if (failed(made))
      return failure();
    arenas.push_back(*made);
  }
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    for (memref::DeallocOp dealloc : ranges.deallocations(buffer.alloc))
      dealloc.erase();
    builder.setInsertionPoint(buffer.alloc);
    Value offset = arith::ConstantIndexOp::create(
        builder, buffer.alloc.getLoc(), plan.offsets[index]);
    auto view = memref::ViewOp::create(
        builder, buffer.alloc.getLoc(), buffer.alloc.getType(),
        arenas[problem.buffers[index].space], offset, ValueRange());
    view->setAttr(kBufferAttrName, builder.getI64IntegerAttr(index));
    buffer.alloc.replaceAllUsesWith(view.getResult());
    buffer.alloc.erase();
  }
  function->setAttr(kPlanAttrName, description);
  if (report && !allocs.empty())
    emitRemark(function.getLoc(), "planned ")
        << buffers.size() << " of " << allocs.size() << " allocations: peak "
        << plan.totalPeak() << " bytes, lower bound " << plan.totalBound()
        << ", before " << before;
  return success();
}
