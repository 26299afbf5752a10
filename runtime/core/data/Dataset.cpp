//===- core/data/Dataset.cpp - rows by group and date ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/Dataset.h"

#include "core/data/CachedParts.h"
#include "io/Parallel.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

namespace tamrt {
namespace {

/// Lists the groups that have rows, and sorts rows by group, stably, by
/// counting.
void sortByGroup(const Rows &rows, bool grouped, const GroupOrder &groups,
                 RowOrder &order) {
  order.rows.resize(rows.count);
  if (!grouped) {
    std::iota(order.rows.begin(), order.rows.end(), uint32_t(0));
    if (rows.count > 0)
      order.groups.push_back({"", 0, rows.count});
    return;
  }
  std::vector<size_t> next(groups.names.size() + 1, 0);
  for (uint32_t id : rows.groups)
    ++next[groups.places[id] + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (size_t i = 0; i < groups.names.size(); ++i)
    if (next[i + 1] > next[i])
      order.groups.push_back(
          {groups.names[i], next[i], next[i + 1] - next[i], i});
  for (size_t row = 0; row < rows.count; ++row)
    order.rows[next[groups.places[rows.groups[row]]]++] = uint32_t(row);
}

/// Sorts a range of consecutive runs, each of which is sorted and has one of
/// `ends`, in O(n log(runs)).
template <class Less>
void mergeRuns(uint32_t *first, std::vector<size_t> &ends, const Less &less) {
  for (; ends.size() > 1; ends.resize((ends.size() + 1) / 2)) {
    size_t begin = 0;
    for (size_t i = 0; i < ends.size(); i += 2) {
      const size_t end = ends[std::min(i + 1, ends.size() - 1)];
      std::inplace_merge(first + begin, first + ends[i], first + end, less);
      ends[i / 2] = begin = end;
    }
  }
}

/// Sorts the rows of each group by date; rows with equal dates keep their
/// order.
void sortByKeys(const Rows &rows, RowOrder &order) {
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
  auto isTie = [&](uint32_t a, uint32_t b) {
    return keys[a] == keys[b] && (!fractions || fractions[a] == fractions[b]);
  };
  // Rows of several files, or of ranks that have sorted them, are often a few
  // runs, which are merged: of so many rows on average.
  constexpr size_t kMinRun = 64;
  std::vector<size_t> ends;
  for (const Group &group : order.groups) {
    uint32_t *rowsOf = order.rows.data() + group.first;
    const size_t maxRuns = 1 + group.rows / kMinRun;
    ends.clear();
    size_t tied = 0;
    for (size_t i = 1; i < group.rows && ends.size() < maxRuns; ++i) {
      if (earlier(rowsOf[i], rowsOf[i - 1]))
        ends.push_back(i);
      tied += isTie(rowsOf[i], rowsOf[i - 1]);
    }
    if (!ends.empty()) {
      if (ends.size() < maxRuns) {
        ends.push_back(group.rows);
        mergeRuns(rowsOf, ends, earlier);
      } else {
        std::sort(rowsOf, rowsOf + group.rows, earlier);
      }
      tied = 0;
      for (size_t i = 1; i < group.rows; ++i)
        tied += isTie(rowsOf[i], rowsOf[i - 1]);
    }
    order.ties += tied;
  }
}

} // namespace

RowOrder sortRows(const Rows &rows, bool grouped, const GroupOrder &groups) {
  RowOrder order;
  sortByGroup(rows, grouped, groups, order);
  sortByKeys(rows, order);
  return order;
}

void Dataset::setColumns(const ModelColumns &columns) {
  groupColumn = columns.group;
  for (int64_t i = 0; i < model->input_count; ++i) {
    inputValues.emplace_back();
    if (model->inputs[i].rule != TAMRT_RULE_LEVELS)
      inputValues.back() = columns.inputs[size_t(i)];
  }
  targetValues = columns.target;
  weightValues = columns.weights;
  codeColumns.resize(size_t(model->input_count));
}

bool Dataset::isInOrder() const {
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] != i)
      return false;
  return true;
}

