//===- core/run/StreamedFit.cpp - fits rows that are not in memory --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/StreamedFit.h"

#include "core/learn/Learners.h"
#include "core/run/GroupSums.h"
#include "io/Parallel.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace tamrt {
namespace {

/// Rows below which a thread costs more than it saves.
constexpr size_t kRowsPerThread = size_t(1) << 15;

} // namespace

class StreamedFit::Impl {
public:
  Impl(RowReader &reader, const tamrt_model &model, const RunOptions &options,
       const StreamLimits &limits)
      : reader(reader), columns(reader.columns()), model(model),
        options(options), limits(limits) {
    mostRows = std::max<size_t>(
        limits.rowBytes / std::max<size_t>(Dataset::bytesPerRow(model), 1), 1);
    periods.resize(size_t(model.input_count));
  }

  Status survey();
  Result<Weights> fit();
  std::vector<std::string> notes() const;

  /// Calls body(part) for the rows of the file, some at a time, sorted by
  /// group.
  Status forEachPart(const std::function<Status(const Dataset &)> &body);

  RowReader &reader;
  const ModelColumns &columns;
  const tamrt_model &model;
  RunOptions options;
  StreamLimits limits;
  size_t mostRows = 0;

  /// What the survey found, groups by their places.
  size_t fileRows = 0, dropped = 0;
  GroupOrder order;
  std::vector<size_t> groupRows, groupFirst;
  std::optional<std::string> disorder;
  std::vector<LevelTable> levels;

private:
  /// The latest date of a group.
  struct Latest {
    int64_t key;
    uint64_t fraction;
  };

  void add(const Rows &rows);
  void checkOrder(const Rows &rows);
  Spread spread(size_t group, size_t input) const;
  size_t passesForSums() const;
  Status checkUnchanged() const;

  /// By the reader's numbers of groups.
  std::vector<size_t> counts;
  std::vector<Latest> latest;
  std::vector<uint32_t> numberOf;
  /// For each column of numbers the spreads of the groups.
  std::vector<std::vector<Spread>> spreads;
  std::vector<PeriodFinder> periods;
  size_t groupTexts = 0;
  std::vector<size_t> levelTexts;
};

/// Finds the first group with a date before an earlier row's.
void StreamedFit::Impl::checkOrder(const Rows &rows) {
  for (size_t row = 0; row < rows.count && !disorder; ++row) {
    const uint32_t group = columns.group ? rows.groups[row] : 0;
    const Latest date = {rows.dates[row],
                         rows.fractions.empty() ? 0 : rows.fractions[row]};
    Latest &last = latest[group];
    if (counts[group] > 0 &&
        (date.key < last.key ||
         (date.key == last.key && date.fraction < last.fraction)))
      disorder = columns.group ? std::string(reader.groups()[group]) : "";
    last = date;
    ++counts[group];
  }
}

/// Adds rows, in the order of the file, to what the survey knows.
void StreamedFit::Impl::add(const Rows &rows) {
  const size_t groups = columns.group ? reader.groups().size() : 1;
  counts.resize(groups);
  latest.resize(groups);
  spreads.resize(rows.numbers.size());
  if (columns.date)
    checkOrder(rows);
  else
    for (size_t row = 0; row < rows.count; ++row)
      ++counts[columns.group ? rows.groups[row] : 0];
  const auto pieces = unsigned(std::min<size_t>(
      chooseThreads(options.threads, rows.count, kRowsPerThread),
      std::max<size_t>(rows.numbers.size(), 1)));
  forEachPiece(pieces, [&](unsigned piece) {
    for (size_t i = piece; i < spreads.size(); i += pieces) {
      spreads[i].resize(groups);
      const double *values = rows.numbers[i].data();
      for (size_t row = 0; row < rows.count; ++row)
        spreads[i][columns.group ? rows.groups[row] : 0].add(values[row]);
    }
  });
  for (size_t i = 0; i < periods.size(); ++i)
    if (model.inputs[i].rule == TAMRT_RULE_PERIOD_AUTO)
      for (double value : rows.numbers[columns.inputs[i]])
        periods[i].add(value);
}

Status StreamedFit::Impl::survey() {
  while (true) {
    Result<Rows> rows = reader.read(mostRows);
    if (!rows)
      return std::move(rows).error();
    if (rows->count == 0)
      break;
    add(*rows);
    if (options.progress)
      options.progress->update("read", 0, 0);
  }
  fileRows = reader.fileRows();
  dropped = reader.dropped();
  groupTexts = reader.groups().size();
  for (size_t i = 0; i < columns.levels.size(); ++i)
    levelTexts.push_back(reader.levels(i).size());
  Result<std::vector<LevelTable>> tables = reader.levelTables();
  if (!tables)
    return std::move(tables).error();
  levels = *std::move(tables);

  order = sortGroups(reader.groups(), columns.group.has_value());
  groupRows.resize(order.names.size());
  numberOf.resize(order.names.size());
  for (uint32_t number = 0; number < counts.size(); ++number) {
    const size_t place = columns.group ? order.places[number] : 0;
    groupRows[place] = counts[number];
    numberOf[place] = number;
  }
  groupFirst.resize(groupRows.size());
  std::exclusive_scan(groupRows.begin(), groupRows.end(), groupFirst.begin(),
                      size_t(0));
  return {};
}

Status StreamedFit::Impl::checkUnchanged() const {
  bool same = reader.groups().size() == groupTexts;
  for (size_t i = 0; i < levelTexts.size(); ++i)
    same &= reader.levels(i).size() == levelTexts[i];
  if (same)
    return {};
  return Error{"expected the groups and levels that were read before, got "
               "others: the file has changed meanwhile"};
}

