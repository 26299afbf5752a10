//===- LiveRanges.cpp - live ranges of buffers ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveRanges.h"
#include "BlockLiveness.h"

#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tamc::tamk;

Operation *tamc::tamk::findAwait(Operation *op) {
  auto execute = dyn_cast<async::ExecuteOp>(op);
  if (!execute)
    return nullptr;
  for (Operation *user : execute.getToken().getUsers())
    if (isa<async::AwaitOp>(user) && user->getBlock() == op->getBlock())
      return user;
  return nullptr;
}

bool tamc::tamk::isTerminator(Operation *op) {
  Block *block = op->getBlock();
  return block && &block->back() == op && block->mightHaveTerminator();
}

bool tamc::tamk::isTimeless(Operation *op) {
  if (op->getNumRegions() > 0)
    return false;
  // A view of one buffer may read its shape from another.
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return llvm::none_of(op->getOperands(), [&](Value operand) {
      return operand != view.getViewSource() &&
             isa<BaseMemRefType>(operand.getType());
    });
  if (isa<arith::SelectOp>(op))
    return isa<BaseMemRefType>(op->getResult(0).getType());
  return isa<memref::AllocOp, memref::DeallocOp, memref::DimOp,
             memref::GetGlobalOp, memref::ExtractAlignedPointerAsIndexOp>(op) ||
         isa<arith::ConstantOp>(op) || op->hasTrait<OpTrait::ConstantLike>() ||
         isTerminator(op);
}

bool tamc::tamk::isSequential(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, affine::AffineForOp, affine::AffineIfOp,
             memref::AllocaScopeOp>(op);
}

static bool hasAtMostOneBlock(Region &region) {
  return region.empty() || region.hasOneBlock();
}

/// Whether the ops inside may run several times before the op ends.
static bool mayRepeat(Operation *op) {
  return isa<LoopLikeOpInterface>(op) ||
         !llvm::all_of(op->getRegions(), hasAtMostOneBlock);
}

bool tamc::tamk::isParallel(Operation *op) {
  return isa<scf::ParallelOp, scf::ForallOp, affine::AffineParallelOp>(op);
}

bool tamc::tamk::endsAfterRegions(Operation *op) {
  return isSequential(op) || isParallel(op) ||
         isa<linalg::LinalgOp, vector::MaskOp>(op);
}

LiveRanges::LiveRanges(FunctionOpInterface function) : aliases(function) {
  for (Block &block : function.getFunctionBody())
    for (Operation &op : block)
      tick(&op);
}

void LiveRanges::tick(Operation *op) {
  int64_t first = now;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        tick(&inner);
  if (now == first && !isTimeless(op))
    ++now;
  times[op] = {first, now, {}};
}

SmallVector<Value> LiveRanges::aliasesOf(memref::AllocOp alloc) const {
  BufferAliases::Values found = aliases.resolve(alloc.getResult());
  return SmallVector<Value>(found.begin(), found.end());
}

SmallVector<memref::DeallocOp>
LiveRanges::deallocations(memref::AllocOp alloc) const {
  SetVector<memref::DeallocOp> found;
  for (Value alias : aliases.resolve(alloc.getResult()))
    for (Operation *user : alias.getUsers())
      if (auto dealloc = dyn_cast<memref::DeallocOp>(user))
        found.insert(dealloc);
  return found.takeVector();
}

SmallVector<Value> LiveRanges::originsOf(Value value) const {
  SmallVector<Value> origins;
  for (Value source : aliases.resolveReverse(value)) {
    auto [known, isNew] = views.try_emplace(source);
    if (isNew)
      known->second = aliases.resolveReverse(source).size() > 1;
    if (!known->second)
      origins.push_back(source);
  }
  return origins;
}

SmallVector<Operation *> LiveRanges::usersOf(memref::AllocOp alloc) const {
  SetVector<Operation *> users;
  for (Value alias : aliases.resolve(alloc.getResult()))
    for (Operation *user : alias.getUsers()) {
      // To compare an address is a use, as memory that is there at the same
      // time has another one.
      if (isa<memref::ExtractAlignedPointerAsIndexOp>(user))
        users.insert_range(llvm::make_filter_range(
            user->getUsers(), llvm::IsaPred<arith::CmpIOp>));
      if (!isTimeless(user))
        users.insert(user);
    }
  return users.takeVector();
}

/// Whether a value of this type holds data, rather than a token for work that
/// an op does later.
static bool isData(Type type) {
  return isa<ComplexType, ShapedType>(type) || type.isIntOrIndexOrFloat();
}

