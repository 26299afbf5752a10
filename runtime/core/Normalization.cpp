//===- core/Normalization.cpp - inputs brought to [-1, 1] -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Normalization.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamrt {
namespace {

/// Knots of equal values are moved apart by this much each (docs/math.md
/// section 3, term s).
constexpr double kKnotMargin = 1e-3;

/// A range is refused when rounding its centre moves its ends by more than this
/// part of half of it.
constexpr double kRangeSlack = 1e-6;

/// Values a period is found from are rounded to this many decimals.
constexpr double kPeriodScale = 1e10;

double roundForPeriod(double value) {
  double scaled = value * kPeriodScale;
  // Beyond 2^53 the scaled value is whole already, or overflows.
  if (!(std::fabs(scaled) < 9007199254740992.0))
    return value;
  // The nearest integer, ties to even; adding zero makes -0 a plain 0.
  return std::nearbyint(scaled) / kPeriodScale + 0.0;
}

void sortDistinct(std::vector<double> &values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Lowest and highest normalised value of one input over the groups.
struct Extent {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();

  void add(double value) {
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
};

} // namespace

void Normalization::parameters(size_t group, double *block) const {
  for (size_t i = 0; i < inputs(); ++i) {
    double *input = block + TAMRT_INPUT_PARAMETERS * i;
    const double *range = ranges.data() + 2 * (group * inputs() + i);
    input[0] = range[0];
    input[1] = range[1];
    input[2] = knots[2 * i];
    input[3] = knots[2 * i + 1];
  }
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

Range rangeOf(const tamrt_input &input, const double *values, size_t count) {
  if (input.rule == TAMRT_RULE_PERIOD)
    return rangeOf(input.lo, input.hi);
  double lo = values[0], hi = values[0];
  for (size_t i = 1; i < count; ++i) {
    lo = std::min(lo, values[i]);
    hi = std::max(hi, values[i]);
  }
  if (input.rule == TAMRT_RULE_CODES &&
      std::all_of(values, values + count,
                  [](double v) { return v == std::floor(v); })) {
    double last = double(input.levels) - 1;
    return hi <= last ? rangeOf(0, last) : rangeOf(lo, lo + last);
  }
  return rangeOf(lo, hi);
}

bool findPeriod(std::span<const double> values, double &lo, double &hi) {
  // Sorted in batches: memory follows the distinct values, not the rows.
  constexpr size_t kBatch = 1 << 16;
  std::vector<double> distinct;
  size_t limit = kBatch;
  for (double value : values) {
    distinct.push_back(roundForPeriod(value));
    if (distinct.size() < limit)
      continue;
    sortDistinct(distinct);
    limit = 2 * distinct.size() + kBatch;
  }
  sortDistinct(distinct);
  if (distinct.size() < 2)
    return false;
  double gap = distinct[1] - distinct[0];
  for (size_t i = 2; i < distinct.size(); ++i)
    gap = std::min(gap, distinct[i] - distinct[i - 1]);
  lo = distinct.front();
  hi = distinct.back() + gap;
  return true;
}

Result<Normalization> normalize(const tamrt_model &model, const Dataset &data,
                                std::vector<LevelTable> levels) {
  const size_t inputs = size_t(model.input_count);
  const std::vector<Group> &groups = data.groups();
  Normalization result;
  result.levels = std::move(levels);
  result.ranges.resize(groups.size() * inputs * 2);
  result.knots.resize(inputs * 2);
  for (size_t i = 0; i < inputs; ++i) {
    const tamrt_input &input = model.inputs[i];
    if (input.rule == TAMRT_RULE_LEVELS)
      continue;
    const double *values = data.numbers(i);
    double lo = 0, hi = 0;
    bool periodic = input.rule == TAMRT_RULE_PERIOD_AUTO &&
                    findPeriod({values, data.rowCount()}, lo, hi);
    Extent extent;
    for (size_t g = 0; g < groups.size(); ++g) {
      const double *first = values + groups[g].first;
      Range range =
          periodic ? rangeOf(lo, hi) : rangeOf(input, first, groups[g].rows);
      if (!std::isfinite(range.centre) || !std::isfinite(range.half))
        return Error{"column '" + std::string(input.column) + "'" +
                     (model.group ? ": group '" + groups[g].name + "'" : "") +
                     ": expected values whose range is finite"};
      // A range of one rounding has no centre of its own: x would leave
      // [-1, 1] or be 0/0.
      auto [low, high] = std::minmax_element(first, first + groups[g].rows);
      bool isRange = input.rule == TAMRT_RULE_RANGE;
      bool isCentred = *low < range.centre && range.centre < *high &&
                       (range.centre - *low) / range.half <= 1 + kRangeSlack &&
                       (*high - range.centre) / range.half <= 1 + kRangeSlack;
      if (*low < *high && (range.half == 0 || (isRange && !isCentred)))
        return Error{"column '" + std::string(input.column) + "'" +
                     (model.group ? ": group '" + groups[g].name + "'" : "") +
                     ": expected values that are equal or differ by more than "
                     "rounding"};
      result.ranges[2 * (g * inputs + i)] = range.centre;
      result.ranges[2 * (g * inputs + i) + 1] = range.half;
      // Rounding is monotonic, so the extremes of the normalised values are
      // those of the values, normalised.
      extent.add((*low - range.centre) / range.half);
      extent.add((*high - range.centre) / range.half);
    }
    if (extent.lo == extent.hi) {
      extent.lo -= kKnotMargin;
      extent.hi += kKnotMargin;
    }
    result.knots[2 * i] = extent.lo;
    result.knots[2 * i + 1] = extent.hi;
  }
  return result;
}

} // namespace tamrt
