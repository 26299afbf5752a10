//===- BufferMoves.cpp - buffers that change their memory -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferMoves.h"
#include "MemorySpaces.h"

#include "tamc/Planning/Check.h"
#include "tamc/Planning/Choice.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

SmallVector<Operation *> tamc::tamk::usersInScope(memref::AllocOp alloc,
                                                  const LiveRanges &ranges) {
  Block *scope = ranges.scopeOf(alloc);
  bool leaves = ranges.leavesBlock(alloc);
  SetVector<Operation *> users;
  for (Operation *user : ranges.usersOf(alloc)) {
    while (leaves ? !isa<FunctionOpInterface>(user->getParentOp())
                  : user->getBlock() != scope)
      user = user->getParentOp();
    users.insert(user);
  }
  SmallVector<Operation *> sorted = users.takeVector();
  llvm::sort(sorted, [&](Operation *a, Operation *b) {
    return ranges.timeOf(a).first < ranges.timeOf(b).first;
  });
  return sorted;
}

/// Whether `op` only makes another name of the memory of its first operand.
static bool isPlainView(Operation *op) {
  auto view = dyn_cast<ViewLikeOpInterface>(op);
  return view && op->getNumResults() == 1 &&
         isa<BaseMemRefType>(op->getResult(0).getType()) &&
         view.getViewSource() == op->getOperand(0) && isTimeless(op) &&
         isMemoryEffectFree(op) && !isa<memref::MemorySpaceCastOp>(op);
}

bool tamc::tamk::mayMove(memref::AllocOp alloc, const LiveRanges &ranges) {
  Block *block = alloc->getBlock();
  if (ranges.scopeOf(alloc) != block)
    return false;
  for (Operation *op = block->getParentOp(); !isa<FunctionOpInterface>(op);
       op = op->getParentOp())
    if (!isSequential(op))
      return false;
  return llvm::all_of(ranges.aliasesOf(alloc), [&](Value alias) {
    Operation *definition = alias.getDefiningOp();
    if (!definition || (definition != alloc && !isPlainView(definition)))
      return false;
    return llvm::all_of(alias.getUsers(), [&](Operation *user) {
      if (isTerminator(user) ||
          isa<memref::ExtractAlignedPointerAsIndexOp>(user))
        return false;
      for (Operation *op = user->getParentOp(); op != block->getParentOp();
           op = op->getParentOp())
        if (!isSequential(op) && !isParallel(op))
          return false;
      return true;
    });
  });
}

namespace {

/// A problem in which buffers may move, and whose times are the moments at
/// which a buffer, or a use of one that may move, begins or ends.
class Moments {
public:
  Moments(const planning::Problem &original, ArrayRef<Stay> stays,
          const LiveRanges &ranges)
      : problem(original), users(stays.size()) {
    for (auto [index, buffer] : llvm::enumerate(problem.buffers)) {
      memref::AllocOp alloc = stays[index].alloc;
      if (buffer.choices.size() < 2 || buffer.live.size() != 1 ||
          buffer.aliasClass >= 0 || buffer.size == 0 || !mayMove(alloc, ranges))
        continue;
      for (Operation *user : usersInScope(alloc, ranges))
        users[index].push_back(
            {user, ranges.timeOf(user).first, ranges.timeOf(user).last});
      if (!users[index].empty())
        buffer.live = {{users[index].front().first, users[index].back().last}};
    }
    collectTimes();
    for (auto [index, buffer] : llvm::enumerate(problem.buffers)) {
      for (planning::Interval &each : buffer.live)
        each = {rank(each.lower), rank(each.upper)};
      auto isMoment = [&](const Use &use) {
        return rank(use.first) + 1 == rank(use.last);
      };
      if (users[index].size() < 2 || !llvm::all_of(users[index], isMoment))
        continue;
      for (const Use &use : users[index])
        buffer.uses.push_back(rank(use.first));
      for (planning::SpaceChoice &choice : buffer.choices)
        choice.cost /= int64_t(buffer.uses.size());
    }
  }

  const planning::Problem &get() const { return problem; }

  /// Makes rows of the stays of a plan.
  void settle(planning::Problem &original, planning::Plan &plan,
              SmallVector<Stay> &stays) const {
    planning::Resolved resolved = planning::resolve(problem, plan);
    SmallVector<bool> moves(stays.size(), false);
    for (const planning::Residence &stay : plan.residences)
      moves[stay.buffer] = true;
    size_t count = stays.size();
    plan.offsets = std::move(resolved.plan.offsets);
    plan.spaces.clear();
    for (auto [row, placed] : llvm::enumerate(resolved.problem.buffers)) {
      int32_t owner = resolved.owner[row];
      plan.spaces.push_back(placed.space);
      if (row >= count) {
        original.buffers.push_back(original.buffers[owner]);
        original.buffers.back().name = placed.name;
        stays.push_back(
            {stays[owner].alloc, firstOpAt(owner, placed.live.front().lower)});
      }
      if (moves[owner])
        original.buffers[row].live = {{times[placed.live.front().lower],
                                       times[placed.live.front().upper]}};
    }
  }

private:
  struct Use {
    Operation *op;
    int64_t first, last;
  };

