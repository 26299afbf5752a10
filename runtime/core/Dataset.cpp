//===- core/Dataset.cpp - rows by group and date --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Dataset.h"

#include "io/Date.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace tamrt {
namespace {

constexpr uint32_t kNoGroup = std::numeric_limits<uint32_t>::max();

/// Index of `value` in `list`, appended when new.
size_t indexIn(std::vector<size_t> &list, size_t value) {
  auto at = std::find(list.begin(), list.end(), value);
  if (at == list.end())
    at = list.insert(list.end(), value);
  return size_t(at - list.begin());
}

/// Sorts distinct group values: as numbers when every one parses, else by
/// bytes; equal numbers written differently, which are two groups, by bytes.
void sortGroups(std::vector<std::string_view> &names) {
  std::vector<std::pair<double, std::string_view>> numbered;
  for (std::string_view name : names) {
    std::optional<double> number = parseNumber(name);
    if (!number) {
      std::sort(names.begin(), names.end());
      return;
    }
    numbered.emplace_back(*number, name);
  }
  std::sort(numbered.begin(), numbered.end());
  for (size_t i = 0; i < names.size(); ++i)
    names[i] = numbered[i].second;
}

/// The text of a level counts as missing like a number: an infinite number is
/// no level.
bool isFiniteLevel(std::string_view text) {
  if (isMissing(text))
    return false;
  std::optional<double> number = parseNumber(text);
  return !number || std::isfinite(*number);
}

} // namespace

Result<Dataset> Dataset::read(const CsvFile &file, const tamrt_model &model,
                              const DatasetOptions &options) {
  if (file.rowCount() >= kNoGroup)
    return Error{file.path() + ": expected fewer than " +
                 std::to_string(kNoGroup) + " rows, got " +
                 std::to_string(file.rowCount())};
  Dataset data;
  data.model = &model;

  // All columns first: a misspelt name should not wait for a long parse.
  auto require = [&](const char *name,
                     std::optional<size_t> &column) -> Status {
    if (!name)
      return {};
    Result<size_t> found = file.require(name);
    if (!found)
      return std::move(found).error();
    column = *found;
    return {};
  };
  std::optional<size_t> dateColumn, targetColumn, weightColumn;
  if (Status s = require(model.group, data.groupColumn); !s)
    return std::move(s).error();
  if (Status s = require(model.date, dateColumn); !s)
    return std::move(s).error();
  std::vector<size_t> levelColumns;
  for (int64_t i = 0; i < model.input_count; ++i) {
    const tamrt_input &input = model.inputs[i];
    std::optional<size_t> column;
    if (Status s = require(input.column, column); !s)
      return std::move(s).error();
    data.inputValues.emplace_back();
    if (input.rule == TAMRT_RULE_LEVELS)
      indexIn(levelColumns, *column);
    else
      data.inputValues.back() = indexIn(data.numericColumns, *column);
  }
  if (options.purpose == Purpose::Fit) {
    if (Status s = require(model.target, targetColumn); !s)
      return std::move(s).error();
    if (Status s = require(model.weights, weightColumn); !s)
      return std::move(s).error();
    if (targetColumn)
      data.targetValues = indexIn(data.numericColumns, *targetColumn);
    if (weightColumn)
      data.weightValues = indexIn(data.numericColumns, *weightColumn);
  }
  data.codeColumns.resize(size_t(model.input_count));

  if (Status s = data.group(file, data.groupColumn, options.dropMissing); !s)
    return std::move(s).error();
  if (dateColumn)
    if (Status s = data.sortByDate(file, *dateColumn, options.dropMissing); !s)
      return std::move(s).error();
  // Rows that lack a level are marked before numbers are read: what else stands
  // in a row that is left out does not matter.
  if (options.dropMissing)
    data.dropWithoutLevel(file, levelColumns);
  if (Status s = data.parse(file, options); !s)
    return std::move(s).error();
  if (Status s = data.checkValues(file, levelColumns, options.dropMissing); !s)
    return std::move(s).error();
  data.removeDropped();
  if (data.order.empty())
    return Error{file.path() +
                 ": expected a row without missing values, all of " +
                 std::to_string(data.droppedRows) + " have some"};
  data.permute();
  return data;
}

