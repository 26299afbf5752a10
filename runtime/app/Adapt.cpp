//===- app/Adapt.cpp - adapt ----------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Adapt.h"

#include "app/Commands.h"
#include "app/StreamedAdapt.h"
#include "io/CsvWriter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace tamrt {

Status
Adaptation::compute(bool keepsKeys,
                    const std::function<void(const FittedWindow &)> &take) {
  if (Status s = read(keepsKeys); !s)
    return s;
  if (Status s = of.predictBase(*data, places(), base); !s)
    return s;
  if (of.weights)
    of.timings.end("predict");
  if (Status s = fit(take); !s)
    return s;
  return checkPredictions();
}

Status Adaptation::read(bool keepsKeys) {
  Result<RowReader> reader =
      of.open(keepsKeys, /*inPlace=*/true, CsvBlocks::kBlockBytes);
  if (!reader)
    return std::move(reader).error();
  of.progress.update("read", 0, 0);
  Result<RowReader::AllRows> all = reader->readAll();
  if (!all)
    return std::move(all).error();
  Rows &rows = all->rows;
  keys = std::move(rows.keys);
  lines = std::move(rows.lines);
  levelColumns = reader->columns().inputs;
  for (size_t i = 0; i < rows.levels.size(); ++i) {
    const GrowingArray<uint32_t> &ids = rows.levels[i];
    WindowColumns::Levels &column = levels.emplace_back();
    column.ids.append({ids.data(), ids.size()});
    const TextIndex &texts = reader->levels(i);
    for (uint32_t id = 0; id < texts.size(); ++id)
      column.texts.emplace_back(texts[id]);
  }
  data = Dataset::arrange(std::move(rows), *reader, reader->groupOrder(),
                          of.joint.model(), of.levels(), of.options.threads);
  for (WindowColumns::Levels &column : levels) {
    GrowingArray<uint32_t> sorted;
    uint32_t *out = sorted.extend(column.ids.size());
    for (size_t row = 0; row < column.ids.size(); ++row)
      out[row] = column.ids[data->fileRows()[row]];
    column.ids = std::move(sorted);
  }
  windows = windowsOf(*data, of.adapt);
  of.timings.end("read");
  if (windows.empty())
    return of.describeShort(data->longestGroup());
  return checkTargets();
}

RowPlaces Adaptation::places() const {
  return {of.model, *data, {lines.data(), lines.size()}, of.path, of.unit};
}

/// Checks that the rows that windows train on have targets.
Status Adaptation::checkTargets() const {
  std::vector<bool> lacks(data->rowCount());
  size_t checked = 0;
  for (const Window &window : windows) {
    const size_t end = window.training + size_t(of.adapt.window);
    for (size_t row = std::max(checked, window.training); row < end; ++row)
      if (std::isnan(data->target()[row]))
        lacks[row] = true;
    checked = std::max(checked, end);
  }
  const std::optional<size_t> first = places().firstOf(lacks);
  if (!first)
    return {};
  return AdaptRun::describeLack(places().placeOf(*first, of.model.target));
}

Status Adaptation::fit(const std::function<void(const FittedWindow &)> &take) {
  WindowColumns columns;
  for (size_t i = 0; i < of.joint.places.size(); ++i) {
    const JointInputs::Place &place = of.joint.places[i];
    const bool hasLevels = of.windowModel.inputs[i].rule == TAMRT_RULE_LEVELS;
    columns.source.inputs.push_back(place.effect ? base.effects[i].data()
                                    : hasLevels  ? nullptr
                                                 : data->numbers(*place.input));
    columns.levels.push_back(hasLevels ? &levels[levelColumns[*place.input]]
                                       : nullptr);
  }
  columns.source.target =
      of.adapt.corrects ? base.residuals.data() : data->target();
  columns.source.weights = data->weights();
  predictions.assign(data->rowCount(),
                     std::numeric_limits<double>::quiet_NaN());
  Status done = fitWindows(
      of.windowModel, data->groups(), columns, windows, of.windowOptions(),
      of.run,
      [&](const FittedWindows &fitted) {
        apart += fitted.apart;
        const auto width = size_t(of.windowModel.columns);
        const std::span coefficients(fitted.coefficients);
        for (size_t w = 0; take && w < fitted.windows.size(); ++w) {
          const Window &window = fitted.windows[w];
          take({window.group, window.index, data->fileRows()[window.first],
                coefficients.subspan(w * width, width)});
        }
        return Status();
      },
      predictions.data());
  if (!done)
    return of.located(done.error());
  of.timings.end("windows");
  return {};
}

