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
#include <cmath>
#include <limits>

namespace tamrt {

/// The index of groups that the part has not.
static constexpr uint32_t kNoIndex = std::numeric_limits<uint32_t>::max();

PartCheck::PartCheck(const tamrt_model &model, const ModelColumns &columns,
                     const PartSurvey &survey, const PartedRows &rows,
                     const PartBlocks &blocks)
    : model(&model), columns(&columns), survey(&survey),
      counts(survey.dates.size()), numbers(size_t(model.input_count)) {
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
  for (size_t i = 0; i < numbers.size(); ++i)
    if (model.inputs[i].rule != TAMRT_RULE_LEVELS)
      numbers[i].resize(counts.size());
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

void PartCheck::addNumbers(const Rows &rows, size_t input) {
  const double *values = rows.numbers[columns->inputs[input]].data();
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
  const auto pieces = unsigned(
      std::min<size_t>(chooseThreads(threads, rows.count, kRowsPerThread),
                       std::max<size_t>(numbers.size(), 1)));
  forEachPiece(pieces, [&](unsigned piece) {
    for (size_t i = piece; i < numbers.size(); i += pieces)
      if (!numbers[i].empty())
        addNumbers(rows, i);
  });
}

bool PartCheck::areSame() const {
  constexpr uint8_t kEnds = kFirst | kLast;
  bool same = !hasOthers;
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
