//===- ProgramOrder.cpp - dependencies between ops ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramOrder.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

namespace {

/// By index of a memory, whether it may be written.
using Touches = std::map<int32_t, bool>;

/// Numbers the memories that a function accesses: first the planned buffers,
/// which alias no other memory; then one for all memory that is not planned;
/// then each memory with a name.
class Memories {
public:
  Memories(FunctionOpInterface function, const LiveRanges &ranges,
           ArrayRef<memref::AllocOp> allocs)
      : analysis(function), isStep(function->hasAttr(tam::kStepAttrName)),
        planned(static_cast<int32_t>(allocs.size())) {
    for (auto [index, alloc] : llvm::enumerate(allocs))
      for (Value alias : ranges.aliasesOf(alloc))
        buffersOf[alias].push_back(static_cast<int32_t>(index));
    // A value that names one of several memories may name one that is not
    // planned.
    DenseSet<Value> own;
    for (memref::AllocOp alloc : allocs)
      own.insert(alloc.getResult());
    for (auto &[alias, buffers] : buffersOf)
      if (!llvm::all_of(ranges.originsOf(alias),
                        [&](Value origin) { return own.contains(origin); }))
        buffers.push_back(planned);
  }

  bool isPlanned(int32_t memory) const { return memory < planned; }

  /// The memory for everything that is not planned; memories with a name have
  /// higher numbers.
  int32_t anyOther() const { return planned; }

  /// The memories that `op` and the ops in its regions access.
  Touches touchedBy(Operation *op);

  /// Whether an access to one of them may be an access to the other.
  bool meet(int32_t a, int32_t b);

private:
  int32_t numberOf(Value value);
  void touch(Value value, bool writes, Touches &touches);
  void touchAll(Operation *op, bool writes, Touches &touches);

  AliasAnalysis analysis;
  bool isStep;
  int32_t planned;
  /// The planned buffers that a value may name, and anyOther() if it may name
  /// another memory.
  DenseMap<Value, SmallVector<int32_t, 1>> buffersOf;
  /// The values and globals that name memory that is not planned.
  llvm::MapVector<Value, int32_t> values;
  llvm::MapVector<Attribute, int32_t> globals;
  std::vector<Value> others;
  std::map<std::pair<int32_t, int32_t>, bool> known;
};

} // namespace

int32_t Memories::numberOf(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  auto next = planned + 1 + static_cast<int32_t>(others.size());
  int32_t number;
  if (auto global = value.getDefiningOp<memref::GetGlobalOp>())
    number = globals.insert({global.getNameAttr(), next}).first->second;
  else
    number = values.insert({value, next}).first->second;
  if (number == next)
    others.push_back(value);
  return number;
}

void Memories::touch(Value value, bool writes, Touches &touches) {
  auto buffers = buffersOf.find(value);
  if (buffers == buffersOf.end()) {
    touches[numberOf(value)] |= writes;
    return;
  }
  for (int32_t buffer : buffers->second)
    touches[buffer] |= writes;
}

bool Memories::meet(int32_t a, int32_t b) {
  if (a == b)
    return true;
  if (isPlanned(a) || isPlanned(b))
    return false;
  if (a == planned || b == planned)
    return true;
  auto [found, isNew] = known.insert({std::minmax(a, b), false});
  if (!isNew)
    return found->second;
  Value x = others[a - planned - 1], y = others[b - planned - 1];
  auto isOwn = [](Value value) {
    return isa<BlockArgument>(value) ||
           value.getDefiningOp<memref::GetGlobalOp>();
  };
  // The slots of a step do not overlap.
  bool isApart = (isStep && isOwn(x) && isOwn(y)) ||
                 (x.getDefiningOp<memref::GetGlobalOp>() &&
                  y.getDefiningOp<memref::GetGlobalOp>());
  return found->second = !isApart && !analysis.alias(x, y).isNo();
}

/// Accesses of an op that does not declare which operands it reads or writes.
void Memories::touchAll(Operation *op, bool writes, Touches &touches) {
  for (Value operand : op->getOperands())
    if (isa<BaseMemRefType>(operand.getType()))
      touch(operand, writes, touches);
}

