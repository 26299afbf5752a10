//===- core/data/Ranges.cpp - the ranges and levels of inputs -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Ranges.h"

#include "kernels/InstructionSets.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// Knots of equal values are moved apart by this much each (docs/math.md
/// section 3, term s).
constexpr double kKnotMargin = 1e-3;

/// A range is refused when rounding its centre moves its ends by more than this
/// part of half of it.
constexpr double kRangeSlack = 1e-6;

/// If rounding of a centre moves the ends by more than this part of half a
/// range, the half range is increased.
constexpr double kCentreSlack = 0x1p-30;

/// Scale for rounding the values of a period to 10 decimals.
constexpr double kPeriodScale = 1e10;

/// Four numbers, at any address.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

/// The spread of `count` numbers, at least one; if `AsksIntegers`, also whether
/// they are integers, which is certain only for numbers that are not large.
template <bool AsksIntegers>
TAMRT_INLINE void scan(const double *__restrict column, size_t count,
                       double &lo, double &hi, bool &integers) {
  // Several at a time: otherwise each operation would wait for the one before.
  constexpr size_t kFours = 4;
  const Four first = Four{} + column[0];
  Four least[kFours], most[kFours];
  for (size_t k = 0; k < kFours; ++k)
    least[k] = most[k] = first;
  // A sum of this and a number below a quarter of it has no bits for a
  // fraction.
  constexpr double noFraction = 0x1.8p52;
  auto areWhole = first == first;
  auto add = [&](size_t k, const Four &values) TAMRT_LAMBDA {
    least[k] = values < least[k] ? values : least[k];
    most[k] = values > most[k] ? values : most[k];
    if (AsksIntegers)
      areWhole &= (values + noFraction) - noFraction == values;
  };
  size_t row = 0;
  for (; row + 4 * kFours <= count; row += 4 * kFours)
    for (size_t k = 0; k < kFours; ++k)
      add(k, *reinterpret_cast<const Four *>(column + row + 4 * k));
  for (; row < count; ++row)
    add(0, Four{} + column[row]);
  lo = least[0][0];
  hi = most[0][0];
  for (size_t k = 0; k < kFours; ++k)
    for (int i = 0; i < 4; ++i) {
      lo = std::min(lo, least[k][i]);
      hi = std::max(hi, most[k][i]);
    }
  integers = (areWhole[0] & areWhole[1] & areWhole[2] & areWhole[3]) != 0;
}

/// The spread of `count` numbers, and whether |v - point| <= tolerance for all
/// of them, with the points first + k * step.
TAMRT_HOT bool scanPoints(const double *__restrict column, size_t count,
                          double first, double step, double tolerance,
                          double &lo, double &hi) {
  constexpr double noFraction = 0x1.8p52;
  const double perStep = 1 / step;
  Four least = Four{} + column[0], most = least;
  auto are = least == least;
  auto add = [&](const Four &values) TAMRT_LAMBDA {
    least = values < least ? values : least;
    most = values > most ? values : most;
    const Four from = values - first;
    const Four point = ((from * perStep + noFraction) - noFraction) * step;
    const Four off = from - point;
    are &= (off <= tolerance) & (off >= -tolerance);
  };
  size_t row = 0;
  for (; row + 4 <= count; row += 4)
    add(*reinterpret_cast<const Four *>(column + row));
  for (; row < count; ++row)
    add(Four{} + column[row]);
  for (int i = 0; i < 4; ++i) {
    lo = std::min(lo, least[i]);
    hi = std::max(hi, most[i]);
  }
  return (are[0] & are[1] & are[2] & are[3]) != 0;
}

TAMRT_HOT void scanNumbers(const double *column, size_t count, double &lo,
                           double &hi, bool &integers) {
  scan<false>(column, count, lo, hi, integers);
}

TAMRT_HOT void scanCodes(const double *column, size_t count, double &lo,
                         double &hi, bool &integers) {
  scan<true>(column, count, lo, hi, integers);
}

} // namespace

