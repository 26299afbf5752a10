//===- plot/Text.cpp - pictures of characters -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/ControlCharacters.h"
#include "plot/Draw.h"
#include "plot/Ticks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tamrt::plot {
namespace {

/// UTF-8 of a character below U+10000.
std::string utf8(unsigned code) {
  return {char(0xE0 | code >> 12), char(0x80 | (code >> 6 & 0x3F)),
          char(0x80 | (code & 0x3F))};
}

std::string blanks(size_t count) { return std::string(count, ' '); }

/// Dots of Braille, 2 x 4 in each character.
class Canvas {
public:
  Canvas(size_t columns, size_t rows)
      : width(2 * columns), height(4 * rows), dots(width * height) {}

  void set(int64_t x, int64_t y) {
    if (x >= 0 && y >= 0 && size_t(x) < width && size_t(y) < height)
      dots[size_t(y) * width + size_t(x)] = true;
  }

  void line(int64_t x1, int64_t y1, int64_t x2, int64_t y2) {
    const int64_t steps =
        std::max({std::abs(x2 - x1), std::abs(y2 - y1), int64_t(1)});
    for (int64_t i = 0; i <= steps; ++i)
      set(x1 + std::llround(double((x2 - x1) * i) / double(steps)),
          y1 + std::llround(double((y2 - y1) * i) / double(steps)));
  }

  /// A row of characters, without blanks at the end.
  std::string row(size_t row) const {
    // Bits of the dots, column by column.
    static constexpr unsigned bits[2][4] = {{0x01, 0x02, 0x04, 0x40},
                                            {0x08, 0x10, 0x20, 0x80}};
    std::string text;
    size_t gap = 0;
    for (size_t column = 0; column < width / 2; ++column) {
      unsigned code = 0;
      for (size_t i = 0; i < 2; ++i)
        for (size_t j = 0; j < 4; ++j)
          if (dots[(4 * row + j) * width + 2 * column + i])
            code |= bits[i][j];
      if (code == 0) {
        ++gap;
        continue;
      }
      text += blanks(gap) + utf8(0x2800 + code);
      gap = 0;
    }
    return text;
  }

  const size_t width, height;

private:
  std::vector<bool> dots;
};

class Characters {
public:
  Characters(const Figure &figure, size_t columns, size_t rows)
      : figure(figure), rows(figure.y.kind == Axis::Kind::Levels
                                 ? std::min(rows, figure.y.levels.size())
                                 : rows) {
    const bool levels = figure.y.kind == Axis::Kind::Levels;
    yTicks = ticksOf(figure.y,
                     levels ? this->rows : std::max<size_t>(rows / 3, 2), 12);
    for (const Tick &tick : yTicks)
      margin = std::max(margin, lengthOf(escapeControls(tick.label)));
    this->columns =
        std::max<size_t>(columns > margin + 3 ? columns - margin - 3 : 0, 8);
  }

  std::string draw() {
    std::string text = escapeControls(figure.title);
    if (!figure.facts.empty())
      text += "  (" + escapeControls(figure.facts) + ")";
    text += '\n';
    if (figure.isEmpty())
      return figure.note.empty()
                 ? text
                 : text + "  " + escapeControls(figure.note) + "\n";
    const std::vector<std::string> body =
        figure.heat.isEmpty() ? marks() : shades();
    for (size_t row = 0; row < rows; ++row) {
      std::string label;
      for (const Tick &tick : yTicks)
        if (rowOf(tick.value) == row)
          label = escapeControls(tick.label);
      std::string line = blanks(margin - lengthOf(label)) + label +
                         (label.empty() ? " │" : " ┤") + body[row];
      text += line + '\n';
    }
    return text + below();
  }

private:
  size_t rowOf(double y) const {
    return size_t(std::clamp((1 - figure.y.part(y)) * double(rows), 0.0,
                             double(rows - 1)));
  }

