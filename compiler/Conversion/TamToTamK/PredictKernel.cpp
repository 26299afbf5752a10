//===- PredictKernel.cpp - code for predictions -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel keeps nothing between the features and the prediction of a row. A
// spline is not evaluated function by function: on the interval where x lies,
// its functions times their coefficients are one polynomial.
//
// Of many rows the polynomials of all intervals are computed first, and then
// eight rows at a time are evaluated, in vectors. The rest, and calls of a few
// rows, are evaluated row by row, each with the polynomial of its interval. It
// is the same arithmetic, element by element, so that a row's bits do not
// depend on which way it went; nor on the instruction set, for no
// multiplication is fused with an addition.
//
// Beyond its range a spline is a straight line, or constant: its value and its
// slope at the border, which the runtime's kernels give when a row first needs
// them. What else is rare has no code of its own: a level that was not seen, or
// an exponential beyond the range. One of eight rows that has such a thing
// sends them all the other way, where a branch calls the runtime's kernels for
// that effect of that row.
//
//===----------------------------------------------------------------------===//

#include "PredictKernel.h"

#include "SplineCode.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tamc;

/// Rows that are evaluated at once.
static constexpr int64_t kLanes = 8;

/// Bytes of the polynomials that are computed before many rows; splines of more
/// intervals compute theirs row by row.
static constexpr int64_t kTableBytes = 32 * 1024;

/// For how many rows vectors pay: at least so many, and one for so many
/// polynomials.
static constexpr int64_t kLeastRows = 8;
static constexpr int64_t kPolynomialsPerRow = 8;

/// How far beyond the border the line of a spline is asked for. Its value there
/// is large beside that at the border, so that the slope keeps its last digits;
/// a power of two, by which dividing is exact.
static constexpr double kFar = 0x1p20;

/// Numbers that are kept of a border: whether they are known, as an integer,
/// the spline's value, its slope, and none.
static constexpr int64_t kBorderNumbers = 4;

/// Distance of the points the slope at the border is taken from (the runtime's
/// Evaluation::step).
static constexpr double kSlopeStep = 1e-5;

/// Added to a number below 2^51 and taken off again, rounds it half to even.
static constexpr double kIntegers = 0x1.8p52;

static constexpr int64_t kWidestDegree = 7;

/// Whether a spline is a line beyond its range.
static bool hasLines(tam::BSplineOp map) {
  return map.getExtrapolate() == tam::Extrapolate::Constant ||
         map.getExtrapolate() == tam::Extrapolate::Linear;
}

namespace {

/// Writes one kernel.
class Writer : SplineWriter {
public:
  Writer(OpBuilder &builder, tam::RowsOp op)
      : SplineWriter(builder, op.getLoc()), op(op),
        predict(op.getBody()
                    .front()
                    .getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<tam::PredictOp>()) {}

  LLVM::LLVMFuncOp write(StringRef name);

private:
  /// An effect's share of predictions; whether it is on the border's line at
  /// `x` instead, an i1 by row; whether the runtime's kernels are to tell. A
  /// flag is null if it never holds.
  struct Share {
    Value value, isOther, x, isBeyond;
  };

  LLVM::LLVMFuncOp writeBorder(StringRef name);
  void readParameters();
  Value writeTables(Value rows);
  /// The sum of all shares of the rows from `row` on; `shares` is filled in.
  Value writeRows(int64_t lanes, SmallVectorImpl<Share> &shares);
  Share shareOf(Value design, Value coefficients, int64_t lanes);
  Share shareOf(tam::LinearOp map, Value coefficients, int64_t lanes);
  Share shareOf(tam::BSplineOp map, Value coefficients, int64_t lanes);
  Share shareOf(tam::CategoryOp map, Value coefficients, int64_t lanes);
  Share shareOf(tam::LevelsOp map, Value coefficients, int64_t lanes);
  Value either(Value x, Value y);
  Value flagOf(ArrayRef<Share> shares, ArrayRef<Value Share::*> flags);
  Value isAny(Value flag);
  void callBorder(Value design, Value coefficients, Value side);
  Value onLine(const Share &share, Value border, Value slope, int64_t lanes);
  Value writeRare(Value usual, ArrayRef<Share> shares);
  Value writeBeyond(ArrayRef<Share> shares);
  void writeAgain(Block *single, ValueRange rows, Block *done);
  Value callKernels(Value design, Value coefficients);
  Value number(Value column, int64_t lanes);
  Value gather(Value coefficients, Value index, int64_t lanes);
  Value isBeyond(Value x, int64_t lanes);
  /// The result of `body` where `condition` holds, else `usual`.
  Value unless(Value condition, Value usual, function_ref<Value()> body);

