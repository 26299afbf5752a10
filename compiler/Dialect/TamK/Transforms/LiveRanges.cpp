//===- LiveRanges.cpp - live ranges of buffers ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveRanges.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tamc::tamk;

bool tamc::tamk::isTimeless(Operation *op) {
  if (op->getNumRegions() > 0)
    return false;
  // A view of one buffer may read its shape from another.
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return llvm::none_of(op->getOperands(), [&](Value operand) {
      return operand != view.getViewSource() &&
             isa<BaseMemRefType>(operand.getType());
    });
  return isa<memref::AllocOp, memref::DeallocOp, memref::DimOp,
             memref::GetGlobalOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>() ||
         op->hasTrait<OpTrait::IsTerminator>();
}

/// Whether an op runs its regions on the caller's thread, one after another.
static bool isSequential(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, affine::AffineForOp, affine::AffineIfOp,
             memref::AllocaScopeOp>(op);
}

static bool hasAtMostOneBlock(Region &region) {
  return region.empty() || region.hasOneBlock();
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
  times[op] = {first, now};
}

SmallVector<Value> LiveRanges::aliasesOf(memref::AllocOp alloc) const {
  BufferViewFlowAnalysis::ValueSetT found = aliases.resolve(alloc.getResult());
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

/// Whether a value of this type holds data, rather than a token for work that
/// an op does later.
static bool isData(Type type) {
  return isa<ComplexType, ShapedType>(type) || type.isIntOrIndexOrFloat();
}

/// Why the use of an alias by an op makes planning unsafe; empty if it does
/// not.
static std::string refuseUse(OpOperand &use) {
  Operation *user = use.getOwner();
  std::string name = user->getName().getStringRef().str();
  if (user->hasTrait<OpTrait::IsTerminator>())
    return "it leaves its region by '" + name + "'";
  if (isa<memref::DeallocOp, memref::DimOp>(user))
    return {};
  if (isa<ViewLikeOpInterface>(user))
    return llvm::all_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>)
               ? ""
               : "its address is taken by '" + name + "'";
  if (isSequential(user))
    return "it is passed into the region of '" + name + "'";
  if (auto store = dyn_cast<memref::StoreOp>(user))
    if (store.getValueToStore() == use.get())
      return "its address is stored by '" + name + "'";
  if (llvm::any_of(user->getResultTypes(),
                   [](Type type) { return isa<BaseMemRefType>(type); }))
    return "the results of '" + name + "' may alias it";
  if (!llvm::all_of(user->getResultTypes(), isData))
    return "the results of '" + name + "' may refer to it";
  if (isa<affine::AffineDmaStartOp, memref::DmaStartOp>(user))
    return "'" + name + "' may use it later";
  if (isa<CallOpInterface>(user))
    return {};
  // An op that passes it into a region has another value for it there.
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  if (!effects)
    return "the effects of '" + name + "' on it are not known";
  if (effects.hasNoEffect())
    return "its address is taken by '" + name + "'";
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
  for (Operation *op = alloc->getParentOp(); op != function;
       op = op->getParentOp()) {
    if (!isSequential(op))
      return refuse("it is inside '" + op->getName().getStringRef() +
                    "', which may run several times at once");
    if (!llvm::all_of(op->getRegions(), hasAtMostOneBlock))
      return refuse("its function has unstructured control flow");
  }
  if (!function.getFunctionBody().hasOneBlock())
    return refuse("its function has unstructured control flow");

  Block *block = alloc->getBlock();
  LiveRange range{times.lookup(alloc).first, times.lookup(alloc).first};
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
  for (Value alias : aliases.resolve(alloc.getResult()))
    for (OpOperand &use : alias.getUses()) {
      Operation *user = use.getOwner();
      std::string refused = refuseUse(use);
      if (!refused.empty()) {
        blame(user, std::move(refused));
        continue;
      }
      if (!block->findAncestorOpInBlock(*user)) {
        blame(user, "it is used outside its region");
        continue;
      }
      // A buffer that is used in a loop and allocated outside is needed during
      // the whole loop: the next iteration may read what this one wrote.
      // Branches between the blocks of a region may form a loop.
      Operation *lasting = user;
      for (Operation *op = user->getParentOp(); op != block->getParentOp();
           op = op->getParentOp()) {
        if (isa<LoopLikeOpInterface>(op) ||
            !llvm::all_of(op->getRegions(), hasAtMostOneBlock))
          lasting = op;
        if (!isSequential(op))
          blame(user, ("it is used inside '" + op->getName().getStringRef() +
                       "', which may run later or at once")
                          .str());
      }
      if (isTimeless(user))
        continue;
      LiveRange time = times.lookup(lasting);
      range.first = isUsed ? std::min(range.first, time.first) : time.first;
      range.last = isUsed ? std::max(range.last, time.last) : time.last;
      isUsed = true;
    }
  if (culprit)
    return refuse(why);
  return range;
}