/// Whether all that is read from a table of addresses is compared.
static bool isOnlyCompared(Value table) {
  return llvm::all_of(table.getUsers(), [](Operation *user) {
    auto load = dyn_cast<memref::LoadOp>(user);
    return isa<memref::DimOp>(user) ||
           (load &&
            llvm::all_of(load->getUsers(), llvm::IsaPred<arith::CmpIOp>));
  });
}

/// Whether a call is one of those that upstream's lowering of deallocations
/// adds: it finds which of the first argument's addresses are to be freed, as
/// they are not among the second's.
static bool isDeallocationHelper(func::CallOp call) {
  if (!call.getCallee().starts_with("dealloc_helper"))
    return false;
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && callee.isPrivate() && !callee.isExternal() &&
         callee.getNumArguments() == 5 && callee.getNumResults() == 0 &&
         isOnlyCompared(callee.getArgument(0)) &&
         isOnlyCompared(callee.getArgument(1));
}

/// Whether the addresses in a table only go to helpers of deallocations.
static bool isTableOfDeallocations(Value table) {
  return llvm::all_of(table.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<memref::CastOp>(user))
      return isTableOfDeallocations(user->getResult(0));
    if (auto store = dyn_cast<memref::StoreOp>(user))
      return store.getMemRef() == table;
    if (auto call = dyn_cast<func::CallOp>(user))
      return use.getOperandNumber() < 2 && isDeallocationHelper(call);
    return isa<memref::DeallocOp>(user);
  });
}

Value tamc::tamk::addressedBy(Value index) {
  auto address = index.getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>();
  return address ? address.getSource() : Value();
}

/// Whether an address is taken only to compare it with others.
static bool isOnlyAddressCompared(Value address) {
  return llvm::all_of(address.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto compare = dyn_cast<arith::CmpIOp>(user))
      return addressedBy(compare.getLhs()) && addressedBy(compare.getRhs());
    auto store = dyn_cast<memref::StoreOp>(user);
    return store && store.getMemRef().getDefiningOp<memref::AllocOp>() &&
           isTableOfDeallocations(store.getMemRef());
  });
}

bool tamc::tamk::mayFree(OpOperand &use) {
  Operation *user = use.getOwner();
  // It has many effects, none of which frees.
  if (isa<LaunchOp>(user))
    return false;
  if (isa<memref::DeallocOp, memref::ReallocOp, bufferization::DeallocOp>(user))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  return effects && effects.getEffectOnValue<MemoryEffects::Free>(use.get());
}

/// Whether an op starts a transfer that another op waits for.
static bool startsTransfer(Operation *op) {
  return isa<affine::AffineDmaStartOp, memref::DmaStartOp>(op);
}

/// Whether an op may store the address of a buffer: it has memory, or a vector
/// or tensor, of such buffers as well.
static bool mayStoreAddress(OpOperand &use) {
  auto buffer = dyn_cast<BaseMemRefType>(use.get().getType());
  return buffer &&
         llvm::any_of(use.getOwner()->getOperandTypes(), [&](Type type) {
           auto shaped = dyn_cast<ShapedType>(type);
           auto element =
               shaped ? dyn_cast<BaseMemRefType>(shaped.getElementType())
                      : BaseMemRefType();
           return element &&
                  element.getElementType() == buffer.getElementType();
         });
}

/// Why a terminator that passes a buffer on makes planning unsafe; empty if it
/// does not.
static std::string refuseTerminator(OpOperand &use) {
  Operation *terminator = use.getOwner();
  Operation *parent = terminator->getParentOp();
  auto branch = dyn_cast<BranchOpInterface>(terminator);
  if (branch && isa<FunctionOpInterface>(parent) &&
      branch.getSuccessorBlockArgument(use.getOperandNumber()))
    return {};
  if (isSequential(parent) && isa<RegionBranchOpInterface>(parent) &&
      isa<RegionBranchTerminatorOpInterface>(terminator))
    return {};
  return "it leaves its region by '" +
         terminator->getName().getStringRef().str() + "'";
}

