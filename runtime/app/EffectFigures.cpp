//===- app/EffectFigures.cpp - pictures of effects ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/EffectFigures.h"

#include "app/StandardErrors.h"
#include "core/model/Inference.h"
#include "core/model/Terms.h"
#include "io/Number.h"
#include "plot/Ticks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

namespace tamrt {

using json = nlohmann::ordered_json;

namespace {

/// Half the length of an interval of 95 % in standard errors.
constexpr double kHalf95 = 1.959963984540054;
/// Points on each side of a heat map, and most levels on an axis.
constexpr size_t kHeatPoints = 61, kMostLevels = 400;
/// Most levels that are drawn as dots.
constexpr size_t kMostDots = 100;

bool isLevelRule(int32_t rule) {
  return rule == TAMRT_RULE_LEVELS || rule == TAMRT_RULE_CODES;
}

} // namespace

/// Rows of one group, in parts.
class EffectFigures::RowBuilder {
public:
  RowBuilder(const tamrt_model &model, const Weights &weights, size_t group)
      : model(model), levels(weights.normalization.levels),
        columns(size_t(model.input_count)) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const double *range = weights.normalization.ranges.data() +
                            2 * (group * columns.size() + i);
      middles.push_back(model.inputs[i].rule == TAMRT_RULE_CODES
                            ? range[0] -
                                  (model.inputs[i].levels > 1 ? range[1] : 0)
                            : range[0]);
    }
  }

  /// Adds `count` rows with all inputs in the middle.
  void add(size_t count) {
    first = rows;
    rows += count;
    for (size_t i = 0; i < columns.size(); ++i)
      if (model.inputs[i].rule == TAMRT_RULE_LEVELS)
        columns[i].codes.resize(rows, 0);
      else
        columns[i].numbers.resize(rows, middles[i]);
  }

  /// Sets a column of a row that was added last.
  void set(size_t row, const Variable &variable, const Grid &grid, size_t at) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (variable.column != model.inputs[i].column)
        continue;
      if (model.inputs[i].rule == TAMRT_RULE_LEVELS)
        columns[i].codes[first + row] =
            levels[i].code(grid.levels.empty() ? formatNumber(grid.numbers[at])
                                               : grid.levels[at],
                           tamrt_unseen(model.inputs[i].unseen));
      else
        columns[i].numbers[first + row] = grid.numbers[at];
    }
  }

  size_t count() const { return rows; }

  Dataset finish(const std::string &name, size_t group) const {
    return Dataset::compose(model, {{name, 0, rows, group}}, columns);
  }

private:
  const tamrt_model &model;
  const std::vector<LevelTable> &levels;
  std::vector<Dataset::InputColumn> columns;
  std::vector<double> middles;
  size_t first = 0, rows = 0;
};

EffectFigures::EffectFigures(const tamrt_model &model, const json &terms,
                             const Options &given, const Weights &weights)
    : model(model), options(given), weights(weights),
      means(weights.groups.size()) {
  options.type = TAMRT_STEP_TERMS;
  options.se = true;
  options.intervals.clear();
  options.intervalNames.clear();
  for (size_t effect = 1; effect < size_t(model.effect_count); ++effect)
    addPanels(effect, terms[effect - 1]);
  if (weights.inference.isEmpty())
    return;
  for (size_t g = 0; g < weights.groups.size(); ++g)
    if (Status s = checkVariance(model, weights, g); !s) {
      reason = s.error().message;
      return;
    }
  errors = std::make_unique<StandardErrors>(model, options, weights);
}

EffectFigures::~EffectFigures() = default;

void EffectFigures::setMeans(size_t group, std::vector<double> of) {
  means[group] = std::move(of);
}

void EffectFigures::addPanels(size_t effect, const json &term) {
  const tamrt_effect &of = model.effects[effect];
  std::vector<Variable> variables;
  for (size_t input : inputsOf(term)) {
    const std::string column = model.inputs[input].column;
    if (std::none_of(variables.begin(), variables.end(),
                     [&](const Variable &v) { return v.column == column; }))
      variables.push_back(
          {column, input, isLevelRule(model.inputs[input].rule)});
  }
  if (isRecursive(term)) {
    panels.push_back({effect,
                      of.name,
                      {},
                      "The effect depends on the rows before a row, so it is "
                      "no curve; decompose shows it row by row."});
    return;
  }
  if (variables.size() <= 2) {
    panels.push_back({effect, of.name, std::move(variables), ""});
    return;
  }
  for (const Variable &variable : variables)
    panels.push_back({effect,
                      std::string(of.name) + "-" + variable.column,
                      {variable},
                      "with the term's other inputs in the middle of their "
                      "ranges"});
}