  tam::RowsOp op;
  tam::PredictOp predict;
  /// Inputs by value of the body: a pointer to the first number.
  DenseMap<Value, Value> inputs;
  /// Centre and half range by parameters; what is known of splines, and the
  /// address of their polynomials where these are computed before.
  DenseMap<Value, std::pair<Value, Value>> ranges;
  DenseMap<Value, SplineKnots> knots;
  DenseMap<Value, Value> tables;
  /// What is kept of the borders, lower and upper, of splines with lines beyond
  /// them; the function that computes it.
  DenseMap<Value, Value> borders;
  LLVM::LLVMFuncOp border;

  /// The first row, and what has been computed of the rows from it on.
  Value row;
  DenseMap<Value, Value> numbers;
};

} // namespace

/// Loads what is the same for all rows.
void Writer::readParameters() {
  for (Operation &inner : op.getBody().front())
    llvm::TypeSwitch<Operation *>(&inner)
        .Case([&](tam::NormalizeOp map) {
          auto &range = ranges[map.getParameters()];
          Value parameters = inputs[map.getParameters()];
          if (!range.first)
            range = {load(f64, parameters), load(f64, at(parameters, f64, 1))};
        })
        .Case([&](tam::BSplineOp map) {
          knots[map.getResult()] =
              knotsOf(inputs[map.getParameters()],
                      static_cast<int64_t>(map.getIntervals()),
                      static_cast<int64_t>(map.getDegree()));
          if (!hasLines(map))
            return;
          Value sides = scratch(2 * kBorderNumbers * sizeof(double));
          borders[map.getResult()] = sides;
          for (int64_t side = 0; side < 2; ++side)
            store(constant(0), at(sides, f64, side * kBorderNumbers));
        });
}

/// Computes the polynomials where that pays, and returns whether it does.
Value Writer::writeTables(Value rows) {
  int64_t bytes = 0, count = 0;
  SmallVector<std::pair<Value, Value>> some;
  Value pays;
  for (auto [design, coefficients] :
       llvm::zip(predict.getDesigns(), predict.getCoefficients())) {
    auto known = knots.find(design);
    if (known == knots.end())
      continue;
    const SplineKnots &spline = known->second;
    pays = pays ? Value(LLVM::AndOp::create(b, loc, pays, spline.areApart))
                : spline.areApart;
    int64_t size = spline.intervals * spline.powers() * sizeof(double);
    if (bytes + size > kTableBytes)
      continue;
    bytes += size;
    count += spline.intervals;
    some.push_back({design, coefficients});
    tables[design] = scratch(size);
  }
  Value enough =
      isLess(constant(kLeastRows + count / kPolynomialsPerRow - 1), rows);
  pays = pays ? Value(LLVM::AndOp::create(b, loc, pays, enough)) : enough;
  onlyIf(pays, [&] {
    for (auto [design, coefficients] : some) {
      const SplineKnots &spline = knots.find(design)->second;
      loop(constant(spline.intervals), 1, [&](Value interval) {
        store(polynomialOn(spline, interval, inputs[coefficients]),
              at(tables[design], f64, mul(interval, spline.powers())),
              spline.powers());
      });
    }
  });
  return pays;
}

/// The rows' numbers of a column, or what it is normalised to.
Value Writer::number(Value column, int64_t lanes) {
  if (Value known = numbers.lookup(column))
    return known;
  Value value;
  if (auto map = column.getDefiningOp<tam::NormalizeOp>()) {
    auto [centre, half] = ranges[map.getParameters()];
    value = over(minus(number(map.getColumn(), lanes), each(centre, lanes)),
                 each(half, lanes));
  } else {
    value = LLVM::LoadOp::create(b, loc, real(lanes),
                                 at(inputs[column], f64, row), sizeof(double));
  }
  return numbers[column] = value;
}

/// Whether numbers lie outside [-1, 1].
Value Writer::isBeyond(Value x, int64_t lanes) {
  Value size = LLVM::FAbsOp::create(b, loc, x);
  return compare(LLVM::FCmpPredicate::ogt, size, each(1.0, lanes));
}

