//===- Columns.h - matrices side by side ------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMTOTAMK_COLUMNS_H
#define TAMC_CONVERSION_TAMTOTAMK_COLUMNS_H

#include "Launch.h"

namespace tamc {

/// Launches that write one value, one part after another. Each is put behind
/// the ops that make what it reads, so that a part is not kept until the last
/// one is there.
class PartsWriter {
public:
  /// Writes what replaces `op`: to `start`, or, if that is empty, to new
  /// destinations of these types. The rewriter inserts where it did when the
  /// writer is gone.
  PartsWriter(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
              mlir::ArrayRef<mlir::RankedTensorType> types,
              mlir::ValueRange start = {})
      : rewriter(rewriter), guard(rewriter), op(op), types(types),
        values(start) {
    goBehind(start);
  }

  /// Lets the rewriter insert behind the ops that make these values, and behind
  /// the parts that are written.
  void goBehind(mlir::ValueRange sources);

  /// Creates a launch, given without its destinations.
  mlir::LogicalResult write(Launch launch);

  /// The components of the value, after at least one launch.
  mlir::SmallVector<mlir::Value> getValues() const { return values; }

private:
  mlir::ConversionPatternRewriter &rewriter;
  mlir::OpBuilder::InsertionGuard guard;
  mlir::Operation *op;
  mlir::SmallVector<mlir::RankedTensorType> types;
  mlir::SmallVector<mlir::Value> values;
  /// The op behind which the rewriter inserts; if null, it does before `op`.
  mlir::Operation *last = nullptr;
};

/// Operands side by side, as a matrix of this type; each has one number per
/// row.
mlir::FailureOr<mlir::SmallVector<mlir::Value>>
stack(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *source,
      mlir::ArrayRef<mlir::ValueRange> operands, mlir::RankedTensorType type);

/// Where a matrix goes in a sparse matrix: the column of its first one, the
/// numbers of a row, and the place of its first number there.
struct SparsePart {
  int64_t first, width, at;
};

/// A launch, without its destinations, that writes an encoded matrix to a
/// sparse one.
Launch sparsify(mlir::ConversionPatternRewriter &rewriter,
                mlir::Operation *source, mlir::Value design,
                mlir::ValueRange components, SparsePart part);

/// The components of a matrix of this encoding, which is dense, bands or
/// sparse, that has `designs`, at least one, given by their components, side by
/// side.
mlir::FailureOr<mlir::SmallVector<mlir::Value>>
writeColumns(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *source,
             mlir::ValueRange designs,
             mlir::ArrayRef<mlir::ValueRange> components,
             tam::DesignEncodingInterface encoding);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMTOTAMK_COLUMNS_H