double roundForPeriod(double value) {
  double scaled = value * kPeriodScale;
  // Beyond 2^53 the scaled value is an integer already, or overflows.
  if (!(std::fabs(scaled) < 9007199254740992.0))
    return value;
  // The nearest integer, ties to even; adding zero makes -0 a plain 0.
  return std::nearbyint(scaled) / kPeriodScale + 0.0;
}

bool periodOf(const double *distinct, size_t count, double &lo, double &hi) {
  if (count < 2)
    return false;
  double gap = distinct[1] - distinct[0];
  for (size_t i = 2; i < count; ++i)
    gap = std::min(gap, distinct[i] - distinct[i - 1]);
  lo = distinct[0];
  hi = distinct[count - 1] + gap;
  return true;
}

bool isKnotRange(const tamrt_input &input, double lo, double hi) {
  if (!(lo < hi))
    return false;
  return input.rule != TAMRT_RULE_RANGE ||
         (lo >= -1 - kRangeSlack && hi <= 1 + kRangeSlack);
}

Range rangeOf(double lo, double hi) {
  double width = hi - lo;
  return {(lo + hi) / 2, (width == 0 ? 1 : width) / 2};
}

void Spread::add(double value) {
  // Adding zero makes -0 a plain 0.
  lo = std::min(lo, value + 0.0);
  hi = std::max(hi, value + 0.0);
  integers = integers && value == std::floor(value);
}

void Spread::add(std::span<const double> values) {
  // Below that one at a time is as fast.
  constexpr size_t kFew = 8;
  if (values.size() < kFew) {
    for (double value : values)
      add(value);
    return;
  }
  Spread more;
  scanCodes(values.data(), values.size(), more.lo, more.hi, more.integers);
  // Large numbers are checked again: the fast test misses some positive
  // integers and accepts some negative numbers that are not integers.
  if (!more.integers || more.lo < -1e15)
    more.integers = std::all_of(values.begin(), values.end(), [](double value) {
      return value == std::floor(value);
    });
  // Adding zero makes -0 a plain 0, whichever of them came first.
  more.lo += 0.0;
  more.hi += 0.0;
  add(more);
}

void Spread::add(const Spread &more) {
  lo = std::min(lo, more.lo);
  hi = std::max(hi, more.hi);
  integers &= more.integers;
}

Spread spreadOf(const tamrt_input &input, Values values, size_t count) {
  if (count == 0)
    return {};
  Spread spread;
  if (values.order) {
    spread.lo = spread.hi = values[0] + 0.0;
    for (size_t row = 0; row < count; ++row)
      spread.add(values[row]);
    return spread;
  }
  if (input.rule == TAMRT_RULE_CODES) {
    spread.add({values.column, count});
    return spread;
  }
  scanNumbers(values.column, count, spread.lo, spread.hi, spread.integers);
  // Adding zero makes -0 a plain 0, whichever of them came first.
  spread.lo += 0.0;
  spread.hi += 0.0;
  return spread;
}

Range rangeOf(const tamrt_input &input, const Spread &spread) {
  if (input.rule == TAMRT_RULE_PERIOD)
    return rangeOf(input.lo, input.hi);
  if (input.rule == TAMRT_RULE_CODES && spread.integers) {
    double last = double(input.levels) - 1;
    return spread.hi <= last ? rangeOf(0, last)
                             : rangeOf(spread.lo, spread.lo + last);
  }
  return rangeOf(spread.lo, spread.hi);
}

void Extent::add(double value) {
  lo = std::min(lo, value);
  hi = std::max(hi, value);
}

void Extent::knots(double *out) const {
  out[0] = lo == hi ? lo - kKnotMargin : lo;
  out[1] = lo == hi ? hi + kKnotMargin : hi;
}

