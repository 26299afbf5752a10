//===- app/Adapt.cpp - adapt ----------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/RowPlaces.h"
#include "app/Session.h"
#include "app/Timings.h"
#include "core/Log.h"
#include "core/data/BeyondRange.h"
#include "core/data/RowReader.h"
#include "core/model/Model.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "core/run/Windows.h"
#include "io/CsvWriter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>

namespace tamrt {
namespace {

/// The columns that the windows' model reads, and its base model if it corrects
/// one, as the inputs of one model.
class JointInputs {
public:
  explicit JointInputs(const tamrt_model &base);
  JointInputs(const JointInputs &) = delete;
  JointInputs &operator=(const JointInputs &) = delete;

  /// To read the data with; its steps are those of the base model.
  const tamrt_model &model() const { return joint; }

  /// Where the values of an input of the windows' model are: an input of the
  /// joint model, or an effect of the base model.
  struct Place {
    std::optional<size_t> input, effect;
  };
  std::vector<Place> places;

private:
  tamrt_model joint;
  std::vector<tamrt_input> inputs;
};

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

/// One run of `adapt`.
class Adaptation {
public:
  Adaptation(const tamrt_model &model, const Options &options,
             const RunOptions &run, Timings &timings)
      : model(model), options(options), run(run), timings(timings),
        adapt(*model.adapt), windowModel(*adapt.model), joint(model) {}

  Status read();
  Status predictBase();
  Status fit();
  Status write();

private:
  Status checkTargets() const;
  Status openCoefficients();
  void writeCoefficients(const FittedWindows &fitted);
  RowPlaces places() const;

  const tamrt_model &model;
  const Options &options;
  const RunOptions &run;
  Timings &timings;
  const tamrt_adapt &adapt;
  const tamrt_model &windowModel;
  const JointInputs joint;

