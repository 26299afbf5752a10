//===- core/data/Split.cpp - rows held out of a fit -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Split.h"

#include "core/data/Dataset.h"
#include "io/GrowingArray.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <utility>

namespace tamrt {
namespace {

/// Of a row that is dropped.
constexpr uint32_t kNoGroup = std::numeric_limits<uint32_t>::max();
/// Most bytes of the rows that are read at once.
constexpr size_t kPartBytes = size_t(24) << 20;

bool isSame(std::string_view text, const std::string &value) {
  if (text == value)
    return true;
  const std::optional<ExactNumber> a = parseExactNumber(text),
                                   b = parseExactNumber(value);
  return a && b && *a == *b;
}

/// One division of the rows of a file.
class Division {
public:
  Division(const tamrt_model &model, RowReader &reader, const Split &split)
      : model(model), reader(reader), split(split) {}

  Result<HeldOut> divide();

private:
  Status survey();
  void add(const Rows &rows);
  void addKeys(const Rows &rows);
  void divideByShare();
  Status check() const;
  size_t placeOf(size_t group) const {
    return reader.columns().group ? order.places[group] : 0;
  }

  const tamrt_model &model;
  RowReader &reader;
  const Split &split;
  HeldOut result;
  GroupOrder order;
  /// By the reader's index of the group: rows, and those held out.
  std::vector<size_t> rowsOf, heldOutOf;
  /// For a share, by row of the file: the group; if dates are not in order, the
  /// key and the fraction of the date.
  GrowingArray<uint32_t> groups;
  GrowingArray<int64_t> keys;
  GrowingArray<uint64_t> fractions;
  bool keepsDates = false, isOrdered = true;
  /// The latest dates of groups.
  std::vector<RowDate> latest;
  /// Whether rows with a text of the split's column are held out.
  std::vector<bool> isHeldOut;
};

/// Keeps groups, and dates if they are not in order.
void Division::addKeys(const Rows &rows) {
  const size_t before = groups.size(), size = reader.fileRows();
  std::fill_n(groups.extend(size - before), size - before, kNoGroup);
  if (keepsDates) {
    keys.extend(size - before);
    fractions.extend(size - before);
  }
  for (size_t row = 0; row < rows.count; ++row) {
    const uint32_t group = rows.groups.empty() ? 0 : rows.groups[row];
    const size_t place = rows.places[row];
    groups[place] = group;
    if (rows.dates.empty())
      continue;
    const RowDate date = rows.dateOf(row);
    if (keepsDates) {
      keys[place] = date.key;
      fractions[place] = date.fraction;
    }
    isOrdered &= rowsOf[group] == 0 || latest[group] <= date;
    latest[group] = date;
    ++rowsOf[group];
  }
  if (rows.dates.empty())
    for (size_t row = 0; row < rows.count; ++row)
      ++rowsOf[rows.groups.empty() ? 0 : rows.groups[row]];
}

void Division::add(const Rows &rows) {
  const size_t count = reader.columns().group ? reader.groups().size() : 1;
  rowsOf.resize(count);
  heldOutOf.resize(count);
  latest.resize(count);
  if (split.kind == Split::Kind::Share)
    return addKeys(rows);
  result.marks.resize(reader.fileRows());
  for (uint32_t id = uint32_t(isHeldOut.size()); id < reader.texts().size();
       ++id)
    isHeldOut.push_back(isSame(reader.texts()[id], split.value));
  const RowDate first = {split.kind == Split::Kind::Date ? keyOf(split.date)
                                                         : 0,
                         split.date.fraction};
  for (size_t row = 0; row < rows.count; ++row) {
    const bool isOut = split.kind == Split::Kind::Value
                           ? isHeldOut[rows.texts[row]]
                           : rows.dateOf(row) >= first;
    const uint32_t group = rows.groups.empty() ? 0 : rows.groups[row];
    result.marks[rows.places[row]] = isOut;
    ++rowsOf[group];
    heldOutOf[group] += isOut;
  }
}

/// Reads all rows, again if only then it is known which of them are dropped.
Status Division::survey() {
  const size_t most = std::max<size_t>(
      kPartBytes / std::max<size_t>(Dataset::bytesPerRow(model), 1), 1);
  while (true) {
    // Fails before a pipe has been read.
    if (Status s = reader.rewind(); !s)
      return Error{s.error().message + "; " + split.option +
                   " reads the data several times"};
    rowsOf.clear();
    heldOutOf.clear();
    latest.clear();
    isHeldOut.clear();
    result.marks.clear();
    groups.truncate(0);
    keys.truncate(0);
    fractions.truncate(0);
    Status read = reader.forEachRows(most, [&](const Rows &rows) -> Status {
      add(rows);
      return {};
    });
    if (!read)
      return read;
    Result<RowReader::TextChanges> changes = reader.resolveTexts();
    if (!changes)
      return std::move(changes).error();
    const bool needsDates = !isOrdered && !keepsDates;
    keepsDates |= needsDates;
    if (!changes->drops && !changes->merges && !needsDates)
      return {};
  }
}

/// Marks the last rows of each group.
void Division::divideByShare() {
  const size_t count = reader.fileRows();
  // Rows after the last one that was not dropped.
  std::fill_n(groups.extend(count - groups.size()), count - groups.size(),
              kNoGroup);
  result.marks.resize(count);
  for (size_t group = 0; group < rowsOf.size(); ++group)
    // The product of a share and a count is rounded.
    heldOutOf[group] =
        size_t(std::floor(split.share * double(rowsOf[group]) + 1e-9));
  std::vector<uint32_t> sorted;
  if (keepsDates) {
    for (size_t row = 0; row < count; ++row)
      if (groups[row] != kNoGroup)
        sorted.push_back(uint32_t(row));
    auto key = [&](uint32_t row) {
      return std::tuple(std::as_const(keys)[row], std::as_const(fractions)[row],
                        row);
    };
    std::sort(sorted.begin(), sorted.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  }
  std::vector<size_t> before(rowsOf.size());
  auto mark = [&](size_t row) {
    const uint32_t group = groups[row];
    if (group != kNoGroup)
      result.marks[row] = before[group]++ >= rowsOf[group] - heldOutOf[group];
  };
  if (keepsDates)
    std::for_each(sorted.begin(), sorted.end(), mark);
  else
    for (size_t row = 0; row < count; ++row)
      mark(row);
  result.keptBytes = groups.size() * sizeof(uint32_t) +
                     keys.size() * (sizeof(int64_t) + sizeof(uint64_t)) +
                     sorted.size() * sizeof(uint32_t);
}

/// Checks that each group has rows on both sides.
Status Division::check() const {
  std::vector<size_t> numbers(order.names.size());
  for (size_t group = 0; group < rowsOf.size(); ++group)
    numbers[placeOf(group)] = group;
  for (size_t place = 0; place < numbers.size(); ++place) {
    const size_t rows = rowsOf[numbers[place]], out = heldOutOf[numbers[place]];
    if (out == 0 || out == rows)
      return Error{fmt::format(
          "{}: {}expected some of the rows held out by {}={}, and some not, "
          "got {} of {}",
          reader.path(),
          model.group ? "group '" + order.names[place] + "': " : "",
          split.option, split.text, out, rows)};
  }
  return {};
}

Result<HeldOut> Division::divide() {
  if (Status s = survey(); !s)
    return std::move(s).error();
  if (split.kind == Split::Kind::Date && reader.dateForm() != split.date.form)
    return Error{fmt::format(
        "{}: column '{}': expected dates of the format of {}={}, "
        "got others{}",
        reader.path(), model.date, split.option, split.text,
        split.date.form == Date::Form::Number ? "; a share is between 0 and 1"
                                              : "")};
  order = reader.groupOrder();
  if (split.kind == Split::Kind::Share)
    divideByShare();
  result.marks.resize(reader.fileRows());
  if (Status s = check(); !s)
    return std::move(s).error();
  result.heldOut =
      std::accumulate(heldOutOf.begin(), heldOutOf.end(), size_t(0));
  result.fitted = reader.rowsRead() - result.heldOut;
  return std::move(result);
}

} // namespace

Result<Split> parseSplit(const std::string &text) {
  Split split;
  split.text = text;
  if (const size_t equals = text.find('=');
      equals != std::string::npos && equals > 0) {
    split.kind = Split::Kind::Value;
    split.column = text.substr(0, equals);
    split.value = text.substr(equals + 1);
    return split;
  }
  if (const std::optional<double> number = parseNumber(text);
      number && *number > 0 && *number < 1) {
    split.share = *number;
    return split;
  }
  if (Result<Date> date = parseDate(text);
      date && date->form != Date::Form::Missing) {
    split.kind = Split::Kind::Date;
    split.date = *date;
    return split;
  }
  return Error{"expected a share between 0 and 1, a date, or a column and a "
               "value such as split=calib, got '" +
               text + "'"};
}

Result<HeldOut> holdOut(const tamrt_model &model, const DataSource &source,
                        const ReadOptions &options, const Split &split) {
  if (source.path == "-")
    return Error{"expected a file for " + split.option +
                 ", which is read several times, got standard input"};
  if (split.kind == Split::Kind::Date && !model.date)
    return Error{"expected a share between 0 and 1, or a column and a value, "
                 "as " +
                 split.option + " of a model without a date column, got " +
                 split.text};
  ReadOptions reading = options;
  reading.keepPlaces = true;
  reading.textColumn = split.column;
  Result<RowReader> reader = RowReader::open(source, model, reading);
  if (!reader)
    return std::move(reader).error();
  return Division(model, *reader, split).divide();
}

} // namespace tamrt
