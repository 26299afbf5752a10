//===- RowCode.h - what the body of a tam.rows may hold ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For which ops a loop over rows can be written. The verifier of `tam.rows`
/// and the pass that makes it (tam-fuse-rows) ask the same questions.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_ROWCODE_H
#define TAMC_DIALECT_TAM_IR_ROWCODE_H

#include "tamc/Dialect/Tam/IR/Tam.h"

namespace tamc::tam {

/// Most numbers per row of a band: all products of two bands are written out.
inline constexpr int64_t kWidestBand = 8;

/// The same for sums of products: the most words of a panel that a row updates,
/// and the most factors (kernels.def).
inline constexpr int64_t kMaxWords = 160;
inline constexpr size_t kMaxFactors = 8;

/// Whether there is code for a map of columns, or for the preparation of its
/// input, in a loop of sums over rows; its operands are not looked at.
bool hasSumCode(mlir::Operation *map);

/// Whether there is code for a sum over rows with this encoding, whose matrices
/// there is code for. Linear in the factors of its matrices.
bool hasSumCode(mlir::Operation *sum, SumsAttr sums);

/// Words that a row updates in a panel of a sum of products.
int64_t countWords(SumsAttr panels, mlir::RankedTensorType type,
                   llvm::ArrayRef<mlir::Value> along,
                   llvm::ArrayRef<mlir::Value> others);

/// Numbers per row of the product of a matrix' factors; 0 where it has no band
/// that words could go along.
int64_t bandOf(llvm::ArrayRef<mlir::Value> factors);

/// Whether there is code for a matrix across panels: a column, one band, or
/// levels of categories.
bool canMeetPanels(llvm::ArrayRef<mlir::Value> factors);

/// Whether there is code for a map of columns, or for the preparation of its
/// input, in a loop of predictions; its operands are not looked at.
bool hasPredictionCode(mlir::Operation *map);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_IR_ROWCODE_H