Touches Memories::touchedBy(Operation *op) {
  Touches touches;
  op->walk([&](Operation *inner) {
    if (isTimeless(inner))
      return;
    if (auto view = dyn_cast<ViewLikeOpInterface>(inner)) {
      for (Value operand : inner->getOperands())
        if (operand != view.getViewSource() && buffersOf.contains(operand))
          touch(operand, /*writes=*/false, touches);
      return;
    }
    if (auto compare = dyn_cast<arith::CmpIOp>(inner))
      for (Value index : compare->getOperands())
        if (Value memory = addressedBy(index))
          touch(memory, /*writes=*/false, touches);
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects) {
      if (isSequential(inner) ||
          inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
        // A loop that passes a buffer on.
        for (Value operand : inner->getOperands())
          if (buffersOf.contains(operand))
            touch(operand, /*writes=*/false, touches);
        return;
      }
      touchAll(inner, /*writes=*/true, touches);
      touches[planned] = true;
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> list;
    effects.getEffects(list);
    DenseSet<Value> named;
    for (const MemoryEffects::EffectInstance &effect : list) {
      bool writes = !isa<MemoryEffects::Read>(effect.getEffect());
      if (Value value = effect.getValue()) {
        named.insert(value);
        touch(value, writes, touches);
      } else {
        touchAll(inner, writes, touches);
        touches[planned] |= writes;
      }
    }
    // An op that uses a planned buffer without declared effects may read and
    // write it.
    for (Value operand : inner->getOperands())
      if (buffersOf.contains(operand) && !named.contains(operand))
        touch(operand, /*writes=*/true, touches);
  });
  return touches;
}

namespace {

class Orderer {
public:
  Orderer(FunctionOpInterface function, const LiveRanges &ranges,
          ArrayRef<memref::AllocOp> allocs, const planning::Problem &problem)
      : memories(function, ranges, allocs), allocs(allocs) {
    result.problem = problem;
    for (auto [index, alloc] : llvm::enumerate(allocs)) {
      Block *scope = ranges.scopeOf(alloc);
      allocated[scope].push_back(static_cast<int32_t>(index));
      for (Operation *op = scope->getParentOp(); op != function;
           op = op->getParentOp())
        holders.insert(op);
      if (ranges.usersOf(alloc).empty())
        unused.insert({alloc, static_cast<int32_t>(index)});
    }
    for (Block &block : function.getFunctionBody())
      add(block, -1);
    finish();
  }

  OrderedProblem result;

private:
  /// First and last operation of an op. They are the same unless buffers are
  /// allocated in its regions.
  struct Unit {
    int32_t begin, end;
  };
  /// The last accesses to a memory, as ends of units.
  struct LastTouch {
    int32_t writer = -1;
    SmallVector<int32_t> readers;
  };

  int32_t addOperation(Operation *op, std::vector<int32_t> after);
  void add(Block &block, int32_t start);
  Unit add(Operation *op, std::vector<int32_t> after);
  void waitForResults(Operation *op, Block &block, DenseSet<Operation *> &seen,
                      std::vector<int32_t> &after);
  void finish();

  Memories memories;
  ArrayRef<memref::AllocOp> allocs;
  DenseMap<Block *, SmallVector<int32_t>> allocated;
  /// Ops in whose regions a buffer is allocated.
  DenseSet<Operation *> holders;
  /// Buffers without a use so far, until an operation of their own is added.
  llvm::MapVector<Operation *, int32_t> unused;
  SmallVector<int32_t> waiting;
  DenseMap<Operation *, Unit> units;
};

} // namespace

int32_t Orderer::addOperation(Operation *op, std::vector<int32_t> after) {
  planning::Operation operation;
  auto index = static_cast<int32_t>(result.ops.size());
  operation.name = "o" + std::to_string(index);
  llvm::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  operation.after = std::move(after);
  result.problem.operations.push_back(std::move(operation));
  result.ops.push_back(op);
  return index;
}

/// Adds dependencies on the ends of the units whose values `op`, or an op in
/// its regions, takes, also through timeless ops.
void Orderer::waitForResults(Operation *op, Block &block,
                             DenseSet<Operation *> &seen,
                             std::vector<int32_t> &after) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      Operation *source =
          definition ? block.findAncestorOpInBlock(*definition) : nullptr;
      if (!source || source == op || !seen.insert(source).second)
        continue;
      auto unit = units.find(source);
      if (unit != units.end())
        after.push_back(unit->second.end);
      else
        waitForResults(source, block, seen, after);
    }
  });
}