  void collectTimes() {
    for (planning::Buffer &buffer : problem.buffers) {
      // A copy lies between two ops. What an op of several regions passes on is
      // needed when it has ended, although the last of them does not need it.
      std::vector<planning::Interval> live;
      for (planning::Interval each : buffer.live)
        if (!live.empty() && live.back().upper + 1 >= each.lower - 1)
          live.back().upper = each.upper;
        else if (live.empty())
          live.push_back(each);
        else {
          ++live.back().upper;
          live.push_back({each.lower - 1, each.upper});
        }
      buffer.live = std::move(live);
      for (const planning::Interval &each : buffer.live)
        times.append({each.lower, each.upper});
    }
    for (ArrayRef<Use> each : users)
      for (const Use &use : each)
        times.append({use.first, use.last});
    llvm::sort(times);
    times.erase(llvm::unique(times), times.end());
  }

  int64_t rank(int64_t time) const {
    return llvm::lower_bound(times, time) - times.begin();
  }

  /// The first op from a moment on at which a buffer may move that may access
  /// memory.
  Operation *firstOpAt(int32_t buffer, int64_t moment) const {
    Operation *before = nullptr;
    for (const Use &use : users[buffer]) {
      if (rank(use.first) == moment)
        return use.op;
      if (rank(use.last) == moment)
        before = use.op;
    }
    Operation *op = before->getNextNode();
    while (isTimeless(op))
      op = op->getNextNode();
    return op;
  }

  planning::Problem problem;
  /// By buffer, ascending; of those that may move.
  SmallVector<SmallVector<Use>> users;
  SmallVector<int64_t> times;
};

} // namespace

FailureOr<planning::Plan>
tamc::tamk::chooseSpaces(func::FuncOp function, planning::Problem &problem,
                         SmallVector<Stay> &stays, const LiveRanges &ranges,
                         const planning::Options &options) {
  std::optional<Moments> moments;
  if (options.evict)
    moments.emplace(problem, stays, ranges);
  const planning::Problem &source = moments ? moments->get() : problem;
  if (std::string reason = planning::whyNotChosen(source, options);
      !reason.empty())
    return function.emitError("no memory plan: ") << reason;
  planning::Plan plan = planning::plan(source, options);
  if (!plan.fits())
    return function.emitError("no memory plan: ") << plan.reason;
  planning::CheckOptions checkOptions;
  checkOptions.alignment = options.alignment;
  std::vector<planning::Finding> findings =
      planning::hasChoice(source)
          ? planning::checkChoice(source, plan, checkOptions)
          : planning::check(source, plan.offsets, checkOptions);
  if (!findings.empty())
    return function.emitError("the plan of '")
           << plan.strategy << "' is wrong: " << findings.front().message;
  if (moments)
    moments->settle(problem, plan, stays);
  return plan;
}

/// Replaces `from`, the memory or a view of it in the block of the allocation,
/// by `to[i]` after `copies[i - 1]`.
static void replaceByPlaces(OpBuilder &builder, Block *block, Value from,
                            ArrayRef<Value> to, ArrayRef<Operation *> copies) {
  SmallVector<Value> casts(to.size());
  for (OpOperand &use : llvm::make_early_inc_range(from.getUses())) {
    Operation *user = use.getOwner();
    Operation *top = block->findAncestorOpInBlock(*user);
    size_t stay = llvm::count_if(
        copies, [&](Operation *copy) { return copy->isBeforeInBlock(top); });
    if (user != top || !isPlainView(user) || use.getOperandNumber() != 0) {
      replaceInSpace(builder, use, to[stay], casts[stay]);
      continue;
    }
    SmallVector<Value> views(to.size());
    for (size_t i = stay; i < to.size(); ++i) {
      builder.setInsertionPoint(i == stay ? user : copies[i - 1]);
      Operation *view = builder.clone(*user);
      view->setOperand(0, to[i]);
      views[i] = view->getResult(0);
      views[i].setType(inSpaceOf(views[i].getType(), to[i]));
    }
    replaceByPlaces(builder, block, user->getResult(0), views, copies);
    for (Value view : views)
      if (view && view.use_empty())
        view.getDefiningOp()->erase();
    user->erase();
  }
}

void tamc::tamk::replaceAllocations(
    MLIRContext *context, ArrayRef<Stay> stays,
    llvm::function_ref<Value(OpBuilder &, size_t row)> makePlace) {
  OpBuilder builder(context);
  struct Places {
    SmallVector<Value, 1> values;
    SmallVector<Operation *, 0> copies;
  };
  llvm::MapVector<Operation *, Places> all;
  // Copies are made first, as ops that name memory are made anew.
  for (auto [row, stay] : llvm::enumerate(stays)) {
    memref::AllocOp alloc = stay.alloc;
    builder.setInsertionPoint(stay.begin ? stay.begin : alloc.getOperation());
    Places &places = all[alloc];
    places.values.push_back(makePlace(builder, row));
    if (stay.begin)
      places.copies.push_back(memref::CopyOp::create(
          builder, alloc.getLoc(), *std::prev(places.values.end(), 2),
          places.values.back()));
  }
  for (auto &[alloc, places] : all) {
    if (places.copies.empty())
      replaceInSpace(builder, alloc->getResult(0), places.values.front());
    else
      replaceByPlaces(builder, alloc->getBlock(), alloc->getResult(0),
                      places.values, places.copies);
    alloc->erase();
  }
}
