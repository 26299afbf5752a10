//===- app/AdaptRun.cpp - what runs of adapt share ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/AdaptRun.h"

#include "app/Commands.h"
#include "core/Log.h"
#include "core/data/BeyondRange.h"
#include "core/ranks/RankFit.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
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

AdaptRun::AdaptRun(const tamrt_model &model, const Options &options,
                   const Session &session, int out)
    : progress(out, model.name), model(model), options(options),
      adapt(chosenWindows(model, options)), joint(model),
      run(session.runFit(model, options, progress)) {
  run.work = WorkKind::Sliding;
  run.strengths = options.penalties.strengths;
}

Status AdaptRun::prepare(const Ranks &ranks) {
  Result<FitRoute> chosen =
      chooseRoute(ranks, *adapt.model, size_t(adapt.window), run);
  if (!chosen)
    return std::move(chosen).error();
  route = *std::move(chosen);
  if (Status s = checkWindows(*adapt.model, route, windowOptions(), run); !s)
    return s;
  for (const auto &[of, kind] : {std::pair(adapt.model, TAMRT_STEP_PREDICT),
                                 std::pair(&model, TAMRT_STEP_PREDICT),
                                 std::pair(&model, TAMRT_STEP_TERMS)})
    if (of != &model || adapt.corrects)
      if (Status s = checkFits(*of, kind, run); !s)
        return s;
  // Weights first: they are small, and the error for a wrong file should not
  // come after a long parse.
  if (adapt.corrects) {
    Result<std::shared_ptr<const Weights>> read = readWeights(model, options);
    if (!read)
      return std::move(read).error();
    weights = *std::move(read);
  }
  perUnit = windowsOfUnit(*adapt.model, route, windowOptions());
  if (!route.note.empty())
    run.tellRoute(route.note);
  return {};
}

ReadOptions AdaptRun::reading(bool keepsKeys, bool inPlace,
                              size_t blockBytes) const {
  ReadOptions how = {/*dropMissing=*/false, options.threads, blockBytes,
                     options.format};
  how.forWindows = true;
  how.keepKeys = keepsKeys;
  how.inPlace = inPlace;
  return how;
}

std::optional<TrainedTexts> AdaptRun::trained() const {
  if (!weights)
    return {};
  return TrainedTexts{weights->groups, weights->normalization.levels};
}

Result<RowReader> AdaptRun::open(bool keepsKeys, bool inPlace,
                                 size_t blockBytes) {
  const ReadOptions how = reading(keepsKeys, inPlace, blockBytes);
  const std::optional<TrainedTexts> texts = trained();
  Result<RowReader> reader =
      texts ? RowReader::open(options.source(), joint.model(), *texts, how)
            : RowReader::open(options.source(), joint.model(), how);
  if (reader) {
    path = reader->path();
    unit = reader->unit();
  }
  return reader;
}

std::span<const LevelTable> AdaptRun::levels() const {
  if (!weights)
    return {};
  return weights->normalization.levels;
}

Status AdaptRun::predictBase(const Dataset &data, const RowPlaces &places,
                             BaseColumns &out) const {
  if (Status s = predictBase(data, out); !s || !weights)
    return s;
  return places.checkFinite(out.predictions, TAMRT_STEP_PREDICT, *weights, run);
}

Status AdaptRun::predictBase(const Dataset &data, BaseColumns &out) const {
  const size_t rows = data.rowCount();
  out.effects.resize(joint.places.size());
  if (!weights)
    return {};
  out.predictions.resize(rows);
  if (Status s = predictGroups(model, TAMRT_STEP_PREDICT, data, *weights, run,
                               out.predictions.data());
      !s)
    return located(s.error());
  out.residuals.resize(rows);
  for (size_t row = 0; row < rows; ++row)
    out.residuals[row] = data.target()[row] - out.predictions[row];
  if (std::none_of(joint.places.begin(), joint.places.end(),
                   [](const auto &place) { return place.effect; }))
    return {};
  const auto width = size_t(model.effect_count);
  std::vector<double> terms(rows * width);
  if (Status s = predictGroups(model, TAMRT_STEP_TERMS, data, *weights, run,
                               terms.data());
      !s)
    return located(s.error());
  for (size_t i = 0; i < joint.places.size(); ++i) {
    if (!joint.places[i].effect)
      continue;
    out.effects[i].resize(rows);
    for (size_t row = 0; row < rows; ++row)
      out.effects[i][row] = terms[row * width + *joint.places[i].effect];
  }
  return {};
}

WindowOptions AdaptRun::windowOptions() const {
  return {size_t(adapt.window), size_t(adapt.update), options.forget,
          size_t(options.windowsAtOnce), perUnit};
}

Error AdaptRun::describeShort(size_t longest) const {
  return Error{path + ": expected a group of more than " +
               std::to_string(adapt.window + adapt.horizon - 1) +
               " rows, a window and its horizon, got at most " +
               std::to_string(longest)};
}

Error AdaptRun::describeLack(const std::string &place) {
  return Error{place + ": expected a finite value in a row that a window "
                       "trains on, got a missing value"};
}

Error AdaptRun::located(const Error &error) const {
  return Error{path + ": " + error.message};
}

std::vector<std::string> AdaptRun::names() const {
  if (adapt.corrects)
    return {"prediction", "base", "correction"};
  return {"prediction"};
}

void AdaptRun::tellNotes(const AdaptCounts &counts) {
  progress.clear();
  if (counts.without > 0)
    tell(model, "note",
         "no forecast for " + std::to_string(counts.without) + " of " +
             std::to_string(counts.groups) + " groups, which have fewer than " +
             std::to_string(adapt.window + adapt.horizon) + " rows");
  if (counts.ties > 0)
    tell(model, "note", describeTies(counts.ties, counts.rows));
  timings.note("fitted windows", int64_t(counts.windows));
  timings.note("uncertain windows", int64_t(counts.apart));
  if (counts.apart > 0)
    log(LogLevel::Info,
        "{} of {} windows were fitted by themselves: rounding errors of shared "
        "sums could have changed their predictions by {} of their size",
        counts.apart, counts.windows, kWindowError);
}

} // namespace tamrt
