//===- core/run/StreamedFit.cpp - fits rows that are not in memory --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/StreamedFit.h"

#include "core/data/BeyondRange.h"
#include "core/learn/Learners.h"
#include "core/run/Crew.h"
#include "core/run/GroupFits.h"
#include "core/run/Statistics.h"
#include "io/Parallel.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace tamrt {
namespace {

/// Rows below which a thread costs more than it saves.
constexpr size_t kRowsPerThread = size_t(1) << 15;

/// a / b, rounded up.
constexpr size_t divideUp(size_t a, size_t b) { return (a + b - 1) / b; }

} // namespace

class StreamedFit::Impl {
public:
  Impl(RowReader &reader, const tamrt_model &model, const RunOptions &options,
       const StreamLimits &limits)
      : reader(reader), columns(reader.columns()), model(model),
        options(options), limits(limits) {
    maxRows = std::max<size_t>(
        limits.rowBytes / std::max<size_t>(Dataset::bytesPerRow(model), 1), 1);
    periods.resize(size_t(model.input_count));
    if (model.compression)
      onGrid.assign(size_t(model.compression->grid_count), true);
  }

  Status survey();
  Status surveyRows();
  Status finishSurvey();
  Status findMeans();
  Result<Weights> fit();
  std::vector<std::string> notes() const;

  /// Calls body(part) for the rows of the file, part by part, each sorted by
  /// group.
  Status forEachPart(const std::function<Status(const Dataset &)> &body);

  RowReader &reader;
  const ModelColumns &columns;
  const tamrt_model &model;
  RunOptions options;
  StreamLimits limits;
  size_t maxRows = 0;

  /// Results of the survey, with groups by their places.
  size_t fileRows = 0, rowsRead = 0, ties = 0;
  std::string droppedNote;
  /// Codes beyond their inputs' levels, counted while the rows are summed.
  std::optional<BeyondRange> beyond;
  /// Number of times the file was read.
  size_t readings = 0;
  GroupOrder order;
  std::vector<size_t> groupRows, groupFirst;
  /// Mean row weights; empty during the survey and without a weight column.
  std::vector<double> groupMeans;
  std::optional<std::string> disorder;
  std::vector<LevelTable> levels;
  FitRoute route;
  FitSteps steps = {&model};

private:
  /// The latest date of a group.
  struct Latest {
    int64_t key;
    uint64_t fraction;
  };

  void add(const Rows &rows);
  void checkOrder(const Rows &rows);
  Spread spread(size_t group, size_t input) const;
  size_t bytesPerGroup() const {
    return GroupFits::bytesPerGroup(
        route.of(model), route.kind(),
        *std::max_element(groupRows.begin(), groupRows.end()));
  }
  size_t groupsAtOnce() const;
  Status checkUnchanged() const;
  Result<std::vector<double>> fitGroups(const Normalization &normalization,
                                        const Tables &tables,
                                        const RunOptions &with);
  void tell(const GroupFits &fits, size_t reading) const;

  /// Row counts by the reader's indices of groups.
  std::vector<size_t> counts;
  std::vector<Latest> latest;
  std::vector<uint32_t> numberOf;
  /// For each column of numbers, the spreads of the groups.
  std::vector<std::vector<Spread>> spreads;
  /// By the reader's indices of groups, for models with a weight column.
  std::vector<CompensatedSum> weightSums;
  std::vector<PeriodFinder> periods;
  /// For each grid of the model, whether all values so far are on it.
  std::vector<bool> onGrid;
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
    ties += counts[group] > 0 && date.key == last.key &&
            date.fraction == last.fraction;
    last = date;
    ++counts[group];
  }
}

/// Adds rows, in the order of the file, to the survey.
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
  if (columns.weights) {
    weightSums.resize(groups);
    const GrowingArray<double> &weights = rows.numbers[*columns.weights];
    for (size_t row = 0; row < rows.count; ++row)
      weightSums[columns.group ? rows.groups[row] : 0].add(weights[row]);
  }
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
  for (size_t i = 0; i < onGrid.size(); ++i) {
    const tamrt_grid &grid = model.compression->grids[i];
    Spread all;
    onGrid[i] =
        onGrid[i] &&
        areOnGrid(grid,
                  {rows.numbers[columns.inputs[size_t(grid.input)]].data()},
                  rows.count, all);
  }
}

