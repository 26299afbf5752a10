//===- Jit.h - runs modules in this process ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_UNIT_PLANMEMORY_JIT_H
#define TAMC_TEST_UNIT_PLANMEMORY_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tamc::test {

/// A context with all upstream dialects and tamc's; its passes are registered.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Parses a module; a null module fails the test that asked.
mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context,
                                        const std::string &text);

/// Runs a textual pass pipeline, such as "plan-memory{strict}".
mlir::LogicalResult runPasses(mlir::ModuleOp module,
                              const std::string &pipeline);

/// Values of `%n`, `%m` and the only dimension of `%x`.
using Sizes = std::array<int64_t, 3>;

/// Lowers a copy of the module to machine code and calls
/// `@program(%out: memref<?xT>, %seed: i64, arenas...)`, or with `sizes`
/// `@program(%out, %seed, %n: index, %m: index, %x: memref<?xi8>, arenas...)`.
/// There is an arena for each `memref<..xi8>` that planning added, filled with
/// `garbage`; what `@program_arena_size` says is its size where the type does
/// not. Returns what `%out` then holds, for each of `sizes` one after another.
/// An element type of 8 bytes is expected.
std::vector<uint64_t> execute(mlir::ModuleOp module, int64_t seed,
                              int64_t outputs, uint8_t garbage = 0xA5,
                              llvm::ArrayRef<Sizes> sizes = {});

} // namespace tamc::test

#endif // TAMC_TEST_UNIT_PLANMEMORY_JIT_H