/// Takes the columns of numbers, and brings them into our order.
void Dataset::takeNumbers(Rows &rows, unsigned threads) {
  values.resize(rows.numbers.size());
  const bool same = isInOrder();
  std::vector<GrowingArray<double> *> owned;
  std::vector<std::pair<FrameNumbers, double *>> gathered;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::optional<FrameNumbers> &numbers = rows.inFrame[i];
    if (!numbers) {
      values[i].own = std::move(rows.numbers[i]);
      owned.push_back(&values[i].own);
    } else if (same && numbers->doubles()) {
      values[i].inFrame = numbers->doubles();
    } else {
      gathered.emplace_back(*numbers, values[i].own.extend(order.size()));
    }
  }
  if (!same)
    permute(owned, threads);
  if (gathered.empty())
    return;
  const auto parts = partsOf(order, groupList);
  const size_t pieces = std::min<size_t>(
      chooseThreads(threads, order.size(), kRowsPerThread), parts.size());
  std::atomic<size_t> next = 0;
  forEachPiece(unsigned(pieces), [&](unsigned) {
    for (size_t i; (i = next++) < pieces * gathered.size();) {
      const auto &[numbers, out] = gathered[i / pieces];
      const size_t piece = i % pieces, count = parts.size();
      for (size_t part = count * piece / pieces;
           part < count * (piece + 1) / pieces; ++part)
        numbers.gather(parts[part], out + (parts[part].data() - order.data()));
    }
  });
}

