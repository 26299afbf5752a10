//===- PredictLoop.cpp - loops of predictions -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop stores nothing between the features and the prediction of a row. A
// spline is not evaluated function by function: on the interval where x lies,
// its functions times their coefficients are one polynomial.
//
// Of many rows the polynomials of all intervals, and vectors of the parameters,
// are computed first, and then eight rows at a time are evaluated, in vectors.
// The rest, and calls of a few rows, are evaluated row by row, each with the
// polynomial of its interval. It is the same arithmetic, element by element, so
// that a row's bits do not depend on which way it went; nor on the instruction
// set, for no multiplication is fused with an addition.
//
// Beyond its range a spline is a straight line, or constant: its value and its
// slope at the border, which the runtime's kernels give when a row first needs
// them. What else is rare has no code of its own: a level that was not seen, or
// an exponential beyond the range. If one of eight rows has such a thing, the
// eight are evaluated row by row, where a branch calls the runtime's kernels
// for that effect of that row.
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"

#include "SplineCode.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
static constexpr int64_t kMinRows = 8;
static constexpr int64_t kPolynomialsPerRow = 8;

/// How far beyond the border the line of a spline is asked for. Its value there
/// is large beside that at the border, so that the slope keeps its last digits;
/// a power of two, by which dividing is exact.
static constexpr double kFar = 0x1p20;

/// Numbers that are kept of a border: whether they are known, 0 or 1, the
/// spline's value, its slope, and none.
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

/// The inputs as the body of a tam.rows has them.
static MutableArrayRef<BlockArgument> inputsOf(tam::RowsOp op) {
  return op.getBody().front().getArguments().take_front(op.getInputs().size());
}

namespace {

/// How seldom, of eight rows and of one, something rare is expected.
constexpr int32_t kRarityOfEight = 100, kRarityOfOne = 1000;

/// Writes one loop.
class Writer : SplineWriter {
public:
  Writer(OpBuilder &builder, tam::RowsOp op)
      : SplineWriter(builder, op.getLoc()), op(op),
        predict(op.getPrediction()) {}

  func::FuncOp write(StringRef name);

private:
  /// An effect's share of predictions; whether it is on the border's line at
  /// `x` instead, an i1 by row; whether the runtime's kernels are to tell. A
  /// flag is null if it never holds.
  struct Share {
    Value value, isOther, x, isBeyond;
  };

  func::FuncOp writeBorder(StringRef name);
  Value startOf(int64_t lanes);
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
  SmallVector<Value> writeAgain();
  Value writeSeveral(Value first);
  Value callKernels(Value design, Value coefficients);
  Value number(Value column, int64_t lanes);
  /// A level or an interval, an i32 that is not negative, as an index.
  Value wide(Value value) {
    return arith::IndexCastUIOp::create(b, loc, this->index, value);
  }
  Value gather(Value coefficients, Value index, int64_t lanes);
  Value isBeyond(Value x, int64_t lanes);
  Value fabs(Value x) { return math::AbsFOp::create(b, loc, x); }
  /// 1 with the sign of x.
  Value signOf(Value x, int64_t lanes) {
    return math::CopySignOp::create(b, loc, each(1.0, lanes), x);
  }
  /// The result of `body` where `condition`, which is rare, holds, else
  /// `usual`.
  Value unless(Value condition, Value usual, function_ref<Value()> body) {
    return choose(
               condition, f64, [&] { return SmallVector<Value>{body()}; },
               [&] { return SmallVector<Value>{usual}; }, kRarityOfOne)
        .front();
  }