/// The coefficients of the rows' levels.
Value Writer::gather(Value coefficients, Value index, int64_t lanes) {
  auto one = [&](Value level) {
    level = LLVM::ZExtOp::create(b, loc, i64, level);
    return load(f64, at(inputs[coefficients], f64, level));
  };
  if (lanes == 1)
    return one(index);
  Value all = LLVM::PoisonOp::create(b, loc, vector(lanes));
  for (int64_t i = 0; i < lanes; ++i)
    all =
        LLVM::InsertElementOp::create(b, loc, all, one(element(index, i)),
                                      LLVM::ConstantOp::create(b, loc, i32, i));
  return all;
}

Writer::Share Writer::shareOf(tam::LinearOp map, Value coefficients,
                              int64_t lanes) {
  Value x = number(map.getX(), lanes);
  Value scale = each(map.getScale().convertToDouble(), lanes);
  Value coefficient = each(load(f64, inputs[coefficients]), lanes);
  if (map.getExtrapolate() == tam::Extrapolate::Continue)
    return {times(times(scale, x), coefficient), {}, {}, {}};
  Value beyond = isBeyond(x, lanes);
  if (map.getExtrapolate() == tam::Extrapolate::Saturation)
    return {times(times(scale, x), coefficient), beyond, {}, {}};
  // The value at the border, and for mode 'linear' the slope there.
  Value border = LLVM::CopySignOp::create(b, loc, each(1.0, lanes), x);
  Value value = times(scale, border);
  if (map.getExtrapolate() == tam::Extrapolate::Linear) {
    Value distance = LLVM::FAbsOp::create(b, loc, minus(x, border));
    Value inner = minus(border, times(each(kSlopeStep, lanes), border));
    Value slope =
        over(minus(value, times(scale, inner)), each(kSlopeStep, lanes));
    value = plus(value, times(distance, slope));
  }
  return {
      times(select(beyond, value, times(scale, x)), coefficient), {}, {}, {}};
}

Writer::Share Writer::shareOf(tam::BSplineOp map, Value coefficients,
                              int64_t lanes) {
  const SplineKnots &spline = knots.find(map.getResult())->second;
  Value x = number(map.getX(), lanes), isOther, beyond;
  if (borders.contains(map.getResult()))
    beyond = isBeyond(x, lanes);
  else if (map.getExtrapolate() != tam::Extrapolate::Continue)
    isOther = isBeyond(x, lanes);
  SplinePlace place = placeOf(spline, x, lanes);
  auto wide = [&](Value interval) {
    return LLVM::ZExtOp::create(b, loc, i64, interval);
  };
  SmallVector<Value> powers;
  int64_t count = spline.degree + 1;
  if (lanes == 1) {
    // Knots that are not apart have been sent the other way in vectors.
    Value one = LLVM::ConstantOp::create(b, loc, b.getI1Type(), 1);
    Value areNear = LLVM::XOrOp::create(b, loc, spline.areApart, one);
    isOther = either(isOther, areNear);
    Value all =
        polynomialOn(spline, wide(place.interval), inputs[coefficients]);
    for (int64_t i = 0; i < count; ++i)
      powers.push_back(element(all, i));
    return {valueAt(place.share, powers), isOther, x, beyond};
  }
  // Two powers of each row at a time, turned into two vectors of one power.
  Value table = tables.lookup(map.getResult());
  SmallVector<Value> rows;
  Value offsets = place.interval;
  if (table)
    offsets = LLVM::ShlOp::create(
        b, loc, offsets,
        LLVM::ConstantOp::create(
            b, loc, offsets.getType(),
            DenseElementsAttr::get(
                cast<VectorType>(offsets.getType()),
                static_cast<int32_t>(llvm::Log2_64(spline.powers())))));
  for (int64_t i = 0; i < lanes; ++i) {
    Value offset = wide(element(offsets, i));
    rows.push_back(table ? at(table, f64, offset)
                         : polynomialOn(spline, offset, inputs[coefficients]));
  }
  auto shuffle = [&](Value x, Value y, ArrayRef<int32_t> from) -> Value {
    return LLVM::ShuffleVectorOp::create(b, loc, x, y, from);
  };
  for (int64_t first = 0; first < count; first += 2) {
    SmallVector<Value> pairs;
    auto index = static_cast<int32_t>(first);
    for (Value one : rows)
      pairs.push_back(table ? load(vector(2), at(one, f64, first), 2)
                            : shuffle(one, one, {index, index + 1}));
    // Every other row's, one after another.
    auto together = [&](size_t from) {
      SmallVector<Value> parts;
      for (size_t i = from; i < pairs.size(); i += 2)
        parts.push_back(pairs[i]);
      for (int64_t size = 2; parts.size() > 1; size *= 2) {
        for (size_t i = 0; i < parts.size() / 2; ++i)
          parts[i] = concat(parts[2 * i], parts[2 * i + 1], size);
        parts.resize(parts.size() / 2);
      }
      return parts.front();
    };
    Value even = together(0), odd = together(1);
    for (int32_t power = 0; power < 2 && first + power < count; ++power) {
      SmallVector<int32_t> from;
      for (int32_t i = 0; i < lanes; i += 2)
        from.append({i + power, static_cast<int32_t>(lanes) + i + power});
      powers.push_back(shuffle(even, odd, from));
    }
  }
  return {valueAt(place.share, powers), isOther, x, beyond};
}

