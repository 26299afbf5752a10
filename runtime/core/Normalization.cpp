//===- core/Normalization.cpp - inputs brought to [-1, 1] -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Normalization.h"

#include "core/Steps.h"

#include <algorithm>

namespace tamrt {
namespace {

void sortDistinct(std::vector<double> &values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

} // namespace

void Normalization::parameters(size_t group, double *block) const {
  writeParameters(ranges.data() + 2 * group * inputs(), knots.data(), inputs(),
                  block);
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
  return periodOf(distinct.data(), distinct.size(), lo, hi);
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
    const Range period = periodic ? rangeOf(lo, hi) : Range{};
    Extent extent;
    for (size_t g = 0; g < groups.size(); ++g) {
      Range range;
      RangeFault fault = normalizeGroup(input, periodic ? &period : nullptr,
                                        {values + groups[g].first},
                                        groups[g].rows, range, extent);
      if (fault != RangeFault::None)
        return Error{
            "column '" + std::string(input.column) + "'" +
            (model.group ? ": group '" + groups[g].name + "'" : "") +
            (fault == RangeFault::NotFinite
                 ? ": expected values whose range is finite"
                 : ": expected values that are equal or differ by more than "
                   "rounding")};
      result.ranges[2 * (g * inputs + i)] = range.centre;
      result.ranges[2 * (g * inputs + i) + 1] = range.half;
    }
    extent.knots(result.knots.data() + 2 * i);
  }
  return result;
}

} // namespace tamrt
