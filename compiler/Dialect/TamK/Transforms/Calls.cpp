//===- CalleeArenas.cpp - arenas that calls pass --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalleeArenas.h"
#include "Allocations.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

Calls::Calls(ModuleOp module) : module(module) {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  areUsesKnown = uses.has_value();
  if (uses)
    for (SymbolTable::SymbolUse use : *uses)
      users[use.getSymbolRef().getRootReference()].insert(use.getUser());
  for (auto function : module.getOps<func::FuncOp>())
    functions[function.getSymNameAttr()] = function;
  findRecursive();
}

/// Finds the strongly connected components of the graph of calls, by Tarjan's
/// algorithm.
void Calls::findRecursive() {
  struct Visit {
    func::FuncOp function;
    SmallVector<func::FuncOp> callees;
  };
  /// The number of a function that was entered, and the least number of those
  /// that it reaches and that have no component yet.
  struct Numbers {
    size_t own, least;
  };
  DenseMap<Operation *, Numbers> numbers;
  DenseSet<Operation *> done;
  SmallVector<Operation *> open;
  SmallVector<Visit> visits;
  auto enter = [&](func::FuncOp function) {
    const size_t number = numbers.size();
    numbers[function] = {number, number};
    open.push_back(function);
    Visit visit{function, {}};
    function.walk([&](CallOpInterface call) {
      if (auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
        if (func::FuncOp callee = functions.lookup(symbol.getRootReference()))
          visit.callees.push_back(callee);
    });
    if (llvm::is_contained(visit.callees, function))
      recursive.insert(function);
    visits.push_back(std::move(visit));
  };
  auto leave = [&](Operation *function) {
    const Numbers mine = numbers[function];
    if (!visits.empty()) {
      Numbers &callers = numbers[visits.back().function];
      callers.least = std::min(callers.least, mine.least);
    }
    if (mine.least < mine.own)
      return;
    const bool isCycle = open.back() != function;
    Operation *member = nullptr;
    do {
      member = open.pop_back_val();
      done.insert(member);
      if (isCycle)
        recursive.insert(member);
    } while (member != function);
  };
  for (auto &[name, function] : functions) {
    if (!numbers.contains(function))
      enter(function);
    while (!visits.empty()) {
      Visit &visit = visits.back();
      if (visit.callees.empty()) {
        Operation *left = visit.function;
        visits.pop_back();
        leave(left);
        continue;
      }
      func::FuncOp callee = visit.callees.pop_back_val();
      auto known = numbers.find(callee);
      if (known == numbers.end()) {
        enter(callee);
      } else if (!done.contains(callee)) {
        Numbers &mine = numbers[visit.function];
        mine.least = std::min(mine.least, known->second.own);
      }
    }
  }
}

std::vector<func::FuncOp> Calls::calleesFirst() const {
  std::vector<func::FuncOp> order;
  DenseSet<Operation *> seen;
  // A function, and the callees that are still to be visited.
  SmallVector<std::pair<func::FuncOp, SmallVector<func::FuncOp>>> stack;
  auto enter = [&](func::FuncOp function) {
    if (!seen.insert(function).second)
      return;
    SmallVector<func::FuncOp> callees;
    function.walk([&](func::CallOp call) {
      if (func::FuncOp callee =
              functions.lookup(call.getCalleeAttr().getAttr()))
        callees.push_back(callee);
    });
    stack.push_back({function, std::move(callees)});
  };
  ModuleOp module = this->module;
  for (auto function : module.getOps<func::FuncOp>()) {
    enter(function);
    while (!stack.empty()) {
      if (stack.back().second.empty()) {
        order.push_back(stack.back().first);
        stack.pop_back();
      } else {
        enter(stack.back().second.pop_back_val());
      }
    }
  }
  return order;
}

bool Calls::mayExtend(func::FuncOp function) const {
  auto found = users.find(function.getSymNameAttr());
  return areUsesKnown && function.isPrivate() &&
         !function->hasAttr(tam::kStepAttrName) &&
         (found == users.end() ||
          llvm::all_of(found->second, llvm::IsaPred<func::CallOp>)) &&
         !recursive.contains(function);
}

/// Whether an op runs once whenever its function does, or several times after
/// each other.
static bool runsInTurn(Operation *op) {
  do
    op = op->getParentOp();
  while (op && isSequential(op));
  return isa_and_nonnull<func::FuncOp>(op);
}

/// The functions that a call reaches which may run while another one does, or
/// that a function reaches whose calls are not all known.
DenseSet<Operation *> Calls::findAtOnce() const {
  DenseSet<Operation *> found;
  SmallVector<func::FuncOp> stack;
  auto enter = [&](StringAttr name) {
    if (func::FuncOp function = functions.lookup(name))
      if (found.insert(function).second)
        stack.push_back(function);
  };
  for (auto &[name, ops] : users)
    if (!llvm::all_of(ops, [](Operation *op) {
          return isa<func::CallOp>(op) && runsInTurn(op);
        }))
      enter(name);
  while (!stack.empty())
    stack.pop_back_val().walk(
        [&](func::CallOp call) { enter(call.getCalleeAttr().getAttr()); });
  return found;
}

std::string Calls::whyNoGlobal(func::FuncOp function) {
  if (recursive.contains(function))
    return "its function is recursive";
  if (!atOnce)
    atOnce = findAtOnce();
  if (!areUsesKnown || atOnce->contains(function))
    return "its function may run several times at once";
  return {};
}

void Calls::passMemory(func::FuncOp function, unsigned first,
                       int64_t alignment) const {
  for (Operation *user : users.lookup(function.getSymNameAttr())) {
    auto call = cast<func::CallOp>(user);
    for (Type type : function.getArgumentTypes().drop_front(first)) {
      OpBuilder builder(call);
      auto alloc = memref::AllocOp::create(
          builder, call.getLoc(), cast<MemRefType>(type), ValueRange(),
          builder.getI64IntegerAttr(alignment));
      call.getOperandsMutable().append(alloc.getResult());
      builder.setInsertionPointAfter(call);
      memref::DeallocOp::create(builder, call.getLoc(), alloc);
    }
  }
}
