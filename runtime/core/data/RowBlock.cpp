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
#include <bit>
#include <cmath>
#include <cstring>

namespace tamrt {
namespace {

/// Distinct texts after which a thread forgets the texts it has seen: columns
/// with more are rare, and every thread would need memory for all of them.
constexpr size_t kTextsKept = size_t(1) << 14;

/// Whether two texts, short ones in most cases, are equal.
bool areEqual(std::string_view a, std::string_view b) {
  if (a.size() != b.size())
    return false;
  auto differ = [&]<class Word>(size_t at, Word) {
    Word x, y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    return x != y;
  };
  // Words from both ends, which overlap.
  const size_t size = a.size();
  if (size > 16)
    return a == b;
  if (size >= 8)
    return !differ(0, uint64_t()) && !differ(size - 8, uint64_t());
  if (size >= 4)
    return !differ(0, uint32_t()) && !differ(size - 4, uint32_t());
  if (size >= 2)
    return !differ(0, uint16_t()) && !differ(size - 2, uint16_t());
  return size == 0 || a[0] == b[0];
}

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

void TagIndex::add(uint64_t tag, uint32_t number) {
  constexpr size_t kMinSlots = 64;
  if (2 * (count + 1) > slots.size()) {
    std::vector<Slot> before(std::max(2 * slots.size(), kMinSlots));
    before.swap(slots);
    shift = std::countl_zero(uint64_t(slots.size())) + 1;
    for (const Slot &slot : before)
      if (slot.number != kNone)
        slots[placeOf(slot.tag)] = slot;
  }
  slots[placeOf(tag)] = {tag, number};
  ++count;
}

/// As parseTexts, of a frame's column with tags: each text is made once. False
/// for other columns.
bool RowBlock::parseTagged(size_t column, LocalTexts &local, uint32_t *out,
                           TextKind (*kindOf)(std::string_view,
                                              const CsvFormat &)) {
  tags.resize(text.rowCount());
  const void *meaning = text.frameRows()->tags(column, tags.data());
  if (!meaning)
    return false;
  if (local.meaning != meaning || local.tags.size() > kTextsKept)
    local.tags = {};
  local.meaning = meaning;
  const CsvFormat &format = text.csvFormat();
  std::string made, buffer;
  for (size_t row = 0; row < tags.size(); ++row) {
    if (row > 0 && tags[row] == tags[row - 1]) {
      out[row] = out[row - 1];
      continue;
    }
    out[row] = local.tags.find(tags[row]);
    if (out[row] != TagIndex::kNone)
      continue;
    const std::string_view value =
        format.withPoint(text.frameRows()->field(row, column, made), buffer);
    out[row] = local.add(value, kindOf, format);
    local.tags.add(tags[row], out[row]);
  }
  return true;
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
  if (text.frameRows() && parseTagged(column, local, out, kindOf))
    return;
  std::string_view previous;
  std::string buffer;
  for (size_t row = 0; row < count; ++row) {
    const std::string_view raw = text.raw(row, column);
    if (row > 0 && areEqual(raw, previous)) {
      out[row] = out[row - 1];
      continue;
    }
    previous = raw;
    const std::string_view value =
        format.withPoint(text.field(row, column), buffer);
    out[row] = local.add(value, kindOf, format);
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

/// Notes a point in time that no date of a file is.
void RowBlock::noteBeyond(std::optional<size_t> row, size_t column) {
  if (row)
    note(RowFault::Date, {*row, column,
                          ": expected a time in the years 0000 to 9999, got " +
                              std::string(text.field(*row, column))});
}

/// Checks the points in time of a frame's columns that are read as texts.
void RowBlock::checkTimes(const ModelColumns &columns) {
  if (!text.frameRows())
    return;
  std::vector<size_t> read = columns.levels;
  for (const std::optional<size_t> &column : {columns.group, rules->texts})
    if (column)
      read.push_back(*column);
  std::erase_if(
      read, [&](size_t column) { return !text.frameRows()->hasTimes(column); });
  if (read.empty())
    return;
  std::vector<Date::Form> unused(rows.count);
  std::vector<int64_t> seconds(rows.count);
  GrowingArray<uint64_t> fractions;
  for (size_t column : read) {
    fractions.truncate(0);
    noteBeyond(text.frameRows()->times(column, unused.data(), seconds.data(),
                                       fractions),
               column);
  }
}

void RowBlock::parseDates(size_t column) {
  const size_t count = text.rowCount();
  rows.dates.truncate(0);
  rows.fractions.truncate(0);
  int64_t *keys = rows.dates.extend(count);
  if (text.frameRows() && text.frameRows()->hasTimes(column)) {
    if (std::optional<Date::Form> form = text.frameRows()->plainTimes(
            column, rules->keepsDates ? keys : nullptr)) {
      commonForm = *form;
      forms.clear();
      return;
    }
    forms.resize(count);
    return noteBeyond(
        text.frameRows()->times(column, forms.data(), keys, rows.fractions),
        column);
  }
  forms.resize(count);
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
    bool isMissing;
  };
  std::vector<Bad> noNumbers, notFinite;
  rows.numbers.resize(columns.numbers.size());
  for (size_t i = 0; i < columns.numbers.size(); ++i) {
    const size_t column = columns.numbers[i];
    rows.numbers[i].truncate(0);
    std::vector<size_t> odd;
    if (rules->inPlace[i])
      text.frameRows()->findOdd(column, odd);
    else
      text.numbers(column, rows.numbers[i].extend(count), odd);
    for (size_t row : odd) {
      double value;
      if (!parseCsvNumber(text.raw(row, column), text.csvFormat(), value))
        noNumbers.push_back({row, i, false});
      else if (!(rules->mayLackTarget && columns.target == i &&
                 std::isnan(value)))
        notFinite.push_back({row, i, std::isnan(value)});
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
      note(RowFault::Value,
           {bad.row, columns.numbers[bad.column],
            groupAt(columns, bad.row) + expectedFinite(bad.isMissing)});
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
            // Any other number is missing because the user says so.
            const bool isInfinite =
                std::isinf(parseNumber(levelTexts[i].texts[rows.levels[i][row]])
                               .value_or(0));
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

/// Keeps lines, which are counted from the block's first.
void RowBlock::keepLines() {
  rows.lines.truncate(0);
  text.rowLines(rows.lines.extend(text.rowCount()));
}

void RowBlock::keepKeys() {
  rows.keys.text.truncate(0);
  rows.keys.ends.truncate(0);
  for (size_t row = 0; row < text.rowCount(); ++row) {
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
  for (size_t row = 0; row < std::min(faulty, forms.size()); ++row) {
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
    if (!how.keepsDates) {
      rows.dates.truncate(0);
      rows.fractions.truncate(0);
    }
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
  if (how.keepsLines)
    keepLines();
  if (!how.keys.empty())
    keepKeys();
  if (!out.empty())
    dropped = rows.drop(out); // keys have none of them
}

} // namespace tamrt