Writer::Share Writer::shareOf(tam::CategoryOp map, Value coefficients,
                              int64_t lanes) {
  // The runtime's kernel onehot, operation by operation.
  auto last = static_cast<double>(map.getLevels() - 1);
  Value zero = each(0.0, lanes), most = each(last, lanes);
  Value code = plus(number(map.getX(), lanes), each(1.0, lanes));
  code = times(over(code, each(2.0, lanes)), most);
  code = select(compare(LLVM::FCmpPredicate::ogt, code, zero), code, zero);
  code = select(compare(LLVM::FCmpPredicate::olt, code, most), code, most);
  Value integers = each(kIntegers, lanes);
  Type integer = lanes == 1 ? i32 : Type(VectorType::get({lanes}, i32));
  Value index = LLVM::FPToSIOp::create(b, loc, integer,
                                       minus(plus(code, integers), integers));
  return {gather(coefficients, index, lanes), {}, {}, {}};
}

Writer::Share Writer::shareOf(tam::LevelsOp map, Value coefficients,
                              int64_t lanes) {
  Type integer = lanes == 1 ? i32 : Type(VectorType::get({lanes}, i32));
  Value codes = LLVM::LoadOp::create(
      b, loc, integer, at(inputs[map.getCodes()], i32, row), sizeof(int32_t));
  Value zero = LLVM::ZeroOp::create(b, loc, integer);
  Value isOther =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, codes, zero);
  return {gather(coefficients, select(isOther, zero, codes), lanes),
          isOther,
          {},
          {}};
}

Writer::Share Writer::shareOf(Value design, Value coefficients, int64_t lanes) {
  return llvm::TypeSwitch<Operation *, Share>(design.getDefiningOp())
      .Case([&](tam::OffsetOp) {
        return Share{each(load(f64, inputs[coefficients]), lanes), {}, {}, {}};
      })
      .Case<tam::LinearOp, tam::BSplineOp, tam::CategoryOp, tam::LevelsOp>(
          [&](auto map) { return shareOf(map, coefficients, lanes); });
}

Value Writer::writeRows(int64_t lanes, SmallVectorImpl<Share> &shares) {
  numbers.clear();
  Value sum;
  for (auto [design, coefficients] :
       llvm::zip(predict.getDesigns(), predict.getCoefficients())) {
    shares.push_back(shareOf(design, coefficients, lanes));
    sum = sum ? plus(sum, shares.back().value) : shares.back().value;
  }
  return sum;
}

/// Whether one of two flags holds, of which either may be null for never.
Value Writer::either(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return LLVM::OrOp::create(b, loc, x, y);
}

/// Whether one of the shares has one of the flags; null for never.
Value Writer::flagOf(ArrayRef<Share> shares, ArrayRef<Value Share::*> flags) {
  Value any;
  for (const Share &share : shares)
    for (Value Share::*flag : flags)
      any = either(any, share.*flag);
  return any;
}

/// Whether a flag of some rows holds for one of them.
Value Writer::isAny(Value flag) {
  auto type = dyn_cast<VectorType>(flag.getType());
  if (!type)
    return flag;
  Type bits = b.getIntegerType(type.getDimSize(0));
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne,
                              LLVM::BitcastOp::create(b, loc, bits, flag),
                              LLVM::ConstantOp::create(b, loc, bits, 0));
}

