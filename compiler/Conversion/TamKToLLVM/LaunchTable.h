//===- LaunchTable.h - steps of many launches as data -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMKTOLLVM_LAUNCHTABLE_H
#define TAMC_CONVERSION_TAMKTOLLVM_LAUNCHTABLE_H

#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace tamc {

/// What `tamrt_launches` (abi.h) has of a step, without the offsets of its
/// views.
struct EncodedStep {
  int64_t launches = 0;
  llvm::SmallVector<int64_t> code;
  /// The most arguments that a launch has, each buffer of a list counted as one
  /// more.
  int64_t scratch = 0;
};

/// Encodes the steps of one module.
class LaunchEncoder {
public:
  /// \param constants the offset of each constant of the module, by name.
  explicit LaunchEncoder(const llvm::StringMap<int64_t> &constants)
      : constants(constants) {}

  /// Encodes a planned step of one block. Emits an error at an op that is no
  /// launch, view or constant. O(operands).
  mlir::FailureOr<EncodedStep> encode(mlir::func::FuncOp step);

  /// The literals and the generated kernels that the steps encoded so far refer
  /// to.
  llvm::SmallVector<int64_t> takeLiterals() { return keysOf(literals); }
  llvm::SmallVector<mlir::LLVM::LLVMFuncOp> takeGenerated() {
    return keysOf(generated);
  }

private:
  template <typename Map>
  static llvm::SmallVector<typename Map::key_type> keysOf(Map &numbers) {
    llvm::SmallVector<typename Map::key_type> keys;
    for (auto &entry : numbers)
      keys.push_back(entry.first);
    numbers.clear();
    return keys;
  }

  int64_t literal(int64_t bits);
  mlir::FailureOr<int64_t> operand(mlir::Value value);
  mlir::LogicalResult append(mlir::ValueRange values);
  mlir::LogicalResult encode(tamk::LaunchOp launch);

  const llvm::StringMap<int64_t> &constants;
  // Any bits may occur, so this is no DenseMap, which reserves two keys.
  llvm::MapVector<int64_t, int64_t, std::map<int64_t, unsigned>> literals;
  llvm::MapVector<mlir::LLVM::LLVMFuncOp, int64_t> generated;
  /// Of the step that is encoded.
  EncodedStep step;
  llvm::DenseMap<mlir::Operation *, int64_t> views;
};

} // namespace tamc

#endif // TAMC_CONVERSION_TAMKTOLLVM_LAUNCHTABLE_H
