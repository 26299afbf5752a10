//===- Allocations.cpp - what a plan replaces -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "EntrySizes.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <map>

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

std::optional<int64_t> tamc::tamk::bytesOf(MemRefType type) {
  std::optional<int64_t> bytes = elementBytes(type);
  for (int64_t size : type.getShape()) {
    if (!bytes || ShapedType::isDynamic(size))
      return {};
    bytes = llvm::checkedMul(*bytes, size);
    if (bytes && *bytes > kMaxBytes)
      return {};
  }
  return bytes;
}

bool tamc::tamk::collectUnused(Value value, SetVector<Operation *> &ops) {
  for (Operation *user : value.getUsers()) {
    auto view = dyn_cast<ViewLikeOpInterface>(user);
    bool isView =
        view && view.getViewSource() == value && isMemoryEffectFree(user) &&
        llvm::all_of(user->getResults(),
                     [&](Value result) { return collectUnused(result, ops); });
    if (!isView && !isa<memref::DeallocOp>(user) &&
        !(isa<memref::DimOp>(user) && user->use_empty()))
      return false;
    ops.insert(user);
  }
  return true;
}

int64_t tamc::tamk::heapPeak(func::FuncOp function, const LiveRanges &ranges,
                             const DenseMap<Operation *, int64_t> &dynamic) {
  DenseMap<Operation *, int64_t> positions;
  int64_t end = 0;
  function.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { positions[op] = end++; });
  std::map<int64_t, int64_t> change;
  function.walk([&](memref::AllocOp alloc) {
    std::optional<int64_t> bytes = bytesOf(alloc.getType());
    if (auto size = dynamic.find(alloc); size != dynamic.end())
      bytes = size->second;
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

/// Whether a deallocation of the memory of `alloc` may free memory that is not
/// in `planned` instead.
static bool isFreedWithOthers(memref::AllocOp alloc, const LiveRanges &ranges,
                              const DenseSet<Value> &planned) {
  return llvm::any_of(
      ranges.deallocations(alloc), [&](memref::DeallocOp dealloc) {
        return !llvm::all_of(
            ranges.originsOf(dealloc.getMemref()),
            [&](Value origin) { return planned.contains(origin); });
      });
}

void tamc::tamk::refuseMixed(std::vector<Candidate> &candidates,
                             const LiveRanges &ranges, bool hasOneArena) {
  DenseSet<Value> planned;
  for (const Candidate &candidate : candidates)
    if (candidate.reason.empty())
      planned.insert(memref::AllocOp(candidate.alloc).getResult());
  for (bool isStable = false; !isStable;) {
    isStable = true;
    for (Candidate &candidate : candidates)
      if (candidate.reason.empty() &&
          (candidate.bytes.value_or(0) == 0 || !hasOneArena) &&
          isFreedWithOthers(candidate.alloc, ranges, planned)) {
        candidate.reason = !hasOneArena ? "it is freed where other memory may "
                                          "be freed, and its space is chosen"
                           : candidate.bytes
                               ? "it has no bytes, and it is freed where other "
                                 "memory may be freed"
                               : "its size is not static, and it is freed "
                                 "where other memory may be freed";
        planned.erase(candidate.alloc.getResult());
        isStable = false;
      }
  }
}

std::tuple<std::string, std::string, std::string>
tamc::tamk::nameBuffer(memref::AllocOp alloc, BufferAttr like) {
  if (like)
    return {like.getName().str(), like.getOp().str(), like.getTerm().str()};
  Operation *first = nullptr;
  unsigned operand = 0;
  for (OpOperand &use : alloc->getUses()) {
    Operation *user = alloc->getBlock()->findAncestorOpInBlock(*use.getOwner());
    if (user && (!first || user->isBeforeInBlock(first))) {
      first = user;
      operand = use.getOperandNumber();
    }
  }
  // Allocations without a use get no offset; other blocks may have all uses.
  if (!first) {
    first = alloc->use_begin()->getOwner();
    operand = alloc->use_begin()->getOperandNumber();
  }
  std::string term = tam::getTermText(first->getLoc()).str();
  auto launch = dyn_cast<LaunchOp>(first);
  if (!launch || operand < launch.getInits().getBeginOperandIndex())
    return {"buffer", first->getName().getStringRef().str(), term};
  StringRef source = launch.getSource().value_or(launch.getKernel());
  return {launch.getInitName(operand - launch.getInits().getBeginOperandIndex())
              .str(),
          source.str(), term};
}

/// Whether memory at the address is in the arena.
static Value isInside(OpBuilder &builder, Location loc, Value address,
                      Value arena) {
  Value begin =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, arena);
  // Below the arena this wraps around to a large number.
  Value offset = arith::SubIOp::create(builder, loc, address, begin);
  Value bytes = memref::DimOp::create(builder, loc, arena, 0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, offset,
                               bytes);
}

void tamc::tamk::removeDeallocations(
    Operation *root, const LiveRanges &ranges, const DenseSet<Value> &planned,
    llvm::function_ref<Value(Attribute space)> arena) {
  auto isPlanned = [&](Value origin) { return planned.contains(origin); };
  // In the order of the program: origins have none.
  SmallVector<memref::AllocOp> allocs;
  SmallVector<memref::DeallocOp> deallocs;
  root->walk([&](Operation *op) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op); alloc && isPlanned(alloc))
      allocs.push_back(alloc);
    else if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
      deallocs.push_back(dealloc);
  });
  for (memref::DeallocOp dealloc : deallocs) {
    Value freed = dealloc.getMemref();
    SmallVector<Value> origins = ranges.originsOf(freed);
    if (llvm::none_of(origins, isPlanned))
      continue;
    if (!llvm::all_of(origins, isPlanned)) {
      OpBuilder builder(dealloc);
      Location loc = dealloc.getLoc();
      // A cast may have changed the space of what is freed.
      SetVector<Value> arenas;
      for (memref::AllocOp alloc : allocs)
        if (llvm::is_contained(origins, alloc.getResult()))
          arenas.insert(arena(alloc.getType().getMemorySpace()));
      Value address =
          memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, freed);
      Value inside;
      for (Value each : arenas) {
        Value here = isInside(builder, loc, address, each);
        inside =
            inside ? arith::OrIOp::create(builder, loc, inside, here) : here;
      }
      auto branch = scf::IfOp::create(builder, loc, inside,
                                      /*withElseRegion=*/true);
      branch.getElseBodyBuilder().clone(*dealloc);
    }
    dealloc.erase();
  }
}