/// A function that computes what is kept of a border: (context, parameters,
/// coefficients, intervals, degree, columns, mode, a number beyond the border,
/// where to).
LLVM::LLVMFuncOp Writer::writeBorder(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  LLVM::LLVMFuncOp function = startFunction(
      name, {pointer, pointer, pointer, i64, i64, i64, i64, f64, pointer});
  function.setNoInline(true);
  context = function.getArgument(0);
  Value parameters = function.getArgument(1), beta = function.getArgument(2),
        intervals = function.getArgument(3), degree = function.getArgument(4),
        columns = function.getArgument(5), mode = function.getArgument(6),
        x = function.getArgument(7), to = function.getArgument(8);
  Value values = scratch((kWidestDegree + 1) * sizeof(double));
  Value start = scratch(sizeof(int32_t), sizeof(int32_t));
  Value number = scratch(sizeof(double), sizeof(double));
  Value one = constant(1), zero = constant(0);
  auto valueIn = [&](Value mode) {
    store(x, number);
    call("bspline",
         {number, parameters, one, intervals, degree, mode, values, start});
    call("predict_banded", {values, start, beta, one, add(degree, one), columns,
                            one, zero, zero, number});
    return load(f64, number);
  };
  Value value =
      valueIn(constant(static_cast<int64_t>(tam::Extrapolate::Constant)));
  store(value, at(to, f64, 1));
  Value rise = minus(valueIn(mode), value);
  store(times(rise, each(1.0 / kFar, 1)), at(to, f64, 2));
  store(one, to);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return function;
}

/// Sees to it that a border's numbers are known; `side`, an i64, is 0 for the
/// lower one and 1 for the upper.
void Writer::callBorder(Value design, Value coefficients, Value side) {
  const SplineKnots &spline = knots.find(design)->second;
  Value to = at(borders[design], f64, mul(side, kBorderNumbers));
  Value isNew = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq,
                                     load(i64, to), constant(0));
  onlyIf(isNew, [&] {
    auto map = design.getDefiningOp<tam::BSplineOp>();
    Value isUpper = isLess(constant(0), side);
    Value x = select(isUpper, each(1.0 + kFar, 1), each(-1.0 - kFar, 1));
    LLVM::CallOp::create(
        b, loc, border,
        ValueRange{context, spline.parameters, inputs[coefficients],
                   constant(spline.intervals), constant(spline.degree),
                   constant(tensorOf(design).getDimSize(1)),
                   constant(static_cast<int64_t>(map.getExtrapolate())), x,
                   to});
  });
}

/// A spline beyond its range, from its value and slope at the border.
Value Writer::onLine(const Share &share, Value border, Value slope,
                     int64_t lanes) {
  Value end = LLVM::CopySignOp::create(b, loc, each(1.0, lanes), share.x);
  Value distance = LLVM::FAbsOp::create(b, loc, minus(share.x, end));
  return plus(border, times(distance, slope));
}

Value Writer::unless(Value condition, Value usual, function_ref<Value()> body) {
  Block *before = b.getBlock();
  Region *region = before->getParent();
  Block *inside = b.createBlock(region, region->end());
  Block *after = b.createBlock(region, region->end(), {f64}, {loc});
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, condition, inside, ValueRange(), after,
                         ValueRange(usual),
                         std::pair<uint32_t, uint32_t>(1, 1000));
  b.setInsertionPointToEnd(inside);
  Value other = body();
  LLVM::BrOp::create(b, loc, ValueRange(other), after);
  b.setInsertionPointToEnd(after);
  return after->getArgument(0);
}