size_t EffectFigures::pointsOf(const Panel &panel) const {
  // Enough for the fastest wave of as many columns.
  return std::clamp(size_t(4 * model.effects[panel.effect].columns + 1),
                    size_t(101), size_t(401));
}

EffectFigures::Grid EffectFigures::gridOf(size_t group,
                                          const Variable &variable,
                                          size_t points) const {
  const tamrt_input &input = model.inputs[variable.input];
  const double *range =
      weights.normalization.ranges.data() +
      2 * (group * size_t(model.input_count) + variable.input);
  const double low = range[0] - range[1], length = 2 * range[1];
  Grid grid;
  auto spread = [&](size_t count, size_t i) {
    return count > 1 ? low + length * (double(i) / double(count - 1))
                     : range[0];
  };
  if (!variable.isLevels) {
    grid.axis = {variable.column, plot::Axis::Kind::Numbers, low, low + length};
    for (size_t i = 0; i < points; ++i)
      grid.numbers.push_back(spread(points, i));
    grid.places = grid.numbers;
    return grid;
  }
  const LevelTable &table = weights.normalization.levels[variable.input];
  const bool isTable = input.rule == TAMRT_RULE_LEVELS;
  const size_t count = isTable ? table.size() : size_t(input.levels);
  const size_t shown = std::min(count, kMostLevels);
  std::vector<std::string> names;
  for (size_t k = 0; k < shown; ++k) {
    const size_t level = k * count / shown;
    const double number = !isTable ? spread(count, level)
                          : table.numeric
                              ? table.numbers[level]
                              : std::numeric_limits<double>::quiet_NaN();
    grid.numbers.push_back(number);
    grid.places.push_back(double(k));
    if (isTable)
      grid.levels.push_back(table.names[level]);
    names.push_back(isTable ? table.names[level]
                            : plot::formatWithin(number, length));
  }
  if (shown < count)
    grid.note = fmt::format("{} of {} levels", shown, count);
  grid.axis = plot::Axis::of(variable.column, std::move(names));
  return grid;
}

Result<std::vector<NamedFigure>> EffectFigures::figures(size_t group,
                                                        const RunOptions &run) {
  const auto width = size_t(model.effect_count);
  RowBuilder builder(model, weights, group);
  std::vector<std::vector<Grid>> grids;
  std::vector<size_t> firsts;
  for (const Panel &panel : panels) {
    firsts.push_back(builder.count());
    std::vector<Grid> &of = grids.emplace_back();
    for (const Variable &variable : panel.variables)
      of.push_back(
          gridOf(group, variable,
                 panel.variables.size() == 2 ? kHeatPoints : pointsOf(panel)));
    if (of.empty())
      continue;
    const size_t across = of[0].numbers.size(),
                 up = of.size() == 2 ? of[1].numbers.size() : 1;
    builder.add(across * up);
    for (size_t row = 0; row < across * up; ++row) {
      builder.set(row, panel.variables[0], of[0], row % across);
      if (of.size() == 2)
        builder.set(row, panel.variables[1], of[1], row / across);
    }
  }
  firsts.push_back(builder.count());
  std::vector<double> numbers(builder.count() * width), deviations;
  if (builder.count() > 0) {
    const Dataset data = builder.finish(weights.groups[group], group);
    if (Status s = predictGroups(model, TAMRT_STEP_TERMS, data, weights, run,
                                 numbers.data());
        !s)
      return std::move(s).error();
    if (errors)
      if (Status s = errors->compute(data, run, numbers.data(), deviations); !s)
        return std::move(s).error();
  }
  std::vector<NamedFigure> drawn;
  for (size_t p = 0; p < panels.size(); ++p) {
    std::vector<double> values, se;
    for (size_t row = firsts[p]; row < firsts[p + 1]; ++row) {
      values.push_back(numbers[row * width + panels[p].effect]);
      if (!std::isfinite(values.back()))
        return Error{fmt::format(
            "term {}: expected a finite number in the training range, got {}",
            model.effects[panels[p].effect].term, formatNumber(values.back()))};
      if (errors)
        se.push_back(deviations[row * width + panels[p].effect]);
    }
    if (!errors && !values.empty()) {
      const double mean =
          means[group].empty()
              ? std::accumulate(values.begin(), values.end(), 0.0) /
                    double(values.size())
              : means[group][panels[p].effect];
      for (double &value : values)
        value -= mean;
    }
    drawn.push_back(draw(group, panels[p], grids[p], values, se));
  }
  return drawn;
}