Orderer::Unit Orderer::add(Operation *op, std::vector<int32_t> after) {
  int32_t begin = addOperation(op, std::move(after));
  if (!holders.contains(op)) {
    for (int32_t buffer : waiting)
      result.problem.operations[begin].writes.push_back(buffer);
    waiting.clear();
    return {begin, begin};
  }
  int32_t last = begin;
  for (Region &region : op->getRegions()) {
    int32_t first = static_cast<int32_t>(result.ops.size());
    for (Block &block : region)
      add(block, last);
    std::vector<int32_t> all{last};
    for (int32_t i = first; i < static_cast<int32_t>(result.ops.size()); ++i)
      all.push_back(i);
    last = addOperation(op, std::move(all));
  }
  return {begin, last};
}

/// Adds the ops of a block, each after `start`.
void Orderer::add(Block &block, int32_t start) {
  DenseSet<int32_t> isHere;
  for (int32_t buffer : allocated.lookup(&block))
    isHere.insert(buffer);
  std::map<int32_t, LastTouch> last;
  for (Operation &op : block) {
    if (auto found = unused.find(&op); found != unused.end())
      waiting.push_back(found->second);
    if (isTimeless(&op))
      continue;
    std::vector<int32_t> after;
    if (start >= 0)
      after.push_back(start);
    DenseSet<Operation *> seen;
    waitForResults(&op, block, seen, after);
    Touches touches = memories.touchedBy(&op);
    for (auto [memory, writes] : touches) {
      auto wait = [&, writes = writes](const LastTouch &touch) {
        if (touch.writer >= 0)
          after.push_back(touch.writer);
        if (writes)
          after.insert(after.end(), touch.readers.begin(), touch.readers.end());
      };
      if (memories.isPlanned(memory)) {
        wait(last[memory]);
        continue;
      }
      for (auto other = last.lower_bound(memories.anyOther());
           other != last.end(); ++other)
        if (memories.meet(memory, other->first))
          wait(other->second);
    }
    Unit unit = add(&op, std::move(after));
    units[&op] = unit;
    for (auto [memory, writes] : touches) {
      LastTouch &touch = last[memory];
      if (writes) {
        touch.writer = unit.end;
        touch.readers.clear();
      } else {
        touch.readers.push_back(unit.end);
      }
      // In the block in which a buffer is allocated, the whole op uses it.
      if (!isHere.contains(memory))
        continue;
      for (int32_t moment : {unit.begin, unit.end}) {
        planning::Operation &operation = result.problem.operations[moment];
        (writes ? operation.writes : operation.reads).push_back(memory);
        if (unit.begin == unit.end)
          break;
      }
    }
  }
}

/// Sets the live ranges that follow from the operations.
void Orderer::finish() {
  planning::Problem &problem = result.problem;
  if (!waiting.empty()) {
    std::vector<int32_t> all(result.ops.size());
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<int32_t>(i);
    problem.operations[addOperation(nullptr, std::move(all))].writes.assign(
        waiting.begin(), waiting.end());
  }
  for (planning::Buffer &buffer : problem.buffers)
    buffer.live.assign(1, {-1, -1});
  for (size_t time = 0; time < problem.operations.size(); ++time) {
    auto touch = [&](int32_t buffer, int64_t first) {
      planning::Interval &live = problem.buffers[buffer].live.front();
      if (live.lower < 0)
        live.lower = first;
      live.upper = static_cast<int64_t>(time) + 1;
    };
    // For the planner, a buffer that is read before it is written has contents
    // from the beginning.
    for (int32_t buffer : problem.operations[time].reads)
      touch(buffer, 0);
    for (int32_t buffer : problem.operations[time].writes)
      touch(buffer, static_cast<int64_t>(time));
  }
}

OrderedProblem tamc::tamk::orderProblem(FunctionOpInterface function,
                                        const LiveRanges &ranges,
                                        ArrayRef<memref::AllocOp> allocs,
                                        const planning::Problem &problem) {
  return Orderer(function, ranges, allocs, problem).result;
}
