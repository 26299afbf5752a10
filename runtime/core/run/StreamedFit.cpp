//===- core/run/StreamedFit.cpp - fits rows that are not in memory --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/StreamedFit.h"

#include "core/data/BeyondRange.h"
#include "core/data/RowSurvey.h"
#include "core/learn/Learners.h"
#include "core/run/Crew.h"
#include "core/run/GroupFits.h"
#include "core/run/Statistics.h"
#include "core/run/StreamedRows.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace tamrt {
namespace {

/// a / b, rounded up.
constexpr size_t divideUp(size_t a, size_t b) { return (a + b - 1) / b; }

} // namespace

class StreamedFit::Impl {
public:
  Impl(RowReader &reader, const tamrt_model &model, const RunOptions &options,
       const StreamLimits &limits)
      : reader(reader), columns(reader.columns()), model(model),
        options(options), limits(limits),
        rows(reader, model, limits.rowBytes, options.threads) {}

  Status survey();
  Status surveyRows();
  Status finishSurvey();
  Status findMeans();
  Result<Weights> fit();
  std::vector<std::string> notes() const;

  RowReader &reader;
  const ModelColumns &columns;
  const tamrt_model &model;
  RunOptions options;
  StreamLimits limits;
  GroupOrder order;
  StreamedRows rows;

  /// Results of the survey, with groups by their places.
  size_t fileRows = 0, rowsRead = 0, ties = 0, mostOpen = 0;
  std::string droppedNote;
  /// Codes beyond their inputs' levels, counted while the rows are summed.
  std::optional<BeyondRange> beyond;
  std::vector<size_t> groupRows, groupFirst;
  std::optional<std::string> disorder;
  FitRoute route;
  FitSteps steps = {&model};

private:
  Spread spread(size_t group, size_t input) const;
  size_t bytesPerGroup() const {
    return GroupFits::bytesPerGroup(
        route.of(model), route.kind(),
        *std::max_element(groupRows.begin(), groupRows.end()));
  }
  size_t groupsAtOnce() const;
  size_t sumReadings() const;
  Result<std::vector<double>> fitGroups(const Normalization &normalization,
                                        const Tables &tables,
                                        const RunOptions &with);
  void tell(const GroupFits &fits, size_t reading) const;

  /// With the reader's indices of groups.
  std::optional<RowSurvey> rowSurvey;
  std::vector<uint32_t> numberOf;
};