/// Reorders columns from the file's order to ours, one after another, so that
/// only one exists twice: the old memory of each is used for the next.
void Dataset::permute(std::span<GrowingArray<double> *const> columns,
                      unsigned threads) {
  if (columns.empty())
    return;
  const size_t count = order.size();
  GrowingArray<double> spare;
  std::vector<double *> places{spare.extend(count)};
  for (GrowingArray<double> *column : columns)
    places.push_back(column->data());
  // Threads take pieces of columns in order. A piece starts when the column
  // before is complete, because then its memory is free. A thread only ever
  // waits for pieces that other threads are working on.
  const size_t pieces = chooseThreads(threads, count, kRowsPerThread);
  std::atomic<size_t> next = 0;
  std::vector<std::atomic<size_t>> done(columns.size());
  forEachPiece(unsigned(pieces), [&](unsigned) {
    for (size_t i; (i = next++) < pieces * columns.size();) {
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
  for (GrowingArray<double> *column : columns)
    std::swap(*column, spare);
}

Dataset Dataset::arrange(Rows rows, const RowReader &reader,
                         const GroupOrder &groups, const tamrt_model &model,
                         std::span<const LevelTable> tables, unsigned threads) {
  return arrange(
      std::move(rows), reader.columns(),
      [&](size_t column) -> const TextIndex & { return reader.levels(column); },
      groups, model, tables, threads);
}

Dataset Dataset::arrange(Rows rows, const ModelColumns &columns,
                         FunctionRef<const TextIndex &(size_t column)> levels,
                         const GroupOrder &groups, const tamrt_model &model,
                         std::span<const LevelTable> tables, unsigned threads) {
  RowOrder order = sortRows(rows, columns.group.has_value(), groups);
  return arrange(std::move(rows), std::move(order), columns, levels, model,
                 tables, threads);
}

Dataset Dataset::arrange(Rows rows, RowOrder order, const ModelColumns &columns,
                         FunctionRef<const TextIndex &(size_t column)> levels,
                         const tamrt_model &model,
                         std::span<const LevelTable> tables, unsigned threads) {
  Dataset data;
  data.model = &model;
  data.setColumns(columns);
  data.groupList = std::move(order.groups);
  data.order = std::move(order.rows);
  data.ties = order.ties;
  rows.groups = {};
  rows.dates = {};
  rows.fractions = {};
  data.takeNumbers(rows, threads);
  data.unseen.resize(data.inputValues.size());
  const auto parts = partsOf(data.order, data.groupList);
  for (size_t i = 0; i < tables.size(); ++i) {
    const tamrt_input &input = model.inputs[i];
    if (input.rule != TAMRT_RULE_LEVELS)
      continue;
    const size_t column = columns.inputs[i];
    const TextIndex &texts = levels(column);
    std::vector<int32_t> codes(texts.size());
    std::vector<bool> isUnseen(texts.size());
    for (uint32_t id = 0; id < texts.size(); ++id) {
      codes[id] = tables[i].code(texts[id], tamrt_unseen(input.unseen));
      isUnseen[id] = !tables[i].has(texts[id]);
    }
    auto &out = data.codeColumns[i];
    out = std::make_unique_for_overwrite<int32_t[]>(rows.count);
    const uint32_t *ids = rows.levels[column].data();
    for (const std::span<const uint32_t> part : parts) {
      int32_t *to = out.get() + (part.data() - data.order.data());
      for (size_t i = 0; i < part.size(); ++i)
        to[i] = codes[ids[part[i]]];
    }
    if (std::find(isUnseen.begin(), isUnseen.end(), true) != isUnseen.end())
      data.unseen[i] = size_t(std::count_if(
          ids, ids + rows.count, [&](uint32_t id) { return isUnseen[id]; }));
  }
  return data;
}

Dataset Dataset::compose(const tamrt_model &model, std::vector<Group> groups,
                         std::span<const InputColumn> inputs) {
  Dataset data;
  data.model = &model;
  data.groupList = std::move(groups);
  size_t rows = 0;
  for (const Group &group : data.groupList)
    rows += group.rows;
  data.order.resize(rows);
  std::iota(data.order.begin(), data.order.end(), uint32_t(0));
  data.unseen.resize(inputs.size());
  for (const InputColumn &input : inputs) {
    auto &codes = data.codeColumns.emplace_back();
    auto &values = data.inputValues.emplace_back();
    if (!input.codes.empty()) {
      codes = std::make_unique_for_overwrite<int32_t[]>(rows);
      std::copy(input.codes.begin(), input.codes.end(), codes.get());
      continue;
    }
    values = data.values.size();
    data.values.emplace_back().own.append(input.numbers);
  }
  return data;
}

Dataset Dataset::copy(
    const tamrt_model &model, const RowSource &source,
    std::span<const Group> ranges, std::span<const double> discount,
    FunctionRef<void(size_t range, size_t input, int32_t *codes)> setCodes,
    unsigned threads) {
  Dataset data;
  data.model = &model;
  const auto inputs = size_t(model.input_count);
  std::vector<const double *> sources;
  auto indexOf = [&](const double *column) {
    auto at = std::find(sources.begin(), sources.end(), column);
    if (at == sources.end())
      at = sources.insert(at, column);
    return size_t(at - sources.begin());
  };
  data.inputValues.resize(inputs);
  for (size_t i = 0; i < inputs; ++i)
    if (source.inputs[i])
      data.inputValues[i] = indexOf(source.inputs[i]);
  size_t rows = 0;
  for (const Group &range : ranges) {
    data.groupList.push_back(
        {range.name, rows, range.rows, data.groupList.size()});
    rows += range.rows;
  }
  data.order.resize(rows);
  data.unseen.resize(inputs);
  data.codeColumns.resize(inputs);
  for (size_t i = 0; i < inputs; ++i)
    if (!source.inputs[i])
      data.codeColumns[i] = std::make_unique_for_overwrite<int32_t[]>(rows);
  if (source.target)
    data.targetValues = indexOf(source.target);
  data.values.resize(sources.size());
  for (Column &column : data.values)
    column.own.extend(rows);
  double *weights = nullptr;
  if (source.target) {
    data.weightValues = data.values.size();
    weights = data.values.emplace_back().own.extend(rows);
  }
  std::vector<double *> places;
  for (Column &column : data.values)
    places.push_back(column.own.data());
  std::atomic<size_t> next = 0;
  forEachPiece(chooseThreads(threads, rows, kRowsPerThread), [&](unsigned) {
    for (size_t r; (r = next++) < ranges.size();) {
      const Group &from = ranges[r], &to = data.groupList[r];
      for (size_t i = 0; i < sources.size(); ++i)
        std::copy_n(sources[i] + from.first, from.rows, places[i] + to.first);
      for (size_t i = 0; i < inputs; ++i)
        if (!source.inputs[i])
          setCodes(r, i, data.codeColumns[i].get() + to.first);
      std::iota(data.order.begin() + ptrdiff_t(to.first),
                data.order.begin() + ptrdiff_t(to.first + to.rows),
                uint32_t(from.first));
      for (size_t row = 0; weights && row < from.rows; ++row) {
        const double weight =
            source.weights ? source.weights[from.first + row] : 1;
        weights[to.first + row] =
            discount.empty() ? weight : weight * discount[from.rows - 1 - row];
      }
    }
  });
  return data;
}

size_t Dataset::longestGroup() const {
  size_t longest = 0;
  for (const Group &group : groupList)
    longest = std::max(longest, group.rows);
  return longest;
}

std::vector<uint32_t> Dataset::inFileOrder() const {
  std::vector<uint32_t> rows(order.size());
  for (size_t row = 0; row < order.size(); ++row)
    rows[order[row]] = uint32_t(row);
  return rows;
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

Status Dataset::scaleWeights(const GroupNamer &namer) {
  if (!weightValues)
    return {};
  std::vector<ExactSum> sums(groupList.size());
  std::vector<size_t> rows;
  for (size_t g = 0; g < groupList.size(); ++g) {
    const Group &group = groupList[g];
    const double *of = weights() + group.first;
    for (size_t row = 0; row < group.rows; ++row)
      sums[g].add(of[row]);
    rows.push_back(group.rows);
  }
  Result<std::vector<double>> found = meanWeights(
      *model, [&](size_t g) { return nameOf(groupList[g], namer); }, sums,
      rows);
  if (!found)
    return std::move(found).error();
  means = *std::move(found);
  // All groups are here, so a group's place is its index.
  divideWeights(means);
  return {};
}

void Dataset::divideWeights(std::span<const double> means) {
  if (!weightValues)
    return;
  // If another use of the column needs the values as read, they are kept.
  const double *read = weights();
  const bool isShared = weightValues == targetValues ||
                        std::find(inputValues.begin(), inputValues.end(),
                                  weightValues) != inputValues.end();
  if (isShared) {
    weightValues = values.size();
    values.emplace_back().own.extend(rowCount());
  }
  double *weights = values[*weightValues].own.data();
  for (const Group &group : groupList)
    for (size_t row = group.first; row < group.first + group.rows; ++row)
      weights[row] = read[row] / means[group.place];
}

Result<std::vector<double>> meanWeights(const tamrt_model &model,
                                        FunctionRef<std::string(size_t)> nameOf,
                                        std::span<const ExactSum> sums,
                                        std::span<const size_t> rows) {
  std::vector<double> means;
  for (size_t g = 0; g < rows.size(); ++g) {
    const std::optional<double> mean = meanOf(sums[g], rows[g]);
    if (!mean)
      return Error{
          "column '" + std::string(model.weights) + "'" +
          (model.group ? ": group '" + nameOf(g) + "'" : "") +
          (sums[g].isZero()
               ? ": expected a row weight above 0, got none"
               : ": expected row weights whose mean is a double of full "
                 "precision; choose another unit")};
    means.push_back(*mean);
  }
  return means;
}

/// Bytes of a row's codes of levels.
static size_t bytesOfCodes(const tamrt_model &model) {
  return sizeof(int32_t) *
         size_t(std::count_if(model.inputs, model.inputs + model.input_count,
                              [](const auto &input) {
                                return input.rule == TAMRT_RULE_LEVELS;
                              }));
}

/// Bytes of a row's numbers and levels.
static size_t bytesOfValues(const ModelColumns &columns) {
  return sizeof(double) * columns.numbers.size() +
         sizeof(uint32_t) * columns.levels.size();
}

size_t Dataset::bytesPerReadRow(const tamrt_model &model) {
  const ModelColumns columns = columnsOf(model, Purpose::Fit);
  return bytesOfValues(columns) + (columns.group ? sizeof(uint32_t) : 0) +
         (columns.date ? sizeof(int64_t) + sizeof(uint64_t) : 0);
}

size_t Dataset::bytesPerRow(const tamrt_model &model) {
  const ModelColumns columns = columnsOf(model, Purpose::Fit);
  const size_t order = sizeof(uint32_t);
  // A merge of runs copies at most half of them.
  const size_t merged = columns.date ? order / 2 : 0;
  const size_t kept = bytesOfValues(columns);
  const size_t read = bytesPerReadRow(model);
  // Groups and dates have been freed when one column exists twice.
  return std::max({grownBytes(read), read + order + merged,
                   order + kept + sizeof(double) + bytesOfCodes(model)});
}

size_t Dataset::bytesPerPredictedRow(const tamrt_model &model) {
  const ModelColumns columns = columnsOf(model, Purpose::Predict);
  const size_t order = sizeof(uint32_t), lines = sizeof(uint64_t);
  const size_t values = bytesOfValues(columns);
  const size_t read = values + (columns.group ? sizeof(uint32_t) : 0);
  return grownBytes(lines) + std::max(grownBytes(read) + order,
                                      order + grownBytes(values) +
                                          sizeof(double) + bytesOfCodes(model));
}

} // namespace tamrt
