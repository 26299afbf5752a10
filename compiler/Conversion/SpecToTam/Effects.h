//===- Effects.h - feature maps and penalties of terms ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_SPECTOTAM_EFFECTS_H
#define TAMC_CONVERSION_SPECTOTAM_EFFECTS_H

#include "tamc/Spec/ModelSpec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace tamc {

/// Whether the term's feature map has kernels. Those of the others come with
/// their kernels; until then the importer refuses them.
bool hasKernels(spec::TermKind kind);

/// Builds the intercept's design matrix, of one column.
mlir::Value buildOffset(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value rows);

/// Builds a term's design matrix (MATH.md section 3), not encoded. `x` is the
/// normalised input, or the levels' numbers of an input with
/// TAMRT_RULE_LEVELS; `parameters` are the input's.
mlir::Value buildDesign(mlir::OpBuilder &builder, mlir::Location loc,
                        const spec::Term &term, mlir::Value x,
                        mlir::Value parameters);

/// Builds the intercept's penalty and a term's (MATH.md section 3), with its
/// lambda.
mlir::Value buildOffsetPenalty(mlir::OpBuilder &builder, mlir::Location loc);
mlir::Value buildPenalty(mlir::OpBuilder &builder, mlir::Location loc,
                         const spec::Term &term);

} // namespace tamc

#endif // TAMC_CONVERSION_SPECTOTAM_EFFECTS_H
