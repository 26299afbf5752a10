//===- app/Residuals.cpp - pictures of residuals --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Residuals.h"

#include "app/StandardErrors.h"
#include "core/FunctionRef.h"
#include "plot/Ticks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace tamrt {
namespace {

/// Most points of a cloud, and of a curve of quantiles.
constexpr size_t kMostPoints = 1500, kMostQuantiles = 200;

using plot::Axis;
using plot::Figure;

std::vector<double> residualsOf(const Compared &rows) {
  std::vector<double> residuals;
  for (size_t i = 0; i < rows.size(); ++i)
    residuals.push_back(rows.observed[i] - rows.fitted[i]);
  return residuals;
}

/// The rows to draw, in the order of `along`: all, or so many, evenly, and in
/// each of some parts those with the least and the greatest residual.
std::vector<size_t> thin(const std::vector<double> &along,
                         const std::vector<double> &residuals) {
  std::vector<size_t> order(along.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return along[a] < along[b]; });
  if (order.size() <= kMostPoints)
    return order;
  // Positions in the order.
  std::vector<size_t> kept;
  auto less = [&](size_t a, size_t b) { return residuals[a] < residuals[b]; };
  const size_t parts = kMostPoints / 20, even = kMostPoints - 2 * parts;
  for (size_t part = 0; part < parts; ++part) {
    const auto begin = order.begin() + ptrdiff_t(part * order.size() / parts);
    const auto end =
        order.begin() + ptrdiff_t((part + 1) * order.size() / parts);
    const auto [least, greatest] = std::minmax_element(begin, end, less);
    kept.push_back(size_t(least - order.begin()));
    kept.push_back(size_t(greatest - order.begin()));
  }
  for (size_t i = 0; i < even; ++i)
    kept.push_back(i * order.size() / even);
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  for (size_t &place : kept)
    place = order[place];
  return kept;
}

/// Says that points are left out.
std::string shownOf(size_t shown, size_t all) {
  return shown < all ? fmt::format("{} of {} rows", shown, all) : "";
}

