//===- LoopWriter.h - emits the code of loops over rows ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Emission of code in upstream dialects (arith, math, memref, scf, vector):
/// numbers, elements of buffers, loops, calls of the runtime's kernels. The
/// classes that derive from LoopWriter define what a loop computes.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_TAMROWSTOLOOPS_LOOPWRITER_H
#define TAMC_CONVERSION_TAMROWSTOLOOPS_LOOPWRITER_H

#include "tamrt/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tamc {

/// A line of the cache, in bytes.
inline constexpr int64_t kLineBytes = 64;

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// An element of a buffer of rank 1: number `index + constant` of it. A null
/// index is 0, a null buffer is no element.
struct Element {
  mlir::Value buffer, index;
  int64_t constant = 0;

  Element() = default;
  Element(mlir::Value buffer, mlir::Value index = {}, int64_t constant = 0)
      : buffer(buffer), index(index), constant(constant) {}

  /// The element so many further on.
  Element operator+(int64_t count) const {
    return {buffer, index, constant + count};
  }
};

/// Emits code at the insertion point of a builder.
class LoopWriter {
protected:
  LoopWriter(mlir::OpBuilder &builder, mlir::Location loc);

  // Integers are of type index, but for the levels and first columns that
  // buffers have, which are i32.
  /// A constant at the start of the function, one for each value.
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddIOp::create(b, loc, x, y);
  }
  mlir::Value add(mlir::Value x, int64_t y) { return add(x, constant(y)); }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubIOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, int64_t factor) {
    return factor == 1 ? x
                       : mlir::Value(mlir::arith::MulIOp::create(
                             b, loc, x, constant(factor)));
  }
  mlir::Value isLess(mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::slt,
                                       x, y);
  }
  mlir::Value least(mlir::Value x, mlir::Value y) {
    return mlir::arith::MinSIOp::create(b, loc, x, y);
  }
  mlir::Value flag(bool value) {
    return mlir::arith::ConstantOp::create(b, loc, b.getBoolAttr(value));
  }
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return mlir::arith::AndIOp::create(b, loc, x, y);
  }

  // Numbers, and vectors of them. `lanes` is 1 for a number.
  mlir::VectorType vector(int64_t size) {
    return mlir::VectorType::get({size}, f64);
  }
  mlir::Type real(int64_t lanes) {
    return lanes == 1 ? f64 : mlir::Type(vector(lanes));
  }
  mlir::Type integer(int64_t lanes) {
    return lanes == 1 ? i32 : mlir::Type(mlir::VectorType::get({lanes}, i32));
  }
  /// `value` in each lane.
  mlir::Value each(double value, int64_t lanes = 1);
  mlir::Value each(mlir::Value value, int64_t lanes);
  /// Computes the vector of a number here, in scratch, which each() loads for
  /// as many lanes where this has run before. An optimizer would compute it
  /// before the loop that uses it, for calls that never do, too.
  void spread(mlir::Value value, int64_t lanes);
  mlir::Value one() { return each(1.0); }
  mlir::Value plus(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, loc, x, y);
  }
  mlir::Value minus(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubFOp::create(b, loc, x, y);
  }
  mlir::Value times(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, loc, x, y);
  }
  mlir::Value over(mlir::Value x, mlir::Value y) {
    return mlir::arith::DivFOp::create(b, loc, x, y);
  }
  /// x * y, where null is a factor of one; not both are null.
  mlir::Value product(mlir::Value x, mlir::Value y) {
    return x && y ? times(x, y) : x ? x : y;
  }
  /// Lane by lane; false if a number is not one.
  mlir::Value isGreater(mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, loc, mlir::arith::CmpFPredicate::OGT,
                                       x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  mlir::Value splat(mlir::Value x, int64_t size) {
    return mlir::vector::BroadcastOp::create(b, loc, vector(size), x);
  }
  mlir::Value shuffle(mlir::Value x, mlir::Value y,
                      llvm::ArrayRef<int64_t> from) {
    return mlir::vector::ShuffleOp::create(b, loc, x, y, from);
  }
  /// The numbers of two vectors of `size` each, one after the other.
  mlir::Value concat(mlir::Value x, mlir::Value y, int64_t size) {
    return shuffle(x, y, llvm::to_vector(llvm::seq<int64_t>(0, 2 * size)));
  }
  /// The numbers (i + by) mod size of a vector.
  mlir::Value rotate(mlir::Value x, int64_t size, int64_t by);
  /// Number `index` of a vector.
  mlir::Value extract(mlir::Value values, int64_t index) {
    return mlir::vector::ExtractOp::create(b, loc, values, index);
  }

  // Buffers. Words of so many `numbers` are aligned to their size, up to
  // TAMRT_ALIGNMENT.
  Element at(Element base, mlir::Value index) {
    return {base.buffer, base.index ? add(base.index, index) : index,
            base.constant};
  }
  mlir::Value load(mlir::Type type, Element from, int64_t numbers = 1);
  mlir::Value load(Element from) { return load(f64, from); }
  void store(mlir::Value value, Element to, int64_t numbers = 1);
  /// Adds `value`, a number or a vector, to what lies at `to`.
  void addTo(Element to, mlir::Value value, int64_t numbers = 1) {
    to = Element(to.buffer, indexOf(to));
    store(plus(load(value.getType(), to, numbers), value), to, numbers);
  }
  /// The buffer of `count` elements from one on.
  mlir::Value buffer(Element from, mlir::Value count);
  /// A buffer of so many elements that lives while the function runs.
  mlir::Value scratch(int64_t elements, mlir::Type type, int64_t align = 0);
  /// The same buffer; optimizers cannot tell that it is.
  mlir::Value launder(mlir::Value buffer);
  /// The type of a buffer of which nothing is known but its elements' type, and
  /// a buffer as one of that type.
  mlir::MemRefType openType(mlir::Type element);
  mlir::Value open(mlir::Value buffer);

  // Control flow.
  /// Calls `body(i, carried)`, which returns what is carried on, for i in
  /// [first, end) by `step`; returns what is carried at last.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value first, mlir::Value end, int64_t step, mlir::ValueRange start,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                         mlir::ValueRange)>
           body);
  void loop(mlir::Value first, mlir::Value end, int64_t step,
            llvm::function_ref<void(mlir::Value)> body) {
    loop(first, end, step, {}, [&](mlir::Value i, mlir::ValueRange) {
      body(i);
      return llvm::SmallVector<mlir::Value>();
    });
  }
  void loop(mlir::Value end, int64_t step,
            llvm::function_ref<void(mlir::Value)> body) {
    loop(constant(0), end, step, body);
  }
  /// The results of `then` where `condition`, an i1, holds, else those of
  /// `otherwise`. `rarity` says that it holds once in so many cases, 0 nothing.
  using Branch = llvm::function_ref<llvm::SmallVector<mlir::Value>()>;
  llvm::SmallVector<mlir::Value> choose(mlir::Value condition,
                                        mlir::TypeRange types, Branch then,
                                        Branch otherwise, int32_t rarity = 0);
  /// Runs `body` where `condition` holds.
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);

  // Functions.
  /// Launches a kernel of the runtime; buffers and numbers in the order of
  /// kernels.def.
  void call(llvm::StringRef kernel, llvm::ArrayRef<mlir::Value> operands);
  /// Creates a private function without results, and goes on at its start.
  mlir::func::FuncOp startFunction(llvm::StringRef name,
                                   llvm::ArrayRef<mlir::Type> arguments);
  /// Says that no other argument has memory of this one.
  void setNoAlias(mlir::func::FuncOp function, unsigned argument);
  void finishFunction() { mlir::func::ReturnOp::create(b, loc); }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type f64, i32, index;

private:
  /// The index of an element. What varies comes first, and the constant last.
  mlir::Value indexOf(Element element);

  /// The function's constants, and its buffers of vectors by their numbers.
  llvm::DenseMap<int64_t, mlir::Value> constants;
  llvm::DenseMap<mlir::Value, mlir::Value> vectors;
};

} // namespace tamc

#endif // TAMC_CONVERSION_TAMROWSTOLOOPS_LOOPWRITER_H
