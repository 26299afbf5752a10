//===- SumEncoder.h - encodings of sums over rows ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_SUMENCODER_H
#define TAMC_DIALECT_TAM_TRANSFORMS_SUMENCODER_H

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Target/Target.h"

#include "llvm/ADT/DenseMap.h"

namespace tamc::tam {

/// Sets the encoding of a matrix or of sums.
void setEncoding(mlir::Value value, mlir::Attribute encoding);

/// Gives sums over rows the layout of the kernel that will compute them.
class SumEncoder {
public:
  /// For the sums below `root`. With `frequencies`, a Fourier term with itself
  /// has sums of frequencies. Linear in the ops below `root`.
  SumEncoder(mlir::Operation *root, const Target &target, bool frequencies);

  /// Converts the matrices of `sum`, which have encodings, if the target has no
  /// kernel for the two: those that store all columns to dense, and if that is
  /// not enough, the others to sparse. A matrix is converted once. Then sets
  /// the layout of `sum`, which starts from tam.zeros of its own, unless it has
  /// one. No tam.convert below the root may have been erased meanwhile. Linear
  /// in the factors of the matrices.
  void encode(RowReductionInterface sum);

private:
  bool hasKernel(mlir::Value a, mlir::Value b) const;
  bool hasKernel(GramOp gram) const;
  void convertPair(GramOp gram);
  void convert(mlir::OpOperand &operand);
  SumsLayout layoutOf(GramOp gram) const;

  const Target &target;
  const bool frequencies;
  /// The dense or sparse copies of matrices.
  llvm::DenseMap<mlir::Value, mlir::Value> converted;
};

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_TRANSFORMS_SUMENCODER_H
