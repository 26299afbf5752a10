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
#include <cstring>
#include <optional>

namespace tamrt {

void Normalization::parameters(const tamrt_model &model, size_t group,
                               double *block,
                               std::span<const double> strengths) const {
  const size_t width = 2 * inputs();
  const double *own = knots.data() + (knots.size() > width ? group * width : 0);
  writeParameters(model, ranges.data() + group * width, own,
                  strengths.empty() ? nullptr : strengths.data(), block);
}

Normalization Normalization::part(size_t first, size_t count) const {
  const size_t width = 2 * inputs();
  auto cut = [&](const std::vector<double> &all) {
    return std::vector<double>(all.begin() + ptrdiff_t(first * width),
                               all.begin() +
                                   ptrdiff_t((first + count) * width));
  };
  return {cut(ranges), cut(knots), levels};
}

bool Normalization::areEqual(size_t group, const Normalization &with,
                             size_t other,
                             const std::vector<bool> &apart) const {
  const double *own = ranges.data() + 2 * group * inputs();
  const double *others = with.ranges.data() + 2 * other * inputs();
  const double *ownKnots = knotsOf(group), *otherKnots = with.knotsOf(other);
  constexpr size_t kBytes = 2 * sizeof(double);
  for (size_t i = 0; i < inputs(); ++i)
    if ((apart.empty() || !apart[i]) &&
        (std::memcmp(own + 2 * i, others + 2 * i, kBytes) != 0 ||
         std::memcmp(ownKnots + 2 * i, otherKnots + 2 * i, kBytes) != 0))
      return false;
  return true;
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

std::span<const double> PeriodFinder::values() {
  tidy();
  return distinct;
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
  const size_t inputs = size_t(model.input_count);
  std::vector<Spread> spreads(data.groups().size() * inputs);
  std::atomic<size_t> next = 0;
  forEachPiece(chooseThreads(threads, data.rowCount(), kRowsPerThread),
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
  return normalize(
      model,
      {data.groups().size(), [&](size_t g) { return data.groups()[g].name; },
       [&](size_t group, size_t input) {
         return spreads[group * size_t(model.input_count) + input];
       },
       [&](size_t input, double &lo, double &hi) {
         return findPeriod({data.numbers(input), data.rowCount()}, lo, hi);
       }},
      std::move(levels));
}

namespace {

/// Ranges that a thread takes at once.
constexpr size_t kRangesAtOnce = 64;

/// Spreads of ranges of a column of which each mostly begins and ends somewhat
/// after the one before: in the mean a row is looked at twice.
class MovingSpread {
public:
  explicit MovingSpread(const double *column) : column(column) {}

  Spread of(size_t first, size_t rows) {
    const size_t last = first + rows;
    if (first < begin || first >= middle || last < end) {
      begin = first;
      middle = end = last;
      after = {};
      before.resize(rows);
      Spread spread;
      for (size_t row = last; row-- > first;) {
        spread.add(column[row]);
        before[row - first] = spread;
      }
    }
    for (; end < last; ++end)
      after.add(column[end]);
    Spread spread = before[first - begin];
    spread.add(after);
    return spread;
  }

private:
  const double *column;
  size_t begin = 0, middle = 0, end = 0;
  /// Spreads of the rows from each of [begin, middle) on to middle.
  std::vector<Spread> before;
  /// That of [middle, end).
  Spread after;
};

} // namespace

/// Writes the ranges and knots of a summary's groups, as Normalization has
/// them; inputs with levels keep what is there.
static Status writeRanges(const tamrt_model &model, const RowSummary &summary,
                          double *ranges, double *knots) {
  const auto inputs = size_t(model.input_count);
  for (size_t i = 0; i < inputs; ++i) {
    const tamrt_input &input = model.inputs[i];
    if (input.rule == TAMRT_RULE_LEVELS)
      continue;
    double lo = 0, hi = 0;
    bool periodic =
        input.rule == TAMRT_RULE_PERIOD_AUTO && summary.period(i, lo, hi);
    const Range period = periodic ? rangeOf(lo, hi) : Range{};
    Extent extent;
    for (size_t g = 0; g < summary.groups; ++g) {
      Range range;
      RangeFault fault = normalizeGroup(input, periodic ? &period : nullptr,
                                        summary.spread(g, i), range, extent);
      if (fault != RangeFault::None)
        return Error{
            "column '" + std::string(input.column) + "'" +
            (model.group ? ": group '" + summary.nameOf(g) + "'" : "") +
            (fault == RangeFault::NotFinite
                 ? ": expected values whose range is finite"
                 : ": expected values that are equal or differ by more than "
                   "rounding")};
      ranges[2 * (g * inputs + i)] = range.centre;
      ranges[2 * (g * inputs + i) + 1] = range.half;
    }
    extent.knots(knots + 2 * i);
  }
  return {};
}

Result<Normalization> normalizeApart(const tamrt_model &model,
                                     const RowSource &source,
                                     std::span<const Group> ranges,
                                     unsigned threads,
                                     const GroupNamer &namer) {
  const auto inputs = size_t(model.input_count);
  Normalization all;
  all.levels.resize(inputs);
  all.ranges.resize(ranges.size() * inputs * 2);
  all.knots.resize(ranges.size() * inputs * 2);
  std::vector<std::optional<Error>> errors(ranges.size());
  std::atomic<size_t> next = 0;
  const size_t rows = ranges.empty() ? 0 : ranges.size() * ranges[0].rows;
  forEachPiece(chooseThreads(threads, rows, kRowsPerThread), [&](unsigned) {
    std::vector<MovingSpread> spreads(source.inputs.begin(),
                                      source.inputs.end());
    size_t end = 0;
    for (size_t r = 0;; ++r) {
      if (r == end) {
        r = next.fetch_add(kRangesAtOnce);
        end = std::min(r + kRangesAtOnce, ranges.size());
      }
      if (r >= ranges.size())
        return;
      const Group &range = ranges[r];
      Status written = writeRanges(
          model,
          {1, [&](size_t) { return nameOf(range, namer); },
           [&](size_t, size_t input) {
             return spreads[input].of(range.first, range.rows);
           },
           [&](size_t input, double &lo, double &hi) {
             return findPeriod({source.inputs[input] + range.first, range.rows},
                               lo, hi);
           }},
          all.ranges.data() + r * inputs * 2,
          all.knots.data() + r * inputs * 2);
      if (!written)
        errors[r] = std::move(written).error();
    }
  });
  for (std::optional<Error> &error : errors)
    if (error)
      return *std::move(error);
  return all;
}

Result<Normalization> normalize(const tamrt_model &model,
                                const RowSummary &summary,
                                std::vector<LevelTable> levels) {
  const size_t inputs = size_t(model.input_count);
  const size_t groups = summary.groups;
  Normalization result;
  result.levels = std::move(levels);
  result.ranges.resize(groups * inputs * 2);
  result.knots.resize(inputs * 2);
  if (Status s = writeRanges(model, summary, result.ranges.data(),
                             result.knots.data());
      !s)
    return std::move(s).error();
  return result;
}

} // namespace tamrt