  std::string path;
  std::shared_ptr<const Weights> weights;
  std::optional<Dataset> data;
  KeyCells keys;
  GrowingArray<uint64_t> lines;
  /// By column of levels of the file.
  std::vector<WindowColumns::Levels> levels;
  /// By input of the joint model, its column of levels.
  std::vector<size_t> levelColumns;
  std::vector<Window> windows;
  /// By row. What does not exist is NaN.
  std::vector<double> base, residuals, predictions;
  /// By input of the windows' model, for those that are effects.
  std::vector<std::vector<double>> effects;
  std::optional<CsvWriter> coefficients;
  /// Windows that were fitted by themselves (FittedWindows).
  size_t apart = 0;
};

Status Adaptation::read() {
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
  Result<RowReader> reader =
      weights
          ? RowReader::open(options.input, joint.model(),
                            {weights->groups, weights->normalization.levels},
                            how)
          : RowReader::open(options.input, joint.model(), how);
  if (!reader)
    return std::move(reader).error();
  path = reader->path();
  run.progress->update("read", 0, 0);
  Result<Rows> rows = reader->read(std::numeric_limits<size_t>::max());
  if (!rows)
    return std::move(rows).error();
  if (Result<RowReader::TextChanges> changes = reader->resolveTexts(); !changes)
    return std::move(changes).error();
  keys = std::move(rows->keys);
  lines = std::move(rows->lines);
  levelColumns = reader->columns().inputs;
  for (size_t i = 0; i < rows->levels.size(); ++i) {
    const GrowingArray<uint32_t> &ids = rows->levels[i];
    WindowColumns::Levels &column = levels.emplace_back();
    column.ids.assign(ids.data(), ids.data() + ids.size());
    const TextIndex &texts = reader->levels(i);
    for (uint32_t id = 0; id < texts.size(); ++id)
      column.texts.emplace_back(texts[id]);
  }
  data = Dataset::arrange(
      *std::move(rows), *reader, reader->groupOrder(), joint.model(),
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

RowPlaces Adaptation::places() const {
  return {model, *data, {lines.data(), lines.size()}, path};
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

/// Opens the table of coefficients: the keys of a window's first predicted row,
/// the window, and a coefficient.
Status Adaptation::openCoefficients() {
  if (options.windowCoefficients.empty())
    return {};
  Result<AtomicFile> file = AtomicFile::create(options.windowCoefficients);
  if (!file)
    return std::move(file).error();
  coefficients.emplace(*std::move(file));
  std::vector<std::string> names = keyNames(model);
  for (std::string &name :
       uniqueNames(names, {"window", "effect", "index", "value"}))
    names.push_back(std::move(name));
  coefficients->header(names);
  return {};
}

void Adaptation::writeCoefficients(const FittedWindows &fitted) {
  const size_t count = keyNames(model).size();
  const double *value = fitted.coefficients.data();
  for (const Window &window : fitted.windows)
    for (int64_t e = 0; e < windowModel.effect_count; ++e)
      for (int64_t i = 0; i < windowModel.effects[e].columns; ++i) {
        if (count > 0)
          coefficients->written(keys[data->fileRows()[window.first]], count);
        coefficients->integer(int64_t(window.index));
        coefficients->text(windowModel.effects[e].name);
        coefficients->integer(i);
        coefficients->number(*value++);
        coefficients->endRow();
      }
}

Status Adaptation::fit() {
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
  if (Status s = openCoefficients(); !s)
    return s;
  const WindowOptions how = {size_t(adapt.window), size_t(adapt.update),
                             options.forget, size_t(options.windowsAtOnce)};
  Status done = fitWindows(
      windowModel, *data, columns, windows, how, run,
      [&](const FittedWindows &fitted) {
        apart += fitted.apart;
        if (coefficients)
          writeCoefficients(fitted);
        return Status();
      },
      predictions.data());
  if (!done)
    return Error{path + ": " + done.error().message};
  timings.end("windows");
  return {};
}

Status Adaptation::write() {
  // A window's prediction may be NaN, too: only rows of no window lack one.
  std::vector<bool> hasForecast(predictions.size()), isBad(predictions.size());
  for (const Window &window : windows)
    std::fill_n(hasForecast.begin() + ptrdiff_t(window.first), window.rows,
                true);
  std::vector<double> adapted(predictions.size());
  for (size_t row = 0; row < adapted.size(); ++row) {
    adapted[row] = predictions[row] + (base.empty() ? 0 : base[row]);
    isBad[row] = hasForecast[row] && !std::isfinite(adapted[row]);
  }
  if (const std::optional<size_t> first = places().firstOf(isBad))
    return Error{places().placeOf(*first) + ": " +
                 describeInfinite(adapted[*first])};

  Result<AtomicFile> file = AtomicFile::create(options.output);
  if (!file)
    return std::move(file).error();
  CsvWriter table(*std::move(file));
  std::vector<std::string> names = keyNames(model);
  const size_t keyCount = names.size();
  std::vector<std::string> columns = {"prediction"};
  if (adapt.corrects)
    columns = {"prediction", "base", "correction"};
  for (std::string &name : uniqueNames(names, std::move(columns)))
    names.push_back(std::move(name));
  table.header(names);
  const std::vector<uint32_t> rowOf = data->inFileOrder();
  for (size_t fileRow = 0; fileRow < rowOf.size(); ++fileRow) {
    const size_t row = rowOf[fileRow];
    auto number = [&](double value, bool exists) {
      if (exists)
        table.number(value);
      else
        table.text("");
    };
    if (keyCount > 0)
      table.written(keys[fileRow], keyCount);
    number(adapted[row], hasForecast[row]);
    if (adapt.corrects) {
      number(base[row], true);
      number(predictions[row], hasForecast[row]);
    }
    table.endRow();
  }
  // Both tables are complete before one of them appears.
  if (coefficients)
    if (Status s = coefficients->finish(); !s)
      return s;
  if (Status s = table.finish(); !s)
    return s;
  timings.end("write");
  run.progress->clear();
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
  timings.note("windows", int64_t(windows.size()));
  timings.note("uncertain windows", int64_t(apart));
  if (apart > 0)
    log(LogLevel::Info,
        "{} of {} windows were fitted by themselves: rounding errors of shared "
        "sums could have changed their predictions by {} of their size",
        apart, windows.size(), kWindowError);
  return {};
}

Status adaptFile(const tamrt_model &model, const Options &options,
                 const Session &session) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  RunOptions run = session.run(options, progress);
  run.work = WorkKind::Sliding;
  bool isTold = false;
  run.tellRoute = [&](const std::string &note) {
    progress.clear();
    if (!std::exchange(isTold, true))
      tell(model, "note", note);
  };
  const tamrt_model &windowModel = *model.adapt->model;
  for (const auto &[of, kind] : {std::pair(&windowModel, TAMRT_STEP_FIT_CHUNK),
                                 std::pair(&windowModel, TAMRT_STEP_PREDICT),
                                 std::pair(&model, TAMRT_STEP_PREDICT),
                                 std::pair(&model, TAMRT_STEP_TERMS)})
    if (of != &model || model.adapt->corrects)
      if (Status s = checkFits(*of, kind, run); !s)
        return s;
  Adaptation adaptation(model, options, run, timings);
  if (Status s = adaptation.read(); !s)
    return s;
  if (Status s = adaptation.predictBase(); !s)
    return s;
  if (Status s = adaptation.fit(); !s)
    return s;
  if (Status s = adaptation.write(); !s)
    return s;
  session.finish(timings, options);
  return {};
}

} // namespace

Status runAdapt(const tamrt_model &model, const Options &options) {
  return runSession(model, options, [&](const Session &session) {
    return adaptFile(session.modelOf(model, options), options, session);
  });
}

} // namespace tamrt
