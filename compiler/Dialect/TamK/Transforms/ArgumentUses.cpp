//===- ArgumentUses.cpp - what functions do with arguments ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentUses.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::tamk;

/// Whether a call may pass it as one of these arguments.
bool ArgumentUses::isPassed(OpOperand &use,
                            const DenseSet<Value> &arguments) const {
  auto call = dyn_cast<CallOpInterface>(use.getOwner());
  if (!call || arguments.empty())
    return false;
  // It may call any of the functions.
  if (isa<Value>(call.getCallableForCallee()))
    return true;
  func::FuncOp callee = calls.calleeOf(call);
  return callee && !callee.isExternal() &&
         arguments.contains(
             callee.getArgument(use.getOperandNumber() -
                                call.getArgOperands().getBeginOperandIndex()));
}

bool ArgumentUses::isFreedBy(OpOperand &use) const {
  return mayFree(use) || isPassed(use, freed);
}

/// Whether the memory may be used after the function with this use returned.
bool ArgumentUses::isKeptBy(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (isPassed(use, kept))
    return true;
  // What the function returns is a result of its calls.
  bool isReturned =
      isTerminator(user) && isa<FunctionOpInterface>(user->getParentOp());
  if (!isReturned && !isa<CallOpInterface>(user) &&
      !tamk::whyUnsafe(use).empty())
    return true;
  if (isTimeless(user))
    return false;
  for (Operation *op = user->getParentOp(); !isa<FunctionOpInterface>(op);
       op = op->getParentOp())
    if (!endsAfterRegions(op) && !findAwait(op))
      return true;
  return false;
}

ArgumentUses::ArgumentUses(ModuleOp module, const Calls &calls) : calls(calls) {
  SmallVector<std::pair<BlockArgument, BufferAliases::Values>> arguments;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto isMemory = [](Type type) { return isa<BaseMemRefType>(type); };
    if (function.isExternal() ||
        llvm::none_of(function.getArgumentTypes(), isMemory))
      continue;
    BufferAliases aliases(function);
    for (BlockArgument argument : function.getArguments())
      if (isMemory(argument.getType()))
        arguments.push_back({argument, aliases.resolve(argument)});
  }
  bool isStable = false;
  auto grow = [&](DenseSet<Value> &found,
                  bool (ArgumentUses::*isOne)(OpOperand &) const) {
    for (auto &[argument, aliases] : arguments)
      if (!found.contains(argument) && llvm::any_of(aliases, [&](Value alias) {
            return llvm::any_of(alias.getUses(), [&](OpOperand &use) {
              return (this->*isOne)(use);
            });
          })) {
        found.insert(argument);
        isStable = false;
      }
  };
  while (!isStable) {
    isStable = true;
    grow(freed, &ArgumentUses::isFreedBy);
    grow(kept, &ArgumentUses::isKeptBy);
  }
}

std::string ArgumentUses::whyUnsafe(memref::AllocOp alloc,
                                    const LiveRanges &ranges) const {
  if (freed.empty() && kept.empty())
    return {};
  // The names have no order.
  std::string least;
  for (Value alias : ranges.aliasesOf(alloc))
    for (OpOperand &use : alias.getUses()) {
      bool isFreed = isPassed(use, freed);
      if (!isFreed && !isPassed(use, kept))
        continue;
      func::FuncOp callee =
          calls.calleeOf(cast<CallOpInterface>(use.getOwner()));
      StringRef name =
          callee ? callee.getName() : use.getOwner()->getName().getStringRef();
      std::string why = ("'" + name + "' may " +
                         (isFreed ? "free it" : "use it after it has returned"))
                            .str();
      if (least.empty() || why < least)
        least = std::move(why);
    }
  return least;
}
