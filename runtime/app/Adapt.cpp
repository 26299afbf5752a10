//===- app/Adapt.cpp - adapt ----------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Adapt.h"

#include "app/AdaptTables.h"
#include "app/Commands.h"
#include "app/RunRanks.h"
#include "app/StreamedAdapt.h"
#include "core/ranks/RankFiles.h"
#include "io/AtomicFile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace tamrt {

/// Columns of levels, as the rows were read.
static std::vector<WindowColumns::Levels>
levelsOf(const Rows &rows,
         FunctionRef<const TextIndex &(size_t column)> texts) {
  std::vector<WindowColumns::Levels> levels;
  for (size_t i = 0; i < rows.levels.size(); ++i) {
    const GrowingArray<uint32_t> &ids = rows.levels[i];
    WindowColumns::Levels &column = levels.emplace_back();
    column.ids.append({ids.data(), ids.size()});
    const TextIndex &of = texts(i);
    for (uint32_t id = 0; id < of.size(); ++id)
      column.texts.emplace_back(of[id]);
  }
  return levels;
}

WindowRows::WindowRows(const AdaptRun &run, Rows rows,
                       const ModelColumns &columns,
                       FunctionRef<const TextIndex &(size_t column)> texts,
                       const GroupOrder &order)
    : of(run), levels(levelsOf(rows, texts)),
      arranged(Dataset::arrange(std::move(rows), columns, texts, order,
                                run.joint.model(), run.levels(),
                                run.options.threads)),
      levelColumns(columns.inputs), windows(windowsOf(arranged, run.adapt)) {
  for (WindowColumns::Levels &column : levels) {
    GrowingArray<uint32_t> sorted;
    uint32_t *out = sorted.extend(column.ids.size());
    for (size_t row = 0; row < column.ids.size(); ++row)
      out[row] = column.ids[arranged.fileRows()[row]];
    column.ids = std::move(sorted);
  }
}

std::vector<uint32_t> WindowRows::firstPredicted() const {
  std::vector<uint32_t> rows;
  for (const Window &window : windows)
    rows.push_back(arranged.fileRows()[window.first]);
  return rows;
}

std::vector<bool> WindowRows::lackTargets() const {
  std::vector<bool> lacks(arranged.rowCount());
  size_t checked = 0;
  for (const Window &window : windows) {
    const size_t end = window.training + size_t(of.adapt.window);
    for (size_t row = std::max(checked, window.training); row < end; ++row)
      if (std::isnan(arranged.target()[row]))
        lacks[row] = true;
    checked = std::max(checked, end);
  }
  return lacks;
}

Status WindowRows::fit(const std::function<void(const FittedWindow &)> &take) {
  WindowColumns columns;
  for (size_t i = 0; i < of.joint.places.size(); ++i) {
    const JointInputs::Place &place = of.joint.places[i];
    const bool hasLevels = of.adapt.model->inputs[i].rule == TAMRT_RULE_LEVELS;
    columns.source.inputs.push_back(place.effect ? base.effects[i].data()
                                    : hasLevels
                                        ? nullptr
                                        : arranged.numbers(*place.input));
    columns.levels.push_back(hasLevels ? &levels[levelColumns[*place.input]]
                                       : nullptr);
  }
  columns.source.target =
      of.adapt.corrects ? base.residuals.data() : arranged.target();
  columns.source.weights = arranged.weights();
  predictions.assign(arranged.rowCount(),
                     std::numeric_limits<double>::quiet_NaN());
  Status done = fitWindows(
      *of.adapt.model, of.route, arranged.groups(), columns, windows,
      of.windowOptions(), of.run,
      [&](const FittedWindows &fitted) {
        apart += fitted.apart;
        const auto width = size_t(of.adapt.model->columns);
        const std::span coefficients(fitted.coefficients);
        for (size_t w = 0; take && w < fitted.windows.size(); ++w) {
          const Window &window = fitted.windows[w];
          take({window.group, window.index, arranged.fileRows()[window.first],
                coefficients.subspan(w * width, width)});
        }
        return Status();
      },
      predictions.data());
  return done ? done : of.located(done.error());
}

