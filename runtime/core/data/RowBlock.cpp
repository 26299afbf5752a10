//===- core/data/RowBlock.cpp - the rows of a block of a file -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowBlock.h"

#include "io/CsvText.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// Texts beyond which a thread forgets those it has met: columns of more are
/// rare, and memory for them all is not to be had on every thread.
constexpr size_t kTextsKept = size_t(1) << 14;

/// The text of a level counts as missing like a number: an infinite number is
/// no level.
bool isFiniteLevel(std::string_view text) {
  if (isMissing(text))
    return false;
  std::optional<double> number = parseNumber(text);
  return !number || std::isfinite(*number);
}

std::string expectedFinite(bool missing) {
  return std::string(": expected a finite value, got ") +
         (missing ? "a missing value" : "infinity");
}

template <class T>
void keep(GrowingArray<T> &values, const std::vector<bool> &out) {
  if (values.empty())
    return;
  size_t kept = 0;
  for (size_t row = 0; row < out.size(); ++row)
    if (!out[row])
      values[kept++] = std::as_const(values)[row];
  values.truncate(kept);
}

} // namespace

void RowBlock::note(RowFault kind, Fault fault) {
  std::optional<Fault> &first = faults[size_t(kind)];
  if (!first || fault.row < first->row)
    first = std::move(fault);
}

void RowBlock::leaveOut(size_t row) {
  if (out.empty())
    out.resize(text.rowCount());
  out[row] = true;
}

std::string RowBlock::groupAt(const ModelColumns &columns, size_t row) const {
  if (!columns.group)
    return "";
  return ": group '" + std::string(text.field(row, *columns.group)) + "'";
}

void RowBlock::parseTexts(size_t column, LocalTexts &local,
                          GrowingArray<uint32_t> &ids, bool levels) {
  if (local.texts.size() > kTextsKept)
    local = {};
  const size_t count = text.rowCount();
  ids.truncate(0);
  uint32_t *out = ids.extend(count);
  std::string_view previous;
  for (size_t row = 0; row < count; ++row) {
    std::string_view field = text.field(row, column);
    // A short text is found as soon as it is compared.
    if (field.size() > 8 && field == previous) {
      out[row] = out[row - 1];
      continue;
    }
    previous = field;
    out[row] = local.texts.add(field);
    if (out[row] == local.missing.size()) {
      local.shared.push_back(LocalTexts::kNone);
      local.missing.push_back(levels ? !isFiniteLevel(field)
                                     : isMissing(field));
    }
  }
}

void RowBlock::parseDates(size_t column) {
  const size_t count = text.rowCount();
  rows.dates.truncate(0);
  rows.fractions.truncate(0);
  int64_t *keys = rows.dates.extend(count);
  forms.resize(count);
  std::string_view previous;
  Date date;
  for (size_t row = 0; row < count; ++row) {
    std::string_view field = text.field(row, column);
    if (row == 0 || field != previous) {
      Result<Date> parsed = parseDate(field);
      if (!parsed) {
        note(RowFault::Date, {row, column, ": " + parsed.error().message});
        // What is behind the first fault of this kind does not matter.
        std::fill(forms.begin() + ptrdiff_t(row), forms.end(),
                  Date::Form::Missing);
        std::fill(keys + row, keys + count, 0);
        if (!rows.fractions.empty())
          std::fill_n(rows.fractions.extend(count - row), count - row, 0);
        return;
      }
      previous = field;
      date = *parsed;
      if (date.fraction != 0 && rows.fractions.empty())
        std::fill_n(rows.fractions.extend(row), row, 0);
    }
    keys[row] = keyOf(date);
    forms[row] = date.form;
    if (date.fraction != 0 || !rows.fractions.empty())
      rows.fractions.push_back(date.fraction);
  }
}

