//===- PenaltyEntries.h - penalties as inputs of kernels --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMTOTAMK_PENALTYENTRIES_H
#define TAMC_CONVERSION_TAMTOTAMK_PENALTYENTRIES_H

#include "Launch.h"

namespace tamc {

/// Entries of the penalties of effects as entries of one matrix.
struct PenaltyEntries {
  /// A part of an entry, or of a sum that other parts read. Entries and sums
  /// have numbers of their own: `source` is that of a sum.
  struct Part : tam::PenaltyOp::Part {
    bool isOfSum;
  };

  mlir::SmallVector<int32_t> rows, columns, which;
  mlir::SmallVector<Part> parts;
  int32_t sums = 0;
  /// What parts are multiplied by; null if entries are known at compile time.
  mlir::Value strengths;

  /// Adds entries of an effect whose columns start at `start`: those that are
  /// multiplied by an element of table `table`, or, for -1, those that are not
  /// multiplied.
  void add(tam::PenaltyOp source, int64_t start, int32_t table);

  /// Adds the inputs of a kernel with the rows, columns and values of the
  /// entries, and which elements of a table they are multiplied by. Values that
  /// depend on strengths are computed by a launch before, which belongs to
  /// `op`.
  mlir::LogicalResult addTo(Launch &launch,
                            mlir::ConversionPatternRewriter &rewriter,
                            mlir::Operation *op) const;

  int64_t size() const { return static_cast<int64_t>(rows.size()); }
};

/// The ops that make the penalties of `op`; failure, with an error at `op`, if
/// one comes from an op of another kind.
mlir::FailureOr<mlir::SmallVector<tam::PenaltyOp>>
sourcesOf(mlir::Operation *op, mlir::ValueRange penalties);

/// The penalties of a normal matrix: the first column of each, and the size of
/// the matrix.
class AllPenalties {
public:
  explicit AllPenalties(mlir::ArrayRef<tam::PenaltyOp> sources);

  /// Calls body(entries, tables) with all entries that no table multiplies, as
  /// one matrix, and no table; then for each table, with the entries that it
  /// multiplies.
  mlir::LogicalResult
  forEach(mlir::function_ref<mlir::LogicalResult(const PenaltyEntries &,
                                                 mlir::ValueRange)>
              body) const;

  mlir::SmallVector<int64_t> starts;
  int64_t size = 0;

private:
  mlir::ArrayRef<tam::PenaltyOp> sources;
};

} // namespace tamc

#endif // TAMC_CONVERSION_TAMTOTAMK_PENALTYENTRIES_H
