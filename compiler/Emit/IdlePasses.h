//===- IdlePasses.h - LLVM's passes that are left out -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_IDLEPASSES_H
#define TAMC_EMIT_IDLEPASSES_H

#include "tamc/Emit/Object.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tamc {

/// Names of LLVM's passes that are left out, as they do not change the code of
/// a model.
llvm::ArrayRef<llvm::StringLiteral> getIdlePasses();

/// As emitCode of Object.h. Calls `runsIdlePass` with the name of each pass of
/// getIdlePasses() where it would run; true runs it.
mlir::FailureOr<int64_t>
emitCode(mlir::ModuleOp module, CodeKind kind, const CodeOptions &options,
         llvm::function_ref<bool(llvm::StringRef)> runsIdlePass,
         llvm::raw_pwrite_stream &out);

} // namespace tamc

#endif // TAMC_EMIT_IDLEPASSES_H
