//===- Calls.h - the calls of a module --------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_CALLS_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_CALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>
#include <vector>

namespace tamc::tamk {

/// The calls of a module's functions. Calls may get more operands, but no call
/// may be added or removed. Construction is linear in the number of ops.
class Calls {
public:
  explicit Calls(mlir::ModuleOp module);

  /// The function of the module that is called; null if that is not known.
  mlir::func::FuncOp calleeOf(mlir::CallOpInterface call) const;

  /// All functions, each after those that it calls unless they call it, too.
  llvm::ArrayRef<mlir::func::FuncOp> calleesFirst() const { return order; }

  /// Whether anything may refer to the function.
  bool isUsed(mlir::func::FuncOp function) const {
    return !areUsesKnown || users.contains(function.getSymNameAttr());
  }

  /// Whether a function can get more arguments, as all that may call it are
  /// calls in the module, and it does not call itself.
  bool mayExtend(mlir::func::FuncOp function) const;

  /// Why the module may enter the function again while it runs, so that it
  /// cannot have one arena for all calls; empty if it does not.
  std::string whyNoGlobal(mlir::func::FuncOp function);

  /// Gives every call of the function memory for its arguments from `first` on,
  /// allocated before the call and freed after it.
  void passMemory(mlir::func::FuncOp function, unsigned first,
                  int64_t alignment) const;

private:
  llvm::DenseSet<mlir::Operation *> findAtOnce() const;
  void findOrder();

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::StringAttr, mlir::func::FuncOp> functions;
  std::vector<mlir::func::FuncOp> order;
  /// Those that calls in the module can enter while they run.
  llvm::DenseSet<mlir::Operation *> recursive;
  /// By symbol, what refers to it, if all references are known. They are found
  /// once: a search through the module for each function would take longer than
  /// planning it.
  llvm::DenseMap<mlir::StringAttr, llvm::SetVector<mlir::Operation *>> users;
  bool areUsesKnown = false;
  /// The functions that may run several times at once, if they were looked for.
  std::optional<llvm::DenseSet<mlir::Operation *>> atOnce;
};

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_CALLS_H
