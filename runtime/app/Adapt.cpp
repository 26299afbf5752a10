//===- app/Adapt.cpp - adapt ----------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Adapt.h"

#include "app/Commands.h"
#include "core/Log.h"
#include "core/data/BeyondRange.h"
#include "core/model/Model.h"
#include "io/CsvWriter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace tamrt {

JointInputs::JointInputs(const tamrt_model &base) : joint(base) {
  const tamrt_adapt &adapt = *base.adapt;
  const std::span own(adapt.model->inputs, size_t(adapt.model->input_count));
  if (!adapt.corrects) {
    // The same formula has the same inputs.
    for (size_t i = 0; i < own.size(); ++i)
      places.push_back({i, {}});
    return;
  }
  inputs.assign(base.inputs, base.inputs + base.input_count);
  for (const tamrt_input &input : own) {
    const std::string_view column = input.column;
    Place place;
    if (column.starts_with(TAMRT_EFFECT_PREFIX))
      for (int64_t e = 0; e < base.effect_count; ++e)
        if (column.substr(sizeof(TAMRT_EFFECT_PREFIX) - 1) ==
            base.effects[e].name)
          place.effect = size_t(e);
    if (!place.effect) {
      place.input = inputs.size();
      inputs.push_back(input);
    }
    places.push_back(place);
  }
  joint.inputs = inputs.data();
  joint.input_count = int64_t(inputs.size());
}

/// The windows of the spec, and what the options replace of them.
static tamrt_adapt chosenWindows(const tamrt_model &model,
                                 const Options &options) {
  tamrt_adapt adapt = *model.adapt;
  for (auto [number, given] : {std::pair(&adapt.window, options.window),
                               std::pair(&adapt.update, options.update),
                               std::pair(&adapt.horizon, options.horizon)})
    if (given > 0)
      *number = given;
  return adapt;
}

Adaptation::Adaptation(const tamrt_model &model, const Options &options,
                       const Session &session)
    : progress(STDERR_FILENO, model.name), model(model), options(options),
      adapt(chosenWindows(model, options)), windowModel(*adapt.model),
      joint(model), run(session.run(options, progress)) {
  run.work = WorkKind::Sliding;
  run.strengths = options.penalties.strengths;
  run.tellRoute = [this](const std::string &note) {
    progress.clear();
    if (!std::exchange(isRouteTold, true))
      tell(this->model, "note", note);
  };
}

Status
Adaptation::compute(bool keepsKeys,
                    const std::function<void(const FittedWindow &)> &take) {
  if (Status s = checkWindows(windowModel, windowOptions(), run); !s)
    return s;
  for (const auto &[of, kind] : {std::pair(&windowModel, TAMRT_STEP_PREDICT),
                                 std::pair(&model, TAMRT_STEP_PREDICT),
                                 std::pair(&model, TAMRT_STEP_TERMS)})
    if (of != &model || adapt.corrects)
      if (Status s = checkFits(*of, kind, run); !s)
        return s;
  if (Status s = read(keepsKeys); !s)
    return s;
  if (Status s = predictBase(); !s)
    return s;
  if (Status s = fit(take); !s)
    return s;
  return checkPredictions();
}

Status Adaptation::read(bool keepsKeys) {
  // Weights first: they are small, and the error for a wrong file should not
  // come after a long parse.
  if (adapt.corrects) {
    Result<std::shared_ptr<const Weights>> read = readWeights(model, options);
    if (!read)
      return std::move(read).error();
    weights = *std::move(read);
  }
  ReadOptions how = {/*dropMissing=*/false, options.threads,
                     CsvBlocks::kBlockBytes, options.format};
  how.forWindows = true;
  how.keepKeys = keepsKeys;
  how.inPlace = true;
  Result<RowReader> reader =
      weights
          ? RowReader::open(options.source(), joint.model(),
                            {weights->groups, weights->normalization.levels},
                            how)
          : RowReader::open(options.source(), joint.model(), how);
  if (!reader)
    return std::move(reader).error();
  path = reader->path();
  unit = reader->unit();
  run.progress->update("read", 0, 0);
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
    column.ids.assign(ids.data(), ids.data() + ids.size());
    const TextIndex &texts = reader->levels(i);
    for (uint32_t id = 0; id < texts.size(); ++id)
      column.texts.emplace_back(texts[id]);
  }
  data = Dataset::arrange(
      std::move(rows), *reader, reader->groupOrder(), joint.model(),
      weights ? std::span<const LevelTable>(weights->normalization.levels)
              : std::span<const LevelTable>(),
      options.threads);
  for (WindowColumns::Levels &column : levels) {
    std::vector<uint32_t> sorted(column.ids.size());
    for (size_t row = 0; row < sorted.size(); ++row)
      sorted[row] = column.ids[data->fileRows()[row]];
    column.ids = std::move(sorted);
  }
  windows = windowsOf(*data, adapt);
  timings.end("read");
  if (windows.empty())
    return Error{path + ": expected a group of more than " +
                 std::to_string(adapt.window + adapt.horizon - 1) +
                 " rows, a window and its horizon, got at most " +
                 std::to_string(data->longestGroup())};
  return checkTargets();
}