/// An effect's share of the row's prediction by the runtime's kernels.
Value Writer::callKernels(Value design, Value coefficients) {
  Value share = scratch(sizeof(double), sizeof(double));
  Value one = constant(1), zero = constant(0);
  Value beta = inputs[coefficients];
  auto predictBy = [&](StringRef kernel, ArrayRef<Value> matrix,
                       ArrayRef<int64_t> sizes) {
    SmallVector<Value> arguments(matrix);
    arguments.append({beta, one});
    for (int64_t size : sizes)
      arguments.push_back(constant(size));
    // Into the one column of a matrix of one.
    arguments.append({one, zero, zero, share});
    call(kernel, arguments);
  };
  auto stored = [&](Value column) {
    Value address = scratch(sizeof(double), sizeof(double));
    store(number(column, 1), address);
    return address;
  };
  int64_t columns = tensorOf(design).getDimSize(1);
  llvm::TypeSwitch<Operation *>(design.getDefiningOp())
      .Case([&](tam::LinearOp map) {
        Value values = scratch(sizeof(double), sizeof(double));
        call("linear",
             {stored(map.getX()), one,
              each(map.getScale().convertToDouble(), 1),
              constant(static_cast<int64_t>(map.getExtrapolate())), values});
        predictBy("predict_dense", {values}, {columns});
      })
      .Case([&](tam::BSplineOp map) {
        const SplineKnots &spline = knots.find(map.getResult())->second;
        int64_t width = spline.degree + 1;
        Value values = scratch(width * sizeof(double));
        Value start = scratch(sizeof(int32_t), sizeof(int32_t));
        call("bspline", {stored(map.getX()), spline.parameters, one,
                         constant(spline.intervals), constant(spline.degree),
                         constant(static_cast<int64_t>(map.getExtrapolate())),
                         values, start});
        predictBy("predict_banded", {values, start}, {width, columns});
      })
      .Case([&](tam::LevelsOp map) {
        predictBy("predict_onehot", {at(inputs[map.getCodes()], i32, row)},
                  {columns});
      });
  return load(f64, share);
}

/// The row's prediction, of which something may be rare.
Value Writer::writeRare(Value usual, ArrayRef<Share> shares) {
  Value any = flagOf(shares, {&Share::isBeyond, &Share::isOther});
  if (!any)
    return usual;
  return unless(any, usual, [&] {
    Value sum;
    for (auto [share, design, coefficients] :
         llvm::zip(shares, predict.getDesigns(), predict.getCoefficients())) {
      Value value = share.value;
      if (share.isOther)
        value = unless(share.isOther, value,
                       [&] { return callKernels(design, coefficients); });
      if (share.isBeyond)
        value = unless(share.isBeyond, value, [&] {
          Value isUpper =
              compare(LLVM::FCmpPredicate::ogt, share.x, each(0.0, 1));
          Value side = LLVM::ZExtOp::create(b, loc, i64, isUpper);
          callBorder(design, coefficients, side);
          Value from = at(borders[design], f64, mul(side, kBorderNumbers));
          return onLine(share, load(f64, at(from, f64, 1)),
                        load(f64, at(from, f64, 2)), 1);
        });
      sum = sum ? plus(sum, value) : value;
    }
    return sum;
  });
}

/// The predictions of rows of which some are beyond the range of a spline.
Value Writer::writeBeyond(ArrayRef<Share> shares) {
  Value sum;
  for (auto [share, design, coefficients] :
       llvm::zip(shares, predict.getDesigns(), predict.getCoefficients())) {
    Value value = share.value;
    if (share.isBeyond) {
      Value zero = each(0.0, kLanes), from = borders[design];
      Value isUpper = compare(LLVM::FCmpPredicate::ogt, share.x, zero);
      Value isLower = compare(LLVM::FCmpPredicate::olt, share.x, zero);
      for (auto [side, is] : {std::pair(0, isLower), std::pair(1, isUpper)})
        onlyIf(isAny(LLVM::AndOp::create(b, loc, share.isBeyond, is)),
               [&] { callBorder(design, coefficients, constant(side)); });
      auto bySide = [&](int64_t index) {
        auto ofSide = [&](int64_t side) {
          Value address = at(from, f64, side * kBorderNumbers + index);
          return splat(load(f64, address), kLanes);
        };
        return select(isUpper, ofSide(1), ofSide(0));
      };
      value = select(share.isBeyond,
                     onLine(share, bySide(1), bySide(2), kLanes), value);
    }
    sum = sum ? plus(sum, value) : value;
  }
  return sum;
}

/// Computes rows of which something is rare once more and goes on to `done`
/// with their predictions, or to `single` where the runtime's kernels are to
/// tell.
void Writer::writeAgain(Block *single, ValueRange rows, Block *done) {
  // Nothing computed before is kept for here: it would fill the registers where
  // nothing is rare.
  DenseMap<Value, Value> known = inputs;
  for (BlockArgument input : op.getBody().front().getArguments())
    if (!input.getType().isIndex() && !tensorOf(input).hasStaticShape())
      inputs[input] =
          LLVM::LaunderInvariantGroupOp::create(b, loc, pointer, known[input]);
  SmallVector<Share> shares;
  writeRows(kLanes, shares);
  if (Value other = flagOf(shares, &Share::isOther)) {
    Block *before = b.getBlock();
    Region *region = before->getParent();
    Block *beyond = b.createBlock(region, region->end());
    b.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(b, loc, isAny(other), single, rows, beyond,
                           ValueRange());
    b.setInsertionPointToEnd(beyond);
  }
  LLVM::BrOp::create(b, loc, ValueRange(writeBeyond(shares)), done);
  inputs = std::move(known);
}

