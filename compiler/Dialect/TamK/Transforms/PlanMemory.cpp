//===- PlanMemory.cpp - plans allocations ---------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "ArgumentUses.h"
#include "BufferMoves.h"
#include "Calls.h"
#include "EntrySizes.h"
#include "IterationArenas.h"
#include "LiveRanges.h"
#include "MemorySpaces.h"
#include "PlanReport.h"
#include "ProgramOrder.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/Launches.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Dialect/TamK/Transforms/Passes.h"
#include "tamc/Planning/Check.h"
#include "tamc/Planning/OrderSafety.h"
#include "tamc/Planning/PlanCache.h"
#include "tamc/Planning/Strategy.h"
#include "tamc/Planning/Symbolic.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace tamc::tamk {
#define GEN_PASS_DEF_PLANMEMORY
#include "tamc/Dialect/TamK/Transforms/Passes.h.inc"
} // namespace tamc::tamk

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

/// Largest alignment: that of the largest pages.
static constexpr int64_t kMaxAlignment = int64_t(1) << 32;

/// Steps (planning::kHasSteps) for all functions of a module together, so that
/// a module of many functions does not take much longer, and at least so many
/// for each.
static constexpr int64_t kModuleSteps = 64'000'000, kMinSteps = 1'000'000;

namespace {

struct PlanMemory : public tamc::tamk::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    if (!planning::findStrategy(strategy)) {
      getOperation().emitError("unknown planning strategy '")
          << strategy << "'";
      return signalPassFailure();
    }
    if (alignment < 1 || !llvm::isPowerOf2_64(uint64_t(alignment.getValue())) ||
        alignment > kMaxAlignment) {
      getOperation().emitError("expected an alignment that is a power of 2 of "
                               "at most ")
          << kMaxAlignment << ", got " << alignment.getValue();
      return signalPassFailure();
    }
    if (parallelArenas < 0) {
      getOperation().emitError("expected 'parallel-arenas' of 0 or more, got ")
          << parallelArenas.getValue();
      return signalPassFailure();
    }
    if (failed(readSpaces()))
      return signalPassFailure();
    calls = std::make_shared<Calls>(getOperation());
    argumentUses.emplace(getOperation(), *calls);
    // Planning may add functions; those have nothing to plan. The arena of a
    // callee may become an allocation of its callers.
    ArrayRef<func::FuncOp> functions = calls->calleesFirst();
    int64_t count = llvm::count_if(functions, [](func::FuncOp function) {
      return function
          .walk([](memref::AllocOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
    });
    steps = std::max(kModuleSteps / std::max<int64_t>(count, 1), kMinSteps);
    plans = {};
    for (func::FuncOp function : functions)
      if (!function.isExternal() && failed(plan(function)))
        return signalPassFailure();
    if (failed(refuseElsewhere()))
      return signalPassFailure();
  }

private:
  /// Reads the option `spaces`.
  LogicalResult readSpaces() {
    auto parsed = parseMemorySpaces(spaces, &getContext());
    if (auto *wrong = std::get_if<std::string>(&parsed))
      return getOperation().emitError() << *wrong;
    offered = std::get<0>(std::move(parsed));
    if (offered.empty() && evict)
      return getOperation().emitError(
          "buffers move between the memories of 'spaces' only: expected them "
          "with 'evict'");
    if (offered.empty())
      return success();
    if (reuse == planning::Reuse::BranchSafe)
      return getOperation().emitError(
          "spaces are chosen for the order of the program only: expected "
          "'reuse=program'");
    if (dynamic == DynamicSizes::Symbolic)
      return getOperation().emitError(
          "spaces are chosen for static sizes only: expected 'dynamic=leave'");
    return success();
  }

  /// Whether an allocation may be placed in any of the offered spaces.
  bool hasChoice(memref::AllocOp alloc) const {
    return !offered.empty() && !alloc.getType().getMemorySpace();
  }

  LogicalResult refuse(memref::AllocOp alloc, const Twine &reason) {
    if (strict)
      return alloc.emitError("cannot plan this allocation: ") << reason;
    alloc.emitRemark("not planned: ") << reason;
    return success();
  }

  LogicalResult refuseElsewhere();
  LogicalResult plan(func::FuncOp function);
  FailureOr<PlanAttr> findPlanOfLaunches(func::FuncOp function, size_t allocs);
  std::string whyNotDynamic(func::FuncOp function, memref::AllocOp alloc);
  LogicalResult planLoops(func::FuncOp function, int64_t &refused);
  FailureOr<LoopPlan> planLoop(func::FuncOp function, Operation *loop,
                               ArrayRef<memref::AllocOp> allocs,
                               const LiveRanges &ranges, int64_t &refused);
  Candidate examine(func::FuncOp function, const LiveRanges &ranges,
                    memref::AllocOp alloc);
  void addBuffer(planning::Problem &problem, const LiveRanges &ranges,
                 const Candidate &candidate, int32_t space) const;
  FailureOr<planning::Plan> choose(func::FuncOp function,
                                   const planning::Problem &problem,
                                   const std::optional<OrderedProblem> &ordered,
                                   planning::Reuse kind);
  FailureOr<planning::SymbolicPlan>
  makeSymbolic(func::FuncOp function, planning::Problem &problem,
               std::optional<OrderedProblem> &ordered, planning::Plan &plan,
               int64_t value);
  FailureOr<Value> makeArena(OpBuilder &builder, func::FuncOp function,
                             MemRefType type, Value bytes, int64_t space,
                             int64_t byteAlignment);
  PlanAttr describe(ArrayRef<Stay> stays, const planning::Problem &problem,
                    const planning::Plan &plan, int64_t length,
                    std::optional<int64_t> value, PlanAttr launches);

  std::optional<ArgumentUses> argumentUses;
  /// Shared, as passes are copied.
  std::shared_ptr<Calls> calls;
  /// The spaces for allocations without one.
  SmallVector<MemorySpace> offered;
  /// Plans of the functions so far: the rungs of a step differ by a factor.
  planning::PlanCache plans;
  /// Steps by which the plan of one function may be improved.
  int64_t steps = 0;
};

} // namespace

