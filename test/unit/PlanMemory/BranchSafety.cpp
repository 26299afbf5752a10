//===- BranchSafety.cpp - buffers whose order is free -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BranchSafety.h"

#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>
#include <set>

using namespace mlir;

namespace {

using Ops = std::vector<Operation *>;

/// Collects the memory that a value of a random program may name: buffers,
/// allocations, or arguments, none of which share bytes.
void addMemories(Value value, std::set<void *> &memories,
                 std::set<void *> &seen) {
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return;
  auto add = [&](Value source) { addMemories(source, memories, seen); };
  auto yielded = [](Region &region, unsigned number) {
    return region.front().getTerminator()->getOperand(number);
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop) {
      memories.insert(value.getAsOpaquePointer());
      return;
    }
    add(loop.getInitArgs()[argument.getArgNumber() - 1]);
    add(yielded(loop.getRegion(), argument.getArgNumber() - 1));
    return;
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast<memref::CastOp>(op))
    return add(cast.getSource());
  if (auto part = dyn_cast<memref::SubViewOp>(op))
    return add(part.getSource());
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    add(choice.getTrueValue());
    add(choice.getFalseValue());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    add(yielded(branch.getThenRegion(), number));
    add(yielded(branch.getElseRegion(), number));
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    add(loop.getInitArgs()[number]);
    add(yielded(loop.getRegion(), number));
  } else {
    memories.insert(value.getAsOpaquePointer());
  }
}

void addMemories(Value value, std::set<void *> &memories) {
  std::set<void *> seen;
  addMemories(value, memories, seen);
}

/// What `op` and all ops within read and write.
void collect(Operation *op, std::set<void *> &reads, std::set<void *> &writes) {
  op->walk([&](Operation *inner) {
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      addMemories(load.getMemRef(), reads);
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      addMemories(store.getMemRef(), writes);
    if (auto copy = dyn_cast<memref::CopyOp>(inner)) {
      addMemories(copy.getSource(), reads);
      addMemories(copy.getTarget(), writes);
    }
  });
}

bool meet(const std::set<void *> &a, const std::set<void *> &b) {
  for (void *each : a)
    if (b.count(each))
      return true;
  return false;
}

/// Whether the later op must wait for the earlier one.
bool waits(Operation *earlier, Operation *later) {
  bool takesResult = false;
  later->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      takesResult |= operand.getDefiningOp() == earlier;
  });
  if (takesResult)
    return true;
  std::set<void *> reads[2], writes[2];
  collect(earlier, reads[0], writes[0]);
  collect(later, reads[1], writes[1]);
  return meet(writes[0], writes[1]) || meet(writes[0], reads[1]) ||
         meet(reads[0], writes[1]);
}

class Order {
public:
  /// Whether `a` comes before `b` in every valid order.
  bool before(Operation *a, Operation *b) {
    for (Operation *x = a; x; x = x->getParentOp())
      if (Operation *y = x->getBlock()
                             ? x->getBlock()->findAncestorOpInBlock(*b)
                             : nullptr) {
        if (x == y)
          return inEarlierRegion(a, b, x);
        return follows(x, y);
      }
    return false;
  }

private:
  /// The regions of an op run one after another, or only one of them does.
  static bool inEarlierRegion(Operation *a, Operation *b, Operation *op) {
    if (a == op || b == op)
      return false;
    unsigned first = 0, second = 0;
    for (Region &region : op->getRegions()) {
      if (region.findAncestorOpInRegion(*a))
        first = region.getRegionNumber();
      if (region.findAncestorOpInRegion(*b))
        second = region.getRegionNumber();
    }
    return first < second;
  }

  /// In one block: by any chain of ops of which each waits for the one before.
  bool follows(Operation *from, Operation *to) {
    std::set<Operation *> &reached = known[from];
    if (reached.empty()) {
      reached.insert(from);
      for (Operation *next = from->getNextNode(); next;
           next = next->getNextNode())
        for (Operation *each : Ops(reached.begin(), reached.end()))
          if (waitsFor(each, next)) {
            reached.insert(next);
            break;
          }
    }
    return from != to && reached.count(to);
  }

  bool waitsFor(Operation *earlier, Operation *later) {
    auto [found, isNew] = direct.insert({{earlier, later}, false});
    if (isNew)
      found->second = waits(earlier, later);
    return found->second;
  }

  std::map<Operation *, std::set<Operation *>> known;
  std::map<std::pair<Operation *, Operation *>, bool> direct;
};

/// The ops that read or write the buffer of the view, in the innermost block
/// that has them all.
Ops usesOf(memref::ViewOp view, func::FuncOp program) {
  void *memory = view.getResult().getAsOpaquePointer();
  auto usesMemory = [&](Operation *op) {
    std::set<void *> reads, writes;
    collect(op, reads, writes);
    return reads.count(memory) || writes.count(memory);
  };
  Block *scope = view->getBlock();
  program.walk([&](Operation *op) {
    if (op->getNumRegions() == 0 && usesMemory(op))
      while (!scope->findAncestorOpInBlock(*op))
        scope = scope->getParentOp()->getBlock();
  });
  Ops uses;
  for (Operation &op : *scope)
    if (usesMemory(&op))
      uses.push_back(&op);
  return uses;
}

/// Whether only one of two views is made, as they are in two regions of one
/// branch, and not in a loop within.
bool areExclusive(memref::ViewOp a, memref::ViewOp b) {
  for (Operation *x = a->getParentOp(); x && !isa<scf::ForOp, scf::WhileOp>(x);
       x = x->getParentOp())
    if (isa<scf::IfOp>(x) && x->isProperAncestor(b)) {
      for (Operation *y = b->getParentOp(); y != x; y = y->getParentOp())
        if (isa<scf::ForOp, scf::WhileOp>(y))
          return false;
      return x->getRegion(0).findAncestorOpInRegion(*a) !=
             x->getRegion(0).findAncestorOpInRegion(*b);
    }
  return false;
}

} // namespace

std::vector<std::pair<int64_t, int64_t>>
tamc::test::findUnorderedSharing(func::FuncOp program) {
  auto plan = program->getAttrOfType<tamk::PlanAttr>(tamk::kPlanAttrName);
  llvm::ArrayRef<tamk::BufferAttr> rows = plan.getBuffers();
  std::vector<Ops> uses(rows.size());
  std::vector<memref::ViewOp> views(rows.size());
  program.walk([&](memref::ViewOp view) {
    if (auto row = view->getAttrOfType<IntegerAttr>(tamk::kBufferAttrName)) {
      views[size_t(row.getInt())] = view;
      uses[size_t(row.getInt())] = usesOf(view, program);
    }
  });
  Order order;
  auto allBefore = [&](size_t a, size_t b) {
    for (Operation *x : uses[a])
      for (Operation *y : uses[b])
        if (!order.before(x, y))
          return false;
    return true;
  };
  std::vector<std::pair<int64_t, int64_t>> found;
  for (size_t a = 0; a < rows.size(); ++a)
    for (size_t b = a + 1; b < rows.size(); ++b)
      if (rows[a].getSpace() == rows[b].getSpace() &&
          rows[a].getOffset() < rows[b].getOffset() + rows[b].getBytes() &&
          rows[b].getOffset() < rows[a].getOffset() + rows[a].getBytes() &&
          !areExclusive(views[a], views[b]) && !allBefore(a, b) &&
          !allBefore(b, a))
        found.push_back({int64_t(a), int64_t(b)});
  return found;
}