double WindowRows::predictionOf(size_t row) const {
  return numbersOf(predictions[row],
                   base.predictions.empty() ? 0 : base.predictions[row])[0];
}

std::vector<bool> WindowRows::notFinite() const {
  // A window's prediction may be NaN, too: only rows of no window lack one.
  std::vector<bool> isBad(predictions.size());
  for (const Window &window : windows)
    for (size_t row = window.first; row < window.first + window.rows; ++row)
      isBad[row] = !std::isfinite(predictionOf(row));
  return isBad;
}

AdaptCounts WindowRows::counts() const {
  AdaptCounts counts = {arranged.groups().size(), arranged.groups().size(),
                        arranged.rowCount(),      arranged.tiedRows(),
                        windows.size(),           apart};
  for (const Window &window : windows)
    counts.without -= window.index == 0;
  return counts;
}

Status
Adaptation::compute(bool keepsKeys,
                    const std::function<void(const FittedWindow &)> &take) {
  if (Status s = read(keepsKeys); !s)
    return s;
  if (Status s = of.predictBase(rows->data(), places(), rows->base); !s)
    return s;
  if (of.weights)
    of.timings.end("predict");
  if (Status s = rows->fit(take); !s)
    return s;
  of.timings.end("windows");
  const std::optional<size_t> bad = places().firstOf(rows->notFinite());
  if (!bad)
    return {};
  return Error{places().placeOf(*bad) + ": " +
               describeInfinite(rows->predictionOf(*bad))};
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
  keys = std::move(all->rows.keys);
  lines = std::move(all->rows.lines);
  rows.emplace(
      of, std::move(all->rows), reader->columns(),
      [&](size_t column) -> const TextIndex & {
        return reader->levels(column);
      },
      reader->groupOrder());
  of.timings.end("read");
  if (!rows->haveWindows())
    return of.describeShort(rows->data().longestGroup());
  // The rows that windows train on have targets.
  const std::optional<size_t> lacking = places().firstOf(rows->lackTargets());
  if (!lacking)
    return {};
  return AdaptRun::describeLack(places().placeOf(*lacking, of.model.target));
}

RowPlaces Adaptation::places() const {
  return {
      of.model, rows->data(), {lines.data(), lines.size()}, of.path, of.unit};
}

void Adaptation::forEachRow(
    FunctionRef<void(size_t, std::span<const double>)> body) const {
  const std::vector<double> &base = rows->base.predictions;
  const size_t width = of.names().size();
  const std::vector<uint32_t> rowOf = rows->data().inFileOrder();
  for (size_t fileRow = 0; fileRow < rowOf.size(); ++fileRow) {
    const size_t row = rowOf[fileRow];
    const auto numbers = WindowRows::numbersOf(rows->predictions[row],
                                               base.empty() ? 0 : base[row]);
    body(fileRow, std::span(numbers).first(width));
  }
}

namespace {

/// The keys of a row; none in a model without key columns.
std::string_view keysOf(const KeyCells &keys, size_t row) {
  return keys.ends.empty() ? std::string_view() : keys[row];
}

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
    windows.emplace(run.model, CsvWriter(*std::move(file)));
    return {};
  }

  CoefficientsTable *coefficients() { return windows ? &*windows : nullptr; }

  Status add(std::string_view keys, std::span<const double> numbers) {
    if (!rows) {
      Result<AtomicFile> file = AtomicFile::create(run.options.output);
      if (!file)
        return std::move(file).error();
      rows.emplace(run, CsvWriter(*std::move(file)));
    }
    rows->add(keys, numbers);
    return {};
  }

  /// Both tables are complete before one of them appears.
  Status finish() {
    if (Status s = rows->complete(); !s)
      return s;
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
  if (!options.frame && isPattern(options.input))
    return adaptOnRanks(model, options, Ranks());
  return runSession(model, options, [&](const Session &session) {
    return adaptFile(session.modelOf(model, options), options, session);
  });
}

} // namespace tamrt
