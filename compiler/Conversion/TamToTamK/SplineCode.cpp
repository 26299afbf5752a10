//===- SplineCode.cpp - emits the evaluation of splines -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplineCode.h"

#include "tamrt/abi.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tamc;

/// The runtime's (kernels/cpu/Spline.cpp): how near the last knot a spline is
/// evaluated, and the least distance of knots.
static constexpr double kBeforeLast = 1e-6;
static constexpr double kLeastStep = 2e-8;

static int64_t powersOf(int64_t degree) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(degree + 1));
}

int64_t SplineKnots::powers() const { return powersOf(degree); }

/// The polynomials of every kind of interval, in the share of it below x:
/// [kind][function][power]. All knots that matter lie within `degree` intervals
/// of one, so its kind is the number of intervals before it and after it, each
/// less than `degree` or counted as one less: before * degree + after. The
/// triangular scheme on polynomials; O(degree^5).
static SmallVector<double> polynomials(int64_t degree) {
  int64_t powers = powersOf(degree);
  SmallVector<double> table;
  for (int64_t kind = 0; kind < degree * degree; ++kind) {
    int64_t before = kind / degree, after = kind % degree;
    // In units of intervals from the start of this one.
    SmallVector<SmallVector<double>> values(degree + 1,
                                            SmallVector<double>(powers));
    values[0][0] = 1.0;
    for (int64_t p = 1; p <= degree; ++p) {
      SmallVector<double> carried(powers);
      for (int64_t i = 0; i < p; ++i) {
        double low = std::max(1 - p + i, -before);
        double high = std::min(i + 1, after + 1);
        SmallVector<double> share = values[i];
        for (double &value : share)
          value /= high - low;
        for (int64_t power = 0; power < powers; ++power) {
          double below = power > 0 ? share[power - 1] : 0.0;
          values[i][power] = carried[power] + high * share[power] - below;
          carried[power] = below - low * share[power];
        }
      }
      values[p] = carried;
    }
    for (const SmallVector<double> &function : values)
      llvm::append_range(table, function);
  }
  return table;
}

Value SplineWriter::each(double value, int64_t lanes) {
  if (lanes == 1)
    return LLVM::ConstantOp::create(b, loc, f64, b.getF64FloatAttr(value));
  return LLVM::ConstantOp::create(b, loc, vector(lanes),
                                  DenseElementsAttr::get(vector(lanes), value));
}

/// The address of the polynomials of this degree, a constant of the module.
Value SplineWriter::tableOf(const SplineKnots &knots) {
  auto module = b.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string name = "spline_polynomials_" + std::to_string(knots.degree);
  if (!module.lookupSymbol<LLVM::GlobalOp>(name)) {
    SmallVector<double> table = polynomials(knots.degree);
    auto size = static_cast<int64_t>(table.size());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(
        b, module.getLoc(), LLVM::LLVMArrayType::get(f64, size),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        DenseElementsAttr::get(RankedTensorType::get({size}, f64),
                               ArrayRef<double>(table)),
        TAMRT_ALIGNMENT);
  }
  return LLVM::AddressOfOp::create(b, loc, pointer, name);
}

SplineKnots SplineWriter::knotsOf(Value parameters, int64_t intervals,
                                  int64_t degree) {
  auto count = static_cast<double>(intervals);
  Value lo = load(f64, at(parameters, f64, 2));
  Value hi = load(f64, at(parameters, f64, 3));
  Value length = minus(hi, lo);
  return {
      intervals,
      degree,
      parameters,
      lo,
      minus(hi, each(kBeforeLast, 1)),
      over(each(count, 1), length),
      compare(LLVM::FCmpPredicate::ogt, length, each(kLeastStep * count, 1))};
}

SplinePlace SplineWriter::placeOf(const SplineKnots &knots, Value x,
                                  int64_t lanes) {
  Value lo = each(knots.lo, lanes), highest = each(knots.highest, lanes);
  x = select(compare(LLVM::FCmpPredicate::ogt, x, highest), highest, x);
  x = select(compare(LLVM::FCmpPredicate::ogt, x, lo), x, lo);
  Value position = times(minus(x, lo), each(knots.perUnit, lanes));
  // In range before it is an integer, whatever the knots are.
  Value zero = each(0.0, lanes);
  Value last = each(static_cast<double>(knots.intervals - 1), lanes);
  Value whole =
      select(compare(LLVM::FCmpPredicate::ogt, position, zero), position, zero);
  whole = select(compare(LLVM::FCmpPredicate::olt, whole, last), whole, last);
  Type integer = lanes == 1 ? i32 : Type(VectorType::get({lanes}, i32));
  Value interval = LLVM::FPToSIOp::create(b, loc, integer, whole);
  Value start = LLVM::SIToFPOp::create(b, loc, real(lanes), interval);
  return {interval, minus(position, start)};
}

Value SplineWriter::polynomialOn(const SplineKnots &knots, Value interval,
                                 Value coefficients) {
  int64_t most = knots.degree - 1, powers = knots.powers();
  Value after =
      LLVM::SubOp::create(b, loc, constant(knots.intervals - 1), interval);
  Value kind = add(mul(least(interval, constant(most)), knots.degree),
                   least(after, constant(most)));
  Value functions =
      at(tableOf(knots), f64, mul(kind, (knots.degree + 1) * powers));
  Value first = at(coefficients, f64, interval);
  Value sum;
  for (int64_t i = 0; i <= knots.degree; ++i) {
    Value share =
        times(splat(load(f64, at(first, f64, i)), powers),
              load(vector(powers), at(functions, f64, i * powers), powers));
    sum = sum ? plus(sum, share) : share;
  }
  return sum;
}

Value SplineWriter::valueAt(Value share, ValueRange powers) {
  Value value = powers.back();
  for (Value power : llvm::reverse(powers.drop_back()))
    value = plus(times(value, share), power);
  return value;
}
