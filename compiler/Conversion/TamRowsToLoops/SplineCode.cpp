//===- SplineCode.cpp - emits the evaluation of splines -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplineCode.h"

#include "tamrt/abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tamc;

/// The runtime's (kernels/cpu/Spline.cpp): how near the last knot a spline is
/// evaluated, and the least distance of knots.
static constexpr double kBeforeLast = 1e-6;
static constexpr double kMinStep = 2e-8;

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

/// The polynomials of this degree, a constant beside the function.
Value SplineWriter::tableOf(const SplineKnots &knots) {
  auto module = b.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string name = "spline_polynomials_" + std::to_string(knots.degree);
  auto global = module.lookupSymbol<memref::GlobalOp>(name);
  if (!global) {
    SmallVector<double> table = polynomials(knots.degree);
    auto size = static_cast<int64_t>(table.size());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = memref::GlobalOp::create(
        b, module.getLoc(), name, b.getStringAttr("private"),
        MemRefType::get({size}, f64),
        DenseElementsAttr::get(RankedTensorType::get({size}, f64),
                               ArrayRef<double>(table)),
        /*constant=*/true, b.getI64IntegerAttr(TAMRT_ALIGNMENT));
  }
  return memref::GetGlobalOp::create(b, loc, global.getType(), name);
}

SplineKnots SplineWriter::knotsOf(Value parameters, int64_t intervals,
                                  int64_t degree) {
  auto count = static_cast<double>(intervals);
  Value lo = load(Element(parameters) + 2);
  Value hi = load(Element(parameters) + 3);
  Value length = minus(hi, lo);
  return {intervals,
          degree,
          parameters,
          lo,
          minus(hi, each(kBeforeLast)),
          over(each(count), length),
          isGreater(length, each(kMinStep * count))};
}

SplinePlace SplineWriter::placeOf(const SplineKnots &knots, Value x,
                                  int64_t lanes) {
  Value lo = each(knots.lo, lanes), highest = each(knots.highest, lanes);
  x = select(isGreater(x, highest), highest, x);
  x = select(isGreater(x, lo), x, lo);
  Value position = times(minus(x, lo), each(knots.perUnit, lanes));
  // In range before it is an integer, whatever the knots are.
  Value zero = each(0.0, lanes);
  Value last = each(static_cast<double>(knots.intervals - 1), lanes);
  Value whole = select(isGreater(position, zero), position, zero);
  whole = select(isGreater(last, whole), whole, last);
  Value interval = arith::FPToSIOp::create(b, loc, integer(lanes), whole);
  Value start = arith::SIToFPOp::create(b, loc, real(lanes), interval);
  return {interval, minus(position, start)};
}

Value SplineWriter::polynomialOn(const SplineKnots &knots, Value interval,
                                 Value coefficients) {
  int64_t most = knots.degree - 1, powers = knots.powers();
  Value after = sub(constant(knots.intervals - 1), interval);
  Value kind = add(mul(least(interval, constant(most)), knots.degree),
                   least(after, constant(most)));
  Element functions(tableOf(knots), mul(kind, (knots.degree + 1) * powers));
  Element first(coefficients, interval);
  Value sum;
  for (int64_t i = 0; i <= knots.degree; ++i) {
    Value share = times(splat(load(first + i), powers),
                        load(vector(powers), functions + i * powers, powers));
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
