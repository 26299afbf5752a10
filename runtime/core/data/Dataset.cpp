//===- core/data/Dataset.cpp - rows by group and date ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Dataset.h"

#include "io/Date.h"
#include "io/Number.h"
#include "io/Parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace tamrt {
namespace {

constexpr uint32_t kNoGroup = std::numeric_limits<uint32_t>::max();

/// Rows below which a thread costs more than it saves.
constexpr size_t kRowsPerThread = size_t(1) << 15;

/// The order of distinct group values: as numbers when every one parses, else
/// by bytes; equal numbers written differently, which are two groups, by bytes.
std::vector<uint32_t> orderOf(std::span<const std::string_view> names) {
  std::vector<uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), uint32_t(0));
  std::vector<double> numbers;
  numbers.reserve(names.size());
  for (std::string_view name : names) {
    std::optional<double> number = parseNumber(name);
    if (!number)
      break;
    numbers.push_back(*number);
  }
  const bool numeric = numbers.size() == names.size();
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (numeric && numbers[a] != numbers[b])
      return numbers[a] < numbers[b];
    return names[a] < names[b];
  });
  return order;
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
  Result<ModelColumns> columns =
      ModelColumns::find(model, options.purpose,
                         [&](const char *name) { return file.require(name); });
  if (!columns)
    return std::move(columns).error();
  data.setColumns(*columns);
  const std::optional<size_t> dateColumn = columns->date;
  const std::vector<size_t> &levelColumns = columns->levels;

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
  data.permute(options.threads);
  return data;
}

void Dataset::setColumns(const ModelColumns &columns) {
  groupColumn = columns.group;
  numericColumns = columns.numbers;
  for (int64_t i = 0; i < model->input_count; ++i) {
    inputValues.emplace_back();
    if (model->inputs[i].rule != TAMRT_RULE_LEVELS)
      inputValues.back() = columns.inputs[size_t(i)];
  }
  targetValues = columns.target;
  weightValues = columns.weights;
  codeColumns.resize(size_t(model->input_count));
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

  const std::vector<uint32_t> sorted = orderOf(names);
  std::vector<uint32_t> place(names.size());
  for (size_t i = 0; i < sorted.size(); ++i)
    place[sorted[i]] = uint32_t(i);
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
        {std::string(names[sorted[i]]), next[i], next[i + 1] - next[i]});
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
    outputs.push_back(values.emplace_back().extend(file.rowCount()));
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
    const double *column = values[i].data();
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
    const double *column = values[*weightValues].data();
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

/// Brings the columns from the file's order to ours, one after another, so that
/// only one is there twice: the memory of one takes the next.
void Dataset::permute(unsigned threads) {
  const size_t count = order.size();
  bool same = true;
  for (size_t i = 0; i < count && same; ++i)
    same = order[i] == i;
  if (same || values.empty())
    return;
  GrowingArray<double> spare;
  std::vector<double *> places{spare.extend(count)};
  for (GrowingArray<double> &column : values)
    places.push_back(column.data());
  // Pieces of columns are taken in order. One starts when the column before is
  // done, for then its place is free: whoever waits waits for a piece that a
  // thread has.
  const size_t pieces = chooseThreads(threads, count, kRowsPerThread);
  std::atomic<size_t> next = 0;
  std::vector<std::atomic<size_t>> done(values.size());
  forEachPiece(unsigned(pieces), [&](unsigned) {
    for (size_t i; (i = next++) < pieces * values.size();) {
      const size_t column = i / pieces, piece = i % pieces;
      if (column > 0)
        for (size_t before; (before = done[column - 1]) < pieces;)
          done[column - 1].wait(before);
      const double *from = places[column + 1];
      double *to = places[column];
      const size_t last = count * (piece + 1) / pieces;
      for (size_t row = count * piece / pieces; row < last; ++row)
        to[row] = from[order[row]];
      ++done[column];
      done[column].notify_all();
    }
  });
  for (GrowingArray<double> &column : values)
    std::swap(column, spare);
}