Status StreamedFit::Impl::survey() {
  while (true) {
    counts.clear();
    latest.clear();
    ties = 0;
    disorder.reset();
    spreads.clear();
    weightSums.clear();
    for (PeriodFinder &period : periods)
      period = {};
    std::fill(onGrid.begin(), onGrid.end(), true);
    if (Status s = surveyRows(); !s)
      return s;
    Result<RowReader::TextChanges> changes = reader.resolveTexts();
    if (!changes)
      return std::move(changes).error();
    if (!changes->drops && !changes->merges)
      break;
    // Survey again, without the rows that are to be dropped, and with one index
    // for each group.
    if (Status s = reader.rewind(); !s)
      return s;
  }
  return finishSurvey();
}

Status StreamedFit::Impl::surveyRows() {
  ++readings;
  while (true) {
    Result<Rows> rows = reader.read(maxRows);
    if (!rows)
      return std::move(rows).error();
    if (rows->count == 0)
      return {};
    add(*rows);
    if (options.progress)
      options.progress->update("read", 0, 0);
  }
}

Status StreamedFit::Impl::finishSurvey() {
  fileRows = reader.fileRows();
  rowsRead = reader.rowsRead();
  droppedNote = reader.describeDropped();
  groupTexts = reader.groups().size();
  for (size_t i = 0; i < columns.levels.size(); ++i)
    levelTexts.push_back(reader.levels(i).size());
  Result<std::vector<LevelTable>> tables = reader.levelTables();
  if (!tables)
    return std::move(tables).error();
  levels = *std::move(tables);

  order = reader.groupOrder();
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
  Result<FitRoute> chosen = chooseSolver(
      model, *std::max_element(groupRows.begin(), groupRows.end()), options);
  if (!chosen)
    return std::move(chosen).error();
  route = *std::move(chosen);
  return {};
}

/// Finds the mean row weights of the groups.
Status StreamedFit::Impl::findMeans() {
  if (!columns.weights)
    return {};
  std::vector<CompensatedSum> sums;
  for (uint32_t number : numberOf)
    sums.push_back(weightSums[number]);
  Result<std::vector<double>> means =
      meanWeights(model, order.names, sums, groupRows);
  if (!means)
    return std::move(means).error();
  groupMeans = *std::move(means);
  weightSums = {};
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
  ++readings;
  while (true) {
    Result<Rows> rows = reader.read(maxRows);
    if (!rows)
      return std::move(rows).error();
    if (rows->count == 0)
      return {};
    if (Status s = checkUnchanged(); !s)
      return s;
    Dataset part = Dataset::arrange(*std::move(rows), reader, order, model,
                                    levels, options.threads);
    part.divideWeights(groupMeans);
    if (Status s = body(part); !s)
      return s;
  }
}

Spread StreamedFit::Impl::spread(size_t group, size_t input) const {
  return spreads[columns.inputs[input]][numberOf[group]];
}

/// Number of groups that are fitted at a time. The direct solver reads the file
/// once for each batch of groups, so batches have equal sizes.
size_t StreamedFit::Impl::groupsAtOnce() const {
  const size_t groups = groupRows.size();
  const size_t most = std::max<size_t>(limits.stateBytes / bytesPerGroup(), 1);
  if (describe(route.kind()).isCg())
    return std::min(most, groups);
  return divideUp(groups, divideUp(groups, most));
}

