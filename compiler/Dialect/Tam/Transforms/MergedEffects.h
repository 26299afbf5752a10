//===- MergedEffects.h - effects that become one ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_MERGEDEFFECTS_H
#define TAMC_DIALECT_TAM_TRANSFORMS_MERGEDEFFECTS_H

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tamc::tam {

/// The effects of equations: their matrices, and a penalty for each.
struct Effects {
  llvm::SmallVector<mlir::Value> designs, penalties;

  static Effects of(NormalEquationsOp equations) {
    return {llvm::to_vector(equations.getDesigns()),
            llvm::to_vector(equations.getPenalties())};
  }

  size_t size() const { return designs.size(); }

  /// Whether an effect's penalty can be a part of another one: it has no sums
  /// that parts read. Linear in the penalty's parts.
  bool hasPlainPenalty(size_t i) const;

private:
  /// The strengths of the first penalty, which those of merged effects share.
  mlir::Value strengths() const;
};

/// Effects of one kind may be merged with each other, but for None.
struct EffectKind {
  enum Name { None, Column, Category, Bands, Sparse, Dense } name = None;
  /// Width of bands.
  int64_t width = 0;

  bool operator==(const EffectKind &) const = default;
};

/// Neighbouring effects that are merged; a single one is not changed.
struct EffectRun {
  size_t first, count;
  EffectKind kind = {};
};

/// The effects in runs: `least` or more neighbours of one kind, with at most
/// `mostColumns` columns together, and single ones. Calls `kindOf` at most
/// twice for each effect.
llvm::SmallVector<EffectRun>
findRuns(const Effects &effects, llvm::function_ref<EffectKind(size_t)> kindOf,
         size_t least, int64_t mostColumns);

/// What a linear term's input is normalised by; null for any other matrix.
NormalizeOp getLinearInput(mlir::Value design);

/// Merges the effects of each run: their matrices by tam.linear_columns (kind
/// Column, linear terms) or tam.columns, their penalties, which are plain, into
/// one. The ops are named after the first and the last term. \returns one
/// effect for each run. Linear in the effects and the parts of their penalties.
Effects mergeRuns(mlir::OpBuilder &builder, const Effects &effects,
                  llvm::ArrayRef<EffectRun> runs);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_MERGEDEFFECTS_H
