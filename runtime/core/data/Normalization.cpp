//===- core/data/Normalization.cpp - inputs brought to [-1, 1] ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Normalization.h"

#include "io/Parallel.h"

#include <algorithm>
#include <atomic>

namespace tamrt {

void Normalization::parameters(const tamrt_model &model, size_t group,
                               double *block,
                               std::span<const double> strengths) const {
  const size_t width = 2 * inputs();
  const double *own = knots.data() + (knots.size() > width ? group * width : 0);
  writeParameters(model, ranges.data() + group * width, own,
                  strengths.empty() ? nullptr : strengths.data(), block);
}

void PeriodFinder::tidy() {
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
}

void PeriodFinder::add(double value) {
  // Sorted in batches, so that memory is proportional to the distinct values,
  // not to the rows.
  distinct.push_back(roundForPeriod(value));
  if (distinct.size() < limit)
    return;
  tidy();
  limit = 2 * distinct.size() + kBatch;
}

bool PeriodFinder::find(double &lo, double &hi) {
  tidy();
  return periodOf(distinct.data(), distinct.size(), lo, hi);
}

bool findPeriod(std::span<const double> values, double &lo, double &hi) {
  PeriodFinder finder;
  for (double value : values)
    finder.add(value);
  return finder.find(lo, hi);
}

/// The spread of each input without levels in each group, [group][input].
static std::vector<Spread> spreadsOf(const tamrt_model &model,
                                     const Dataset &data, unsigned threads) {
  // Fewer rows take less time than a thread takes to start.
  constexpr size_t kMinRows = size_t(1) << 15;
  const size_t inputs = size_t(model.input_count);
  std::vector<Spread> spreads(data.groups().size() * inputs);
  std::atomic<size_t> next = 0;
  forEachPiece(chooseThreads(threads, data.rowCount(), kMinRows),
               [&](unsigned) {
                 for (size_t at; (at = next++) < spreads.size();) {
                   const size_t input = at % inputs;
                   const Group &group = data.groups()[at / inputs];
                   if (model.inputs[input].rule != TAMRT_RULE_LEVELS)
                     spreads[at] = spreadOf(model.inputs[input],
                                            {data.numbers(input) + group.first},
                                            group.rows);
                 }
               });
  return spreads;
}

Result<Normalization> normalize(const tamrt_model &model, const Dataset &data,
                                std::vector<LevelTable> levels,
                                unsigned threads) {
  const std::vector<Spread> spreads = spreadsOf(model, data, threads);
  std::vector<std::string> names;
  for (const Group &group : data.groups())
    names.push_back(group.name);
  return normalize(
      model,
      {names,
       [&](size_t group, size_t input) {
         return spreads[group * size_t(model.input_count) + input];
       },
       [&](size_t input, double &lo, double &hi) {
         return findPeriod({data.numbers(input), data.rowCount()}, lo, hi);
       }},
      std::move(levels));
}

Result<Normalization> normalizeApart(const tamrt_model &model,
                                     const Dataset &data, unsigned threads) {
  const auto inputs = size_t(model.input_count);
  const size_t groups = data.groups().size();
  const std::vector<Spread> spreads = spreadsOf(model, data, threads);
  Normalization all;
  all.levels.resize(inputs);
  all.ranges.reserve(groups * inputs * 2);
  all.knots.reserve(groups * inputs * 2);
  for (size_t g = 0; g < groups; ++g) {
    const Group &group = data.groups()[g];
    Result<Normalization> own = normalize(
        model,
        {{&group.name, 1},
         [&](size_t, size_t input) { return spreads[g * inputs + input]; },
         [&](size_t input, double &lo, double &hi) {
           return findPeriod({data.numbers(input) + group.first, group.rows},
                             lo, hi);
         }},
        std::vector<LevelTable>(inputs));
    if (!own)
      return std::move(own).error();
    all.ranges.insert(all.ranges.end(), own->ranges.begin(), own->ranges.end());
    all.knots.insert(all.knots.end(), own->knots.begin(), own->knots.end());
  }
  return all;
}

Result<Normalization> normalize(const tamrt_model &model,
                                const RowSummary &summary,
                                std::vector<LevelTable> levels) {
  const size_t inputs = size_t(model.input_count);
  const size_t groups = summary.groups.size();
  Normalization result;
  result.levels = std::move(levels);
  result.ranges.resize(groups * inputs * 2);
  result.knots.resize(inputs * 2);
  for (size_t i = 0; i < inputs; ++i) {
    const tamrt_input &input = model.inputs[i];
    if (input.rule == TAMRT_RULE_LEVELS)
      continue;
    double lo = 0, hi = 0;
    bool periodic =
        input.rule == TAMRT_RULE_PERIOD_AUTO && summary.period(i, lo, hi);
    const Range period = periodic ? rangeOf(lo, hi) : Range{};
    Extent extent;
    for (size_t g = 0; g < groups; ++g) {
      Range range;
      RangeFault fault = normalizeGroup(input, periodic ? &period : nullptr,
                                        summary.spread(g, i), range, extent);
      if (fault != RangeFault::None)
        return Error{
            "column '" + std::string(input.column) + "'" +
            (model.group ? ": group '" + summary.groups[g] + "'" : "") +
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