std::vector<std::string> StreamedFit::Impl::notes() const {
  std::vector<std::string> notes;
  for (size_t i = 0; i < periods.size(); ++i)
    if (model.inputs[i].rule == TAMRT_RULE_PERIOD_AUTO)
      notes.push_back("keeps " +
                      std::to_string(periods[i].size() * sizeof(double)) +
                      " bytes, the distinct values of column '" +
                      model.inputs[i].column + "', for its period");
  for (std::string &kept : keptByLearners(model, rowsRead))
    notes.push_back("keeps " + kept);
  const size_t groups = groupRows.size(), most = groupsAtOnce();
  const std::string all = "all " + std::to_string(groups) + " groups take " +
                          std::to_string(groups * bytesPerGroup()) + " bytes";
  if (describe(route.kind()).isCg())
    notes.push_back("reads the file once per iteration" +
                    (most < groups
                         ? " of " + std::to_string(most) +
                               " groups at a time: the vectors of " + all
                         : ""));
  else if (most < groups)
    notes.push_back("reads the file " + std::to_string(divideUp(groups, most)) +
                    " times for sums: those of " + all);
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
  if (Status s = findMeans(); !s)
    return located(std::move(s).error());
  Systems systems;
  systems.weightMeans = groupMeans;
  steps = chooseSteps(
      model, weights.normalization, [&](size_t grid) { return onGrid[grid]; },
      [&](size_t group, size_t grid) {
        return spread(group, size_t(model.compression->grids[grid].input));
      });
  spreads = {};
  periods.clear();

  if (options.progress)
    options.progress->update("learn", 0, 0);
  // Each pass over the rows reads the file.
  Result<Tables> tables = learn(
      model, rowsRead, weights.normalization, [&](TrainingRows::Visit visit) {
        std::vector<size_t> next = groupFirst;
        Status read = forEachPart([&](const Dataset &part) -> Status {
          for (const Group &group : part.groups()) {
            const size_t before = next[group.place] - groupFirst[group.place];
            if (group.rows > groupRows[group.place] - before)
              return changedRows(group.name);
            visit({group.place, next[group.place], group.rows,
                   [&](int32_t input) {
                     return Values{part.numbers(size_t(input)) + group.first};
                   }});
            next[group.place] += group.rows;
          }
          return {};
        });
        for (size_t place = 0; read && place < next.size(); ++place)
          if (next[place] != groupFirst[place] + groupRows[place])
            read = changedRows(order.names[place]);
        return read;
      });
  if (!tables)
    return located(std::move(tables).error());
  weights.tables = *std::move(tables);

  Result<std::vector<double>> coefficients =
      fitChosen(model, order.names, weights.normalization, weights.tables,
                options, systems, [&](const RunOptions &with) {
                  return fitGroups(weights.normalization, weights.tables, with);
                });
  if (!coefficients)
    return located(std::move(coefficients).error());
  weights.coefficients = *std::move(coefficients);
  weights.groups = order.names;
  if (!options.inference)
    return weights;
  TrainingStatistics statistics(model, order.names.size());
  std::vector<size_t> left = groupRows;
  Status added = forEachPart([&](const Dataset &part) -> Status {
    for (const Group &group : part.groups()) {
      if (group.rows > left[group.place])
        return changedRows(group.name);
      left[group.place] -= group.rows;
    }
    return statistics.add(part, weights, options);
  });
  for (size_t place = 0; added && place < left.size(); ++place)
    if (left[place] > 0)
      added = changedRows(order.names[place]);
  if (!added)
    return located(std::move(added).error());
  statistics.finish(groupMeans, *options.inference);
  return weights;
}

/// Reads the file as often as the fits of groups need it.
Result<std::vector<double>>
StreamedFit::Impl::fitGroups(const Normalization &normalization,
                             const Tables &tables, const RunOptions &with) {
  if (!route.note.empty() && options.tellRoute)
    options.tellRoute(route.note);
  // Bytes of the groups' limit that groups do not use.
  RunOptions fitting = with;
  fitting.spareBytes =
      int64_t(limits.stateBytes -
              std::min(limits.stateBytes, groupsAtOnce() * bytesPerGroup()));
  Result<GroupFits> fits = GroupFits::create(
      route.of(*steps.model), route.kind(), normalization, tables,
      {order.names, groupRows}, groupsAtOnce(), fitting);
  if (!fits)
    return std::move(fits).error();
  beyond.emplace(model, normalization, Purpose::Fit);
  for (size_t reading = 0;; ++reading) {
    Result<bool> more = fits->resume();
    if (!more)
      return std::move(more).error();
    if (!*more)
      return fits->finish();
    Status added = forEachPart([&](const Dataset &part) {
      if (options.progress)
        tell(*fits, reading);
      if (reading == 0) {
        beyond->add(part, options.threads);
        if (with.systems)
          with.systems->addRows(part);
      }
      return fits->add(part);
    });
    if (!added)
      return std::move(added).error();
  }
}

/// Prints the progress of the fits in their `reading`-th reading.
void StreamedFit::Impl::tell(const GroupFits &fits, size_t reading) const {
  if (describe(route.kind()).isDirect()) {
    const size_t readings = divideUp(groupRows.size(), fits.count());
    options.progress->update("fit", reading * fileRows + reader.fileRows(),
                             readings * fileRows);
    return;
  }
  const FitsUnderWay now = fits.underWay();
  options.progress->update("fit: " + std::to_string(now.left) + " of " +
                               std::to_string(groupRows.size()) +
                               " groups left, " + describe(now.furthest),
                           reader.fileRows(), fileRows);
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
std::vector<std::string> StreamedFit::rowNotes() const {
  std::vector<std::string> notes = impl->beyond->notes();
  if (impl->ties > 0)
    notes.push_back(describeTies(impl->ties, impl->rowsRead));
  return notes;
}
const std::string &StreamedFit::describeDropped() const {
  return impl->droppedNote;
}
size_t StreamedFit::rowsRead() const { return impl->rowsRead; }
size_t StreamedFit::readings() const { return impl->readings; }
Result<Weights> StreamedFit::fit() { return impl->fit(); }
const FitSteps &StreamedFit::steps() const { return impl->steps; }

} // namespace tamrt
