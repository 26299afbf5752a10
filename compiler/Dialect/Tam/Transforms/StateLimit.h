//===- StateLimit.h - bound of the bytes of a state -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_STATELIMIT_H
#define TAMC_DIALECT_TAM_TRANSFORMS_STATELIMIT_H

#include "tamc/Dialect/Tam/IR/SlotLimit.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace tamc::tam {

/// Checks that offsets in `bytes` bytes of sums or factors are valid in slots.
/// Emits an error at `op`, the function or the system that has them.
inline mlir::LogicalResult verifyStateBytes(mlir::Operation *op,
                                            int64_t bytes) {
  if (bytes < kMaxSlotOffset)
    return mlir::success();
  mlir::InFlightDiagnostic error =
      op->emitError("expected sums and factors of less than ")
      << kMaxSlotOffset << " bytes, got " << bytes;
  error.attachNote() << "the direct solver sums products of all pairs of "
                        "columns; solver 'cg' needs only pairs within effects "
                        "of few columns";
  return mlir::failure();
}

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_STATELIMIT_H
