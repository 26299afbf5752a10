//===- TamToTamK.h - parts of the kernel selection --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMTOTAMK_TAMTOTAMK_H
#define TAMC_CONVERSION_TAMTOTAMK_TAMTOTAMK_H

#include "tamc/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tamc {

/// Encoded tensors become their components; all other types stay.
class ComponentTypeConverter : public mlir::TypeConverter {
public:
  explicit ComponentTypeConverter(const Target &target);

  /// What kernels are chosen for.
  const Target &getTarget() const { return target; }

private:
  const Target &target;
};

/// Converts a step's tensor arguments and results to memrefs that the runtime
/// passes, one per slot: an accumulator that is both argument and result is one
/// memref, updated in place. The body sees the old values through
/// `bufferization.to_tensor` and unrealized casts.
mlir::LogicalResult convertBoundary(mlir::func::FuncOp step);

/// One pattern per op of the tam dialect.
void populateTamToTamKPatterns(const ComponentTypeConverter &converter,
                               mlir::RewritePatternSet &patterns);

} // namespace tamc

#endif // TAMC_CONVERSION_TAMTOTAMK_TAMTOTAMK_H
