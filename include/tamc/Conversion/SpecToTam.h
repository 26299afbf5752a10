//===- SpecToTam.h - imports a spec as the solver graph ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_SPECTOTAM_H
#define TAMC_CONVERSION_SPECTOTAM_H

#include "tamc/Spec/ModelSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tamc {

/// Builds the solver graph of a model: a module with the attribute `tam.model`
/// and the functions @fit, @predict, @terms and @design (TamDialect.td).
/// Designs and sums have no encoding yet. The location of every op is its term
/// of the formula.
///
/// `spec` must have its levels resolved. A term without kernels is an error at
/// the term, reported through the handler of `sources`, and the result is null.
mlir::OwningOpRef<mlir::ModuleOp> importSpec(mlir::MLIRContext &context,
                                             const llvm::SourceMgr &sources,
                                             const spec::ModelSpec &spec);

} // namespace tamc

#endif // TAMC_CONVERSION_SPECTOTAM_H
