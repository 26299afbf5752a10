//===- InitAll.h - registers everything of tamc with MLIR -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_INITALL_H
#define TAMC_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace tamc {

/// Registers the dialects tam and tamk.
void registerTamcDialects(mlir::DialectRegistry &registry);

/// Registers tamc's passes by name.
void registerTamcPasses();

/// Registers all dialects that the lowering of a model uses, with their
/// translations.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers tamc's passes by name, and the upstream passes that its pipeline
/// uses.
void registerAllPasses();

} // namespace tamc

#endif // TAMC_INITALL_H
