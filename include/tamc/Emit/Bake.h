//===- Bake.h - weights as part of a library --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_EMIT_BAKE_H
#define TAMC_EMIT_BAKE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tamc {

/// The weights of the file `path`, as embedded models have them in memory.
/// `module` is the model's, at Phase::Plan. Errors: the file cannot be read; it
/// has no weights, or those of another model.
llvm::Expected<std::string> readWeights(mlir::ModuleOp module,
                                        llvm::StringRef path,
                                        llvm::StringRef version);

} // namespace tamc

#endif // TAMC_EMIT_BAKE_H