Status StreamedFit::Impl::survey() {
  while (true) {
    rowSurvey.emplace(model, columns);
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
  ++rows.readings;
  return reader.forEachRows(rows.maxRows, [&](const Rows &read) -> Status {
    rowSurvey->add(read, columns.group ? reader.groups().size() : 1,
                   options.threads);
    if (options.progress)
      options.progress->update("read", 0, 0);
    return {};
  });
}

Status StreamedFit::Impl::finishSurvey() {
  fileRows = reader.fileRows();
  rowsRead = reader.rowsRead();
  droppedNote = reader.describeDropped();
  rows.keepTexts();
  Result<std::vector<LevelTable>> tables = reader.levelTables();
  if (!tables)
    return std::move(tables).error();
  rows.levels = *std::move(tables);

  order = reader.groupOrder();
  rows.order = &order;
  groupRows.resize(order.names.size());
  numberOf.resize(order.names.size());
  const std::vector<GroupDates> &groups = rowSurvey->groups();
  for (uint32_t number = 0; number < groups.size(); ++number) {
    const size_t place = columns.group ? order.places[number] : 0;
    groupRows[place] = groups[number].rows;
    numberOf[place] = number;
  }
  ties = rowSurvey->ties();
  mostOpen = rowSurvey->mostOpen();
  if (std::optional<size_t> group = rowSurvey->disorder())
    disorder =
        columns.group ? std::string(reader.groups()[uint32_t(*group)]) : "";
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
  std::vector<ExactSum> sums;
  sums.reserve(numberOf.size());
  for (uint32_t number : numberOf)
    sums.push_back(rowSurvey->weightSums()[number]);
  Result<std::vector<double>> means = meanWeights(
      model, [&](size_t g) { return order.names[g]; }, sums, groupRows);
  if (!means)
    return std::move(means).error();
  rows.means = *std::move(means);
  return {};
}

Spread StreamedFit::Impl::spread(size_t group, size_t input) const {
  return rowSurvey->spread(numberOf[group], input);
}

/// How often the direct solver reads the file at most.
size_t StreamedFit::Impl::sumReadings() const {
  const size_t most = limits.stateBytes / bytesPerGroup();
  return most > mostOpen
             ? 1
             : divideUp(groupRows.size(), std::max<size_t>(most, 1));
}

/// Number of groups that are fitted at a time. A group leaves its memory to the
/// next one after its last row, so a file in the order of groups is read once.
/// Otherwise the direct solver reads the file once for each batch of groups,
/// and batches have equal sizes.
size_t StreamedFit::Impl::groupsAtOnce() const {
  const size_t groups = groupRows.size();
  const size_t most = std::max<size_t>(limits.stateBytes / bytesPerGroup(), 1);
  if (describe(route.kind()).isCg())
    return std::min(most, groups);
  if (sumReadings() == 1)
    return std::min({groups, most, mostOpen + GroupFits::kBegun});
  return divideUp(groups, sumReadings());
}

std::vector<std::string> StreamedFit::Impl::notes() const {
  std::vector<std::string> notes;
  for (size_t i = 0; i < size_t(model.input_count); ++i)
    if (model.inputs[i].rule == TAMRT_RULE_PERIOD_AUTO)
      notes.push_back(
          "keeps " +
          std::to_string(rowSurvey->period(i).size() * sizeof(double)) +
          " bytes, the distinct values of column '" + model.inputs[i].column +
          "', for its period");
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
  else if (sumReadings() > 1)
    notes.push_back("reads the file at most " + std::to_string(sumReadings()) +
                    " times for sums: those of " + all +
                    "; rows in the order of groups are read once for them");
  return notes;
}

Result<Weights> StreamedFit::Impl::fit() {
  auto located = [&](Error error) {
    // Errors of reading name the file themselves.
    if (error.message.starts_with(reader.path() + ": "))
      return error;
    return Error{reader.path() + ": " + error.message};
  };
  if (Status s = checkTexts(model, order.names, rows.levels); !s)
    return located(std::move(s).error());
  Weights weights;
  Result<Normalization> normalization = normalize(
      model,
      {order.names.size(), [&](size_t g) { return order.names[g]; },
       [&](size_t group, size_t input) { return spread(group, input); },
       [&](size_t input, double &lo, double &hi) {
         return rowSurvey->period(input).find(lo, hi);
       }},
      rows.levels);
  if (!normalization)
    return located(std::move(normalization).error());
  weights.normalization = *std::move(normalization);
  if (Status s = findMeans(); !s)
    return located(std::move(s).error());
  Systems systems;
  systems.weightMeans = rows.means;
  steps = chooseSteps(
      model, weights.normalization,
      [&](size_t grid) { return rowSurvey->isOnGrid(grid); },
      [&](size_t group, size_t grid) {
        return spread(group, size_t(model.compression->grids[grid].input));
      });
  rowSurvey.reset();

  if (options.progress)
    options.progress->update("learn", 0, 0);
  // Each pass over the rows reads the file.
  Result<Tables> tables = learn(
      model, rowsRead, weights.normalization, [&](TrainingRows::Visit visit) {
        std::vector<size_t> next = groupFirst;
        Status read = rows.forEach([&](const Dataset &part) -> Status {
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
  Status added = rows.forEach([&](const Dataset &part) -> Status {
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
  statistics.finish(rows.means, *options.inference);
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
    Status added = rows.forEach([&](const Dataset &part) {
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
    const size_t readings =
        fits.count() > mostOpen ? 1 : divideUp(groupRows.size(), fits.count());
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
size_t StreamedFit::readings() const { return impl->rows.readings; }
Result<Weights> StreamedFit::fit() { return impl->fit(); }
const FitSteps &StreamedFit::steps() const { return impl->steps; }

} // namespace tamrt