double Adaptation::predictionOf(size_t row) const {
  return predictions[row] +
         (base.predictions.empty() ? 0 : base.predictions[row]);
}

Status Adaptation::checkPredictions() const {
  // A window's prediction may be NaN, too: only rows of no window lack one.
  std::vector<bool> isBad(predictions.size());
  for (const Window &window : windows)
    for (size_t row = window.first; row < window.first + window.rows; ++row)
      isBad[row] = !std::isfinite(predictionOf(row));
  const std::optional<size_t> first = places().firstOf(isBad);
  if (!first)
    return {};
  return Error{places().placeOf(*first) + ": " +
               describeInfinite(predictionOf(*first))};
}

void Adaptation::forEachRow(
    FunctionRef<void(size_t, std::span<const double>)> body) const {
  const std::vector<uint32_t> rowOf = data->inFileOrder();
  for (size_t fileRow = 0; fileRow < rowOf.size(); ++fileRow) {
    const size_t row = rowOf[fileRow];
    const double numbers[] = {
        predictionOf(row), base.predictions.empty() ? 0 : base.predictions[row],
        predictions[row]};
    body(fileRow, std::span(numbers).first(of.adapt.corrects ? 3 : 1));
  }
}

AdaptCounts Adaptation::counts() const {
  AdaptCounts counts = {data->groups().size(), data->groups().size(),
                        data->rowCount(),      data->tiedRows(),
                        windows.size(),        apart};
  for (const Window &window : windows)
    counts.without -= window.index == 0;
  return counts;
}

namespace {

/// The keys of a row; none in a model without key columns.
std::string_view keysOf(const KeyCells &keys, size_t row) {
  return keys.ends.empty() ? std::string_view() : keys[row];
}

/// A table of coefficients: the keys of a window's first predicted row, the
/// window, and a coefficient.
class CoefficientsTable {
public:
  CoefficientsTable(const tamrt_model &model, AtomicFile file)
      : windowModel(*model.adapt->model), table(std::move(file)) {
    std::vector<std::string> names = keyNames(model);
    keyCount = names.size();
    for (std::string &name :
         uniqueNames(names, {"window", "effect", "index", "value"}))
      names.push_back(std::move(name));
    table.header(names);
  }

  void add(const FittedWindow &window, std::string_view keys) {
    const double *value = window.coefficients.data();
    for (int64_t e = 0; e < windowModel.effect_count; ++e)
      for (int64_t i = 0; i < windowModel.effects[e].columns; ++i) {
        if (keyCount > 0)
          table.written(keys, keyCount);
        table.integer(int64_t(window.index));
        table.text(windowModel.effects[e].name);
        table.integer(i);
        table.number(*value++);
        table.endRow();
      }
  }

  Status finish() { return table.finish(); }

private:
  const tamrt_model &windowModel;
  CsvWriter table;
  size_t keyCount;
};

/// The table of all rows: keys and numbers, of which those that do not exist
/// are empty.
class RowsTable {
public:
  RowsTable(const AdaptRun &run, AtomicFile file) : table(std::move(file)) {
    std::vector<std::string> names = keyNames(run.model);
    keyCount = names.size();
    for (std::string &name : uniqueNames(names, run.names()))
      names.push_back(std::move(name));
    table.header(names);
  }