  tam::RowsOp op;
  tam::PredictOp predict;
  /// The buffer of the predictions.
  Value predictions;
  /// Buffers by inputs of the body.
  DenseMap<Value, Value> inputs;
  /// Centre and half range by parameters; what is known of splines, and the
  /// buffer of their polynomials where these are computed before.
  DenseMap<Value, std::pair<Value, Value>> ranges;
  DenseMap<Value, SplineKnots> knots;
  DenseMap<Value, Value> tables;
  /// The numbers of `ranges` and `knots` that rows are computed with.
  SmallVector<Value> parameters;
  /// What is kept of the borders, lower and upper, of splines with lines beyond
  /// them; the function that computes it.
  DenseMap<Value, Value> borders;
  func::FuncOp border;

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
          if (range.first)
            return;
          Element from(inputs[map.getParameters()]);
          range = {load(from), load(from + 1)};
          parameters.append({range.first, range.second});
        })
        .Case([&](tam::BSplineOp map) {
          SplineKnots &spline = knots[map.getResult()];
          spline = knotsOf(inputs[map.getParameters()],
                           static_cast<int64_t>(map.getIntervals()),
                           static_cast<int64_t>(map.getDegree()));
          parameters.append({spline.lo, spline.highest, spline.perUnit});
          if (!hasLines(map))
            return;
          Value sides = scratch(2 * kBorderNumbers, f64, kLineBytes);
          borders[map.getResult()] = sides;
          for (int64_t side = 0; side < 2; ++side)
            store(each(0.0), Element(sides) + side * kBorderNumbers);
        });
}

