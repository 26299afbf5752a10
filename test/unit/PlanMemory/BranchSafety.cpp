//===- BranchSafety.cpp - buffers whose order is free -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BranchSafety.h"

#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>
#include <set>

using namespace mlir;

namespace {

using Ops = std::vector<Operation *>;

/// The memory that a value of a random program names: a buffer, an allocation,
/// or an argument, none of which share bytes.
Value memoryOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto cast = dyn_cast<memref::CastOp>(op))
      value = cast.getSource();
    else if (auto part = dyn_cast<memref::SubViewOp>(op))
      value = part.getSource();
    else
      break;
  }
  return value;
}

/// What `op` and all ops within read and write.
void collect(Operation *op, std::set<void *> &reads, std::set<void *> &writes) {
  op->walk([&](Operation *inner) {
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      reads.insert(memoryOf(load.getMemRef()).getAsOpaquePointer());
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      writes.insert(memoryOf(store.getMemRef()).getAsOpaquePointer());
    if (auto copy = dyn_cast<memref::CopyOp>(inner)) {
      reads.insert(memoryOf(copy.getSource()).getAsOpaquePointer());
      writes.insert(memoryOf(copy.getTarget()).getAsOpaquePointer());
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

/// The ops of the view's block that read or write its buffer.
Ops usesOf(memref::ViewOp view) {
  Ops uses;
  void *memory = view.getResult().getAsOpaquePointer();
  for (Operation &op : *view->getBlock()) {
    std::set<void *> reads, writes;
    collect(&op, reads, writes);
    if (reads.count(memory) || writes.count(memory))
      uses.push_back(&op);
  }
  return uses;
}

} // namespace

std::vector<std::pair<int64_t, int64_t>>
tamc::test::findUnorderedSharing(func::FuncOp program) {
  auto plan = program->getAttrOfType<DictionaryAttr>(tamk::kPlanAttrName);
  auto rows = plan.getAs<ArrayAttr>("buffers");
  auto number = [&](size_t row, StringRef key) {
    return cast<DictionaryAttr>(rows[row]).getAs<IntegerAttr>(key).getInt();
  };
  std::vector<Ops> uses(rows.size());
  program.walk([&](memref::ViewOp view) {
    if (auto row = view->getAttrOfType<IntegerAttr>(tamk::kBufferAttrName))
      uses[size_t(row.getInt())] = usesOf(view);
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
      if (number(a, "space") == number(b, "space") &&
          number(a, "offset") < number(b, "offset") + number(b, "bytes") &&
          number(b, "offset") < number(a, "offset") + number(a, "bytes") &&
          !allBefore(a, b) && !allBefore(b, a))
        found.push_back({int64_t(a), int64_t(b)});
  return found;
}