/// Numbers column by column, so that fields of one look follow each other.
void RowBlock::parseNumbers(const ModelColumns &columns) {
  const size_t count = text.rowCount();
  struct Bad {
    size_t row, column;
  };
  std::vector<Bad> noNumbers, notFinite;
  rows.numbers.resize(columns.numbers.size());
  for (size_t i = 0; i < columns.numbers.size(); ++i) {
    const size_t column = columns.numbers[i];
    rows.numbers[i].truncate(0);
    double *values = rows.numbers[i].extend(count);
    std::vector<size_t> odd;
    text.numbers(column, values, odd);
    for (size_t row : odd) {
      double value;
      if (!parseCsvNumber(text.raw(row, column), value))
        noNumbers.push_back({row, i});
      else
        notFinite.push_back({row, i});
    }
  }
  // The first row counts, and in it the first column.
  if (drop)
    for (const Bad &bad : notFinite)
      leaveOut(bad.row);
  for (const Bad &bad : noNumbers) {
    if (!out.empty() && out[bad.row])
      continue;
    const size_t column = columns.numbers[bad.column];
    note(RowFault::Number,
         {bad.row, column,
          ": " + describeNoNumber(text.field(bad.row, column))});
  }
  if (!drop)
    for (const Bad &bad : notFinite)
      note(RowFault::Value, {bad.row, columns.numbers[bad.column],
                             groupAt(columns, bad.row) +
                                 expectedFinite(std::isnan(std::as_const(
                                     rows.numbers[bad.column])[bad.row]))});
}

void RowBlock::checkLevels(const ModelColumns &columns) {
  for (size_t i = 0; i < columns.levels.size(); ++i) {
    const std::vector<bool> &missing = levelTexts[i].missing;
    if (std::find(missing.begin(), missing.end(), true) == missing.end())
      continue;
    for (size_t row = 0; row < text.rowCount(); ++row) {
      if (!missing[std::as_const(rows.levels[i])[row]])
        continue;
      if (drop)
        leaveOut(row);
      else
        note(RowFault::Value,
             {row, columns.levels[i],
              groupAt(columns, row) + expectedFinite(isMissing(text.field(
                                          row, columns.levels[i])))});
    }
  }
}

void RowBlock::checkWeights(const ModelColumns &columns) {
  if (!columns.weights)
    return;
  const GrowingArray<double> &weights = rows.numbers[*columns.weights];
  for (size_t row = 0; row < weights.size(); ++row)
    if (weights[row] < 0 && std::isfinite(weights[row]) &&
        (out.empty() || !out[row])) {
      note(RowFault::Value,
           {row, columns.numbers[*columns.weights],
            groupAt(columns, row) +
                ": expected a weight that is not negative, got " +
                formatNumber(weights[row])});
      return;
    }
}

void RowBlock::compact() {
  dropped = size_t(std::count(out.begin(), out.end(), true));
  rows.count = out.size() - dropped;
  keep(rows.groups, out);
  keep(rows.dates, out);
  keep(rows.fractions, out);
  for (GrowingArray<double> &column : rows.numbers)
    keep(column, out);
  for (GrowingArray<uint32_t> &column : rows.levels)
    keep(column, out);
}

void RowBlock::parse(const ModelColumns &columns, bool dropMissing) {
  drop = dropMissing;
  dropped = 0;
  faults = {};
  out.clear();
  text.scan();
  rows.count = text.rowCount();
  if (columns.group) {
    parseTexts(*columns.group, groupTexts, rows.groups, /*levels=*/false);
    const std::vector<bool> &missing = groupTexts.missing;
    if (std::find(missing.begin(), missing.end(), true) != missing.end())
      for (size_t row = 0; row < rows.count; ++row) {
        if (!missing[std::as_const(rows.groups)[row]])
          continue;
        if (drop)
          leaveOut(row);
        else
          note(RowFault::Group, {row, *columns.group,
                                 ": expected a group, got a missing value"});
      }
  }
  if (columns.date) {
    parseDates(*columns.date);
    const size_t faulty = faults[size_t(RowFault::Date)]
                              ? faults[size_t(RowFault::Date)]->row
                              : rows.count;
    for (size_t row = 0; row < faulty; ++row) {
      if (forms[row] != Date::Form::Missing)
        continue;
      if (drop)
        leaveOut(row);
      else
        note(
            RowFault::MissingDate,
            {row, *columns.date,
             groupAt(columns, row) + ": expected a date, got a missing value"});
    }
  }
  rows.levels.resize(columns.levels.size());
  levelTexts.resize(columns.levels.size());
  for (size_t i = 0; i < columns.levels.size(); ++i)
    parseTexts(columns.levels[i], levelTexts[i], rows.levels[i],
               /*levels=*/true);
  if (drop)
    checkLevels(columns);
  parseNumbers(columns);
  if (!drop)
    checkLevels(columns);
  checkWeights(columns);
  if (!out.empty())
    compact();
}

} // namespace tamrt