RangeFault normalizeGroup(const tamrt_input &input, const Range *period,
                          const Spread &spread, Range &range, Extent &extent) {
  range = period ? *period : rangeOf(input, spread);
  if (!std::isfinite(range.centre) || !std::isfinite(range.half))
    return RangeFault::NotFinite;
  // A range as small as a rounding error has no centre inside it: x would be
  // outside [-1, 1] or 0/0.
  const double low = spread.lo, high = spread.hi;
  bool isRange = input.rule == TAMRT_RULE_RANGE;
  const double farther = std::max(range.centre - low, high - range.centre);
  bool isCentred = low < range.centre && range.centre < high &&
                   farther / range.half <= 1 + kRangeSlack;
  if (low < high && (range.half == 0 || (isRange && !isCentred)))
    return RangeFault::Rounding;
  // Training values must be within the range: beyond it a spline is not a
  // polynomial.
  if (isRange && farther / range.half > 1 + kCentreSlack)
    range.half = farther;
  // Rounding is monotonic, so the extremes of the normalised values are those
  // of the values, normalised.
  const double least = (low - range.centre) / range.half;
  const double most = (high - range.centre) / range.half;
  if (!std::isfinite(least) || !std::isfinite(most))
    return RangeFault::NotFinite;
  extent.add(least);
  extent.add(most);
  return RangeFault::None;
}

bool areOnGrid(const tamrt_grid &grid, Values values, size_t count,
               Spread &spread) {
  const double tolerance = 0x1p-51 * double(grid.levels) * grid.step;
  bool are = true;
  if (!values.order && count > 0)
    return scanPoints(values.column, count, grid.first, grid.step, tolerance,
                      spread.lo, spread.hi);
  for (size_t row = 0; are && row < count; ++row) {
    const double value = values[row];
    are = scanPoints(&value, 1, grid.first, grid.step, tolerance, spread.lo,
                     spread.hi);
  }
  return are;
}

bool isWithinGrid(const tamrt_grid &grid, const Spread &spread,
                  const Range &range) {
  // Position of a value from the range's begin, in steps.
  auto placeOf = [&](double value) {
    return ((value - range.centre) / range.half + 1) * (range.half / grid.step);
  };
  constexpr double slack = 0x1p-40;
  auto isPoint = [&](double place) {
    return std::fabs(place - std::nearbyint(place)) <= slack;
  };
  const double first = placeOf(spread.lo), last = placeOf(spread.hi);
  return isPoint(first) && isPoint(last) && first > -0.5 &&
         last < double(grid.levels) - 0.5 &&
         last <= 2 * range.half / grid.step + slack;
}

int32_t unseenCode(size_t count, tamrt_unseen unseen, size_t nearest) {
  if (unseen == TAMRT_UNSEEN_MEAN)
    return TAMRT_INDEX_MEAN(int32_t(count));
  if (unseen == TAMRT_UNSEEN_ZERO)
    return TAMRT_INDEX_NONE;
  return int32_t(nearest);
}

int32_t levelCode(const double *levels, size_t count, double value,
                  tamrt_unseen unseen) {
  const size_t last = count - 1;
  size_t at = size_t(std::lower_bound(levels, levels + count, value) - levels);
  if (at <= last && levels[at] == value)
    return int32_t(at);
  if (at == 0)
    return unseenCode(count, unseen, 0);
  if (at > last)
    return unseenCode(count, unseen, last);
  return unseenCode(count, unseen,
                    value - levels[at - 1] <= levels[at] - value ? at - 1 : at);
}

void writeParameters(const tamrt_model &model, const double *ranges,
                     const double *knots, const double *strengths,
                     double *block) {
  const auto inputs = size_t(model.input_count);
  double *rest = block + TAMRT_INPUT_PARAMETERS * inputs;
  for (int64_t i = 0; i < model.penalty_count; ++i)
    rest[i] = strengths ? strengths[i] : model.penalties[i].strength;
  for (size_t i = 0; i < inputs; ++i) {
    double *input = block + TAMRT_INPUT_PARAMETERS * i;
    input[0] = ranges[2 * i];
    input[1] = ranges[2 * i + 1];
    input[2] = knots[2 * i];
    input[3] = knots[2 * i + 1];
  }
}

} // namespace tamrt