  std::vector<std::string> marks() const {
    Canvas canvas(columns, rows);
    auto x = [&](double value) {
      return std::llround(figure.x.part(value) * double(canvas.width - 1));
    };
    auto y = [&](double value) {
      return std::llround((1 - figure.y.part(value)) *
                          double(canvas.height - 1));
    };
    auto curve = [&](const std::vector<double> &xs,
                     const std::vector<double> &ys) {
      for (size_t i = 1; i < xs.size(); ++i)
        canvas.line(x(xs[i - 1]), y(ys[i - 1]), x(xs[i]), y(ys[i]));
    };
    for (const Line &line : figure.lines)
      curve(line.x, line.y);
    // The ends of a band are dotted.
    for (const Band &band : figure.bands)
      for (const std::vector<double> *ends : {&band.low, &band.high})
        for (size_t i = 0, at = 0; at < canvas.width; at += 3) {
          const double value = figure.x.low + (figure.x.high - figure.x.low) *
                                                  double(at) /
                                                  double(canvas.width - 1);
          while (i + 2 < band.x.size() && band.x[i + 1] < value)
            ++i;
          if (value < band.x.front() || value > band.x.back())
            continue;
          const double t = (value - band.x[i]) / (band.x[i + 1] - band.x[i]);
          canvas.set(int64_t(at),
                     y((*ends)[i] + t * ((*ends)[i + 1] - (*ends)[i])));
        }
    for (const Dot &dot : figure.dots) {
      const int64_t atX = x(dot.x), atY = y(dot.y);
      for (int64_t i = -1; i <= 1; ++i)
        for (int64_t j = -1; j <= 1; ++j)
          canvas.set(atX + i, atY + j);
      if (std::isfinite(dot.low))
        canvas.line(atX, y(dot.low), atX, y(dot.high));
    }
    std::vector<std::string> lines;
    for (size_t row = 0; row < rows; ++row)
      lines.push_back(canvas.row(row));
    return lines;
  }

  std::vector<std::string> shades() const {
    static constexpr const char *marks[] = {" ", "░", "▒", "▓", "█"};
    const Heat &heat = figure.heat;
    const auto [least, greatest] =
        std::minmax_element(heat.values.begin(), heat.values.end());
    const double length = *greatest / 2 - *least / 2;
    std::vector<std::string> lines;
    for (size_t row = 0; row < rows; ++row) {
      std::string &line = lines.emplace_back();
      const size_t j =
          (rows - 1 - row) * heat.rows / rows + heat.rows / rows / 2;
      for (size_t column = 0; column < columns; ++column) {
        const size_t i = column * heat.columns / columns;
        const double value =
            heat.values[std::min(j, heat.rows - 1) * heat.columns + i];
        const double t = length > 0 ? (value / 2 - *least / 2) / length : 0;
        line += marks[std::clamp(int(5 * t), 0, 4)];
      }
      line.erase(line.find_last_not_of(' ') + 1);
    }
    return lines;
  }

  /// The x axis, its labels and its name.
  std::string below() const {
    std::string line = blanks(margin) + " └", labels;
    std::string ticks;
    size_t widest = 1;
    for (const std::string &level : figure.x.levels)
      widest = std::max(widest, lengthOf(escapeControls(level)));
    const size_t room = figure.x.kind == Axis::Kind::Levels
                            ? std::min<size_t>(widest, 12) + 2
                            : 12;
    const std::vector<Tick> marks =
        ticksOf(figure.x, std::max<size_t>(columns / room, 1), 12);
    std::vector<bool> hasTick(columns);
    size_t end = 0;
    for (const Tick &tick : marks) {
      const auto at = size_t(std::clamp(
          std::llround(figure.x.part(tick.value) * double(columns - 1)), 0ll,
          static_cast<long long>(columns) - 1));
      hasTick[at] = true;
      const std::string label = escapeControls(tick.label);
      const size_t length = lengthOf(label);
      const size_t start = at > length / 2 ? at - length / 2 : 0;
      if (start < end + (end > 0) || start + length > columns + 2)
        continue;
      labels += blanks(start - end) + label;
      end = start + length;
    }
    for (size_t i = 0; i < columns; ++i)
      line += hasTick[i] ? "┬" : "─";
    std::string text = line + '\n' + blanks(margin + 2) + labels + '\n';
    const std::string name = escapeControls(figure.x.label);
    const size_t length = lengthOf(name);
    text +=
        blanks(margin + 2 + (columns > length ? (columns - length) / 2 : 0)) +
        name + '\n';
    if (!figure.note.empty())
      text += blanks(margin + 2) + escapeControls(figure.note) + '\n';
    if (!figure.heat.isEmpty()) {
      const auto [least, greatest] = std::minmax_element(
          figure.heat.values.begin(), figure.heat.values.end());
      const double most = std::max(std::fabs(*least), std::fabs(*greatest));
      text += blanks(margin + 2) + fmt::format("blank {} ░▒▓ █ {}\n",
                                               formatWithin(*least, most),
                                               formatWithin(*greatest, most));
    }
    return text;
  }

  const Figure &figure;
  size_t rows, columns = 0, margin = 1;
  std::vector<Tick> yTicks;
};

} // namespace

std::string toText(const Figure &figure, size_t columns, size_t rows) {
  return Characters(figure, columns, rows).draw();
}

} // namespace tamrt::plot
