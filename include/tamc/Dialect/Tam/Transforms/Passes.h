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

/// Checks that all choices for `op` have been made: a solve has its solver, the
/// result of an op that makes or reduces rows has an encoding. Kernel selection
/// relies on it.
mlir::LogicalResult verifyChoices(mlir::Operation *op);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_PASSES_H