  void add(std::string_view keys, std::span<const double> numbers) {
    if (keyCount > 0)
      table.written(keys, keyCount);
    for (double number : numbers)
      if (std::isnan(number))
        table.text("");
      else
        table.number(number);
    table.endRow();
  }

  Status finish() { return table.finish(); }

private:
  CsvWriter table;
  size_t keyCount;
};

/// The tables that a run writes. That of its rows is opened with the first row.
class AdaptTables {
public:
  explicit AdaptTables(const AdaptRun &run) : run(run) {}

  Status openCoefficients() {
    if (run.options.windowCoefficients.empty())
      return {};
    Result<AtomicFile> file =
        AtomicFile::create(run.options.windowCoefficients);
    if (!file)
      return std::move(file).error();
    windows.emplace(run.model, *std::move(file));
    return {};
  }

  CoefficientsTable *coefficients() { return windows ? &*windows : nullptr; }

  Status add(std::string_view keys, std::span<const double> numbers) {
    if (!rows) {
      Result<AtomicFile> file = AtomicFile::create(run.options.output);
      if (!file)
        return std::move(file).error();
      rows.emplace(run, *std::move(file));
    }
    rows->add(keys, numbers);
    return {};
  }

  /// Both tables are complete before one of them appears.
  Status finish() {
    if (windows)
      if (Status s = windows->finish(); !s)
        return s;
    return rows->finish();
  }

private:
  const AdaptRun &run;
  std::optional<CoefficientsTable> windows;
  std::optional<RowsTable> rows;
};

/// Computes and writes with all rows in memory. Returns what the run counted.
Result<AdaptCounts> adaptInMemory(AdaptRun &run, AdaptTables &tables) {
  Adaptation adaptation(run);
  std::function<void(const FittedWindow &)> take;
  if (CoefficientsTable *table = tables.coefficients())
    take = [&adaptation, table](const FittedWindow &window) {
      table->add(window, keysOf(adaptation.keyCells(), window.row));
    };
  if (Status s = adaptation.compute(/*keepsKeys=*/true, take); !s)
    return std::move(s).error();
  Status added;
  adaptation.forEachRow([&](size_t row, std::span<const double> numbers) {
    if (added)
      added = tables.add(keysOf(adaptation.keyCells(), row), numbers);
  });
  if (!added)
    return std::move(added).error();
  return adaptation.counts();
}

Result<AdaptCounts> adaptStreamed(AdaptRun &run, AdaptTables &tables) {
  StreamedAdaptation adaptation(run);
  Result<bool> streams = adaptation.survey();
  if (!streams)
    return std::move(streams).error();
  if (!*streams)
    return adaptInMemory(run, tables);
  AdaptedRows out;
  out.row = [&](std::string_view keys, std::span<const double> numbers) {
    return tables.add(keys, numbers);
  };
  if (CoefficientsTable *table = tables.coefficients())
    out.window = [table](const FittedWindow &window, std::string_view keys) {
      table->add(window, keys);
    };
  if (Status s = adaptation.compute(out); !s)
    return std::move(s).error();
  return adaptation.counts();
}

Status adaptFile(const tamrt_model &model, const Options &options,
                 const Session &session) {
  AdaptRun run(model, options, session);
  AdaptTables tables(run);
  if (Status s = tables.openCoefficients(); !s)
    return s;
  if (Status s = run.prepare(); !s)
    return s;
  const auto adapt = options.stream ? adaptStreamed : adaptInMemory;
  Result<AdaptCounts> counts = adapt(run, tables);
  if (!counts)
    return std::move(counts).error();
  if (Status s = tables.finish(); !s)
    return s;
  run.timings.end("write");
  run.tellNotes(*counts);
  session.finish(run.timings, options);
  return {};
}

} // namespace

Status runAdapt(const tamrt_model &model, const Options &options) {
  return runSession(model, options, [&](const Session &session) {
    return adaptFile(session.modelOf(model, options), options, session);
  });
}

} // namespace tamrt
