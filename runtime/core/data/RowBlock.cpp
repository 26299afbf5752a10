//===- core/data/RowBlock.cpp - the rows of a block of a file -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/RowBlock.h"

#include "io/CsvText.h"
#include "io/CsvWriter.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// Distinct texts after which a thread forgets the texts it has seen: columns
/// with more are rare, and every thread would need memory for all of them.
constexpr size_t kTextsKept = size_t(1) << 14;

std::string expectedFinite(bool missing) {
  return std::string(": expected a finite value, got ") +
         (missing ? "a missing value" : "infinity");
}

} // namespace

void RowBlock::note(RowFault kind, Fault fault) {
  std::optional<Fault> &first = faults[size_t(kind)];
  if (!first || fault.row < first->row)
    first = std::move(fault);
}

void RowBlock::leaveOut(size_t row, size_t column) {
  if (out.empty())
    out.resize(text.rowCount());
  out[row] = true;
  ++lacking[column];
}

std::string RowBlock::groupAt(const ModelColumns &columns, size_t row) const {
  if (!columns.group)
    return "";
  return ": group '" + std::string(text.field(row, *columns.group)) + "'";
}

void RowBlock::parseTexts(size_t column, LocalTexts &local,
                          GrowingArray<uint32_t> &ids,
                          TextKind (*kindOf)(std::string_view,
                                             const CsvFormat &)) {
  if (local.texts.size() > kTextsKept)
    local = {};
  const CsvFormat &format = text.csvFormat();
  const size_t count = text.rowCount();
  ids.truncate(0);
  uint32_t *out = ids.extend(count);
  std::string_view previous;
  std::string buffer;
  for (size_t row = 0; row < count; ++row) {
    std::string_view field = text.field(row, column);
    // Finding a short text is as fast as comparing it.
    if (field.size() > 8 && field == previous) {
      out[row] = out[row - 1];
      continue;
    }
    previous = field;
    const std::string_view value = format.withPoint(field, buffer);
    out[row] = local.texts.add(value);
    if (out[row] == local.kinds.size()) {
      local.shared.push_back(LocalTexts::kNone);
      local.kinds.push_back(kindOf(value, format));
    }
  }
}

/// Calls found(row, isMissing) for the rows whose text is missing or doubtful,
/// given whether the column's values are numbers.
template <class Found>
static void findMissing(const LocalTexts &local,
                        const GrowingArray<uint32_t> &ids,
                        std::optional<bool> areNumbers, const Found &found) {
  auto isFound = [&](TextKind kind) {
    return kind == TextKind::Missing ||
           (kind == TextKind::Doubtful && areNumbers.value_or(true));
  };
  if (std::none_of(local.kinds.begin(), local.kinds.end(), isFound))
    return;
  for (size_t row = 0; row < ids.size(); ++row)
    if (const TextKind kind = local.kinds[ids[row]]; isFound(kind))
      found(row, kind == TextKind::Missing || areNumbers.has_value());
}

void RowBlock::parseGroups(const ModelColumns &columns) {
  const size_t column = *columns.group;
  parseTexts(column, groupTexts, rows.groups, kindOfGroup);
  findMissing(
      groupTexts, rows.groups, rules->areGroupsNumbers,
      [&](size_t row, bool isMissing) {
        Fault fault = {row, column, ": expected a group, got a missing value"};
        if (!isMissing) {
          doubtfulGroup = doubtfulGroup ? doubtfulGroup : std::move(fault);
          ++doubtful[column];
        } else if (rules->dropMissing) {
          leaveOut(row, column);
        } else {
          note(RowFault::Group, std::move(fault));
        }
      });
}

/// Checks the points in time of a frame's columns that are read as dates or
/// texts.
void RowBlock::checkTimes(const ModelColumns &columns) {
  if (!text.frameRows())
    return;
  std::vector<size_t> read = columns.levels;
  for (const std::optional<size_t> &column :
       {columns.group, columns.date, rules->texts})
    if (column)
      read.push_back(*column);
  for (size_t column : read)
    if (const auto row = text.frameRows()->firstBeyond(column))
      note(RowFault::Date,
           {*row, column,
            ": expected a time in the years 0000 to 9999, got " +
                std::string(text.field(*row, column))});
}

