//===- EntrySizes.h - sizes known when a function is entered ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_ENTRYSIZES_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_ENTRYSIZES_H

#include "tamc/Planning/Symbolic.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

#include <string>

namespace tamc::tamk {

/// Most bytes of a buffer: what a process can address. Sums of as many of them
/// as a symbolic plan has, each rounded up to an alignment, do not overflow.
inline constexpr int64_t kMaxBytes = int64_t(1) << 47;

/// Bytes of an element in memory; nothing if the type has no fixed size.
std::optional<int64_t> elementBytes(mlir::MemRefType type);

/// The bytes of an allocation of dynamic shape in the syntax of
/// planning::SizeExpression, over `arg0`, `arg1_dim0` and so on: an argument of
/// its function, and a dimension of one. Its sizes have to be sums and products
/// of those and of constants that are not negative; the text is empty when they
/// are not, or when it would be very long. The element type has a fixed size.
std::string sizeText(mlir::memref::AllocOp alloc);

/// An index that is known now or when the program runs.
struct Index {
  int64_t constant = 0;
  mlir::Value value;
};

/// Where a symbolic plan puts its buffers: offsets by buffer, and by memory
/// space the end of its last byte, rounded up to `alignment`.
struct Layout {
  llvm::SmallVector<Index> offsets, arenaBytes;
};

/// Emits the arithmetic of a symbolic plan where `builder` stands; `arguments`
/// are the values of the arguments of the function of `allocs` there. A size
/// below 0 counts as 0 and one above `kMaxBytes` as that: it belongs to an
/// allocation that is not reached. No step overflows.
Layout emitLayout(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::ValueRange arguments,
                  mlir::ArrayRef<mlir::memref::AllocOp> allocs,
                  const planning::Problem &problem,
                  const planning::SymbolicPlan &plan, int64_t alignment);

/// The index as a value, where `builder` stands.
mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                        Index index);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_ENTRYSIZES_H
