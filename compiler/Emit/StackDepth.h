//===- StackDepth.h - the stack that generated code needs -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_STACKDEPTH_H
#define TAMC_EMIT_STACKDEPTH_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace tamc {

/// The bytes of stack of the functions of a module, as LLVM reports them when
/// it generates their code.
class StackDepth {
public:
  /// Makes every function of the module probe the pages of its frame in order,
  /// so that an overflow hits the guard page, and records the sizes of the
  /// frames. Must be constructed before code is generated and outlive the
  /// generation.
  explicit StackDepth(llvm::Module &module);
  ~StackDepth();

  /// The largest stack depth of all functions, in bytes: from a function's
  /// frame to its deepest call inside the module, be it directly, by an address
  /// or by a function outside that gets the callee's address in constant data.
  /// A function may call all to which it or its callees refer.
  int64_t deepest();

private:
  class Listener;

  int64_t depthOf(const llvm::Function &function);
  int64_t depthOf(const llvm::Constant &constant);

  llvm::Module &module;
  llvm::DenseMap<const llvm::Function *, int64_t> frames;
  llvm::DenseMap<const llvm::Constant *, int64_t> depths;
  std::unique_ptr<llvm::DiagnosticHandler> previous;
};

} // namespace tamc

#endif // TAMC_EMIT_STACKDEPTH_H