/// As parseDates, of a frame's column of points in time.
void RowBlock::readTimes(size_t column) {
  int64_t *keys = rows.dates.data();
  for (size_t row = 0; row < rows.dates.size(); ++row) {
    const Date date = text.frameRows()->time(row, column);
    forms[row] = date.form;
    keys[row] = date.form == Date::Form::Missing ? 0 : keyOf(date);
    if (date.fraction != 0 && rows.fractions.empty())
      std::fill_n(rows.fractions.extend(row), row, 0);
    if (date.fraction != 0 || !rows.fractions.empty())
      rows.fractions.push_back(date.fraction);
  }
}

void RowBlock::parseDates(size_t column) {
  const size_t count = text.rowCount();
  rows.dates.truncate(0);
  rows.fractions.truncate(0);
  int64_t *keys = rows.dates.extend(count);
  forms.resize(count);
  if (text.frameRows() && text.frameRows()->hasTimes(column))
    return readTimes(column);
  const CsvFormat &format = text.csvFormat();
  std::string_view previous;
  std::string buffer;
  Date date;
  for (size_t row = 0; row < count; ++row) {
    std::string_view field = text.field(row, column);
    if (row == 0 || field != previous) {
      Result<Date> parsed = format.isMissingText(field)
                                ? Result<Date>(Date())
                                : parseDate(format.withPoint(field, buffer));
      if (!parsed) {
        note(RowFault::Date, {row, column, ": " + parsed.error().message});
        // Rows after the first fault of this kind do not matter.
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

/// Parses numbers column by column, so that similar fields follow each other.
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
      if (!parseCsvNumber(text.raw(row, column), text.csvFormat(), value))
        noNumbers.push_back({row, i});
      else if (!(rules->mayLackTarget && columns.target == i &&
                 std::isnan(value)))
        notFinite.push_back({row, i});
    }
  }
  // The first row counts, and in it the first column.
  if (rules->dropMissing)
    for (const Bad &bad : notFinite)
      leaveOut(bad.row, columns.numbers[bad.column]);
  for (const Bad &bad : noNumbers) {
    if (isOut(bad.row))
      continue;
    const size_t column = columns.numbers[bad.column];
    note(RowFault::Number, {bad.row, column,
                            ": " + describeNoNumber(text.field(bad.row, column),
                                                    text.csvFormat())});
  }
  if (!rules->dropMissing)
    for (const Bad &bad : notFinite)
      note(RowFault::Value, {bad.row, columns.numbers[bad.column],
                             groupAt(columns, bad.row) +
                                 expectedFinite(std::isnan(std::as_const(
                                     rows.numbers[bad.column])[bad.row]))});
}

void RowBlock::checkLevels(const ModelColumns &columns) {
  doubtfulLevels.assign(columns.levels.size(), std::nullopt);
  for (size_t i = 0; i < columns.levels.size(); ++i) {
    const size_t column = columns.levels[i];
    const bool isNumber =
        std::find(columns.numbers.begin(), columns.numbers.end(), column) !=
        columns.numbers.end();
    findMissing(
        levelTexts[i], rows.levels[i], rules->areLevelsNumbers[i],
        [&](size_t row, bool isMissing) {
          auto fault = [&] {
            const bool isInfinite =
                parseNumber(levelTexts[i].texts[rows.levels[i][row]])
                    .has_value();
            return Fault{row, column,
                         groupAt(columns, row) + expectedFinite(!isInfinite)};
          };
          if (!isMissing) {
            doubtfulLevels[i] = doubtfulLevels[i] ? doubtfulLevels[i] : fault();
            // As a number it is counted in any case.
            if (!isNumber)
              ++doubtful[column];
          } else if (!rules->dropMissing) {
            note(RowFault::Value, fault());
          } else if (leaveOut(row, column); isNumber) {
            // It will be counted as a number.
            --lacking[column];
          }
        });
  }
}

void RowBlock::checkWeights(const ModelColumns &columns) {
  if (!columns.weights)
    return;
  const GrowingArray<double> &weights = rows.numbers[*columns.weights];
  for (size_t row = 0; row < weights.size(); ++row)
    if (weights[row] < 0 && std::isfinite(weights[row]) && !isOut(row)) {
      note(RowFault::Value,
           {row, columns.numbers[*columns.weights],
            groupAt(columns, row) +
                ": expected a weight that is not negative, got " +
                formatNumber(weights[row])});
      return;
    }
}

/// Replaces texts of groups by indices of trained groups.
void RowBlock::findGroups(const ModelColumns &columns) {
  LocalTexts &local = groupTexts;
  for (uint32_t id = 0; id < local.texts.size(); ++id)
    if (local.shared[id] == LocalTexts::kNone)
      local.shared[id] =
          rules->trained->find(local.texts[id]).value_or(LocalTexts::kNone);
  for (size_t row = 0; row < rows.groups.size(); ++row) {
    uint32_t &group = rows.groups[row];
    group = local.shared[group];
    if (group == LocalTexts::kNone && !isOut(row) &&
        !faults[size_t(RowFault::UnknownGroup)])
      note(RowFault::UnknownGroup,
           {row, *columns.group,
            ": expected a group that was trained, " + rules->trained->shown() +
                ", got '" + shownText(text.field(row, *columns.group)) + "'"});
  }
}

/// Keeps keys and lines; lines are counted from the block's first.
void RowBlock::keepKeys() {
  rows.keys.text.truncate(0);
  rows.keys.ends.truncate(0);
  rows.lines.truncate(0);
  const size_t count = text.rowCount();
  uint64_t *lines = rows.lines.extend(count);
  text.rowLines(lines);
  if (rules->keys.empty())
    return;
  for (size_t row = 0; row < count; ++row) {
    if (isOut(row))
      continue;
    for (size_t i = 0; i < rules->keys.size(); ++i) {
      if (i > 0)
        rows.keys.text.push_back(',');
      const std::string_view field = text.field(row, rules->keys[i]);
      const size_t before = rows.keys.text.size();
      char *cell = rows.keys.text.extend(CsvWriter::cellBytes(field));
      const char *end = CsvWriter::writeCell(field, cell);
      rows.keys.text.truncate(before + size_t(end - cell));
    }
    rows.keys.ends.push_back(rows.keys.text.size());
  }
}

void RowBlock::checkDates(const ModelColumns &columns) {
  const std::optional<Fault> &fault = faults[size_t(RowFault::Date)];
  const size_t faulty = fault ? fault->row : rows.count;
  for (size_t row = 0; row < faulty; ++row) {
    if (forms[row] != Date::Form::Missing)
      continue;
    if (rules->dropMissing)
      leaveOut(row, *columns.date);
    else
      note(RowFault::MissingDate,
           {row, *columns.date,
            groupAt(columns, row) + ": expected a date, got a missing value"});
  }
}

void RowBlock::parse(const ModelColumns &columns, const RowRules &how) {
  rules = &how;
  dropped = 0;
  faults = {};
  doubtfulGroup.reset();
  lacking.clear();
  doubtful.clear();
  out.clear();
  text.scan();
  rows.count = text.rowCount();
  checkTimes(columns);
  if (columns.group)
    parseGroups(columns);
  if (columns.date) {
    parseDates(*columns.date);
    checkDates(columns);
  }
  rows.levels.resize(columns.levels.size());
  levelTexts.resize(columns.levels.size());
  for (size_t i = 0; i < columns.levels.size(); ++i)
    parseTexts(columns.levels[i], levelTexts[i], rows.levels[i], kindOfLevel);
  if (how.texts)
    parseTexts(*how.texts, furtherTexts, rows.texts, kindOfLevel);
  if (how.dropMissing)
    checkLevels(columns);
  parseNumbers(columns);
  if (!how.dropMissing)
    checkLevels(columns);
  checkWeights(columns);
  if (how.trained && columns.group)
    findGroups(columns);
  if (how.keepsKeys)
    keepKeys();
  if (!out.empty())
    dropped = rows.drop(out); // keys have none of them
}

} // namespace tamrt