WindowOptions Adaptation::windowOptions() const {
  return {size_t(adapt.window), size_t(adapt.update), options.forget,
          size_t(options.windowsAtOnce)};
}

RowPlaces Adaptation::places() const {
  return {model, *data, {lines.data(), lines.size()}, path, unit};
}

/// Checks that the rows that windows train on have targets.
Status Adaptation::checkTargets() const {
  std::vector<bool> lacks(data->rowCount());
  size_t checked = 0;
  for (const Window &window : windows) {
    const size_t end = window.training + size_t(adapt.window);
    for (size_t row = std::max(checked, window.training); row < end; ++row)
      if (std::isnan(data->target()[row]))
        lacks[row] = true;
    checked = std::max(checked, end);
  }
  const std::optional<size_t> first = places().firstOf(lacks);
  if (!first)
    return {};
  return Error{places().placeOf(*first, model.target) +
               ": expected a finite value in a row that a window trains on, "
               "got a missing value"};
}

/// Predicts all rows with the base model, and their effects if they are inputs.
Status Adaptation::predictBase() {
  const size_t rows = data->rowCount();
  effects.resize(joint.places.size());
  if (!weights)
    return {};
  auto located = [&](const Status &failed) {
    return Error{path + ": " + failed.error().message};
  };
  base.resize(rows);
  if (Status s = predictGroups(model, TAMRT_STEP_PREDICT, *data, *weights, run,
                               base.data());
      !s)
    return located(s);
  if (Status s = places().checkFinite(base, TAMRT_STEP_PREDICT, *weights, run);
      !s)
    return s;
  residuals.resize(rows);
  for (size_t row = 0; row < rows; ++row)
    residuals[row] = data->target()[row] - base[row];
  if (std::none_of(joint.places.begin(), joint.places.end(),
                   [](const auto &place) { return place.effect; }))
    return {};
  const auto width = size_t(model.effect_count);
  std::vector<double> terms(rows * width);
  if (Status s = predictGroups(model, TAMRT_STEP_TERMS, *data, *weights, run,
                               terms.data());
      !s)
    return located(s);
  for (size_t i = 0; i < joint.places.size(); ++i) {
    if (!joint.places[i].effect)
      continue;
    effects[i].resize(rows);
    for (size_t row = 0; row < rows; ++row)
      effects[i][row] = terms[row * width + *joint.places[i].effect];
  }
  timings.end("predict");
  return {};
}