std::string tamc::tamk::whyUnsafe(OpOperand &use) {
  Operation *user = use.getOwner();
  // It only reads and writes what its operands name, as its effects say, too.
  // A step may have hundreds of thousands of them.
  if (isa<LaunchOp>(user) && user->getNumResults() == 0)
    return {};
  std::string name = user->getName().getStringRef().str();
  if (isTerminator(user))
    return refuseTerminator(use);
  if (isa<memref::DeallocOp, memref::DimOp, arith::SelectOp,
          memref::ExtractStridedMetadataOp>(user))
    return {};
  if (isa<memref::ExtractAlignedPointerAsIndexOp>(user) &&
      isOnlyAddressCompared(user->getResult(0)))
    return {};
  if (isa<bufferization::DeallocOp>(user))
    return "'" + name + "' may free it, and is not lowered";
  if (isa<ViewLikeOpInterface>(user))
    return llvm::all_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>)
               ? ""
               : "its address is taken by '" + name + "'";
  if (isSequential(user))
    return isa<RegionBranchOpInterface>(user)
               ? ""
               : "it is passed into the region of '" + name + "'";
  if (!isa<CallOpInterface>(user) && mayStoreAddress(use))
    return "its address is stored by '" + name + "'";
  if (llvm::any_of(user->getResultTypes(),
                   [](Type type) { return isa<BaseMemRefType>(type); }))
    return "the results of '" + name + "' may alias it";
  if (!llvm::all_of(user->getResultTypes(), isData) ||
      isa<bufferization::ToTensorOp>(user))
    return "the results of '" + name + "' may refer to it";
  if (startsTransfer(user))
    return "'" + name + "' may use it later";
  if (isa<CallOpInterface>(user))
    return {};
  // An op that passes it into a region has another value for it there.
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  if (!effects)
    return "the effects of '" + name + "' on it are not known";
  if (effects.hasNoEffect())
    return "its address is taken by '" + name + "'";
  if (mayFree(use))
    return "'" + name + "' may free it";
  return {};
}

Block *LiveRanges::scopeOf(memref::AllocOp alloc) const {
  Block *scope = alloc->getBlock();
  for (Operation *user : usersOf(alloc))
    while (!scope->findAncestorOpInBlock(*user))
      scope = scope->getParentOp()->getBlock();
  // A loop that carries it to the next iteration needs it in between.
  for (Value alias : aliases.resolve(alloc.getResult()))
    if (auto argument = dyn_cast<BlockArgument>(alias)) {
      Operation *loop = argument.getOwner()->getParentOp();
      while (loop->isProperAncestor(alloc) &&
             loop->isAncestor(scope->getParentOp()))
        scope = scope->getParentOp()->getBlock();
    }
  return scope;
}

bool LiveRanges::leavesBlock(memref::AllocOp alloc) const {
  return !alloc->getParentOfType<FunctionOpInterface>()->isAncestor(
      scopeOf(alloc)->getParentOp());
}

/// The region of `op` that has `inner`.
static Region *regionWith(Operation *op, Operation *inner) {
  Region *region = inner->getParentRegion();
  while (region->getParentOp() != op)
    region = region->getParentOp()->getParentRegion();
  return region;
}

/// Why the memory of an earlier iteration of a loop may be needed when the loop
/// executes the allocation again; empty if it is not.
std::string LiveRanges::whyTwice(memref::AllocOp alloc, Operation *loop) const {
  std::string name = loop->getName().getStringRef().str();
  std::string reason = "'" + name +
                       "' may use it after it has allocated the one of the "
                       "next iteration";
  if (!llvm::all_of(loop->getRegions(), hasAtMostOneBlock))
    return "it leaves the blocks of '" + name + "'";
  SmallPtrSet<Value, 16> carried;
  for (Value alias : aliases.resolve(alloc.getResult()))
    if (auto argument = dyn_cast<BlockArgument>(alias))
      if (argument.getOwner()->getParentOp() == loop)
        for (Value later : aliases.resolve(alias))
          carried.insert(later);
  for (Value alias : carried)
    for (Operation *user : alias.getUsers()) {
      if (isTerminator(user)) {
        // A value that is carried on lives through a whole iteration.
        if (user->getParentOp() == loop)
          return reason;
        continue;
      }
      if (isTimeless(user))
        continue;
      if (!loop->isProperAncestor(user))
        return reason;
      // The two regions of `scf.while` run in turn: what the other one gets, it
      // uses before this one allocates again.
      if (regionWith(loop, user) != regionWith(loop, alloc))
        continue;
      // A use in the same iteration, before the allocation, is no danger.
      Block *common = alloc->getBlock();
      while (!common->findAncestorOpInBlock(*user))
        common = common->getParentOp()->getBlock();
      for (Operation *op = common->getParentOp(); op != loop;
           op = op->getParentOp())
        if (mayRepeat(op))
          return reason;
      Operation *use = common->findAncestorOpInBlock(*user);
      // What it starts lasts until the block waits.
      if (Operation *await = findAwait(use))
        use = await;
      if (!use->isBeforeInBlock(common->findAncestorOpInBlock(*alloc)))
        return reason;
    }
  return {};
}