/// Refuses the allocations that are in no function of the module itself.
LogicalResult PlanMemory::refuseElsewhere() {
  for (Operation &op : *getOperation().getBody()) {
    if (isa<func::FuncOp>(op))
      continue;
    WalkResult result = op.walk([&](memref::AllocOp alloc) -> WalkResult {
      return refuse(alloc, "it is inside '" + op.getName().getStringRef() +
                               "', and only the functions of the module itself "
                               "are planned");
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

/// An arena of the type; `bytes` is its size if the type is dynamic.
/// Allocations are made at the insertion point of `builder`.
FailureOr<Value> PlanMemory::makeArena(OpBuilder &builder,
                                       func::FuncOp function, MemRefType type,
                                       Value bytes, int64_t space,
                                       int64_t byteAlignment) {
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
  auto alignmentAttr = builder.getI64IntegerAttr(byteAlignment);
  if (arena == ArenaKind::Alloc) {
    auto alloc = memref::AllocOp::create(
        builder, loc, type, bytes ? ValueRange(bytes) : ValueRange(),
        alignmentAttr);
    freeAtEnd(function, alloc);
    return alloc.getResult();
  }
  // The symbol table makes the name unique when it inserts the global.
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

/// The plan of the step that has the launches of a rung without any, whose
/// `allocs` allocations are the buffers of that plan; null for other functions.
FailureOr<PlanAttr> PlanMemory::findPlanOfLaunches(func::FuncOp function,
                                                   size_t allocs) {
  auto name = function->getAttrOfType<StringAttr>(kLaunchesOfAttrName);
  if (!name)
    return PlanAttr();
  if (reuse != planning::Reuse::Program || !offered.empty())
    return function.emitOpError("expected launches of its own with the option "
                                "'reuse' or 'spaces'");
  auto step = getOperation().lookupSymbol<func::FuncOp>(name);
  auto plan = step ? step->getAttrOfType<PlanAttr>(kPlanAttrName) : PlanAttr();
  if (!plan || plan.getBuffers().size() != allocs)
    return function.emitOpError("expected a planned step '")
           << name.getValue() << "' of " << allocs << " buffers before it";
  return plan;
}

PlanAttr PlanMemory::describe(ArrayRef<Stay> stays,
                              const planning::Problem &problem,
                              const planning::Plan &plan, int64_t length,
                              std::optional<int64_t> value, PlanAttr launches) {
  SmallVector<BufferAttr> rows;
  for (auto [index, stay] : llvm::enumerate(stays)) {
    auto [name, op, term] = nameBuffer(
        stay.alloc, launches ? launches.getBuffers()[index] : BufferAttr());
    const planning::Buffer &entry = problem.buffers[index];
    std::string size;
    if (entry.expression >= 0)
      size = problem.expressions[entry.expression].text();
    rows.push_back(BufferAttr::get(
        &getContext(), name, op, term, entry.size, size, plan.offsets[index],
        entry.live.front().lower, entry.live.back().upper, entry.space));
  }
  int64_t naive = 0, largest = alignment;
  for (const planning::Buffer &buffer : problem.buffers) {
    naive = llvm::alignTo(naive, buffer.alignment) +
            llvm::alignTo(buffer.size, alignment);
    largest = std::max(largest, buffer.alignment);
  }
  Reuse kind =
      reuse == planning::Reuse::BranchSafe ? Reuse::BranchSafe : Reuse::Program;
  return PlanAttr::get(
      &getContext(), llvm::alignTo(plan.totalPeak(), alignment), largest,
      plan.totalBound(), naive, length, kind, plan.strategy, value, rows);
}

/// Why an allocation of dynamic shape has no symbolic offset; empty if it has.
std::string PlanMemory::whyNotDynamic(func::FuncOp function,
                                      memref::AllocOp alloc) {
  if (dynamic == DynamicSizes::Leave)
    return "its size is not static";
  if (function->hasAttr(tam::kStepAttrName))
    return "its size is not static, as the arena of a step has to be";
  if (arena == ArenaKind::Argument && calls->isUsed(function))
    return "its size is not static, as the arena that calls pass has to be";
  if (arena == ArenaKind::Global)
    return "its size is not static, as a global has to be";
  if (!elementBytes(alloc.getType()))
    return "the size of its elements is not known";
  if (sizeText(alloc).empty())
    return "its size is no short sum of products of arguments, their "
           "dimensions and constants of 0 or more";
  return {};
}

/// Makes a symbolic plan of a plan, and sets the plan's offsets to those of the
/// symbolic plan for `value`.
FailureOr<planning::SymbolicPlan>
PlanMemory::makeSymbolic(func::FuncOp function, planning::Problem &problem,
                         std::optional<OrderedProblem> &ordered,
                         planning::Plan &plan, int64_t value) {
  planning::Options options;
  options.strategy = strategy;
  options.alignment = alignment;
  options.reuse = reuse;
  planning::Problem &source =
      reuse == planning::Reuse::BranchSafe ? ordered->problem : problem;
  if (std::string reason = planning::whyNotSymbolic(source, options.alignment);
      !reason.empty())
    return function.emitError("no memory plan: ") << reason;
  planning::SymbolicPlan symbolic =
      planning::makeSymbolic(source, plan.offsets, options);
  if (std::string wrong = planning::checkSymbolic(source, symbolic, options);
      !wrong.empty())
    return function.emitError("the symbolic plan is wrong: ") << wrong;
  planning::Binding binding;
  for (const std::string &symbol : planning::symbolsOf(source))
    binding[symbol] = value;
  if (std::optional<planning::Diagnostic> wrong =
          planning::rebind(source, plan, symbolic, binding, options))
    return function.emitError("no memory plan: ") << wrong->message;
  return symbolic;
}

/// Plans, and checks the plan.
FailureOr<planning::Plan>
PlanMemory::choose(func::FuncOp function, const planning::Problem &problem,
                   const std::optional<OrderedProblem> &ordered,
                   planning::Reuse kind) {
  bool isSafe = kind == planning::Reuse::BranchSafe && !problem.buffers.empty();
  planning::Options options;
  options.strategy = strategy;
  options.alignment = alignment;
  options.threads = 1;
  if (planning::findStrategy(strategy)->traits & planning::kHasSteps)
    options.nodes = steps;
  options.reuse = isSafe ? kind : planning::Reuse::Program;
  planning::Plan plan =
      plans.plan(isSafe ? ordered->problem : problem, options);
  if (!plan.fits())
    return function.emitError("no memory plan: ") << plan.reason;
  // The check shares nothing with the strategies and stays in release builds.
  planning::CheckOptions checkOptions;
  checkOptions.alignment = alignment;
  std::vector<planning::Finding> findings =
      planning::check(problem, plan.offsets, checkOptions);
  if (findings.empty() && isSafe) {
    checkOptions.reuse = kind;
    findings = planning::check(ordered->problem, plan.offsets, checkOptions);
  }
  if (!findings.empty())
    return function.emitError("the plan of '")
           << plan.strategy << "' is wrong: " << findings.front().message;
  return plan;
}

/// What copies a plan has, for a remark.
static std::string describeCopies(const planning::Plan &plan) {
  int64_t bytes = 0;
  for (const planning::Copy &copy : plan.copies)
    bytes += copy.bytes;
  size_t count = plan.copies.size();
  return ", " + std::to_string(count) + (count == 1 ? " copy" : " copies") +
         " of " + std::to_string(bytes) + " bytes";
}

/// Examines an allocation: its live range, or the reason why it is not planned.
Candidate PlanMemory::examine(func::FuncOp function, const LiveRanges &ranges,
                              memref::AllocOp alloc) {
  Candidate result{alloc, {}, bytesOf(alloc.getType()), {}};
  std::string &reason = result.reason;
  bool isStatic = alloc.getType().hasStaticShape();
  bool isStep = function->hasAttr(tam::kStepAttrName);
  FailureOr<LiveRange> live = failure();
  if (!isStatic)
    reason = whyNotDynamic(function, alloc);
  if (reason.empty())
    live = ranges.compute(alloc, reason);
  if (succeeded(live) && isStatic && !result.bytes)
    reason = elementBytes(alloc.getType())
                 ? "it is larger than any memory"
                 : "the size of its elements is not known";
  if (reuse == planning::Reuse::BranchSafe &&
      llvm::any_of(ranges.usersOf(alloc), [](Operation *user) {
        return user->getParentOfType<async::ExecuteOp>();
      }))
    reason = "it is used inside 'async.execute', whose end has no order";
  if (reuse == planning::Reuse::BranchSafe && reason.empty() &&
      ranges.leavesBlock(alloc))
    reason = "several blocks of its function use it, whose order is not fixed";
  if (std::string why = argumentUses->whyUnsafe(alloc, ranges); !why.empty())
    reason = std::move(why);
  if (isStep && alloc.getAlignment().value_or(1) > TAMRT_ALIGNMENT)
    reason = ("the runtime aligns arenas to " + Twine(TAMRT_ALIGNMENT) +
              " bytes alone")
                 .str();
  if (alloc.getAlignment().value_or(1) > uint64_t(kMaxAlignment))
    reason = "its alignment is larger than any page";
  if (arena == ArenaKind::Argument && calls->isUsed(function) &&
      !calls->mayExtend(function))
    reason = "its function is called, and its arguments must stay";
  if (reason.empty())
    result.live = *live;
  return result;
}

/// Adds the buffer of an allocation, in a space of the problem.
void PlanMemory::addBuffer(planning::Problem &problem, const LiveRanges &ranges,
                           const Candidate &candidate, int32_t space) const {
  memref::AllocOp alloc = candidate.alloc;
  const LiveRange &live = candidate.live;
  // An allocation of which only the address is used needs an offset, too.
  int32_t index = planning::addBuffer(
      problem, live.first, std::max(live.last, live.first + 1),
      candidate.bytes.value_or(0),
      "b" + std::to_string(problem.buffers.size()));
  planning::Buffer &buffer = problem.buffers[index];
  for (auto [begin, end] : live.gaps) {
    planning::Interval last = buffer.live.back();
    if (end <= last.lower || last.upper <= begin)
      continue;
    buffer.live.pop_back();
    if (last.lower < begin)
      buffer.live.push_back({last.lower, begin});
    if (end < last.upper)
      buffer.live.push_back({end, last.upper});
  }
  if (!candidate.bytes) {
    buffer.expression = static_cast<int32_t>(problem.expressions.size());
    problem.expressions.push_back(std::get<planning::SizeExpression>(
        planning::SizeExpression::parse(sizeText(alloc))));
  }
  buffer.space = space;
  if (hasChoice(alloc)) {
    size_t uses = std::max<size_t>(usersInScope(alloc, ranges).size(), 1);
    // The offered spaces are the first ones of the problem.
    for (auto [number, offer] : llvm::enumerate(offered)) {
      uint64_t cost = llvm::SaturatingMultiply(
          llvm::SaturatingMultiply(uint64_t(offer.cost), uint64_t(uses)),
          uint64_t(buffer.size));
      buffer.choices.push_back(
          {int32_t(number),
           int64_t(std::min<uint64_t>(cost, uint64_t(kMaxBytes) << 14))});
    }
    buffer.space = 0;
  }
  buffer.alignment =
      std::max({alignment.getValue(), int64_t(alloc.getAlignment().value_or(1)),
                elementAlignment(alloc.getType())});
}

/// Plans what an iteration of a parallel loop allocates outside of the parallel
/// loops in it.
FailureOr<LoopPlan> PlanMemory::planLoop(func::FuncOp function, Operation *loop,
                                         ArrayRef<memref::AllocOp> allocs,
                                         const LiveRanges &ranges,
                                         int64_t &refused) {
  LoopPlan result{loop, {}, {}, {}, {}};
  planning::Problem &problem = result.problem;
  problem.spaces.clear();
  std::string whyNone = whyNoArenas(loop, parallelArenas);
  std::vector<Candidate> candidates;
  for (memref::AllocOp alloc : allocs) {
    Candidate candidate = examine(function, ranges, alloc);
    if (candidate.reason.empty())
      candidate.reason = !candidate.bytes ? "its size is not static, as the "
                                            "arena of an iteration has to be"
                                          : whyNone;
    candidates.push_back(std::move(candidate));
  }
  refuseMixed(candidates, ranges, offered.empty());
  for (const Candidate &candidate : candidates) {
    memref::AllocOp alloc = candidate.alloc;
    if (!candidate.reason.empty()) {
      ++refused;
      if (failed(refuse(alloc, candidate.reason)))
        return failure();
      continue;
    }
    auto [space, isNew] = result.spaces.insert(
        {alloc.getType().getMemorySpace(), int32_t(result.spaces.size())});
    if (isNew)
      problem.spaces.emplace_back();
    addBuffer(problem, ranges, candidate, space->second);
    // The space of the loop's arena is chosen.
    problem.buffers.back().choices.clear();
    problem.buffers.back().space = space->second;
    result.allocs.push_back(alloc);
  }
  if (result.allocs.empty())
    return result;
  if (reuse == planning::Reuse::BranchSafe)
    for (planning::Buffer &buffer : problem.buffers)
      buffer.live.assign(1, {0, std::max<int64_t>(ranges.length(), 1)});
  else
    shareAcrossBranches(problem, result.allocs, ranges);
  FailureOr<planning::Plan> plan =
      choose(function, problem, {}, planning::Reuse::Program);
  if (failed(plan))
    return failure();
  result.plan = std::move(*plan);
  if (!fitsMemory(result, alignment)) {
    refused += int64_t(result.allocs.size());
    for (memref::AllocOp alloc : result.allocs)
      if (failed(refuse(alloc, "it is inside '" +
                                   loop->getName().getStringRef() +
                                   "', and the arenas of its iterations would "
                                   "be larger than any memory")))
        return failure();
    result.allocs.clear();
    return result;
  }
  if (report)
    emitRemark(loop->getLoc(), "planned ")
        << result.allocs.size() << " of " << allocs.size()
        << " allocations of each iteration: peak " << result.plan.totalPeak()
        << " bytes, lower bound " << result.plan.totalBound();
  return result;
}

/// Makes one allocation of those of all iterations of a parallel loop, for each
/// such loop, from the inside. Counts the allocations that stay in loops.
LogicalResult PlanMemory::planLoops(func::FuncOp function, int64_t &refused) {
  int64_t depth = 0;
  function.walk([&](memref::AllocOp alloc) {
    depth = std::max(depth, parallelDepth(alloc));
  });
  for (; depth > 0; --depth) {
    LiveRanges ranges(function);
    llvm::MapVector<Operation *, SmallVector<memref::AllocOp>> loops;
    function.walk([&](memref::AllocOp alloc) {
      if (parallelDepth(alloc) == depth)
        loops[parallelLoopOf(alloc)].push_back(alloc);
    });
    std::vector<LoopPlan> made;
    for (auto &[loop, allocs] : loops) {
      FailureOr<LoopPlan> each =
          planLoop(function, loop, allocs, ranges, refused);
      if (failed(each))
        return failure();
      if (!each->allocs.empty())
        made.push_back(std::move(*each));
    }
    for (const LoopPlan &each : made)
      placeInLoop(each, ranges, alignment);
  }
  return success();
}

LogicalResult PlanMemory::plan(func::FuncOp function) {
  bool isStep = function->hasAttr(tam::kStepAttrName);
  std::string whyLeft;
  if (arena == ArenaKind::Global)
    whyLeft = calls->whyNoGlobal(function);
  const bool isLeft = !whyLeft.empty();
  int64_t refusedInLoops = 0;
  if (!isLeft && failed(planLoops(function, refusedInLoops)))
    return failure();
  LiveRanges ranges(function);
  SmallVector<Stay> stays;
  planning::Problem problem;
  problem.name = function.getName().str();
  problem.spaces.clear();
  SpaceNumbers spaces;
  for (const MemorySpace &offer : offered) {
    auto number = static_cast<int32_t>(spaces.size());
    spaces.insert({offer.attribute, number});
    planning::Space space;
    space.name =
        offer.attribute ? mlir::debugString(offer.attribute) : "default";
    // The arena is rounded up.
    if (offer.capacity)
      space.capacity = llvm::alignDown(*offer.capacity, alignment.getValue());
    problem.spaces.push_back(std::move(space));
  }

  auto allocs = SmallVector<memref::AllocOp>();
  function.walk([&](memref::AllocOp alloc) {
    if (isLeft || !parallelLoopOf(alloc))
      allocs.push_back(alloc);
  });
  if (isLeft) {
    for (memref::AllocOp alloc : allocs)
      if (failed(refuse(alloc, whyLeft)))
        return failure();
    allocs.clear();
  }
  if (isStep && arena != ArenaKind::Argument)
    return function.emitOpError("expected the arena of a step as its argument");
  FailureOr<PlanAttr> launches = findPlanOfLaunches(function, allocs.size());
  if (failed(launches))
    return failure();
  std::vector<Candidate> candidates;
  for (auto [index, alloc] : llvm::enumerate(allocs)) {
    candidates.push_back(examine(function, ranges, alloc));
    if (*launches) {
      BufferAttr like = launches->getBuffers()[index];
      candidates.back().live = {like.getFirst(), like.getLast(), {}};
    }
  }
  refuseMixed(candidates, ranges, offered.empty());
  // An allocation without a use takes no bytes; it is erased at the end.
  SmallVector<SetVector<Operation *>> unused;
  for (const Candidate &candidate : candidates) {
    memref::AllocOp alloc = candidate.alloc;
    if (!candidate.reason.empty()) {
      if (failed(refuse(alloc, candidate.reason)))
        return failure();
      continue;
    }
    if (SetVector<Operation *> ops; !*launches && collectUnused(alloc, ops)) {
      ops.insert(alloc);
      unused.push_back(std::move(ops));
      continue;
    }
    int32_t number = 0;
    if (!hasChoice(alloc)) {
      Attribute key = alloc.getType().getMemorySpace();
      auto [space, isNew] = spaces.insert({key, int32_t(spaces.size())});
      if (isNew)
        problem.spaces.emplace_back();
      number = space->second;
    }
    addBuffer(problem, ranges, candidate, number);
    stays.push_back({alloc});
  }
  if (problem.spaces.empty())
    problem.spaces.emplace_back();

  std::optional<int64_t> value;
  if (planning::isSymbolic(problem)) {
    value = bindSmall(problem);
    if (!value)
      return function.emitError("no memory plan: a buffer is larger than any "
                                "memory, whatever its size is made of");
    if (arena == ArenaKind::Argument &&
        SymbolTable::lookupSymbolIn(getOperation(), sizeFunctionName(function)))
      return function.emitError("expected no '")
             << sizeFunctionName(function)
             << "', the name of the function of its arena's size";
  }
  SmallVector<memref::AllocOp> accepted;
  for (const Stay &stay : stays)
    accepted.push_back(stay.alloc);
  shareAcrossBranches(problem, accepted, ranges);
  FailureOr<planning::Plan> chosen = failure();
  if (!offered.empty()) {
    planning::Options options;
    options.strategy = strategy;
    options.alignment = alignment;
    options.evict = evict;
    options.threads = 1;
    chosen = chooseSpaces(function, problem, stays, ranges, options);
    if (failed(chosen))
      return failure();
    settleSpaces(problem, *chosen, spaces);
  }
  std::optional<OrderedProblem> ordered;
  if (reuse == planning::Reuse::BranchSafe ||
      (report && function.getBody().hasOneBlock() &&
       stays.size() == accepted.size()))
    ordered = orderProblem(function, ranges, accepted, problem);
  if (offered.empty())
    chosen = choose(function, problem, ordered, reuse.getValue());
  if (failed(chosen))
    return failure();
  planning::Plan &plan = *chosen;
  std::optional<planning::SymbolicPlan> symbolic;
  if (value) {
    FailureOr<planning::SymbolicPlan> made =
        makeSymbolic(function, problem, ordered, plan, *value);
    if (failed(made))
      return failure();
    symbolic = std::move(*made);
  }
  FailureOr<planning::Plan> program = plan;
  if (report && reuse == planning::Reuse::BranchSafe)
    program = choose(function, problem, ordered, planning::Reuse::Program);
  if (failed(program))
    return failure();

  const int64_t length = *launches ? launches->getLength() : ranges.length();
  PlanAttr description =
      describe(stays, problem, plan, length, value, *launches);

  if (report && (!allocs.empty() || refusedInLoops > 0)) {
    DenseMap<Operation *, int64_t> dynamicBytes;
    for (auto [index, alloc] : llvm::enumerate(accepted))
      if (problem.buffers[index].expression >= 0)
        dynamicBytes[alloc] = problem.buffers[index].size;
    std::string erased;
    if (!unused.empty())
      erased = ", erased " + std::to_string(unused.size()) + " without a use";
    std::string start =
        ("planned " + Twine(accepted.size()) + " of " +
         Twine(allocs.size() - unused.size() + size_t(refusedInLoops)) +
         " allocations" + erased + ": peak " + Twine(plan.totalPeak()) +
         " bytes, lower bound " + Twine(plan.totalBound()) + ", before " +
         Twine(heapPeak(function, ranges, dynamicBytes)))
            .str();
    if (plan.cost)
      start += ", cost " + std::to_string(*plan.cost) + " of at least " +
               std::to_string(*plan.costBound);
    if (!plan.copies.empty())
      start += describeCopies(plan);
    if (value)
      start += ", with " + std::to_string(*value) + " for what sizes depend on";
    reportPlan(function, reuse, problem, ordered, plan, *program, start);
  }

  for (SetVector<Operation *> &ops : unused)
    for (Operation *op : ops)
      op->erase();
  if (symbolic && arena == ArenaKind::Argument)
    makeSizeFunction(function, accepted, problem, *symbolic, alignment);
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Layout layout;
  if (symbolic) {
    layout = emitLayout(builder, function.getLoc(), function.getArguments(),
                        accepted, problem, *symbolic, alignment);
  } else {
    for (int64_t offset : plan.offsets)
      layout.offsets.push_back({offset, {}});
    for (int64_t peak : plan.peak)
      layout.arenaBytes.push_back(
          {int64_t(llvm::alignTo(peak, alignment)), {}});
  }
  SmallVector<Value> arenas;
  for (auto &[key, space] : spaces) {
    int64_t byteAlignment = alignment;
    for (const planning::Buffer &buffer : problem.buffers)
      if (buffer.space == space)
        byteAlignment = std::max(byteAlignment, buffer.alignment);
    Index bytes = layout.arenaBytes[space];
    auto type =
        MemRefType::get({bytes.value ? ShapedType::kDynamic : bytes.constant},
                        builder.getI8Type(), MemRefLayoutAttrInterface(), key);
    FailureOr<Value> made =
        makeArena(builder, function, type, bytes.value, space, byteAlignment);
    if (failed(made))
      return failure();
    arenas.push_back(*made);
  }
  DenseSet<Value> planned;
  for (memref::AllocOp alloc : accepted)
    planned.insert(alloc.getResult());
  removeDeallocations(function, ranges, planned, [&](Attribute space) {
    return arenas[spaces.lookup(space)];
  });
  replaceAllocations(&getContext(), stays, [&](OpBuilder &builder, size_t row) {
    memref::AllocOp alloc = stays[row].alloc;
    Location loc = alloc.getLoc();
    Value offset = materialize(builder, loc, layout.offsets[row]);
    Value arena = arenas[problem.buffers[row].space];
    auto view = memref::ViewOp::create(
        builder, loc, cast<MemRefType>(inSpaceOf(alloc.getType(), arena)),
        arena, offset, alloc.getDynamicSizes());
    view->setAttr(kBufferAttrName, builder.getI64IntegerAttr(row));
    return view.getResult();
  });
  if (keepPlan)
    function->setAttr(kPlanAttrName, description);
  if (arena == ArenaKind::Argument && calls->isUsed(function) &&
      !arenas.empty())
    calls->passMemory(function,
                      function.getNumArguments() - unsigned(arenas.size()),
                      description.getAlignment());
  return success();
}