Status Adaptation::fit(const std::function<void(const FittedWindow &)> &take) {
  WindowColumns columns;
  for (size_t i = 0; i < joint.places.size(); ++i) {
    const JointInputs::Place &place = joint.places[i];
    const bool hasLevels = windowModel.inputs[i].rule == TAMRT_RULE_LEVELS;
    columns.source.inputs.push_back(place.effect ? effects[i].data()
                                    : hasLevels  ? nullptr
                                                 : data->numbers(*place.input));
    columns.levels.push_back(hasLevels ? &levels[levelColumns[*place.input]]
                                       : nullptr);
  }
  columns.source.target = adapt.corrects ? residuals.data() : data->target();
  columns.source.weights = data->weights();
  predictions.assign(data->rowCount(),
                     std::numeric_limits<double>::quiet_NaN());
  Status done = fitWindows(
      windowModel, *data, columns, windows, windowOptions(), run,
      [&](const FittedWindows &fitted) {
        apart += fitted.apart;
        const auto width = size_t(windowModel.columns);
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
    return Error{path + ": " + done.error().message};
  timings.end("windows");
  return {};
}

double Adaptation::predictionOf(size_t row) const {
  return predictions[row] + (base.empty() ? 0 : base[row]);
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

std::vector<std::string> Adaptation::names() const {
  if (adapt.corrects)
    return {"prediction", "base", "correction"};
  return {"prediction"};
}

void Adaptation::forEachRow(
    FunctionRef<void(size_t, std::span<const double>)> body) const {
  const std::vector<uint32_t> rowOf = data->inFileOrder();
  for (size_t fileRow = 0; fileRow < rowOf.size(); ++fileRow) {
    const size_t row = rowOf[fileRow];
    const double numbers[] = {predictionOf(row), base.empty() ? 0 : base[row],
                              predictions[row]};
    body(fileRow, std::span(numbers).first(adapt.corrects ? 3 : 1));
  }
}

void Adaptation::tellNotes() {
  progress.clear();
  size_t without = data->groups().size();
  for (const Window &window : windows)
    without -= window.index == 0;
  if (without > 0)
    tell(model, "note",
         "no forecast for " + std::to_string(without) + " of " +
             std::to_string(data->groups().size()) +
             " groups, which have fewer than " +
             std::to_string(adapt.window + adapt.horizon) + " rows");
  if (data->tiedRows() > 0)
    tell(model, "note", describeTies(data->tiedRows(), data->rowCount()));
  timings.note("fitted windows", int64_t(windows.size()));
  timings.note("uncertain windows", int64_t(apart));
  if (apart > 0)
    log(LogLevel::Info,
        "{} of {} windows were fitted by themselves: rounding errors of shared "
        "sums could have changed their predictions by {} of their size",
        apart, windows.size(), kWindowError);
}

namespace {

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

  void add(const FittedWindow &window, const KeyCells &keys) {
    const double *value = window.coefficients.data();
    for (int64_t e = 0; e < windowModel.effect_count; ++e)
      for (int64_t i = 0; i < windowModel.effects[e].columns; ++i) {
        if (keyCount > 0)
          table.written(keys[window.row], keyCount);
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

/// Writes the keys and numbers of all rows; numbers that do not exist are
/// empty.
void writeRows(const tamrt_model &model, const Adaptation &adaptation,
               CsvWriter &table) {
  std::vector<std::string> names = keyNames(model);
  const size_t keyCount = names.size();
  for (std::string &name : uniqueNames(names, adaptation.names()))
    names.push_back(std::move(name));
  table.header(names);
  adaptation.forEachRow([&](size_t row, std::span<const double> numbers) {
    if (keyCount > 0)
      table.written(adaptation.keyCells()[row], keyCount);
    for (double number : numbers)
      if (std::isnan(number))
        table.text("");
      else
        table.number(number);
    table.endRow();
  });
}

Status adaptFile(const tamrt_model &model, const Options &options,
                 const Session &session) {
  std::optional<CoefficientsTable> coefficients;
  if (!options.windowCoefficients.empty()) {
    Result<AtomicFile> file = AtomicFile::create(options.windowCoefficients);
    if (!file)
      return std::move(file).error();
    coefficients.emplace(model, *std::move(file));
  }
  Adaptation adaptation(model, options, session);
  std::function<void(const FittedWindow &)> take;
  if (coefficients)
    take = [&](const FittedWindow &window) {
      coefficients->add(window, adaptation.keyCells());
    };
  if (Status s = adaptation.compute(/*keepsKeys=*/true, take); !s)
    return s;
  Result<AtomicFile> file = AtomicFile::create(options.output);
  if (!file)
    return std::move(file).error();
  CsvWriter table(*std::move(file));
  writeRows(model, adaptation, table);
  // Both tables are complete before one of them appears.
  if (coefficients)
    if (Status s = coefficients->finish(); !s)
      return s;
  if (Status s = table.finish(); !s)
    return s;
  adaptation.timings.end("write");
  adaptation.tellNotes();
  session.finish(adaptation.timings, options);
  return {};
}

} // namespace

Status runAdapt(const tamrt_model &model, const Options &options) {
  return runSession(model, options, [&](const Session &session) {
    return adaptFile(session.modelOf(model, options), options, session);
  });
}

} // namespace tamrt
