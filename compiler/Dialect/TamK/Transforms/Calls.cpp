//===- Calls.cpp - the calls of a module ----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Allocations.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"

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
  findOrder();
}

namespace {

/// A function, and the functions that it calls.
struct Caller {
  func::FuncOp function;
  SmallVector<Caller *> callees;
};

} // namespace

template <> struct llvm::GraphTraits<Caller *> {
  using NodeRef = Caller *;
  using ChildIteratorType = SmallVector<Caller *>::iterator;
  static NodeRef getEntryNode(Caller *caller) { return caller; }
  static ChildIteratorType child_begin(NodeRef caller) {
    return caller->callees.begin();
  }
  static ChildIteratorType child_end(NodeRef caller) {
    return caller->callees.end();
  }
};

/// Finds the order of the functions and those that are recursive.
void Calls::findOrder() {
  // In the module's order; `users` has none.
  llvm::MapVector<Operation *, Caller> callers;
  for (auto function : module.getOps<func::FuncOp>())
    callers[function].function = function;
  // An entry to all.
  Caller entry;
  for (auto &[function, caller] : callers) {
    entry.callees.push_back(&caller);
    auto found = users.find(caller.function.getSymNameAttr());
    if (found == users.end())
      continue;
    for (Operation *user : found->second) {
      auto call = dyn_cast<CallOpInterface>(user);
      if (!call || calleeOf(call) != function)
        continue;
      while (user->getParentOp() != module)
        user = user->getParentOp();
      if (auto from = callers.find(user); from != callers.end())
        from->second.callees.push_back(&caller);
    }
  }
  for (auto cycle = llvm::scc_begin(&entry); !cycle.isAtEnd(); ++cycle)
    for (Caller *caller : *cycle) {
      if (caller == &entry)
        continue;
      order.push_back(caller->function);
      if (cycle.hasCycle())
        recursive.insert(caller->function);
    }
}

func::FuncOp Calls::calleeOf(CallOpInterface call) const {
  auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  return symbol ? functions.lookup(symbol.getRootReference()) : func::FuncOp();
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
