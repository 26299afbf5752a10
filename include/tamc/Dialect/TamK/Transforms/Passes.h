//===- Passes.h - passes on kernel launches ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_PASSES_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_PASSES_H

#include "tamc/Planning/Strategy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tamc::tamk {

/// The source of the memory that a function was planned into.
enum class ArenaKind {
  Argument, ///< arguments of the function, one per memory space
  Alloc,    ///< allocations at its begin, freed at its end
  Global,   ///< globals of the module: one activation at a time
};

/// The treatment of allocations of dynamic shape.
enum class DynamicSizes {
  Leave,    ///< they are not planned
  Symbolic, ///< offsets are computed when the function is entered
};

#define GEN_PASS_DECL
#include "tamc/Dialect/TamK/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tamc/Dialect/TamK/Transforms/Passes.h.inc"

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_PASSES_H