Status StreamedFit::Impl::forEachPart(
    const std::function<Status(const Dataset &)> &body) {
  if (Status s = reader.rewind(); !s)
    return s;
  while (true) {
    Result<Rows> rows = reader.read(mostRows);
    if (!rows)
      return std::move(rows).error();
    if (rows->count == 0)
      return {};
    if (Status s = checkUnchanged(); !s)
      return s;
    if (Status s = body(Dataset::arrange(*std::move(rows), reader, order, model,
                                         levels, options.threads));
        !s)
      return s;
  }
}

Spread StreamedFit::Impl::spread(size_t group, size_t input) const {
  return spreads[columns.inputs[input]][numberOf[group]];
}

/// How often the file is read for sums alone.
size_t StreamedFit::Impl::passesForSums() const {
  const size_t most =
      std::max<size_t>(limits.stateBytes / GroupSums::bytesPerGroup(model), 1);
  return (groupRows.size() + most - 1) / most;
}

std::vector<std::string> StreamedFit::Impl::notes() const {
  std::vector<std::string> notes;
  for (size_t i = 0; i < periods.size(); ++i)
    if (model.inputs[i].rule == TAMRT_RULE_PERIOD_AUTO)
      notes.push_back("keeps " +
                      std::to_string(periods[i].size() * sizeof(double)) +
                      " bytes, the distinct values of column '" +
                      model.inputs[i].column + "', for its period");
  for (std::string &kept : keptByLearners(model, fileRows - dropped))
    notes.push_back("keeps " + kept);
  if (size_t passes = passesForSums(); passes > 1)
    notes.push_back(
        "reads the file " + std::to_string(passes) +
        " times for sums: those of all " + std::to_string(groupRows.size()) +
        " groups take " +
        std::to_string(groupRows.size() * GroupSums::bytesPerGroup(model)) +
        " bytes");
  return notes;
}

Result<Weights> StreamedFit::Impl::fit() {
  auto located = [&](Error error) {
    // Errors of reading name the file themselves.
    if (error.message.starts_with(reader.path() + ": "))
      return error;
    return Error{reader.path() + ": " + error.message};
  };
  if (Status s = checkTexts(model, order.names, levels); !s)
    return located(std::move(s).error());
  Weights weights;
  Result<Normalization> normalization = normalize(
      model,
      {order.names,
       [&](size_t group, size_t input) { return spread(group, input); },
       [&](size_t input, double &lo, double &hi) {
         return periods[input].find(lo, hi);
       }},
      levels);
  if (!normalization)
    return located(std::move(normalization).error());
  weights.normalization = *std::move(normalization);
  spreads = {};
  periods.clear();

  if (options.progress)
    options.progress->update("learn", 0, 0);
  // The file is read for each pass over its rows.
  Result<Tables> tables = learn(
      model, fileRows - dropped, weights.normalization,
      [&](TrainingRows::Visit visit) {
        std::vector<size_t> next = groupFirst;
        return forEachPart([&](const Dataset &part) -> Status {
          for (const Group &group : part.groups()) {
            visit({group.place, next[group.place], group.rows,
                   [&](int32_t input) {
                     return Values{part.numbers(size_t(input)) + group.first};
                   }});
            next[group.place] += group.rows;
          }
          return {};
        });
      });
  if (!tables)
    return located(std::move(tables).error());
  weights.tables = *std::move(tables);

  const size_t groups = groupRows.size();
  const auto width = size_t(model.columns);
  weights.coefficients.resize(groups * width);
  size_t passes = passesForSums();
  size_t most = (groups + passes - 1) / passes;
  // What states of groups leave of their limit.
  RunOptions summing = options;
  summing.spareBytes = int64_t(
      limits.stateBytes -
      std::min(limits.stateBytes, most * GroupSums::bytesPerGroup(model)));
  for (size_t first = 0, pass = 0; first < groups; ++pass) {
    Result<GroupSums> sums = GroupSums::create(
        model, weights.normalization, weights.tables, {order.names, groupRows},
        first, std::min(most, groups - first), summing);
    if (!sums)
      return located(std::move(sums).error());
    const size_t count = sums->count();
    // Fewer at a time where memory is less than was planned.
    if (first + count < groups)
      most = count;
    passes = pass + 1 + (groups - first - count + most - 1) / most;
    Status added = forEachPart([&](const Dataset &part) {
      if (options.progress)
        options.progress->update("fit", pass * fileRows + reader.fileRows(),
                                 passes * fileRows);
      return sums->add(part);
    });
    if (!added)
      return located(std::move(added).error());
    if (Status s = sums->finish(std::span(weights.coefficients)
                                    .subspan(first * width, count * width));
        !s)
      return located(std::move(s).error());
    first += count;
  }
  if (Status s = checkCoefficients(model, order.names, weights.coefficients);
      !s)
    return located(std::move(s).error());
  weights.groups = order.names;
  return weights;
}

StreamedFit::StreamedFit(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
StreamedFit::StreamedFit(StreamedFit &&) noexcept = default;
StreamedFit::~StreamedFit() = default;

Result<StreamedFit> StreamedFit::survey(RowReader &reader,
                                        const tamrt_model &model,
                                        const RunOptions &options,
                                        const StreamLimits &limits) {
  auto impl = std::make_unique<Impl>(reader, model, options, limits);
  if (Status s = impl->survey(); !s)
    return std::move(s).error();
  return StreamedFit(std::move(impl));
}

const std::string *StreamedFit::disorder() const {
  return impl->disorder ? &*impl->disorder : nullptr;
}
std::vector<std::string> StreamedFit::notes() const { return impl->notes(); }
size_t StreamedFit::fileRows() const { return impl->fileRows; }
size_t StreamedFit::dropped() const { return impl->dropped; }
Result<Weights> StreamedFit::fit() { return impl->fit(); }

} // namespace tamrt