void EffectFigures::addRug(size_t group, const Panel &panel,
                           plot::Figure &figure) const {
  if (!rows || panel.variables.empty() || panel.variables[0].isLevels)
    return;
  const double *of = rows->numbers(panel.variables[0].input);
  for (const Group &part : rows->groups())
    if (part.place == group)
      figure.rug.assign(of + part.first, of + part.first + part.rows);
}

NamedFigure EffectFigures::draw(size_t group, const Panel &panel,
                                std::span<const Grid> grids,
                                std::span<const double> values,
                                std::span<const double> se) {
  const tamrt_effect &effect = model.effects[panel.effect];
  NamedFigure drawn{panel.name, {}};
  plot::Figure &figure = drawn.figure;
  figure.title = panel.name;
  figure.detail = effect.term;
  figure.note = panel.note;
  if (!weights.inference.isEmpty())
    figure.facts = fmt::format(
        "edf {}",
        plot::formatWithin(weights.inference.edfOf(model, group)[panel.effect],
                           100 * std::max(1.0, double(effect.columns) / 100)));
  // Groups are compared in a picture of their own.
  const auto index = size_t(&panel - panels.data());
  if (all.size() <= index) {
    all.resize(index + 1);
    all[index] = {panel.name, effect.term,           "",
                  panel.note, plot::Axis::empty(""), plot::Axis::empty("")};
    if (panel.variables.size() == 2)
      all[index].note = "A product of two inputs is drawn for each group.";
  }
  plot::Figure &together = all[index];
  if (grids.empty())
    return drawn;
  figure.x = grids[0].axis;
  if (!grids[0].note.empty())
    figure.note = grids[0].note;
  if (grids.size() == 2) {
    figure.y = grids[1].axis;
    figure.y.label = panel.variables[1].column;
    figure.heat = {grids[0].numbers.size(), grids[1].numbers.size(),
                   std::vector<double>(values.begin(), values.end())};
    return drawn;
  }

  figure.y = plot::Axis::empty("");
  const std::vector<double> ys(values.begin(), values.end());
  std::vector<double> low, high;
  for (size_t i = 0; i < ys.size(); ++i) {
    figure.y.include(ys[i]);
    together.y.include(ys[i]);
    if (se.empty())
      continue;
    low.push_back(ys[i] - kHalf95 * se[i]);
    high.push_back(ys[i] + kHalf95 * se[i]);
    figure.y.include(low.back());
    figure.y.include(high.back());
  }
  figure.y.include(0);
  figure.y.pad();
  const std::vector<double> &xs = grids[0].places;
  const double shade = weights.groups.size() > 1
                           ? double(group) / double(weights.groups.size() - 1)
                           : 0;
  together.lines.push_back(
      {xs, ys, plot::Line::Style::OneOfMany, shade, weights.groups[group]});
  if (together.x.kind != figure.x.kind)
    together.x = figure.x;
  together.x.label = figure.x.label;
  together.x.include(figure.x.low);
  together.x.include(figure.x.high);
  if (panel.variables[0].isLevels && xs.size() <= kMostDots) {
    const double range = figure.y.high - figure.y.low;
    for (size_t i = 0; i < ys.size(); ++i) {
      plot::Dot &dot = figure.dots.emplace_back();
      dot.x = xs[i];
      dot.y = ys[i];
      dot.name = figure.x.levels[i] + ": " + plot::formatWithin(ys[i], range);
      if (se.empty())
        continue;
      dot.low = low[i];
      dot.high = high[i];
      dot.name += " ± " + plot::formatWithin(kHalf95 * se[i], range);
    }
    return drawn;
  }
  figure.lines.push_back({xs, ys});
  if (!se.empty())
    figure.bands.push_back({xs, std::move(low), std::move(high)});
  addRug(group, panel, figure);
  return drawn;
}

std::vector<NamedFigure> EffectFigures::together() const {
  std::vector<NamedFigure> drawn;
  if (weights.groups.size() < 2)
    return drawn;
  for (size_t p = 0; p < all.size(); ++p) {
    NamedFigure &figure = drawn.emplace_back(panels[p].name, all[p]);
    figure.figure.y.include(0);
    figure.figure.y.pad();
    if (!figure.figure.lines.empty())
      figure.figure.note.clear();
  }
  return drawn;
}

} // namespace tamrt