/// Numbers the groups, then sorts rows by group, stably, by counting.
Status Dataset::group(const CsvFile &file, std::optional<size_t> column,
                      bool drop) {
  const size_t rows = file.rowCount();
  order.resize(rows);
  if (!column) {
    std::iota(order.begin(), order.end(), uint32_t(0));
    groupList.push_back({"", 0, rows});
    return {};
  }
  std::vector<uint32_t> ids(rows);
  std::vector<std::string_view> names;
  std::unordered_map<std::string_view, uint32_t> known;
  std::string_view previous;
  for (size_t row = 0; row < rows; ++row) {
    std::string_view name = file.field(row, *column);
    if (row > 0 && name == previous) {
      ids[row] = ids[row - 1];
      continue;
    }
    previous = name;
    auto [at, fresh] = known.try_emplace(name, uint32_t(names.size()));
    if (fresh) {
      if (isMissing(name))
        at->second = kNoGroup;
      else
        names.push_back(name);
    }
    ids[row] = at->second;
    if (ids[row] == kNoGroup && !drop)
      return Error{file.place(row, *column) +
                   ": expected a group, got a missing value"};
  }

  std::vector<std::string_view> sorted = names;
  sortGroups(sorted);
  std::vector<uint32_t> place(names.size());
  for (size_t i = 0; i < sorted.size(); ++i)
    place[known.at(sorted[i])] = uint32_t(i);
  std::vector<size_t> next(sorted.size() + 1, 0);
  for (uint32_t &id : ids) {
    if (id == kNoGroup)
      continue;
    id = place[id];
    ++next[id + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (size_t i = 0; i < sorted.size(); ++i)
    groupList.push_back(
        {std::string(sorted[i]), next[i], next[i + 1] - next[i]});
  size_t kept = next.back();
  for (size_t row = 0; row < rows; ++row) {
    if (ids[row] != kNoGroup) {
      order[next[ids[row]]++] = uint32_t(row);
      continue;
    }
    markDropped(file, row);
  }
  order.resize(kept);
  return {};
}

Status Dataset::sortByDate(const CsvFile &file, size_t column, bool drop) {
  Result<std::vector<Date>> dates = readDates(file, column);
  if (!dates)
    return std::move(dates).error();
  for (size_t row = 0; row < dates->size(); ++row) {
    if ((*dates)[row].form != Date::Form::Missing)
      continue;
    if (!drop)
      return Error{file.place(row, column) + groupAt(file, row) +
                   ": expected a date, got a missing value"};
    markDropped(file, row);
  }
  // The row breaks ties, so that an unstable sort, which needs no memory,
  // gives the order of a stable one.
  auto earlier = [&](uint32_t a, uint32_t b) {
    auto compared = (*dates)[a] <=> (*dates)[b];
    return compared != 0 ? compared < 0 : a < b;
  };
  for (const Group &group : groupList) {
    auto begin = order.begin() + ptrdiff_t(group.first);
    auto end = begin + ptrdiff_t(group.rows);
    if (!std::is_sorted(begin, end, earlier))
      std::sort(begin, end, earlier);
  }
  return {};
}

Status Dataset::parse(const CsvFile &file, const DatasetOptions &options) {
  std::vector<double *> outputs;
  for (size_t i = 0; i < numericColumns.size(); ++i) {
    values.push_back(std::make_unique_for_overwrite<double[]>(file.rowCount()));
    outputs.push_back(values.back().get());
  }
  if (options.dropMissing)
    return file.numbersOfCompleteRows(numericColumns, outputs, dropped,
                                      options.threads);
  return file.numbers(numericColumns, outputs, options.threads);
}

void Dataset::markDropped(const CsvFile &file, size_t row) {
  if (dropped.empty())
    dropped.resize(file.rowCount());
  dropped[row] = true;
}

void Dataset::dropWithoutLevel(const CsvFile &file,
                               std::span<const size_t> levelColumns) {
  for (size_t column : levelColumns)
    for (size_t row = 0; row < file.rowCount(); ++row)
      if (!isFiniteLevel(file.field(row, column)))
        markDropped(file, row);
}

/// Looks at the values in the file's order. Without `drop` the error is that of
/// the first bad row, in it of the first column the model reads.
Status Dataset::checkValues(const CsvFile &file,
                            std::span<const size_t> levelColumns, bool drop) {
  const size_t rows = file.rowCount();
  size_t badRow = rows, badColumn = 0;
  std::string got;
  auto bad = [&](size_t row, size_t column, std::string_view what) {
    if (drop) {
      markDropped(file, row);
    } else if (row < badRow) {
      badRow = row;
      badColumn = column;
      got = what;
    }
  };
  for (size_t i = 0; i < numericColumns.size(); ++i) {
    const double *column = values[i].get();
    for (size_t row = 0; row < (drop ? rows : badRow); ++row)
      if (!std::isfinite(column[row]))
        bad(row, numericColumns[i],
            std::isnan(column[row]) ? "a missing value" : "infinity");
  }
  for (size_t column : levelColumns) {
    // Rows to be dropped for want of a level are marked already.
    std::string_view previous = "0";
    for (size_t row = 0; row < (drop ? 0 : badRow); ++row) {
      std::string_view text = file.field(row, column);
      if (text == previous)
        continue;
      if (isFiniteLevel(text))
        previous = text;
      else
        bad(row, column, isMissing(text) ? "a missing value" : "infinity");
    }
  }
  if (weightValues) {
    const double *column = values[*weightValues].get();
    for (size_t row = 0; row < badRow; ++row)
      if (column[row] < 0 && std::isfinite(column[row]) &&
          (dropped.empty() || !dropped[row]))
        return Error{file.place(row, numericColumns[*weightValues]) +
                     groupAt(file, row) +
                     ": expected a weight that is not negative, got " +
                     formatNumber(column[row])};
  }
  if (badRow < rows)
    return Error{file.place(badRow, badColumn) + groupAt(file, badRow) +
                 ": expected a finite value, got " + got};
  return {};
}

std::string Dataset::groupAt(const CsvFile &file, size_t fileRow) const {
  if (!groupColumn)
    return "";
  return ": group '" + std::string(file.field(fileRow, *groupColumn)) + "'";
}

void Dataset::removeDropped() {
  if (dropped.empty())
    return;
  size_t kept = 0;
  std::vector<Group> left;
  for (Group &group : groupList) {
    size_t first = kept;
    for (size_t i = group.first; i < group.first + group.rows; ++i)
      if (!dropped[order[i]])
        order[kept++] = order[i];
    if (kept > first)
      left.push_back({std::move(group.name), first, kept - first});
  }
  groupList = std::move(left);
  order.resize(kept);
  droppedRows = dropped.size() - kept;
  dropped = {};
}

/// Brings the columns from the file's order to ours, one at a time, so that
/// only one is there twice.
void Dataset::permute() {
  bool same = true;
  for (size_t i = 0; i < order.size() && same; ++i)
    same = order[i] == i;
  if (same)
    return;
  for (std::unique_ptr<double[]> &column : values) {
    auto sorted = std::make_unique_for_overwrite<double[]>(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      sorted[i] = column[order[i]];
    column = std::move(sorted);
  }
}

size_t Dataset::longestGroup() const {
  size_t longest = 0;
  for (const Group &group : groupList)
    longest = std::max(longest, group.rows);
  return longest;
}

size_t Dataset::groupOf(size_t row) const {
  auto after = std::upper_bound(
      groupList.begin(), groupList.end(), row,
      [](size_t at, const Group &group) { return at < group.first; });
  return size_t(after - groupList.begin()) - 1;
}

const double *Dataset::numbers(size_t input) const {
  std::optional<size_t> at = inputValues[input];
  return at ? values[*at].get() : nullptr;
}

const double *Dataset::target() const {
  return targetValues ? values[*targetValues].get() : nullptr;
}

const double *Dataset::weights() const {
  return weightValues ? values[*weightValues].get() : nullptr;
}

Result<std::vector<LevelTable>> Dataset::levels(const CsvFile &file) const {
  std::vector<LevelTable> tables(inputValues.size());
  for (size_t i = 0; i < tables.size(); ++i) {
    const tamrt_input &input = model->inputs[i];
    if (input.rule != TAMRT_RULE_LEVELS)
      continue;
    Result<LevelTable> table = trainingLevels(file, *file.find(input.column),
                                              order, size_t(input.levels));
    if (!table)
      return std::move(table).error();
    tables[i] = *std::move(table);
  }
  return tables;
}

void Dataset::encode(const CsvFile &file, std::span<const LevelTable> tables) {
  for (size_t i = 0; i < tables.size(); ++i) {
    const tamrt_input &input = model->inputs[i];
    if (input.rule != TAMRT_RULE_LEVELS)
      continue;
    size_t column = *file.find(input.column);
    auto codes = std::make_unique_for_overwrite<int32_t[]>(order.size());
    std::string_view previous;
    for (size_t row = 0; row < order.size(); ++row) {
      std::string_view text = file.field(order[row], column);
      // Neighbours are often equal, and comparing is cheaper than searching.
      codes[row] = row > 0 && text == previous
                       ? codes[row - 1]
                       : tables[i].code(text, tamrt_unseen(input.unseen));
      previous = text;
    }
    codeColumns[i] = std::move(codes);
  }
}

size_t Dataset::bytesPerRow(const tamrt_model &model, Purpose purpose) {
  std::vector<std::string_view> numeric;
  auto add = [&](const char *name) {
    if (name &&
        std::find(numeric.begin(), numeric.end(), name) == numeric.end())
      numeric.push_back(name);
  };
  size_t levels = 0;
  for (int64_t i = 0; i < model.input_count; ++i) {
    if (model.inputs[i].rule == TAMRT_RULE_LEVELS)
      ++levels;
    else
      add(model.inputs[i].column);
  }
  if (purpose == Purpose::Fit) {
    add(model.target);
    add(model.weights);
  }
  // The order, the columns, one of them twice while sorting. The group numbers
  // are gone before the dates come, and those before the columns.
  size_t columns = sizeof(uint32_t) + sizeof(double) * (numeric.size() + 1) +
                   sizeof(int32_t) * levels;
  size_t dates =
      sizeof(uint32_t) + (model.date ? sizeof(Date) : sizeof(uint32_t));
  return std::max(columns, dates);
}

} // namespace tamrt
