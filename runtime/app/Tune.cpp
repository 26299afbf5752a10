//===- app/Tune.cpp - tune ------------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Tune.h"

#include "app/Session.h"
#include "app/TextTable.h"
#include "core/model/Model.h"
#include "io/Number.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tamrt {
namespace {

using json = nlohmann::ordered_json;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

/// Splits the arguments of a term at its commas, not at those inside of
/// parentheses and quotes.
std::vector<std::string_view> argumentsOf(std::string_view text) {
  std::vector<std::string_view> arguments;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = findOutside(text, ',', start);
    arguments.push_back(trimmed(text.substr(start, end - start)));
    start = end + 1;
  }
  return arguments;
}

/// Whether an argument is a term, "s(x)", and not a name, a quoted name or a
/// key with a value.
bool isTerm(std::string_view argument) {
  const size_t name = argument.find_first_not_of(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  const std::string_view rest =
      name == std::string_view::npos ? "" : trimmed(argument.substr(name));
  return name > 0 && rest.starts_with('(');
}

/// Whether an argument is that of the key ap.
bool isAp(std::string_view argument) {
  return argument.starts_with("ap") &&
         trimmed(argument.substr(2)).starts_with('=');
}

/// Writes a term with other aps: the next for itself, the following ones for
/// the factors of a product.
class TermWriter {
public:
  explicit TermWriter(const double *next) : next(next) {}

  std::string write(std::string_view term) {
    const std::string ap = "ap=" + formatNumber(*next++);
    const size_t open = term.find('('), close = term.rfind(')');
    std::string text(trimmed(term.substr(0, open)));
    text += '(';
    bool hasAp = false, isFirst = true;
    for (std::string_view argument :
         argumentsOf(term.substr(open + 1, close - open - 1))) {
      if (!isFirst)
        text += ", ";
      isFirst = false;
      if (isAp(argument)) {
        text += ap;
        hasAp = true;
      } else if (isTerm(argument)) {
        text += write(argument);
      } else {
        text += argument;
      }
    }
    return text + (hasAp ? ")" : ", " + ap + ")");
  }

private:
  const double *next;
};

/// "tune: cycle 2, 31 evaluations, score 1.25".
std::string describe(const TuneProgress &now,
                     std::span<const std::string> groups) {
  std::string text = "tune: ";
  if (now.group)
    text += fmt::format("group {} of {}, ", *now.group + 1, groups.size());
  if (now.cycle)
    text += fmt::format("cycle {}, ", *now.cycle);
  return text + fmt::format("{} evaluations, score {:.8g}", now.evaluations,
                            now.score);
}

/// \returns the strengths of all penalties, in common or for each group.
Result<std::vector<double>> findStrengths(const tamrt_model &model,
                                          const Options &options,
                                          const StrengthsQuestion &question,
                                          const RunOptions &run,
                                          ChosenAps &chosen) {
  const std::vector<Coordinate> coordinates = coordinatesOf(model);
  Result<std::vector<UnitPenalty>> units = unitPenalties(
      model, coordinates, question.normalization, question.tables, run);
  if (!units)
    return std::move(units).error();
  std::vector<double> formula, start;
  for (int64_t i = 0; i < model.penalty_count; ++i)
    formula.push_back(model.penalties[i].ap);
  for (const Coordinate &coordinate : coordinates)
    start.push_back(apOf(coordinate, formula));
  TuneOptions tuning = options.tune;
  tuning.threads = options.threads;
  Result<std::vector<TuneResult>> results =
      tune({model, *units, question.systems, question.groups}, start, tuning,
           [&](const TuneProgress &now) {
             if (run.progress)
               run.progress->update(describe(now, question.groups), 0, 0);
           });
  if (!results)
    return std::move(results).error();
  chosen.results = *std::move(results);
  std::vector<double> strengths;
  for (const TuneResult &result : chosen.results) {
    std::vector<double> &aps =
        chosen.aps.emplace_back(model.penalty_count, 0.0);
    for (size_t i = 0; i < coordinates.size(); ++i)
      aps[coordinates[i].penalty] = result.aps[i];
    const std::vector<double> own = strengthsOf(model, coordinates, result.aps);
    strengths.insert(strengths.end(), own.begin(), own.end());
  }
  return strengths;
}

} // namespace

void choosePenalties(const tamrt_model &model, const Options &options,
                     Timings &timings, ChosenAps &chosen, RunOptions &run) {
  run.choiceBytes = tuneBytesPerGroup(model, options.tune.criterion);
  run.chooseStrengths = [&](const StrengthsQuestion &question) {
    timings.end("sums");
    Result<std::vector<double>> strengths =
        findStrengths(model, options, question, run, chosen);
    timings.end("tune");
    return strengths;
  };
}

void setAps(const tamrt_model &model, const Options &options,
            const ChosenAps &chosen, Weights &weights) {
  if (options.command != Command::Tune) {
    weights.penalties = options.penalties.aps;
    return;
  }
  if (options.tune.perGroup) {
    for (const std::vector<double> &aps : chosen.aps)
      weights.groupAps.insert(weights.groupAps.end(), aps.begin(), aps.end());
    return;
  }
  for (int64_t i = 0; i < model.penalty_count; ++i)
    weights.penalties.emplace_back(model.penalties[i].name,
                                   chosen.aps.front()[size_t(i)]);
}

