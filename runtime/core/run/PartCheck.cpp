//===- core/run/PartCheck.cpp - whether rows are a part's -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/PartCheck.h"

#include "core/data/GroupRuns.h"
#include "io/Parallel.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>

namespace tamrt {

/// The index of groups that the part has not.
static constexpr uint32_t kNoIndex = std::numeric_limits<uint32_t>::max();

/// Bits of the places of values that have come lately.
static constexpr unsigned kRecentBits = 12;

PeriodCheck::PeriodCheck(std::span<const double> known)
    // No value has these bits: all are finite.
    : known(known), seen(known.size()),
      recent(size_t(1) << kRecentBits, ~uint64_t(0)) {}

void PeriodCheck::add(std::span<const double> values) {
  for (double value : values) {
    const auto bits = std::bit_cast<uint64_t>(value);
    uint64_t &before = recent[bits * 0x9E3779B97F4A7C15 >> (64 - kRecentBits)];
    if (before != bits)
      find(value);
    before = bits;
  }
}

void PeriodCheck::find(double value) {
  const double rounded = roundForPeriod(value);
  // Values often come in order.
  if (next == known.size() || known[next] != rounded)
    next = size_t(std::lower_bound(known.begin(), known.end(), rounded) -
                  known.begin());
  if (next == known.size() || known[next] != rounded)
    hasOthers = true;
  else
    seen[next++] = true;
}

bool PeriodCheck::areThose(const std::string &hash) const {
  std::vector<double> values;
  for (size_t i = 0; i < seen.size(); ++i)
    if (seen[i])
      values.push_back(known[i]);
  return !hasOthers && hashOfPeriod(values) == hash;
}

PartCheck::PartCheck(const tamrt_model &model, const ModelColumns &columns,
                     const Survey &survey, size_t part, const PartedRows &rows,
                     const PartBlocks &blocks)
    : model(&model), columns(&columns), survey(&survey.parts[part]),
      counts(this->survey->dates.size()), numbers(size_t(model.input_count)),
      levels(numbers.size()), periods(numbers.size()),
      offGrid(this->survey->onGrid.size()),
      weights(this->survey->weights.size()) {
  auto indexAt = [&](size_t place) {
    // Among numbers, a missing value has no place.
    const GroupPart *part =
        place < rows.parts.size() ? blocks.find(place) : nullptr;
    return part ? part->index : kNoIndex;
  };
  if (!columns.group)
    indexOf = {indexAt(0)};
  indexOf.reserve(rows.order.places.size());
  for (uint32_t place : rows.order.places)
    indexOf.push_back(indexAt(place));
  if (columns.date) {
    dates.resize(counts.size());
    lastDates.resize(counts.size());
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (model.inputs[i].rule != TAMRT_RULE_LEVELS)
      numbers[i].resize(counts.size());
    if (model.inputs[i].rule == TAMRT_RULE_PERIOD_AUTO)
      periods[i].emplace(survey.periods[i]);
  }
}

void PartCheck::addRows(const Rows &rows) {
  if (!rows.fractions.empty() && lastFractions.empty())
    lastFractions.resize(counts.size());
  forEachRun(rows, [&](uint32_t group, size_t first, size_t count) {
    const uint32_t index = indexOf[group];
    if (index == kNoIndex) {
      hasOthers = true;
      return;
    }
    if (columns->date)
      for (size_t row = first; row < first + count; ++row)
        addDate(index, rows.dateOf(row), counts[index] == 0 && row == first);
    counts[index] += uint32_t(count);
  });
}

void PartCheck::addDate(uint32_t index, const RowDate &date, bool isFirst) {
  const GroupDates &expected = survey->dates[index];
  uint8_t &seen = dates[index];
  if (date < expected.first || expected.last < date)
    seen |= kOutside;
  if (date == expected.first)
    seen |= kFirst;
  if (date == expected.last)
    seen |= kLast;
  RowDate last = {lastDates[index],
                  lastFractions.empty() ? 0 : lastFractions[index]};
  if (!isFirst && date < last)
    seen |= kOther;
  else
    tied += !isFirst && !(seen & kOther) && date == last;
  last = isFirst ? date : std::max(last, date);
  lastDates[index] = last.key;
  if (!lastFractions.empty())
    lastFractions[index] = last.fraction;
}

void PartCheck::addInput(const Rows &rows, size_t input) {
  const size_t column = columns->inputs[input];
  if (model->inputs[input].rule == TAMRT_RULE_LEVELS) {
    std::vector<uint8_t> &seen = levels[input];
    for (uint32_t id : rows.levels[column]) {
      if (id >= seen.size())
        seen.resize(id + 1);
      seen[id] = true;
    }
    return;
  }
  const double *values = rows.numbers[column].data();
  addNumbers(values, rows, input);
  if (periods[input])
    periods[input]->add(std::span(values, rows.count));
  for (size_t i = 0; i < offGrid.size(); ++i) {
    const tamrt_grid &grid = model->compression->grids[i];
    Spread all;
    if (size_t(grid.input) == input && !offGrid[i])
      offGrid[i] = !areOnGrid(grid, {values}, rows.count, all);
  }
}

void PartCheck::addWeights(const Rows &rows) {
  const double *values = rows.numbers[*columns->weights].data();
  forEachRun(rows, [&](uint32_t group, size_t first, size_t count) {
    const uint32_t index = indexOf[group];
    if (index == kNoIndex)
      return;
    for (size_t row = first; row < first + count; ++row)
      weights[index].add(values[row]);
  });
}

void PartCheck::addNumbers(const double *values, const Rows &rows,
                           size_t input) {
  const Spread *expected = survey->spreads.data() + input;
  forEachRun(rows, [&](uint32_t group, size_t first, size_t count) {
    const uint32_t index = indexOf[group];
    if (index == kNoIndex)
      return;
    const Spread &of = expected[index * numbers.size()];
    Spread spread;
    spread.add(std::span(values + first, count));
    uint8_t &seen = numbers[input][index];
    if (!(spread.lo >= of.lo && spread.hi <= of.hi))
      seen |= kOutside;
    if (spread.lo == of.lo)
      seen |= kFirst;
    if (spread.hi == of.hi)
      seen |= kLast;
    if (!spread.integers)
      seen |= kOther;
  });
}

void PartCheck::add(const Rows &rows, unsigned threads) {
  rowCount += rows.count;
  addRows(rows);
  // Row weights come after the inputs.
  const size_t tasks = numbers.size() + !weights.empty();
  const auto pieces = unsigned(
      std::min<size_t>(chooseThreads(threads, rows.count, kRowsPerThread),
                       std::max<size_t>(tasks, 1)));
  forEachPiece(pieces, [&](unsigned piece) {
    for (size_t i = piece; i < tasks; i += pieces)
      if (i < numbers.size())
        addInput(rows, i);
      else
        addWeights(rows);
  });
}

/// Whether the levels of an input are those of the survey.
bool PartCheck::haveLevels(const RowReader &reader, size_t input) const {
  const size_t column = columns->inputs[input];
  std::vector<std::string_view> got;
  for (uint32_t id = 0; id < levels[input].size(); ++id)
    if (levels[input][id])
      got.push_back(reader.levels(column)[id]);
  std::vector<std::string_view> expected(survey->levels[column].begin(),
                                         survey->levels[column].end());
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  return got == expected;
}

bool PartCheck::areSame(const RowReader &reader) const {
  constexpr uint8_t kEnds = kFirst | kLast;
  bool same = !hasOthers && reader.dateForm() == survey->dateForm;
  for (size_t i = 0; same && i < numbers.size(); ++i)
    if (model->inputs[i].rule == TAMRT_RULE_LEVELS)
      same = haveLevels(reader, i);
    else if (periods[i])
      same = periods[i]->areThose(survey->periods[i]);
  for (size_t i = 0; same && i < offGrid.size(); ++i)
    same = !offGrid[i] == survey->onGrid[i];
  for (size_t index = 0; same && index < weights.size(); ++index)
    same = weights[index].canonical() == survey->weights[index].canonical();
  for (size_t index = 0; same && index < counts.size(); ++index) {
    const GroupDates &expected = survey->dates[index];
    same &= counts[index] == expected.rows;
    if (!columns->date)
      same &= expected.first == RowDate() && expected.last == RowDate() &&
              expected.areOrdered;
    else
      same &= dates[index] == (expected.areOrdered ? kEnds : kEnds | kOther);
    for (size_t i = 0; i < numbers.size(); ++i)
      if (!numbers[i].empty())
        same &= numbers[i][index] ==
                (survey->spreads[index * numbers.size() + i].integers
                     ? kEnds
                     : kEnds | kOther);
  }
  return same;
}

} // namespace tamrt
