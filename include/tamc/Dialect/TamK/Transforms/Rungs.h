//===- Rungs.h - what the rungs of a step share -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_RUNGS_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_RUNGS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tamc::tamk {

/// The operands for which code would be generated if each of the `rungs` rungs
/// of a step were code; from some number on they read tables of launches, which
/// they share. Those of a prediction count once: of one row, it takes so little
/// time that reading its operands would be a third of it. O(ops).
int64_t countCodeOperands(mlir::func::FuncOp step, size_t rungs);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_RUNGS_H
