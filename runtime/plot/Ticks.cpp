//===- plot/Ticks.cpp - values that an axis shows -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plot/Ticks.h"

#include "io/Date.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace tamrt::plot {

Axis Axis::of(std::string label, std::vector<std::string> levels) {
  const double high = double(levels.size()) - 0.5;
  return {std::move(label), Kind::Levels, -0.5, high, std::move(levels)};
}

Axis Axis::empty(std::string label, Kind kind) {
  const double infinity = std::numeric_limits<double>::infinity();
  return {std::move(label), kind, infinity, -infinity};
}

void Axis::include(double value) {
  if (!std::isfinite(value))
    return;
  low = std::min(low, value);
  high = std::max(high, value);
}

void Axis::pad() {
  if (low > high)
    low = 0, high = 1;
  // Halves first: the length of an axis may be beyond a double.
  double margin = 0.08 * (high / 2 - low / 2);
  if (!(margin > 0) || low + margin == low)
    margin = low == 0 ? 1 : std::fabs(low) / 2;
  low = std::max(low - margin, -std::numeric_limits<double>::max());
  high = std::min(high + margin, std::numeric_limits<double>::max());
}

double Axis::part(double value) const {
  // The length of an axis may be beyond a double.
  const double length = high / 2 - low / 2;
  return length > 0 ? (value / 2 - low / 2) / length : 0.5;
}

/// The largest n with 10^n <= value, which is above 0, to 16 digits. The C
/// library's logarithms differ between machines.
static int decadeOf(double value) {
  const std::string text = fmt::format("{:.15e}", value);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

double roundStep(double step) {
  const double power = *parseNumber(fmt::format("1e{}", decadeOf(step)));
  for (double factor : {1., 2., 5.})
    // A step such as 0.2 may be a rounding error above.
    if (factor * power >= step * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

std::string formatWithin(double value, double range) {
  if (value == 0 || !std::isfinite(value))
    return value == 0 ? "0" : "-";
  const double unit = range > 0 ? range / 1000 : std::fabs(value) / 1000;
  const int digits =
      std::clamp(decadeOf(std::fabs(value)) - decadeOf(unit) + 1, 1, 15);
  return fmt::format("{:.{}g}", value, digits);
}

std::string labelOf(double value, double step, double most) {
  if (value == 0)
    return "0";
  if (most >= 1e15 || most < 1e-3)
    return fmt::format("{:.6g}", value);
  const char *unit = "";
  for (auto [size, name] : {std::pair(1e12, "T"), {1e9, "G"}, {1e6, "M"}})
    if (most >= size) {
      value /= size;
      step /= size;
      unit = name;
      break;
    }
  const int decimals = std::clamp(-decadeOf(step), 0, 12);
  return fmt::format("{:.{}f}{}", value, decimals, unit);
}

std::vector<Tick> numberTicks(double low, double high, size_t count) {
  std::vector<Tick> ticks;
  // The length of the axis may be beyond a double.
  const double step = roundStep((high / double(count) - low / double(count)));
  if (!std::isfinite(step) || !(step > 0))
    return {{low, formatWithin(low, 0)}, {high, formatWithin(high, 0)}};
  const double most = std::max(std::fabs(low), std::fabs(high));
  for (double i = std::ceil(low / step - 1e-6);
       i <= high / step + 1e-6 && ticks.size() < 4 * count; ++i)
    ticks.push_back({i * step, labelOf(i * step, step, most)});
  return ticks;
}

namespace {

constexpr double kDay = 86400;

/// Ticks at the first days of months, `step` months apart, or of years.
std::vector<Tick> monthTicks(double low, double high, int64_t step) {
  static constexpr const char *names[] = {"Jan", "Feb", "Mar", "Apr",
                                          "May", "Jun", "Jul", "Aug",
                                          "Sep", "Oct", "Nov", "Dec"};
  std::vector<Tick> ticks;
  const CalendarTime first = calendarTimeOf(int64_t(std::floor(low)));
  int64_t month = (int64_t(first.year) * 12 + first.month - 1) / step * step;
  for (;; month += step) {
    const auto number = unsigned(month % 12);
    const auto at = double(secondsUntil(int(month / 12), number + 1, 1));
    if (at > high)
      return ticks;
    if (at < low)
      continue;
    const bool hasYear = step % 12 == 0 || number == 0 || ticks.empty();
    ticks.push_back({at, step % 12 == 0 ? fmt::format("{}", month / 12)
                         : hasYear
                             ? fmt::format("{} {}", names[number], month / 12)
                             : names[number]});
  }
}

} // namespace

std::vector<Tick> timeTicks(double low, double high, size_t count) {
  const double wanted = (high - low) / double(count);
  if (wanted > 20 * kDay) {
    for (int64_t months : {1, 2, 3, 6})
      if (double(months) * 30.4 * kDay >= wanted)
        return monthTicks(low, high, months);
    const double years = std::max(roundStep(wanted / (365.25 * kDay)), 1.0);
    return monthTicks(low, high, 12 * int64_t(years));
  }
  double step = std::max(roundStep(wanted), 1.0);
  for (double round :
       {1.,     2.,   5.,       10.,      30.,       60.,      120.,
        300.,   600., 1800.,    3600.,    7200.,     10800.,   21600.,
        43200., kDay, 2 * kDay, 5 * kDay, 10 * kDay, 20 * kDay})
    if (round >= wanted) {
      step = round;
      break;
    }
  std::vector<Tick> ticks;
  int64_t before = std::numeric_limits<int64_t>::min();
  for (double at = std::ceil(low / step) * step; at <= high; at += step) {
    const auto day = int64_t(std::floor(at / kDay));
    const CalendarTime date = calendarTimeOf(int64_t(at));
    std::string label;
    if (step >= kDay)
      label = fmt::format("{}-{:02}-{:02}", date.year, date.month, date.day);
    else if (day != before)
      label = fmt::format("{:02}-{:02} {:02}:{:02}", date.month, date.day,
                          date.hour, date.minute);
    else
      label = fmt::format("{:02}:{:02}", date.hour, date.minute);
    if (step < 60)
      label += fmt::format(":{:02}", date.second);
    before = day;
    ticks.push_back({at, std::move(label)});
  }
  return ticks;
}

size_t lengthOf(const std::string &text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string shorten(const std::string &text, size_t count) {
  if (lengthOf(text) <= count)
    return text;
  size_t end = 0, characters = 0;
  while (end < text.size() && characters + 1 < std::max<size_t>(count, 1)) {
    do
      ++end;
    while (end < text.size() &&
           (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
    ++characters;
  }
  return text.substr(0, end) + "…";
}

std::vector<Tick> ticksOf(const Axis &axis, size_t count, size_t characters) {
  if (axis.kind == Axis::Kind::Numbers)
    return numberTicks(axis.low, axis.high, count);
  if (axis.kind == Axis::Kind::Times)
    return timeTicks(axis.low, axis.high, count);
  std::vector<Tick> ticks;
  const size_t size = axis.levels.size();
  // Steps of 2, 3, 4, 6 and 12 suit hours and months.
  size_t step = (size + count - 1) / count;
  for (size_t round : {1, 2, 3, 4, 6, 12})
    if (round >= step) {
      step = round;
      break;
    }
  for (size_t i = 0; i < size; i += std::max<size_t>(step, 1))
    ticks.push_back({double(i), shorten(axis.levels[i], characters)});
  return ticks;
}

} // namespace tamrt::plot