/// Computes the polynomials, and vectors of the parameters, where that pays,
/// and returns whether it does.
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
    pays = pays ? both(pays, spline.areApart) : spline.areApart;
    int64_t size = spline.intervals * spline.powers();
    int64_t own = size * static_cast<int64_t>(sizeof(double));
    if (bytes + own > kTableBytes)
      continue;
    bytes += own;
    count += spline.intervals;
    some.push_back({design, coefficients});
    tables[design] = scratch(size, f64, kLineBytes);
  }
  Value enough =
      isLess(constant(kMinRows + count / kPolynomialsPerRow - 1), rows);
  pays = pays ? both(pays, enough) : enough;
  onlyIf(pays, [&] {
    for (Value number : parameters)
      spread(number, kLanes);
    for (auto [design, coefficients] : some) {
      const SplineKnots &spline = knots.find(design)->second;
      loop(constant(spline.intervals), 1, [&](Value interval) {
        store(polynomialOn(spline, interval, inputs[coefficients]),
              Element(tables[design], mul(interval, spline.powers())),
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
    value = load(real(lanes), Element(inputs[column], row));
  }
  return numbers[column] = value;
}

/// Whether numbers lie outside [-1, 1].
Value Writer::isBeyond(Value x, int64_t lanes) {
  return isGreater(fabs(x), each(1.0, lanes));
}

/// The coefficients of the rows' levels.
Value Writer::gather(Value coefficients, Value index, int64_t lanes) {
  auto one = [&](Value level) {
    return load(Element(inputs[coefficients], wide(level)));
  };
  if (lanes == 1)
    return one(index);
  SmallVector<Value> all;
  for (int64_t i = 0; i < lanes; ++i)
    all.push_back(one(extract(index, i)));
  return vector::FromElementsOp::create(b, loc, vector(lanes), all);
}

Writer::Share Writer::shareOf(tam::LinearOp map, Value coefficients,
                              int64_t lanes) {
  Value x = number(map.getX(), lanes);
  Value scale = each(map.getScale().convertToDouble(), lanes);
  Value coefficient = each(load(inputs[coefficients]), lanes);
  if (map.getExtrapolate() == tam::Extrapolate::Continue)
    return {times(times(scale, x), coefficient), {}, {}, {}};
  Value beyond = isBeyond(x, lanes);
  if (map.getExtrapolate() == tam::Extrapolate::Saturation)
    return {times(times(scale, x), coefficient), beyond, {}, {}};
  // The value at the border, and for mode 'linear' the slope there.
  Value border = signOf(x, lanes);
  Value value = times(scale, border);
  if (map.getExtrapolate() == tam::Extrapolate::Linear) {
    Value distance = fabs(minus(x, border));
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
  SmallVector<Value> powers;
  int64_t count = spline.degree + 1;
  if (lanes == 1) {
    // Knots that are not apart have been sent the other way in vectors.
    Value areNear = arith::XOrIOp::create(b, loc, spline.areApart, flag(true));
    isOther = either(isOther, areNear);
    Value all =
        polynomialOn(spline, wide(place.interval), inputs[coefficients]);
    for (int64_t i = 0; i < count; ++i)
      powers.push_back(extract(all, i));
    return {valueAt(place.share, powers), isOther, x, beyond};
  }
  // Two powers of each row at a time, turned into two vectors of one power.
  Value table = tables.lookup(map.getResult());
  Value offsets = place.interval;
  if (table) {
    auto type = cast<VectorType>(offsets.getType());
    auto shift = static_cast<int32_t>(llvm::Log2_64(spline.powers()));
    Value bits =
        arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, shift));
    offsets = arith::ShLIOp::create(b, loc, offsets, bits);
  }
  SmallVector<Value> rows;
  for (int64_t i = 0; i < lanes; ++i) {
    Value offset = wide(extract(offsets, i));
    rows.push_back(table ? offset
                         : polynomialOn(spline, offset, inputs[coefficients]));
  }
  for (int64_t first = 0; first < count; first += 2) {
    SmallVector<Value> pairs;
    for (Value one : rows)
      pairs.push_back(table ? load(vector(2), Element(table, one) + first, 2)
                            : shuffle(one, one, {first, first + 1}));
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
    for (int64_t power = 0; power < 2 && first + power < count; ++power) {
      SmallVector<int64_t> from;
      for (int64_t i = 0; i < lanes; i += 2)
        from.append({i + power, lanes + i + power});
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
  code = select(isGreater(code, zero), code, zero);
  code = select(isGreater(most, code), code, most);
  Value integers = each(kIntegers, lanes);
  Value level = arith::FPToSIOp::create(b, loc, integer(lanes),
                                        minus(plus(code, integers), integers));
  return {gather(coefficients, level, lanes), {}, {}, {}};
}

Writer::Share Writer::shareOf(tam::LevelsOp map, Value coefficients,
                              int64_t lanes) {
  Type type = integer(lanes);
  Value codes = load(type, Element(inputs[map.getCodes()], row));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value isOther =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, codes, zero);
  return {gather(coefficients, select(isOther, zero, codes), lanes),
          isOther,
          {},
          {}};
}

Writer::Share Writer::shareOf(Value design, Value coefficients, int64_t lanes) {
  return llvm::TypeSwitch<Operation *, Share>(design.getDefiningOp())
      .Case([&](tam::OffsetOp) {
        return Share{each(load(inputs[coefficients]), lanes), {}, {}, {}};
      })
      .Case<tam::LinearOp, tam::BSplineOp, tam::CategoryOp, tam::LevelsOp>(
          [&](auto map) { return shareOf(map, coefficients, lanes); });
}

/// What the rows' shares are added to: the numbers that the loop before has
/// stored; null for zero.
Value Writer::startOf(int64_t lanes) {
  if (!predict.getStart())
    return {};
  return load(real(lanes), Element(predictions, row));
}

Value Writer::writeRows(int64_t lanes, SmallVectorImpl<Share> &shares) {
  numbers.clear();
  Value sum = startOf(lanes);
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
  return arith::OrIOp::create(b, loc, x, y);
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
  if (!isa<VectorType>(flag.getType()))
    return flag;
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, flag);
}

/// A function that computes what is kept of a border: (parameters,
/// coefficients, intervals, degree, columns, mode, a number beyond the border,
/// where to).
func::FuncOp Writer::writeBorder(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  MemRefType numbers = openType(f64);
  func::FuncOp function = startFunction(
      name, {numbers, numbers, index, index, index, index, f64, numbers});
  function.setNoInline(true);
  Value parameters = function.getArgument(0), beta = function.getArgument(1),
        intervals = function.getArgument(2), degree = function.getArgument(3),
        columns = function.getArgument(4), mode = function.getArgument(5),
        x = function.getArgument(6);
  Element to(function.getArgument(7));
  Value values = scratch(kWidestDegree + 1, f64, kLineBytes);
  Value start = scratch(1, i32), number = scratch(1, f64);
  Value one = constant(1), zero = constant(0);
  auto valueIn = [&](Value mode) {
    store(x, number);
    call("bspline",
         {number, parameters, one, intervals, degree, mode, values, start});
    call("predict_banded", {values, start, beta, one, add(degree, one), columns,
                            one, zero, zero, number});
    return load(number);
  };
  Value value =
      valueIn(constant(static_cast<int64_t>(tam::Extrapolate::Constant)));
  store(value, to + 1);
  Value rise = minus(valueIn(mode), value);
  store(times(rise, each(1.0 / kFar)), to + 2);
  store(each(1.0), to);
  finishFunction();
  return function;
}

/// Computes the numbers of a border if they are not known; `side` is 0 for the
/// lower one and 1 for the upper.
void Writer::callBorder(Value design, Value coefficients, Value side) {
  const SplineKnots &spline = knots.find(design)->second;
  Element to(borders[design], mul(side, kBorderNumbers));
  Value isNew = isGreater(each(1.0), load(to));
  onlyIf(isNew, [&] {
    auto map = design.getDefiningOp<tam::BSplineOp>();
    Value isUpper = isLess(constant(0), side);
    Value x = select(isUpper, each(1.0 + kFar), each(-1.0 - kFar));
    func::CallOp::create(
        b, loc, border,
        ValueRange{open(spline.parameters), open(inputs[coefficients]),
                   constant(spline.intervals), constant(spline.degree),
                   constant(tensorOf(design).getDimSize(1)),
                   constant(static_cast<int64_t>(map.getExtrapolate())), x,
                   buffer(to, constant(kBorderNumbers))});
  });
}

/// A spline beyond its range, from its value and slope at the border.
Value Writer::onLine(const Share &share, Value border, Value slope,
                     int64_t lanes) {
  Value distance = fabs(minus(share.x, signOf(share.x, lanes)));
  return plus(border, times(distance, slope));
}

/// An effect's share of the row's prediction by the runtime's kernels.
Value Writer::callKernels(Value design, Value coefficients) {
  Value share = scratch(1, f64);
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
    Value single = scratch(1, f64);
    store(number(column, 1), single);
    return single;
  };
  int64_t columns = tensorOf(design).getDimSize(1);
  llvm::TypeSwitch<Operation *>(design.getDefiningOp())
      .Case([&](tam::LinearOp map) {
        Value values = scratch(1, f64);
        call("linear",
             {stored(map.getX()), one,
              each(map.getScale().convertToDouble(), 1),
              constant(static_cast<int64_t>(map.getExtrapolate())), values});
        predictBy("predict_dense", {values}, {columns});
      })
      .Case([&](tam::BSplineOp map) {
        const SplineKnots &spline = knots.find(map.getResult())->second;
        int64_t width = spline.degree + 1;
        Value values = scratch(width, f64, kLineBytes);
        Value start = scratch(1, i32);
        call("bspline", {stored(map.getX()), spline.parameters, one,
                         constant(spline.intervals), constant(spline.degree),
                         constant(static_cast<int64_t>(map.getExtrapolate())),
                         values, start});
        predictBy("predict_banded", {values, start}, {width, columns});
      })
      .Case([&](tam::LevelsOp map) {
        Element code(inputs[map.getCodes()], row);
        predictBy("predict_onehot", {buffer(code, one)}, {columns});
      });
  return load(share);
}

/// The row's prediction, of which something may be rare.
Value Writer::writeRare(Value usual, ArrayRef<Share> shares) {
  Value any = flagOf(shares, {&Share::isBeyond, &Share::isOther});
  if (!any)
    return usual;
  return unless(any, usual, [&] {
    Value sum = startOf(1);
    for (auto [share, design, coefficients] :
         llvm::zip(shares, predict.getDesigns(), predict.getCoefficients())) {
      Value value = share.value;
      if (share.isOther)
        value = unless(share.isOther, value,
                       [&] { return callKernels(design, coefficients); });
      if (share.isBeyond)
        value = unless(share.isBeyond, value, [&] {
          Value side = wide(isGreater(share.x, each(0.0)));
          callBorder(design, coefficients, side);
          Element from(borders[design], mul(side, kBorderNumbers));
          return onLine(share, load(from + 1), load(from + 2), 1);
        });
      sum = sum ? plus(sum, value) : value;
    }
    return sum;
  });
}

/// The predictions of rows of which some are beyond the range of a spline.
Value Writer::writeBeyond(ArrayRef<Share> shares) {
  Value sum = startOf(kLanes);
  for (auto [share, design, coefficients] :
       llvm::zip(shares, predict.getDesigns(), predict.getCoefficients())) {
    Value value = share.value;
    if (share.isBeyond) {
      Value zero = each(0.0, kLanes);
      Element from(borders[design]);
      Value isUpper = isGreater(share.x, zero);
      Value isLower = isGreater(zero, share.x);
      for (auto [side, is] : {std::pair(0, isLower), std::pair(1, isUpper)})
        onlyIf(isAny(both(share.isBeyond, is)),
               [&] { callBorder(design, coefficients, constant(side)); });
      auto bySide = [&](int64_t index) {
        auto ofSide = [&](int64_t side) {
          return splat(load(from + (side * kBorderNumbers + index)), kLanes);
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

/// Computes eight rows, of which something is rare, once more: their
/// predictions, and whether the runtime's kernels are to tell instead.
SmallVector<Value> Writer::writeAgain() {
  // Nothing computed before is kept for here: it would fill the registers where
  // nothing is rare.
  DenseMap<Value, Value> known = inputs;
  for (BlockArgument input : inputsOf(op))
    if (!input.getType().isIndex() && !tensorOf(input).hasStaticShape())
      inputs[input] = launder(known[input]);
  SmallVector<Share> shares;
  Value usual = writeRows(kLanes, shares);
  Value other = flagOf(shares, &Share::isOther);
  other = other ? isAny(other) : flag(false);
  SmallVector<Value> predictions = choose(
      other, usual.getType(), [&] { return SmallVector<Value>{usual}; },
      [&] { return SmallVector<Value>{writeBeyond(shares)}; });
  inputs = std::move(known);
  return {predictions.front(), other};
}

/// Predicts the eight rows from `first` on; returns whether they are to be
/// predicted one by one instead.
Value Writer::writeSeveral(Value first) {
  row = first;
  SmallVector<Share> shares;
  Value sums = writeRows(kLanes, shares);
  Value beyond = flagOf(shares, &Share::isBeyond);
  Value other = flagOf(shares, &Share::isOther);
  Value areSingle = flag(false);
  if (beyond) {
    SmallVector<Value> results = choose(
        isAny(either(beyond, other)), {sums.getType(), b.getI1Type()},
        [&] { return writeAgain(); },
        [&] {
          return SmallVector<Value>{sums, areSingle};
        },
        kRarityOfEight);
    sums = results[0], areSingle = results[1];
  } else if (other) {
    areSingle = isAny(other);
  }
  choose(
      areSingle, {}, [&] { return SmallVector<Value>(); },
      [&] {
        store(sums, Element(predictions, first));
        return SmallVector<Value>();
      },
      kRarityOfEight);
  return areSingle;
}

func::FuncOp Writer::write(StringRef name) {
  Block &body = op.getBody().front();
  if (llvm::any_of(body.getOps<tam::BSplineOp>(), hasLines))
    border = writeBorder((name + "_border").str());
  OpBuilder::InsertionGuard guard(b);
  func::FuncOp function = startFunction(name, tam::getLoopArguments(op));
  unsigned next = 0;
  for (BlockArgument input : inputsOf(op))
    if (!input.getType().isIndex())
      inputs[input] = function.getArgument(next++);
  Value rows = function.getArgument(next++);
  setNoAlias(function, next);
  predictions = function.getArgument(next++);

  readParameters();
  Value pays = writeTables(rows);
  auto rest = scf::WhileOp::create(b, loc, index, constant(0));
  b.createBlock(&rest.getBefore(), {}, index, loc);
  Value first = rest.getBeforeArguments().front();
  scf::ConditionOp::create(b, loc, isLess(first, rows), first);
  b.createBlock(&rest.getAfter(), {}, index, loc);
  first = rest.getAfterArguments().front();
  Value last = add(first, kLanes);
  Value areSeveral = both(pays, isLess(add(first, kLanes - 1), rows));
  Value areSingle = choose(
                        areSeveral, b.getI1Type(),
                        [&] { return SmallVector<Value>{writeSeveral(first)}; },
                        [&] { return SmallVector<Value>{flag(true)}; })
                        .front();
  Value end = select(areSeveral, last, rows);
  // One by one.
  onlyIf(areSingle, [&] {
    loop(first, end, 1, [&](Value i) {
      row = i;
      SmallVector<Share> shares;
      Value usual = writeRows(1, shares);
      store(writeRare(usual, shares), Element(predictions, row));
    });
  });
  scf::YieldOp::create(b, loc, end);
  b.setInsertionPointAfter(rest);
  finishFunction();
  return function;
}

func::FuncOp tamc::writePredictLoop(OpBuilder &builder, tam::RowsOp op,
                                    StringRef name) {
  return Writer(builder, op).write(name);
}
