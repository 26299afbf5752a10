//===- KernelWriter.h - emits the code of kernels ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Emission of the code of a kernel, in the LLVM dialect: numbers, addresses,
/// loops, calls of the runtime's kernels. The
/// classes that derive from KernelWriter define what a kernel computes.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMTOTAMK_KERNELWRITER_H
#define TAMC_CONVERSION_TAMTOTAMK_KERNELWRITER_H

#include "tamc/Dialect/TamK/IR/Kernels.h"
#include "tamrt/abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tamc {

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Emits code at the insertion point of a builder.
class KernelWriter {
protected:
  KernelWriter(mlir::OpBuilder &builder, mlir::Location loc);

  mlir::Value constant(int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, loc, i64, value);
  }
  /// The number 1.
  mlir::Value one() {
    return mlir::LLVM::ConstantOp::create(b, loc, f64, b.getF64FloatAttr(1.0));
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::LLVM::AddOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, int64_t factor) {
    return factor == 1 ? x
                       : mlir::Value(mlir::LLVM::MulOp::create(
                             b, loc, x, constant(factor)));
  }
  mlir::Value isLess(mlir::Value x, mlir::Value y) {
    return mlir::LLVM::ICmpOp::create(b, loc, mlir::LLVM::ICmpPredicate::slt, x,
                                      y);
  }
  mlir::Value least(mlir::Value x, mlir::Value y) {
    return mlir::LLVM::SelectOp::create(b, loc, isLess(x, y), x, y);
  }
  /// The address of an element.
  mlir::Value at(mlir::Value base, mlir::Type element, mlir::Value index) {
    return mlir::LLVM::GEPOp::create(b, loc, pointer, element, base,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{index});
  }
  mlir::Value at(mlir::Value base, mlir::Type element, int64_t index) {
    return index == 0 ? base : at(base, element, constant(index));
  }
  mlir::Value load(mlir::Type type, mlir::Value address, int64_t numbers = 1) {
    unsigned alignment = type == i32 ? 4 : alignmentOf(numbers);
    return mlir::LLVM::LoadOp::create(b, loc, type, address, alignment);
  }
  void store(mlir::Value value, mlir::Value address, int64_t numbers = 1) {
    mlir::LLVM::StoreOp::create(b, loc, value, address, alignmentOf(numbers));
  }
  mlir::VectorType vector(int64_t size) {
    return mlir::VectorType::get({size}, f64);
  }
  mlir::Value splat(mlir::Value x, int64_t size) {
    mlir::Value undefined = mlir::LLVM::PoisonOp::create(b, loc, vector(size));
    mlir::Value one = mlir::LLVM::InsertElementOp::create(
        b, loc, undefined, x, mlir::LLVM::ConstantOp::create(b, loc, i32, 0));
    return mlir::LLVM::ShuffleVectorOp::create(
        b, loc, one, one, llvm::SmallVector<int32_t>(size, 0));
  }
  /// The numbers of two vectors of `size` each, one after the other.
  mlir::Value concat(mlir::Value x, mlir::Value y, int64_t size) {
    llvm::SmallVector<int32_t> from;
    for (int32_t i = 0; i < 2 * size; ++i)
      from.push_back(i);
    return mlir::LLVM::ShuffleVectorOp::create(b, loc, x, y, from);
  }
  /// Adds `value`, a number or a vector, to what lies at `address`, a multiple
  /// of so many numbers.
  void addTo(mlir::Value address, mlir::Value value, int64_t numbers = 1) {
    mlir::Value sum = load(value.getType(), address, numbers);
    store(mlir::LLVM::FAddOp::create(b, loc, sum, value), address, numbers);
  }
  /// The numbers (i + by) mod size of a vector.
  mlir::Value rotate(mlir::Value x, int64_t size, int64_t by) {
    llvm::SmallVector<int32_t> from;
    for (int64_t i = 0; i < size; ++i)
      from.push_back((i + by) % size);
    return by == 0 ? x
                   : mlir::LLVM::ShuffleVectorOp::create(b, loc, x, x, from);
  }
  /// x * y, where null is a factor of one; not both are null.
  mlir::Value product(mlir::Value x, mlir::Value y) {
    if (!x || !y)
      return x ? x : y;
    return mlir::LLVM::FMulOp::create(b, loc, x, y);
  }
  /// Calls `body(i, carried)`, which returns what is carried on, for i in
  /// [0, end) by `step`; returns what is carried at last.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value end, int64_t step, mlir::ValueRange start,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                         mlir::ValueRange)>
           body);
  void loop(mlir::Value end, int64_t step,
            llvm::function_ref<void(mlir::Value)> body) {
    loop(end, step, {}, [&](mlir::Value i, mlir::ValueRange) {
      body(i);
      return llvm::SmallVector<mlir::Value>();
    });
  }
  /// Runs `body` where `condition`, an i1, holds.
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);
  /// The type of a kernel of the runtime that takes no list: the context, then
  /// a pointer for each buffer.
  mlir::LLVM::LLVMFunctionType typeOf(const tamk::Kernel &kernel) const;
  /// Calls a kernel of the runtime with the context and `arguments`.
  void call(llvm::StringRef kernel, llvm::ArrayRef<mlir::Value> arguments);
  /// Creates a function of the module that returns nothing, and goes on at its
  /// start.
  mlir::LLVM::LLVMFuncOp startFunction(llvm::StringRef name,
                                       llvm::ArrayRef<mlir::Type> arguments);
  /// So many bytes on the stack, for the whole kernel.
  mlir::Value scratch(int64_t bytes, int64_t align = 64);

  /// Of words of so many numbers in a buffer.
  static unsigned alignmentOf(int64_t numbers) {
    return std::min<int64_t>(numbers * sizeof(double), TAMRT_ALIGNMENT);
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type pointer, f64, i32, i64;
  /// The run's context, first argument of every kernel.
  mlir::Value context;
};

} // namespace tamc

#endif // TAMC_CONVERSION_TAMTOTAMK_KERNELWRITER_H
