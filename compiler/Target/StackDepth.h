//===- StackDepth.h - the stack that generated code needs -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TARGET_STACKDEPTH_H
#define TAMC_TARGET_STACKDEPTH_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace tamc {

/// The bytes of stack of the functions of a module, told by LLVM when it
/// generates their code.
class StackDepth {
public:
  /// Makes every function of the module touch the pages of its frame in order,
  /// so that an overflow meets the guard page, and listens to the sizes of the
  /// frames. To be called before code is generated, and to outlive that.
  explicit StackDepth(llvm::Module &module);
  ~StackDepth();

  /// Bytes from the frame of a function to the deepest call that it leads to
  /// inside the module; the largest of all functions.
  int64_t deepest();

private:
  class Listener;

  int64_t depthOf(const llvm::Function &function);

  llvm::Module &module;
  llvm::DenseMap<const llvm::Function *, int64_t> frames, depths;
  std::unique_ptr<llvm::DiagnosticHandler> previous;
};

} // namespace tamc

#endif // TAMC_TARGET_STACKDEPTH_H