void tamc::tamk::freeAtEnd(func::FuncOp function, Value value) {
  for (Block &block : function.getBody())
    if (block.getNumSuccessors() == 0) {
      OpBuilder builder(block.getTerminator());
      memref::DeallocOp::create(builder, function.getLoc(), value);
    }
}

/// The outermost op that runs one of its regions, between an allocation and its
/// scope, and the number of the region with the allocation. Null if there is
/// none, or a loop in between.
static std::pair<Operation *, unsigned> findBranch(memref::AllocOp alloc,
                                                   Block *scope) {
  std::pair<Operation *, unsigned> found{nullptr, 0};
  for (Operation *op = alloc; op->getBlock() != scope;) {
    unsigned region = op->getParentRegion()->getRegionNumber();
    op = op->getParentOp();
    if (isa<LoopLikeOpInterface>(op))
      return {nullptr, 0};
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
      found = {op, region};
  }
  return found;
}

void tamc::tamk::shareAcrossBranches(planning::Problem &problem,
                                     ArrayRef<memref::AllocOp> allocs,
                                     const LiveRanges &ranges) {
  // By op and memory space, -1 if it is to be chosen, the buffers of each
  // region.
  llvm::MapVector<std::pair<Operation *, int32_t>,
                  std::map<unsigned, SmallVector<int32_t>>>
      branches;
  for (auto [index, alloc] : llvm::enumerate(allocs)) {
    // A block may run again while another one holds a buffer from before.
    if (ranges.leavesBlock(alloc))
      continue;
    auto [op, region] = findBranch(alloc, ranges.scopeOf(alloc));
    const planning::Buffer &buffer = problem.buffers[index];
    const int32_t space = buffer.choices.empty() ? buffer.space : -1;
    if (op && buffer.expression < 0)
      branches[{op, space}][region].push_back(int32_t(index));
  }
  int32_t next = 0;
  for (auto &[key, regions] : branches) {
    size_t most = 0;
    for (auto &[region, buffers] : regions) {
      llvm::stable_sort(buffers, [&](int32_t a, int32_t b) {
        return problem.buffers[a].size > problem.buffers[b].size;
      });
      most = std::max(most, buffers.size());
    }
    for (size_t rank = 0; regions.size() > 1 && rank < most; ++rank, ++next)
      for (auto &[region, buffers] : regions)
        if (rank < buffers.size())
          problem.buffers[buffers[rank]].aliasClass = next;
  }
}