/// The times of the regions that do not run if the one with the allocation
/// does.
SmallVector<std::pair<int64_t, int64_t>, 1>
LiveRanges::exclusiveTimes(memref::AllocOp alloc, Block *scope) const {
  SmallVector<std::pair<int64_t, int64_t>, 1> found;
  for (Operation *op = alloc; op->getBlock() != scope;) {
    Region *region = op->getParentRegion();
    op = op->getParentOp();
    if (mayRepeat(op))
      return {};
    if (!isa<scf::IfOp, scf::IndexSwitchOp>(op))
      continue;
    for (Region &other : op->getRegions())
      if (&other != region && !other.empty() && !other.front().empty()) {
        std::pair<int64_t, int64_t> time{
            times.lookup(&other.front().front()).first,
            times.lookup(&other.front().back()).last};
        if (time.first < time.second)
          found.push_back(time);
      }
  }
  llvm::sort(found);
  return found;
}

/// Sets the times at which a buffer that several blocks of its function use is
/// needed, or returns why two of it may be needed at once.
///
/// It is needed where one of its names is and where it may have been used since
/// its allocation: before that, its bytes hold nothing.
std::string
LiveRanges::spanBlocks(memref::AllocOp alloc,
                       ArrayRef<std::pair<Operation *, int64_t>> uses,
                       LiveRange &range) const {
  Block *block = alloc->getBlock();
  Region *body = block->getParent();
  Operation *top = alloc;
  while (!isa<FunctionOpInterface>(body->getParentOp())) {
    top = body->getParentOp();
    body = top->getParentRegion();
  }
  block = top->getBlock();
  SmallVector<NameSpan> spans = spansOfNames(*body, alloc.getResult(), aliases);
  for (const NameSpan &span : spans)
    if (span.block == block && span.from != top &&
        (!span.from || span.from->isBeforeInBlock(top)) &&
        (!span.to || top->isBeforeInBlock(span.to) ||
         (top != alloc && span.to == top)))
      return "it may be used after the function has allocated it again";

  using Times = std::pair<int64_t, int64_t>;
  llvm::MapVector<Block *, SmallVector<Times>> used;
  for (auto [use, until] : uses) {
    LiveRange time = times.lookup(use);
    used[use->getBlock()].push_back({time.first, std::max(time.last, until)});
  }
  int64_t begin = times.lookup(top).first;
  auto limits = [&](Block *each) {
    return Times{times.lookup(&each->front()).first,
                 times.lookup(&each->back()).last};
  };
  // Whether the buffer may have been used when a block begins, and from when on
  // it may have been.
  DenseSet<Block *> isUsedBefore;
  auto firstUse = [&](Block *each, int64_t from) {
    int64_t first = limits(each).second;
    for (Times time : used.lookup(each))
      if (time.first >= from)
        first = std::min(first, time.first);
    return first;
  };
  auto isUsedAfter = [&](Block *each) {
    if (each == block)
      return firstUse(each, begin) < limits(each).second;
    return isUsedBefore.contains(each) || used.contains(each);
  };
  SmallVector<Block *> work;
  for (Block &each : *body)
    work.push_back(&each);
  while (!work.empty()) {
    Block *each = work.pop_back_val();
    if (isUsedAfter(each))
      for (Block *next : each->getSuccessors())
        if (isUsedBefore.insert(next).second)
          work.push_back(next);
  }
  SmallVector<Times> needed;
  for (const NameSpan &span : spans) {
    auto [start, end] = limits(span.block);
    Times named{span.from ? times.lookup(span.from).first : start,
                span.to ? times.lookup(span.to).last : end};
    auto add = [&](int64_t from, int64_t to) {
      from = std::max(from, named.first);
      to = std::min(to, named.second);
      if (from < to)
        needed.push_back({from, to});
    };
    int64_t first =
        isUsedBefore.contains(span.block) ? start : firstUse(span.block, start);
    if (span.block != block) {
      add(first, end);
      continue;
    }
    add(first, begin);
    add(firstUse(block, begin), end);
  }
  for (auto &[each, list] : used)
    needed.append(list);
  llvm::sort(needed);
  range = {needed.front().first, needed.front().second, {}};
  for (Times time : needed) {
    if (range.last < time.first)
      range.gaps.push_back({range.last, time.first});
    range.last = std::max(range.last, time.second);
  }
  return {};
}

