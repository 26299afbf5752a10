//===- BufferAliases.h - values that name the same memory -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_BUFFERALIASES_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_BUFFERALIASES_H

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"

namespace tamc::tamk {

/// Which values may name the same memory: upstream's analysis, but for numbers.
/// To it all results of a call may name all operands.
class BufferAliases {
public:
  using Values = mlir::BufferViewFlowAnalysis::ValueSetT;

  explicit BufferAliases(mlir::Operation *op) : analysis(op) {}

  /// The values that may name memory of `value`, which is one of them.
  Values resolve(mlir::Value value) const {
    return withoutNumbers(analysis.resolve(value));
  }

  /// The values whose memory `value` may name, which is one of them.
  Values resolveReverse(mlir::Value value) const {
    return withoutNumbers(analysis.resolveReverse(value));
  }

private:
  static Values withoutNumbers(Values values) {
    values.remove_if([](mlir::Value value) {
      mlir::Type type = mlir::getElementTypeOrSelf(value.getType());
      return !mlir::isa<mlir::BaseMemRefType, mlir::TensorType>(
                 value.getType()) &&
             (type.isIntOrIndexOrFloat() || mlir::isa<mlir::ComplexType>(type));
    });
    return values;
  }

  mlir::BufferViewFlowAnalysis analysis;
};

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_BUFFERALIASES_H
