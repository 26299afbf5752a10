//===- Passes.h - passes on the solver graph --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_PASSES_H
#define TAMC_DIALECT_TAM_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tamc::tam {

#define GEN_PASS_DECL
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tamc/Dialect/Tam/Transforms/Passes.h.inc"

/// Checks that no choice of `op` is open: a solve has its solver, an op that
/// makes or reduces rows a result with an encoding. What kernel selection
/// relies on.
mlir::LogicalResult verifyChoices(mlir::Operation *op);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_PASSES_H