std::string formulaWith(const tamrt_model &model,
                        const std::vector<double> &aps) {
  std::string formula(targetOf(model.formula));
  if (model.effect_count == 1)
    return formula + " ~ 1";
  for (int64_t e = 1; e < model.effect_count; ++e) {
    size_t first = 0;
    while (model.penalties[first].effect != e)
      ++first;
    formula += (e == 1 ? " ~ " : " + ") +
               TermWriter(aps.data() + first).write(model.effects[e].term);
  }
  return formula;
}

namespace {

/// The state of a coordinate, empty for the interior.
std::string_view stateOf(const TuneResult &result, size_t coordinate) {
  if (result.states.empty())
    return "";
  switch (result.states[coordinate]) {
  case ApState::Low:
    return "low";
  case ApState::High:
    return "high";
  case ApState::Interior:
    return "";
  }
  return "";
}

std::string_view nameOf(Criterion criterion) {
  return criterion == Criterion::Reml ? "REML" : "GCV";
}

json jsonOf(const tamrt_model &model, const TuneResult &result,
            const std::vector<double> &aps) {
  const std::vector<Coordinate> coordinates = coordinatesOf(model);
  json list = json::array();
  for (size_t i = 0; i < coordinates.size(); ++i) {
    list.push_back({{"effect", model.penalties[coordinates[i].penalty].name},
                    {"ap", result.aps[i]}});
    if (const std::string_view state = stateOf(result, i); !state.empty())
      list.back()["state"] = state;
  }
  return {{"score", result.score},
          {"evaluations", result.evaluations},
          {"coordinates", list},
          {"formula", formulaWith(model, aps)}};
}

std::string formatJson(const tamrt_model &model, const Options &options,
                       std::span<const std::string> groups,
                       const ChosenAps &chosen) {
  if (!options.tune.perGroup)
    return jsonOf(model, chosen.results.front(), chosen.aps.front()).dump() +
           "\n";
  json list = json::array();
  for (size_t g = 0; g < groups.size(); ++g) {
    json group = {{"group", groups[g]}};
    group.update(jsonOf(model, chosen.results[g], chosen.aps[g]));
    list.push_back(std::move(group));
  }
  return json{{"groups", list}}.dump() + "\n";
}

/// The result for all groups in common.
std::string formatText(const tamrt_model &model, const Options &options,
                       const ChosenAps &chosen) {
  const std::vector<Coordinate> coordinates = coordinatesOf(model);
  const TuneResult &result = chosen.results.front();
  size_t width = 0;
  for (const Coordinate &coordinate : coordinates)
    width = std::max(
        width,
        std::string_view(model.penalties[coordinate.penalty].name).size());
  std::string text = fmt::format("{} score {:.10g} after {} evaluations\n\n",
                                 nameOf(options.tune.criterion), result.score,
                                 result.evaluations);
  for (size_t i = 0; i < coordinates.size(); ++i) {
    const std::string name = model.penalties[coordinates[i].penalty].name;
    text += name + std::string(width - name.size(), ' ') +
            fmt::format("  {:8.6g}", result.aps[i]);
    if (const std::string_view state = stateOf(result, i); !state.empty())
      text += fmt::format("  {}", state);
    text += "\n";
  }
  text += "\n" + formulaWith(model, chosen.aps.front()) + "\n";
  // No term of a formula is the offset.
  if (chosen.aps.front().front() != model.penalties[0].ap)
    text += "\nwith fit --ap " + std::string(model.penalties[0].name) + "=" +
            formatNumber(chosen.aps.front().front()) + "\n";
  return text;
}

/// A table of the groups' scores and aps.
std::string formatGroups(const tamrt_model &model, const Options &options,
                         std::span<const std::string> groups,
                         const ChosenAps &chosen) {
  TextTable table;
  std::vector<std::string> head = {
      model.group ? model.group : "",
      fmt::format("{} score", nameOf(options.tune.criterion))};
  for (const Coordinate &coordinate : coordinatesOf(model))
    head.push_back(model.penalties[coordinate.penalty].name);
  table.row(std::move(head));
  for (size_t g = 0; g < groups.size(); ++g) {
    const TuneResult &result = chosen.results[g];
    std::vector<std::string> row = {groups[g],
                                    fmt::format("{:.10g}", result.score)};
    for (double ap : result.aps)
      row.push_back(fmt::format("{:.6g}", ap));
    table.row(std::move(row));
  }
  return table.format();
}

} // namespace

std::string formatChosen(const tamrt_model &model, const Options &options,
                         std::span<const std::string> groups,
                         const ChosenAps &chosen) {
  if (options.infoFormat == InfoFormat::Json)
    return formatJson(model, options, groups, chosen);
  return options.tune.perGroup ? formatGroups(model, options, groups, chosen)
                               : formatText(model, options, chosen);
}

} // namespace tamrt
