//===- app/Summary.cpp - summary ------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/TextTable.h"
#include "core/model/Coordinates.h"
#include "core/model/Inference.h"
#include "core/run/Quality.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace tamrt {
namespace {

using json = nlohmann::ordered_json;

double ratio(double a, double b) {
  return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN();
}

/// Of the groups first, .., end - 1 together, in their training rows.
Quality qualityOf(const Inference &known, size_t first, size_t end) {
  std::vector<QualitySums> parts;
  for (size_t g = first; g < end; ++g) {
    QualitySums &sums = parts.emplace_back();
    sums.rows = known.field(g, kRows);
    sums.weight = known.field(g, kWeight);
    sums.squares = known.field(g, kRss);
    sums.absolutes = known.field(g, kAbsolute);
    sums.relatives = known.field(g, kRelative);
    sums.relativeWeight = known.field(g, kRelativeWeight);
    sums.targetAbsolutes = known.field(g, kTargetAbsolute);
    sums.targetMean = known.field(g, kTargetMean);
    sums.targetSquares = known.field(g, kTargetSquares);
  }
  return tamrt::qualityOf(parts);
}

/// The aps of an effect that the fit used in a group: of a product one for each
/// factor, those of the products included; else one.
std::vector<double> apsOf(const tamrt_model &model, const Weights &weights,
                          size_t group, int64_t effect) {
  std::vector<double> all, aps;
  for (int64_t i = 0; i < model.penalty_count; ++i) {
    if (!weights.groupAps.empty()) {
      all.push_back(
          weights.groupAps[group * size_t(model.penalty_count) + size_t(i)]);
      continue;
    }
    const tamrt_penalty &penalty = model.penalties[i];
    auto found = std::find_if(
        weights.penalties.begin(), weights.penalties.end(),
        [&](const auto &chosen) { return chosen.first == penalty.name; });
    all.push_back(found == weights.penalties.end() ? penalty.ap
                                                   : found->second);
  }
  for (const Coordinate &coordinate : coordinatesOf(model))
    if (coordinate.effect == effect)
      aps.push_back(apOf(coordinate, all));
  return aps;
}

void addQuality(json &to, const Quality &quality) {
  to["rmse"] = quality.rmse;
  to["mape"] = quality.mape;
  to["nmae"] = quality.nmae;
  to["r2"] = quality.r2;
}

std::string formatJson(const tamrt_model &model, const Weights &weights) {
  const Inference &known = weights.inference;
  json groups = json::array();
  for (size_t g = 0; g < weights.groups.size(); ++g) {
    json group = {{"group", weights.groups[g]},
                  {"rows", int64_t(known.field(g, kRows))},
                  {"weight", known.field(g, kWeight)},
                  {"sigma2", known.field(g, kSigma2)},
                  {"edf", known.field(g, kEdf)}};
    addQuality(group, qualityOf(known, g, g + 1));
    for (GroupField field : {kAcf1, kDrift, kLogDeterminant, kCondition})
      group[std::string(groupFieldNames[field])] = known.field(g, field);
    json effects = json::array();
    for (int64_t e = 0; e < model.effect_count; ++e) {
      const std::vector<double> aps = apsOf(model, weights, g, e);
      json effect = {{"effect", model.effects[e].name},
                     {"term", model.effects[e].term},
                     {"columns", model.effects[e].columns},
                     {"edf", known.edfOf(model, g)[e]},
                     {"ap", aps.size() == 1 ? json(aps.front()) : json(aps)}};
      for (size_t field = 0; field < kEffectFields; ++field)
        effect[std::string(effectFieldNames[field])] =
            known.fieldsOf(model, g, size_t(e))[field];
      effects.push_back(effect);
    }
    group["effects"] = effects;
    groups.push_back(group);
  }
  const Quality quality = qualityOf(known, 0, weights.groups.size());
  json all = {{"rows", int64_t(quality.rows)}};
  addQuality(all, quality);
  return json{{"model", model.name},
              {"formula", model.formula},
              {"all", all},
              {"groups", groups}}
             .dump() +
         "\n";
}

/// The aps of an effect: "-2", of a product "-2,3", and "-4..-2" if groups have
/// their own.
std::string formatAps(const tamrt_model &model, const Weights &weights,
                      int64_t effect) {
  std::vector<double> low = apsOf(model, weights, 0, effect), high = low;
  for (size_t g = 1; g < weights.groups.size(); ++g) {
    const std::vector<double> aps = apsOf(model, weights, g, effect);
    for (size_t i = 0; i < aps.size(); ++i) {
      low[i] = std::min(low[i], aps[i]);
      high[i] = std::max(high[i], aps[i]);
    }
  }
  std::string text;
  for (size_t i = 0; i < low.size(); ++i) {
    text += (i == 0 ? "" : ",") + fmt::format("{:.6g}", low[i]);
    if (low[i] < high[i])
      text += fmt::format("..{:.6g}", high[i]);
  }
  return text;
}

std::string formatText(const tamrt_model &model, const Weights &weights) {
  const Inference &known = weights.inference;
  const size_t count = weights.groups.size();
  auto quality = [](const Quality &of) {
    return std::vector<std::string>{shortly(of.rmse), shortly(of.mape),
                                    shortly(of.nmae), shortly(of.r2)};
  };
  TextTable groups;
  groups.row({model.group ? model.group : "", "rows", "edf", "sigma", "rmse",
              "mape %", "nmae %", "r2", "acf1", "drift", "condition"});
  for (size_t g = 0; g < count; ++g) {
    std::vector<std::string> row = {
        weights.groups[g], fmt::format("{}", int64_t(known.field(g, kRows))),
        shortly(known.field(g, kEdf)),
        shortly(std::sqrt(known.field(g, kSigma2)))};
    for (std::string &cell : quality(qualityOf(known, g, g + 1)))
      row.push_back(std::move(cell));
    for (GroupField field : {kAcf1, kDrift, kCondition})
      row.push_back(shortly(known.field(g, field)));
    groups.row(std::move(row));
  }
  if (count > 1) {
    const Quality whole = qualityOf(known, 0, count);
    std::vector<std::string> row = {
        "all", fmt::format("{}", int64_t(whole.rows)), "", ""};
    for (std::string &cell : quality(whole))
      row.push_back(std::move(cell));
    row.resize(11);
    groups.row(std::move(row));
  }

  TextTable effects;
  effects.row(
      {"effect", "columns", "edf", "ap", "low", "high", "sd", "share %"});
  for (int64_t e = 0; e < model.effect_count; ++e) {
    double edf = 0, sd = 0, share = 0, shares = 0,
           low = std::numeric_limits<double>::infinity(), high = -low;
    for (size_t g = 0; g < count; ++g) {
      const double *fields = known.fieldsOf(model, g, size_t(e));
      edf += known.edfOf(model, g)[e] / double(count);
      sd += fields[kSd] / double(count);
      // A group with constant predictions has none.
      if (std::isfinite(fields[kShare])) {
        share += fields[kShare];
        ++shares;
      }
      low = std::min(low, fields[kLow]);
      high = std::max(high, fields[kHigh]);
    }
    effects.row({model.effects[e].name,
                 fmt::format("{}", model.effects[e].columns), shortly(edf),
                 formatAps(model, weights, e), shortly(low), shortly(high),
                 shortly(sd), shortly(100 * ratio(share, shares))});
  }
  return fmt::format(
      "{}\n\n{}\n{}{}", model.formula, groups.format(),
      count > 1
          ? fmt::format("edf, sd and share: means over {} groups\n", count)
          : "",
      effects.format());
}

} // namespace

Status runSummary(const tamrt_model &model, const Options &options) {
  if (Status s = checkOutput(options); !s)
    return s;
  Result<std::shared_ptr<const Weights>> read =
      readWeights(model, options, {.inference = FilePart::Yes});
  if (!read)
    return std::move(read).error();
  const Weights &weights = **read;
  if (options.infoFormat == InfoFormat::Json)
    return print(formatJson(model, weights));
  std::string text = formatText(model, weights);
  if (options.draw) {
    Result<std::string> drawn = drawEffects(model, options, weights);
    if (!drawn)
      return std::move(drawn).error();
    text += "\n" + *drawn;
  }
  return print(text);
}

} // namespace tamrt
