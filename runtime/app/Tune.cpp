//===- app/Tune.cpp - tune ------------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Tune.h"

#include "app/Session.h"
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
  size_t start = 0;
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote && c == '\\')
      ++i;
    else if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == '(')
      ++depth;
    else if (c == ')')
      --depth;
    else if (c == ',' && depth == 0) {
      arguments.push_back(trimmed(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  arguments.push_back(trimmed(text.substr(start)));
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

/// The target of a formula, as it is written there.
std::string_view targetOf(std::string_view formula) {
  char quote = 0;
  size_t end = 0;
  while (end < formula.size() && (quote || formula[end] != '~')) {
    const char c = formula[end++];
    if (quote && c == '\\')
      ++end;
    else if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
  }
  return trimmed(formula.substr(0, std::min(end, formula.size())));
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

} // namespace

Result<std::vector<double>> choosePenalties(const tamrt_model &model,
                                            const Options &options,
                                            const StrengthsQuestion &question,
                                            const RunOptions &run,
                                            ChosenAps &chosen) {
  const std::vector<Coordinate> coordinates = coordinatesOf(model);
  Result<std::vector<UnitPenalty>> units = unitPenalties(
      model, coordinates, question.normalization, question.tables, run);
  if (!units)
    return std::move(units).error();
  std::vector<double> start;
  for (int64_t i = 0; i < model.penalty_count; ++i)
    chosen.aps.push_back(model.penalties[i].ap);
  for (const Coordinate &coordinate : coordinates)
    start.push_back(apOf(coordinate, chosen.aps));
  TuneOptions tuning = options.tune;
  tuning.threads = options.threads;
  Result<TuneResult> result =
      tune({model, *units, question.systems, question.groups}, std::move(start),
           tuning, [&](const TuneProgress &now) {
             if (run.progress)
               run.progress->update(
                   fmt::format("tune: cycle {}, {} evaluations, score {:.8g}",
                               now.cycle, now.evaluations, now.score),
                   0, 0);
           });
  if (!result)
    return std::move(result).error();
  chosen.result = *std::move(result);
  std::fill(chosen.aps.begin(), chosen.aps.end(), 0.0);
  for (size_t i = 0; i < coordinates.size(); ++i)
    chosen.aps[coordinates[i].penalty] = chosen.result.aps[i];
  return strengthsOf(model, coordinates, chosen.result.aps);
}

std::vector<std::pair<std::string, double>> namedAps(const tamrt_model &model,
                                                     const ChosenAps &chosen) {
  std::vector<std::pair<std::string, double>> named;
  for (int64_t i = 0; i < model.penalty_count; ++i)
    named.emplace_back(model.penalties[i].name, chosen.aps[size_t(i)]);
  return named;
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

std::string formatChosen(const tamrt_model &model, const Options &options,
                         const ChosenAps &chosen) {
  const std::vector<Coordinate> coordinates = coordinatesOf(model);
  const std::string formula = formulaWith(model, chosen.aps);
  if (options.infoFormat == InfoFormat::Json) {
    json list = json::array();
    for (size_t i = 0; i < coordinates.size(); ++i)
      list.push_back({{"effect", model.penalties[coordinates[i].penalty].name},
                      {"ap", chosen.result.aps[i]}});
    return json{{"score", chosen.result.score},
                {"evaluations", chosen.result.evaluations},
                {"coordinates", list},
                {"formula", formula}}
               .dump() +
           "\n";
  }
  size_t width = 0;
  for (const Coordinate &coordinate : coordinates)
    width = std::max(
        width,
        std::string_view(model.penalties[coordinate.penalty].name).size());
  std::string text =
      fmt::format("GCV score {:.10g} after {} evaluations\n\n",
                  chosen.result.score, chosen.result.evaluations);
  for (size_t i = 0; i < coordinates.size(); ++i) {
    const std::string name = model.penalties[coordinates[i].penalty].name;
    text += name + std::string(width - name.size(), ' ') +
            fmt::format("  {:8.6g}\n", chosen.result.aps[i]);
  }
  text += "\n" + formula + "\n";
  // No term of a formula is the offset.
  if (chosen.aps.front() != model.penalties[0].ap)
    text += "\nwith fit --ap " + std::string(model.penalties[0].name) + "=" +
            formatNumber(chosen.aps.front()) + "\n";
  return text;
}

} // namespace tamrt