LLVM::LLVMFuncOp Writer::write(StringRef name) {
  Block &body = op.getBody().front();
  SmallVector<Type> types{pointer};
  for (BlockArgument input : body.getArguments())
    if (!input.getType().isIndex())
      types.push_back(pointer);
  types.append({i64, pointer});
  if (llvm::any_of(body.getOps<tam::BSplineOp>(), hasLines))
    border = writeBorder((name + "_border").str());
  OpBuilder::InsertionGuard guard(b);
  LLVM::LLVMFuncOp function = startFunction(name, types);
  unsigned next = 0;
  context = function.getArgument(next++);
  for (BlockArgument input : body.getArguments())
    if (!input.getType().isIndex())
      inputs[input] = function.getArgument(next++);
  Value rows = function.getArgument(next++);
  function.setArgAttr(next, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
  Value predictions = function.getArgument(next++);

  readParameters();
  Value pays = writeTables(rows);

  Block *entry = b.getBlock();
  Region *region = entry->getParent();
  auto block = [&](ArrayRef<Type> types) {
    return b.createBlock(region, region->end(), types,
                         SmallVector<Location>(types.size(), loc));
  };
  Block *header = block(i64), *inside = block({}), *several = block({}),
        *done = block(Type(vector(kLanes))), *single = block({i64, i64}),
        *exit = block({});
  b.setInsertionPointToEnd(entry);
  LLVM::BrOp::create(b, loc, ValueRange(constant(0)), header);

  b.setInsertionPointToEnd(header);
  Value first = header->getArgument(0);
  LLVM::CondBrOp::create(b, loc, isLess(first, rows), inside, exit);
  b.setInsertionPointToEnd(inside);
  Value last = add(first, constant(kLanes));
  Value areSeveral = LLVM::AndOp::create(
      b, loc, pays, isLess(add(first, constant(kLanes - 1)), rows));
  LLVM::CondBrOp::create(b, loc, areSeveral, several, ValueRange(), single,
                         ValueRange{first, rows});

  b.setInsertionPointToEnd(several);
  row = first;
  SmallVector<Share> shares;
  Value sums = writeRows(kLanes, shares);
  const std::pair<uint32_t, uint32_t> rarely(1, 100);
  const SmallVector<Value> range{first, last};
  Value beyond = flagOf(shares, &Share::isBeyond);
  Value other = flagOf(shares, &Share::isOther);
  if (beyond) {
    Block *again = block({});
    b.setInsertionPointToEnd(several);
    LLVM::CondBrOp::create(b, loc, isAny(either(beyond, other)), again,
                           ValueRange(), done, ValueRange(sums), rarely);
    b.setInsertionPointToEnd(again);
    writeAgain(single, range, done);
  } else if (other) {
    LLVM::CondBrOp::create(b, loc, isAny(other), single, range, done,
                           ValueRange(sums), rarely);
  } else {
    LLVM::BrOp::create(b, loc, ValueRange(sums), done);
  }
  b.setInsertionPointToEnd(done);
  LLVM::StoreOp::create(b, loc, done->getArgument(0),
                        at(predictions, f64, first), sizeof(double));
  LLVM::BrOp::create(b, loc, ValueRange(last), header);

  // The rows from one to a limit, one by one.
  b.setInsertionPointToEnd(single);
  row = single->getArgument(0);
  Value limit = single->getArgument(1);
  shares.clear();
  Value usual = writeRows(1, shares);
  store(writeRare(usual, shares), at(predictions, f64, row));
  Value following = add(row, constant(1));
  LLVM::CondBrOp::create(b, loc, isLess(following, limit), single,
                         ValueRange{following, limit}, header,
                         ValueRange(following));
  b.setInsertionPointToEnd(exit);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return function;
}

LLVM::LLVMFuncOp tamc::writePredictKernel(OpBuilder &builder, tam::RowsOp op,
                                          StringRef name) {
  return Writer(builder, op).write(name);
}
