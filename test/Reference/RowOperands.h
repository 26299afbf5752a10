//===- RowOperands.h - operands of ops over rows ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_ROWOPERANDS_H
#define TAMC_TEST_REFERENCE_ROWOPERANDS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace tamc::reference {

/// The operands of an op of the tam dialect that must have the same rows: those
/// that it reads row by row together.
llvm::SmallVector<mlir::Value> rowOperandsOf(mlir::Operation *op);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_ROWOPERANDS_H