/// The quantile p of sorted values, interpolated.
double quantileOf(const std::vector<double> &sorted, double p) {
  const double at = p * double(sorted.size() - 1);
  const auto below = size_t(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

std::optional<plot::Box> boxOf(double x, std::vector<double> values,
                               const std::string &name) {
  if (values.empty())
    return std::nullopt;
  std::sort(values.begin(), values.end());
  plot::Box box{x, {}, ""};
  constexpr double parts[] = {0.05, 0.25, 0.5, 0.75, 0.95};
  for (size_t i = 0; i < 5; ++i)
    box.quantiles[i] = quantileOf(values, parts[i]);
  const double range = box.quantiles[4] - box.quantiles[0];
  box.name =
      fmt::format("{}: median {}, half in {} to {}, {} rows", name,
                  plot::formatWithin(box.quantiles[2], range),
                  plot::formatWithin(box.quantiles[1], range),
                  plot::formatWithin(box.quantiles[3], range), values.size());
  return box;
}

/// Boxes of the residuals by a part of the date. Nothing if all have the same.
std::optional<NamedFigure> byPart(const Compared &rows,
                                  const std::vector<double> &residuals,
                                  const std::string &name,
                                  const std::string &title,
                                  const std::vector<std::string> &parts,
                                  size_t (*partOf)(const CalendarTime &)) {
  std::vector<std::vector<double>> of(parts.size());
  for (size_t i = 0; i < rows.size(); ++i)
    of[partOf(calendarTimeOf(int64_t(rows.times[i])))].push_back(residuals[i]);
  std::vector<std::string> levels;
  std::vector<size_t> present;
  for (size_t i = 0; i < parts.size(); ++i)
    if (!of[i].empty()) {
      present.push_back(i);
      levels.push_back(parts[i]);
    }
  if (present.size() < 2)
    return std::nullopt;
  NamedFigure drawn{name, {title}};
  Figure &figure = drawn.figure;
  figure.x = Axis::of(name == "residuals-hour" ? "hour" : "month", levels);
  figure.y = Axis::empty("");
  figure.facts = "5, 25, 50, 75, 95 %";
  for (size_t k = 0; k < present.size(); ++k) {
    figure.boxes.push_back(
        *boxOf(double(k), std::move(of[present[k]]), levels[k]));
    for (double quantile : figure.boxes.back().quantiles)
      figure.y.include(quantile);
  }
  figure.y.pad();
  return drawn;
}

NamedFigure overTime(const Compared &rows, const std::vector<double> &residuals,
                     const char *dateColumn) {
  NamedFigure drawn{"residuals-time", {"Residuals over time"}};
  Figure &figure = drawn.figure;
  const bool isTime =
      rows.form == Date::Form::Local || rows.form == Date::Form::Zoned;
  figure.x = Axis::empty(dateColumn ? dateColumn : "row",
                         isTime ? Axis::Kind::Times : Axis::Kind::Numbers);
  figure.y = Axis::empty("");
  const std::vector<size_t> shown = thin(rows.times, residuals);
  figure.facts = shownOf(shown.size(), rows.size());
  for (size_t row : shown) {
    figure.cloudX.push_back(rows.times[row]);
    figure.cloudY.push_back(residuals[row]);
    figure.x.include(rows.times[row]);
    figure.y.include(residuals[row]);
  }
  figure.x.pad();
  figure.y.pad();
  return drawn;
}

NamedFigure againstFitted(const Compared &rows,
                          const std::vector<double> &residuals,
                          const char *target) {
  NamedFigure drawn{"observed-fitted", {"Observed against fitted"}};
  Figure &figure = drawn.figure;
  figure.x = Axis::empty(fmt::format("fitted {}", target));
  figure.y = Axis::empty("observed");
  const std::vector<size_t> shown = thin(rows.fitted, residuals);
  figure.facts = shownOf(shown.size(), rows.size());
  for (size_t row : shown) {
    figure.cloudX.push_back(rows.fitted[row]);
    figure.cloudY.push_back(rows.observed[row]);
    figure.x.include(rows.fitted[row]);
    figure.y.include(rows.observed[row]);
  }
  figure.x.pad();
  figure.y.pad();
  // The diagonal as far as both axes have it.
  const double low = std::max(figure.x.low, figure.y.low),
               high = std::min(figure.x.high, figure.y.high);
  if (low < high)
    figure.lines.push_back(
        {{low, high}, {low, high}, plot::Line::Style::Reference});
  return drawn;
}

/// Quantiles of the residuals, standardised, against those of the normal
/// distribution.
std::optional<NamedFigure> normalQuantiles(std::vector<double> residuals) {
  const auto count = double(residuals.size());
  double mean = 0, squares = 0;
  for (double residual : residuals)
    mean += residual / count;
  for (double residual : residuals)
    squares += (residual - mean) * (residual - mean) / count;
  if (residuals.size() < 3 || !(squares > 0))
    return std::nullopt;
  std::sort(residuals.begin(), residuals.end());
  NamedFigure drawn{"residuals-quantiles", {"Quantiles of the residuals"}};
  Figure &figure = drawn.figure;
  figure.x = Axis::empty("quantile of the normal distribution");
  figure.y = Axis::empty("standardised residual");
  const size_t points = std::min(residuals.size(), kMostQuantiles);
  for (size_t i = 0; i < points; ++i) {
    // The extreme rows are points, too.
    const size_t row =
        points > 1 ? i * (residuals.size() - 1) / (points - 1) : 0;
    const double x = normalQuantile((double(row) + 0.5) / count);
    const double y = (residuals[row] - mean) / std::sqrt(squares);
    figure.cloudX.push_back(x);
    figure.cloudY.push_back(y);
    figure.x.include(x);
    figure.y.include(y);
  }
  figure.x.pad();
  figure.y.pad();
  const double low = std::max(figure.x.low, figure.y.low),
               high = std::min(figure.x.high, figure.y.high);
  figure.lines.push_back(
      {{low, high}, {low, high}, plot::Line::Style::Reference});
  return drawn;
}

/// The share of rows inside of intervals against their level. `countOf`: how
/// many rows are in those of kDrawnLevels[i].
NamedFigure coverage(std::string name, std::string title, size_t rows,
                     FunctionRef<size_t(size_t)> countOf) {
  NamedFigure drawn{std::move(name), {std::move(title)}};
  Figure &figure = drawn.figure;
  figure.x = {"level of the interval, %", Axis::Kind::Numbers, 0, 103};
  figure.y = {"rows inside, %", Axis::Kind::Numbers, 0, 103};
  figure.lines.push_back({{0, 100}, {0, 100}, plot::Line::Style::Reference});
  for (size_t i = 0; i < kDrawnLevels.size() && rows > 0; ++i) {
    const double part = 100 * double(countOf(i)) / double(rows);
    figure.dots.push_back(
        {.x = kDrawnLevels[i],
         .y = part,
         .name = fmt::format("{} %: {} % of the rows inside", kDrawnLevels[i],
                             plot::formatWithin(part, 100))});
  }
  return drawn;
}

/// The coverage of the intervals of each method that the weights have.
std::vector<NamedFigure> coverages(const Compared &rows,
                                   const std::vector<double> &residuals) {
  const std::string title = "Coverage of intervals";
  std::vector<NamedFigure> drawn;
  if (!rows.deviations.empty()) {
    // Infinite intervals, as of rows of weight 0, say nothing.
    const auto finite = size_t(std::count_if(
        rows.deviations.begin(), rows.deviations.end(),
        [](double deviation) { return std::isfinite(deviation); }));
    drawn.push_back(coverage("coverage", title, finite, [&](size_t level) {
      const double quantile =
          -normalQuantile(0.5 * (1 - kDrawnLevels[level] / 100));
      size_t inside = 0;
      for (size_t i = 0; i < rows.size(); ++i)
        inside += std::isfinite(rows.deviations[i]) &&
                  std::fabs(residuals[i]) <= quantile * rows.deviations[i];
      return inside;
    }));
  }
  if (!rows.conformal.empty())
    drawn.push_back(
        coverage("coverage-conformal", "Coverage of conformal intervals",
                 rows.size(), [&](size_t level) {
                   return size_t(std::count_if(
                       rows.conformal.begin(), rows.conformal.end(),
                       [&](const auto &isInside) { return isInside[level]; }));
                 }));
  if (drawn.empty()) {
    drawn.push_back({"coverage", {title}});
    drawn.back().figure.note =
        "Intervals need weights of a fit with --inference or --calibrate.";
  }
  return drawn;
}

} // namespace

void Compared::add(const Compared &other, size_t row) {
  form = other.form;
  times.push_back(other.times[row]);
  observed.push_back(other.observed[row]);
  fitted.push_back(other.fitted[row]);
  if (!other.deviations.empty())
    deviations.push_back(other.deviations[row]);
  if (!other.conformal.empty())
    conformal.push_back(other.conformal[row]);
}

std::string describeErrors(const Compared &rows) {
  double squares = 0, relative = 0, sum = 0;
  size_t relatives = 0;
  const auto count = double(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const double residual = rows.observed[i] - rows.fitted[i];
    sum += residual / count;
    squares += residual * residual / count;
    if (rows.observed[i] != 0) {
      relative += std::fabs(residual / rows.observed[i]);
      ++relatives;
    }
  }
  const double rmse = std::sqrt(squares);
  std::string text = fmt::format("{} row{}, RMSE {:.4g}", rows.size(),
                                 rows.size() == 1 ? "" : "s", rmse);
  if (relatives > 0)
    text += fmt::format(", MAPE {:.4g} %", 100 * relative / double(relatives));
  return text + ", mean residual " + plot::formatWithin(sum, rmse);
}

std::vector<NamedFigure> residualFigures(const Compared &rows,
                                         const char *dateColumn,
                                         const char *target) {
  const std::vector<double> residuals = residualsOf(rows);
  std::vector<NamedFigure> drawn = {overTime(rows, residuals, dateColumn)};
  if (rows.form == Date::Form::Local || rows.form == Date::Form::Zoned) {
    std::vector<std::string> hours;
    for (int hour = 0; hour < 24; ++hour)
      hours.push_back(std::to_string(hour));
    for (std::optional<NamedFigure> part :
         {byPart(
              rows, residuals, "residuals-month", "Residuals by month",
              {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep",
               "Oct", "Nov", "Dec"},
              [](const CalendarTime &time) { return size_t(time.month - 1); }),
          byPart(rows, residuals, "residuals-hour", "Residuals by hour", hours,
                 [](const CalendarTime &time) { return size_t(time.hour); })})
      if (part)
        drawn.push_back(*std::move(part));
  }
  drawn.push_back(againstFitted(rows, residuals, target));
  if (std::optional<NamedFigure> quantiles = normalQuantiles(residuals))
    drawn.push_back(*std::move(quantiles));
  for (NamedFigure &figure : coverages(rows, residuals))
    drawn.push_back(std::move(figure));
  return drawn;
}

NamedFigure residualsByGroup(const std::vector<std::string> &groups,
                             const std::vector<Compared> &rows,
                             const char *groupColumn) {
  NamedFigure drawn{"residuals-group",
                    {fmt::format("Residuals by {}", groupColumn)}};
  Figure &figure = drawn.figure;
  figure.x = Axis::of(groupColumn, groups);
  figure.y = Axis::empty("");
  figure.facts = "5, 25, 50, 75, 95 %";
  for (size_t g = 0; g < groups.size(); ++g)
    if (auto box = boxOf(double(g), residualsOf(rows[g]), groups[g])) {
      figure.boxes.push_back(*std::move(box));
      for (double quantile : figure.boxes.back().quantiles)
        figure.y.include(quantile);
    }
  figure.y.pad();
  return drawn;
}

} // namespace tamrt