FailureOr<LiveRange> LiveRanges::compute(memref::AllocOp alloc,
                                         std::string &reason) const {
  auto refuse = [&](const Twine &why) {
    reason = why.str();
    return failure();
  };
  if (!alloc.getType().getLayout().isIdentity())
    return refuse("its layout is not contiguous");
  auto function = alloc->getParentOfType<FunctionOpInterface>();
  // What an asynchronous op allocates is needed until the block waits for it.
  LiveRange asynchronous{std::numeric_limits<int64_t>::max(), 0, {}};
  Operation *root = alloc->getParentOp();
  for (; root != function && !isParallel(root); root = root->getParentOp()) {
    if (Operation *await = findAwait(root)) {
      asynchronous.first =
          std::min(asynchronous.first, times.lookup(root).first);
      asynchronous.last = std::max(asynchronous.last, times.lookup(await).last);
    } else if (!isSequential(root)) {
      return refuse("it is inside '" + root->getName().getStringRef() +
                    "', which may run several times at once");
    }
  }

  LiveRange range{times.lookup(alloc).first, times.lookup(alloc).first, {}};
  bool isUsed = false;
  // The order of the set does not affect the result: minimum, maximum, and the
  // first reason in program order.
  Operation *culprit = nullptr;
  std::string why;
  auto blame = [&](Operation *op, std::string text) {
    if (!culprit || times.lookup(op).first < times.lookup(culprit).first) {
      culprit = op;
      why = std::move(text);
    }
  };
  Block *scope = scopeOf(alloc);
  const bool leaves = leavesBlock(alloc);
  Operation *holder = leaves ? function : scope->getParentOp();
  // The ops of the function's blocks that use it, if those are several, and
  // until when at least.
  SmallVector<std::pair<Operation *, int64_t>> uses;
  auto extend = [&](Operation *user) {
    // A buffer that is used in a loop and allocated outside is needed during
    // the whole loop: the next iteration may read what this one wrote. Branches
    // between the blocks of a region may form a loop.
    Operation *lasting = user;
    int64_t until = 0;
    for (Operation *op = user->getParentOp(); op != holder;
         op = op->getParentOp()) {
      if (mayRepeat(op))
        lasting = op;
      if (Operation *await = findAwait(op)) {
        lasting = op;
        until = std::max(until, times.lookup(await).last);
        continue;
      }
      if (!isSequential(op) && !isParallel(op))
        blame(user, ("it is used inside '" + op->getName().getStringRef() +
                     "', which may run later or at once")
                        .str());
    }
    if (leaves)
      uses.push_back({user, until});
    LiveRange time = times.lookup(lasting);
    time.last = std::max(time.last, until);
    range.first = isUsed ? std::min(range.first, time.first) : time.first;
    range.last = isUsed ? std::max(range.last, time.last) : time.last;
    isUsed = true;
  };
  BufferAliases::Values named = aliases.resolve(alloc.getResult());
  for (Value alias : named)
    for (OpOperand &use : alias.getUses()) {
      Operation *user = use.getOwner();
      std::string refused = whyUnsafe(use);
      // What the analysis does not follow, as nobody told it about the op.
      if (refused.empty() && isTimeless(user))
        for (Value result : user->getResults())
          if (isa<BaseMemRefType>(result.getType()) && !named.contains(result))
            refused = "the results of '" +
                      user->getName().getStringRef().str() + "' may alias it";
      if (!refused.empty())
        blame(user, std::move(refused));
    }
  for (Operation *user : usersOf(alloc))
    extend(user);
  if (culprit)
    return refuse(why);
  if (!isUsed)
    return range;
  for (Operation *op = alloc->getParentOp(); op != holder;
       op = op->getParentOp()) {
    if (!mayRepeat(op))
      continue;
    if (std::string twice = whyTwice(alloc, op); !twice.empty())
      return refuse(twice);
  }
  if (leaves) {
    for (auto &[use, until] : uses)
      while (use->getParentOp() != function)
        use = use->getParentOp();
    if (std::string twice = spanBlocks(alloc, uses, range); !twice.empty())
      return refuse(twice);
    return range;
  }
  range.gaps = exclusiveTimes(alloc, scope);
  if (asynchronous.last > 0) {
    range.first = std::min(range.first, asynchronous.first);
    range.last = std::max(range.last, asynchronous.last);
    range.gaps.clear();
  }
  return range;
}