Dataset Dataset::arrange(Rows rows, const RowReader &reader,
                         const GroupOrder &groups, const tamrt_model &model,
                         std::span<const LevelTable> tables, unsigned threads) {
  Dataset data;
  data.model = &model;
  const ModelColumns &columns = reader.columns();
  data.setColumns(columns);
  data.sortByGroup(rows, groups);
  data.sortByKeys(rows);
  rows.groups = {};
  rows.dates = {};
  rows.fractions = {};
  data.values = std::move(rows.numbers);
  data.permute(threads);
  for (size_t i = 0; i < tables.size(); ++i) {
    const tamrt_input &input = model.inputs[i];
    if (input.rule != TAMRT_RULE_LEVELS)
      continue;
    const size_t column = columns.inputs[i];
    const TextIndex &texts = reader.levels(column);
    std::vector<int32_t> codes(texts.size());
    for (size_t id = 0; id < codes.size(); ++id)
      codes[id] =
          tables[i].code(texts[uint32_t(id)], tamrt_unseen(input.unseen));
    auto &out = data.codeColumns[i];
    out = std::make_unique_for_overwrite<int32_t[]>(rows.count);
    const uint32_t *ids = rows.levels[column].data();
    for (size_t row = 0; row < rows.count; ++row)
      out[row] = codes[ids[data.order[row]]];
  }
  return data;
}

/// Lists the groups that have rows, and sorts rows by group, stably, by
/// counting.
void Dataset::sortByGroup(const Rows &rows, const GroupOrder &groups) {
  order.resize(rows.count);
  if (!groupColumn) {
    std::iota(order.begin(), order.end(), uint32_t(0));
    if (rows.count > 0)
      groupList.push_back({"", 0, rows.count});
    return;
  }
  std::vector<size_t> next(groups.names.size() + 1, 0);
  for (uint32_t id : rows.groups)
    ++next[groups.places[id] + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (size_t i = 0; i < groups.names.size(); ++i)
    if (next[i + 1] > next[i])
      groupList.push_back({groups.names[i], next[i], next[i + 1] - next[i], i});
  for (size_t row = 0; row < rows.count; ++row)
    order[next[groups.places[rows.groups[row]]]++] = uint32_t(row);
}

/// Sorts the rows of each group by date; those of equal dates stay as they are.
void Dataset::sortByKeys(const Rows &rows) {
  if (rows.dates.empty())
    return;
  const int64_t *keys = rows.dates.data();
  const uint64_t *fractions =
      rows.fractions.empty() ? nullptr : rows.fractions.data();
  // The row breaks ties, so that an unstable sort, which needs no memory,
  // gives the order of a stable one.
  auto earlier = [&](uint32_t a, uint32_t b) {
    if (keys[a] != keys[b])
      return keys[a] < keys[b];
    if (fractions && fractions[a] != fractions[b])
      return fractions[a] < fractions[b];
    return a < b;
  };
  for (const Group &group : groupList) {
    auto begin = order.begin() + ptrdiff_t(group.first);
    auto end = begin + ptrdiff_t(group.rows);
    if (!std::is_sorted(begin, end, earlier))
      std::sort(begin, end, earlier);
  }
}

GroupOrder sortGroups(const TextIndex &groups, bool grouped) {
  if (!grouped)
    return {{""}, {}};
  std::vector<std::string_view> names;
  names.reserve(groups.size());
  for (uint32_t id = 0; id < groups.size(); ++id)
    names.push_back(groups[id]);
  GroupOrder order;
  order.places.resize(names.size());
  for (uint32_t id : orderOf(names)) {
    order.places[id] = uint32_t(order.names.size());
    order.names.emplace_back(names[id]);
  }
  return order;
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
  return at ? values[*at].data() : nullptr;
}

const double *Dataset::target() const {
  return targetValues ? values[*targetValues].data() : nullptr;
}

const double *Dataset::weights() const {
  return weightValues ? values[*weightValues].data() : nullptr;
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

size_t Dataset::bytesPerRow(const tamrt_model &model) {
  // Columns by their places in a list of the names.
  std::vector<std::string_view> names;
  auto require = [&](const char *name) -> Result<size_t> {
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      at = names.insert(names.end(), name);
    return size_t(at - names.begin());
  };
  const ModelColumns columns =
      *ModelColumns::find(model, Purpose::Fit, require);
  size_t codes = 0;
  for (int64_t i = 0; i < model.input_count; ++i)
    codes += model.inputs[i].rule == TAMRT_RULE_LEVELS ? sizeof(int32_t) : 0;
  const size_t order = sizeof(uint32_t);
  const size_t kept = sizeof(double) * columns.numbers.size() +
                      sizeof(uint32_t) * columns.levels.size();
  const size_t read = kept + (columns.group ? sizeof(uint32_t) : 0) +
                      (columns.date ? sizeof(int64_t) + sizeof(uint64_t) : 0);
  // Columns grow by an eighth of their size (GrowingArray) while they are read;
  // groups and dates are gone when one column is there twice.
  return std::max({(read * 9 + 7) / 8, read + order,
                   order + kept + sizeof(double) + codes});
}

} // namespace tamrt
