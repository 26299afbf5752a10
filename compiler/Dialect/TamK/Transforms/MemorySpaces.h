//===- MemorySpaces.h - a choice of memories --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAMK_TRANSFORMS_MEMORYSPACES_H
#define TAMC_DIALECT_TAMK_TRANSFORMS_MEMORYSPACES_H

#include "tamc/Planning/Plan.h"
#include "tamc/Planning/Problem.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>
#include <variant>

namespace tamc::tamk {

/// A memory that allocations may be placed in.
struct MemorySpace {
  /// Null for the default space.
  mlir::Attribute attribute;
  /// Of a byte of a buffer, for each op that uses the buffer.
  int64_t cost = 0;
  std::optional<int64_t> capacity;
};

/// Parses `SPACE:COST` or `SPACE:COST:CAPACITY` of each text, or returns what
/// is wrong, in lower case and without a full stop.
std::variant<llvm::SmallVector<MemorySpace>, std::string>
parseMemorySpaces(llvm::ArrayRef<std::string> texts,
                  mlir::MLIRContext *context);

/// The number of each memory space in a problem, in the order of the numbers.
using SpaceNumbers = llvm::MapVector<mlir::Attribute, int32_t>;

/// Puts each buffer into the space that the plan chose, and leaves only spaces
/// with buffers, in the problem, in the plan and in `numbers`.
void settleSpaces(planning::Problem &problem, planning::Plan &plan,
                  SpaceNumbers &numbers);

/// Replaces a value by one that names the same memory in another space. Views
/// of it change their types, and so do the operands of ops that access any
/// space; other operands keep their types through a cast.
void replaceInSpace(mlir::OpBuilder &builder, mlir::Value from, mlir::Value to);

/// The same for one use. `cast` is the value that names the memory with the
/// former type; null if none was needed so far.
void replaceInSpace(mlir::OpBuilder &builder, mlir::OpOperand &use,
                    mlir::Value to, mlir::Value &cast);

/// The type of memory in the space of `value`.
mlir::Type inSpaceOf(mlir::Type type, mlir::Value value);

} // namespace tamc::tamk

#endif // TAMC_DIALECT_TAMK_TRANSFORMS_MEMORYSPACES_H
