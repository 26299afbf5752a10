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

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

#include <string>

namespace tamc::tamk {

/// Most bytes of a buffer: the address space of a process. The sum of such
/// sizes over all buffers of a symbolic plan, each rounded up to an alignment,
/// does not overflow.
inline constexpr int64_t kMaxBytes = int64_t(1) << 47;

/// Bytes from an element to the next in memory, as LLVM lays out an array of
/// them; nothing if the type has no fixed size.
std::optional<int64_t> elementBytes(mlir::MemRefType type);

/// The alignment that code assumes of an element, if it is a vector: its size,
/// rounded up to a power of 2; otherwise 1, as `alignment` of the pass decides.
int64_t elementAlignment(mlir::MemRefType type);

/// The bytes of an allocation of dynamic shape in the syntax of
/// planning::SizeExpression. `arg0` is an argument of the function, `arg1_dim0`
/// a dimension of an argument, and so on. The allocation's sizes must be sums
/// and products of those and of constants that are not negative; otherwise, or
/// if the text would be very long, it is empty. The element type must have a
/// fixed size.
std::string sizeText(mlir::memref::AllocOp alloc);

/// An index that is a constant or a value of the program.
struct Index {
  int64_t constant = 0;
  mlir::Value value;
};

/// The layout of a symbolic plan: the offset of each buffer, and for each
/// memory space the end of its last byte, rounded up to `alignment`.
struct Layout {
  llvm::SmallVector<Index> offsets, arenaBytes;
};

/// Emits the arithmetic of a symbolic plan at the insertion point of `builder`,
/// where `arguments` are the values of the arguments of the function of
/// `allocs`. A size below 0 counts as 0, and one above `kMaxBytes` as
/// `kMaxBytes`: such an allocation is never reached. No intermediate result
/// overflows.
Layout emitLayout(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::ValueRange arguments,
                  mlir::ArrayRef<mlir::memref::AllocOp> allocs,
                  const planning::Problem &problem,
                  const planning::SymbolicPlan &plan, int64_t alignment);

/// Binds the sizes of a problem to a value at which no buffer exceeds
/// `kMaxBytes`, and returns it; nothing if there is none.
std::optional<int64_t> bindSmall(planning::Problem &problem);

/// Name of the function of a function's arena sizes.
std::string sizeFunctionName(mlir::func::FuncOp function);

/// Adds the function that returns the bytes that each arena of `function`
/// needs.
void makeSizeFunction(mlir::func::FuncOp function,
                      mlir::ArrayRef<mlir::memref::AllocOp> allocs,
                      const planning::Problem &problem,
                      const planning::SymbolicPlan &plan, int64_t alignment);

/// The index as a value, at the insertion point of `builder`.
mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                        Index index);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_ENTRYSIZES_H
