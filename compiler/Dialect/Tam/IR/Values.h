//===- Values.h - queries on values for verifiers ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_VALUES_H
#define TAMC_DIALECT_TAM_IR_VALUES_H

#include "tamc/Dialect/Tam/IR/Tam.h"

namespace tamc::tam {

/// Shape of a tensor.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// Whether `design` is stored row by row, with nothing left out.
inline bool isDense(mlir::Value design) {
  return mlir::isa_and_present<DenseAttr>(getEncoding(design.getType()));
}

/// Checks that `values` have as many rows as `result`.
llvm::LogicalResult verifySameRows(mlir::Operation *op, mlir::Value result,
                                   mlir::ValueRange values);

/// Checks that `values` have a dynamic number of rows, those of a chunk.
llvm::LogicalResult verifyChunkRows(mlir::Operation *op,
                                    mlir::ValueRange values);

/// Checks that sums have no encoding yet, or the layout `full`.
llvm::LogicalResult verifyFull(mlir::Operation *op, mlir::Value sums);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_IR_VALUES_H
