//===- Object.h - from the LLVM dialect to machine code ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_OBJECT_H
#define TAMC_EMIT_OBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>

namespace tamc {

/// Options for code from a module at Phase::LLVM.
enum class CodeKind { LLVM, Assembly, Object };

struct CodeOptions {
  /// Called with the name of each stage when it begins: translate, optimize,
  /// generate. May be empty.
  std::function<void(llvm::StringRef)> onStage;
  /// Modules at Phase::LLVM of the models that the module's model refers to,
  /// which are linked into the code.
  llvm::SmallVector<mlir::ModuleOp> others = {};
};

/// Translates, optimises and writes a module for its target. The bytes depend
/// only on the module, the options and LLVM's version. Returns the bytes of
/// stack that its functions need, without the runtime's functions that they
/// call; 0 for LLVM IR. Emits errors to the module's context. It is an error if
/// the code needs more stack than the runtime's threads have.
mlir::FailureOr<int64_t> emitCode(mlir::ModuleOp module, CodeKind kind,
                                  const CodeOptions &options,
                                  llvm::raw_pwrite_stream &out);

} // namespace tamc

#endif // TAMC_EMIT_OBJECT_H
