//===- plot/Svg.cpp - pictures as SVG -------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plot/Contours.h"
#include "plot/Draw.h"
#include "plot/Style.h"
#include "plot/Ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace tamrt::plot {
namespace {

/// Width of a character of tick labels, somewhat more than on average.
constexpr double kCharacter = 6.1;
/// Shades of a heat map on either side of 0.
constexpr int kShades = 7;
/// Room for the legend of a heat map.
constexpr double kLegend = 58;

/// A length in pixels with one decimal.
std::string pixels(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0"))
    text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

/// Path data in tenths of pixels, in the shortest form: relative moves.
class Path {
public:
  void move(double x, double y) {
    to(x, y, data.empty() ? 'M' : 'm');
    command = 'm';
  }
  void line(double x, double y) {
    if (command != 'l')
      to(x, y, 'l');
    else
      to(x, y, ' ');
    command = 'l';
  }
  /// A dot: a line of no length, whose ends are round.
  void dot(double x, double y) {
    move(x, y);
    data += "h0";
    command = 'h';
  }
  void close() {
    data += 'z';
    // After z the current point is the polygon's first.
    atX = startX;
    atY = startY;
    command = 'z';
  }
  bool isEmpty() const { return data.empty(); }
  std::string element(std::string_view classes,
                      std::string_view more = "") const {
    return fmt::format("<path class=\"{}\"{} d=\"{}\"/>", classes, more, data);
  }

private:
  void to(double x, double y, char with) {
    const auto toX = int64_t(std::llround(10 * x)),
               toY = int64_t(std::llround(10 * y));
    const int64_t byX = with == 'M' ? toX : toX - atX,
                  byY = with == 'M' ? toY : toY - atY;
    if (with != ' ')
      data += with;
    else if (byX >= 0)
      data += ' ';
    data += fmt::format("{}{}{}", byX, byY < 0 ? "" : " ", byY);
    atX = toX;
    atY = toY;
    if (with == 'M' || with == 'm') {
      startX = toX;
      startY = toY;
    }
  }

  std::string data;
  char command = 0;
  int64_t atX = 0, atY = 0, startX = 0, startY = 0;
};

/// The colour of one of many.
std::string shadeStyle(double shade) {
  return fmt::format("--s:hsl({:.0f} 62% 52%)", 220 + 250 * shade);
}

class Drawing {
public:
  explicit Drawing(const Figure &figure) : figure(figure) {
    // Where the rows of labels below the x axis end.
    place();
  }

  /// What is inside the element.
  std::string draw() {
    text(12, 19, figure.title, "t", "", titleRoom(), "", figure.detail);
    if (!figure.facts.empty())
      text(kWidth - 10, 19, figure.facts, "s", "end");
    if (figure.isEmpty()) {
      wrap(figure.note, kHeight / 2);
      return std::move(body);
    }
    if (!figure.heat.isEmpty())
      heat();
    axes();
    if (figure.heat.isEmpty())
      marks();
    rug();
    body += "<path class=\"f\" d=\"" + frame() + "\"/>";
    if (!figure.note.empty())
      text(12, kHeight - 7, figure.note, "s", "", 76);
    return std::move(body);
  }

  /// Attributes from which the script computes values: pixels, then values.
  std::string attributes() const {
    if (figure.isEmpty())
      return "";
    auto ends = [](const Axis &axis, double from, double to) {
      return fmt::format("{:.6g} {:.6g} {:.12g} {:.12g}", from, to, axis.low,
                         axis.high);
    };
    return fmt::format(" data-x=\"{}\" data-y=\"{}\" data-kind=\"{}\"",
                       ends(figure.x, left, right), ends(figure.y, bottom, top),
                       int(figure.x.kind));
  }

private:
  double x(double value) const {
    return left + figure.x.part(value) * (right - left);
  }
  double y(double value) const {
    return bottom + figure.y.part(value) * (top - bottom);
  }

  size_t titleRoom() const {
    return size_t(std::max(
        10., (kWidth - 30 - 6 * double(lengthOf(figure.facts))) / 7.2));
  }

  void place() {
    const bool levels = figure.y.kind == Axis::Kind::Levels;
    yTicks = ticksOf(figure.y, levels ? 16 : 5, 14);
    size_t longest = 1;
    for (const Tick &tick : yTicks)
      longest = std::max(longest, lengthOf(tick.label));
    left =
        16 + kCharacter * double(longest) + (figure.y.label.empty() ? 0 : 15);
    right = kWidth - (figure.heat.isEmpty() ? 14 : kLegend);
    bottom = kHeight - 41 - (figure.note.empty() ? 0 : 14);

    // As many labels as there is room for; texts of levels turn.
    const double width = right - left;
    if (figure.x.kind == Axis::Kind::Levels) {
      size_t longest = 1;
      for (const std::string &level : figure.x.levels)
        longest = std::max(longest, lengthOf(level));
      const double each =
          width / double(std::max<size_t>(figure.x.levels.size(), 1));
      const double need =
          kCharacter * double(std::min<size_t>(longest, 14)) + 8;
      // Numbers and short names may leave out some; other names would be
      // missed.
      const bool canSkip = longest <= 5 || figure.x.levels.size() > 24;
      turns = need > each && !canSkip;
      xTicks = ticksOf(figure.x,
                       turns ? 24 : size_t(std::max(2., width / need)), 14);
      if (turns)
        bottom -= 0.6 * (need - 8);
    } else {
      const double need = figure.x.kind == Axis::Kind::Times ? 62 : 52;
      xTicks = ticksOf(figure.x, size_t(std::max(2., width / need)), 14);
    }
  }

  void text(double atX, double atY, const std::string &what,
            std::string_view classes, std::string_view anchor = "",
            size_t characters = SIZE_MAX, std::string_view more = "",
            const std::string &detail = "") {
    body += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\"", pixels(atX),
                        pixels(atY), classes);
    if (!anchor.empty())
      body += fmt::format(" text-anchor=\"{}\"", anchor);
    body += more;
    body += '>';
    if (!detail.empty() || lengthOf(what) > characters)
      body +=
          "<title>" + escapeXml(detail.empty() ? what : detail) + "</title>";
    body += escapeXml(shorten(what, characters)) + "</text>";
  }

  /// A sentence on several lines.
  void wrap(const std::string &what, double atY) {
    std::string line;
    for (size_t at = 0; at < what.size();) {
      const size_t end = std::min(what.find(' ', at), what.size());
      const std::string word = what.substr(at, end - at);
      if (!line.empty() && lengthOf(line) + lengthOf(word) > 58) {
        text(kWidth / 2, atY, line, "s", "middle");
        atY += 17;
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
      at = end + 1;
    }
    text(kWidth / 2, atY, line, "s", "middle");
  }

  std::string frame() const {
    return fmt::format("M{} {}H{}V{}H{}z", pixels(left), pixels(top),
                       pixels(right), pixels(bottom), pixels(left));
  }

  void axes() {
    std::string grid;
    const bool hasGrid = figure.heat.isEmpty();
    for (const Tick &tick : yTicks) {
      const double at = y(tick.value);
      if (hasGrid && figure.y.kind != Axis::Kind::Levels)
        grid +=
            fmt::format("M{} {}H{}", pixels(left), pixels(at), pixels(right));
      text(left - 6, at + 3.5, tick.label, "s", "end");
    }
    for (const Tick &tick : xTicks) {
      const double at = x(tick.value);
      if (hasGrid && figure.x.kind != Axis::Kind::Levels)
        grid +=
            fmt::format("M{} {}V{}", pixels(at), pixels(top), pixels(bottom));
      if (turns) {
        text(at + 3, bottom + 13, tick.label, "s", "end", SIZE_MAX,
             fmt::format(" transform=\"rotate(-40 {} {})\"", pixels(at + 3),
                         pixels(bottom + 11)));
        continue;
      }
      // A label at the end stays inside the picture.
      const double half = kCharacter * double(lengthOf(tick.label)) / 2;
      text(std::min(at, kWidth - 4 - half), bottom + 15, tick.label, "s",
           "middle");
    }
    if (!grid.empty())
      body += "<path class=\"g\" d=\"" + grid + "\"/>";
    if (hasGrid && figure.y.kind != Axis::Kind::Levels && figure.y.low < 0 &&
        figure.y.high > 0)
      body += fmt::format("<path class=\"z\" d=\"M{} {}H{}\"/>", pixels(left),
                          pixels(y(0)), pixels(right));
    const double below = figure.note.empty() ? kHeight - 9 : kHeight - 23;
    text((left + right) / 2, below, figure.x.label, "s", "middle", 60);
    if (!figure.y.label.empty())
      text(0, 0, figure.y.label, "s", "middle", 34,
           fmt::format(" transform=\"translate(14 {}) rotate(-90)\"",
                       pixels((top + bottom) / 2)));
  }

  Path pathOf(const std::vector<double> &xs,
              const std::vector<double> &ys) const {
    Path path;
    for (size_t i = 0; i < xs.size(); ++i)
      i == 0 ? path.move(x(xs[i]), y(ys[i])) : path.line(x(xs[i]), y(ys[i]));
    return path;
  }

  void marks() {
    body += "<g transform=\"scale(.1)\">";
    for (const Band &band : figure.bands) {
      Path path = pathOf(band.x, band.high);
      for (size_t i = band.x.size(); i-- > 0;)
        path.line(x(band.x[i]), y(band.low[i]));
      path.close();
      body += path.element("b");
    }
    Path cloud;
    for (size_t i = 0; i < figure.cloudX.size(); ++i)
      cloud.dot(x(figure.cloudX[i]), y(figure.cloudY[i]));
    if (!cloud.isEmpty())
      body += cloud.element(figure.cloudX.size() > 400 ? "d" : "d e");
    for (const Line &line : figure.lines) {
      std::string more;
      if (line.style == Line::Style::OneOfMany)
        more = fmt::format(" style=\"{}\"", shadeStyle(line.shade));
      if (!line.name.empty())
        more += fmt::format(" data-n=\"{}\"", escapeXml(line.name));
      body += pathOf(line.x, line.y)
                  .element(line.style == Line::Style::Curve       ? "c"
                           : line.style == Line::Style::Reference ? "r"
                                                                  : "c o",
                           more);
    }
    for (const Box &box : figure.boxes)
      drawBox(box);
    for (const Dot &dot : figure.dots) {
      Path path, end;
      if (std::isfinite(dot.low)) {
        path.move(x(dot.x), y(dot.low));
        path.line(x(dot.x), y(dot.high));
      }
      end.dot(x(dot.x), y(dot.y));
      const std::string style =
          dot.shade < 0 ? ""
                        : fmt::format(" style=\"{}\"", shadeStyle(dot.shade));
      const bool isOne = dot.shade >= 0;
      body += "<g><title>" + escapeXml(dot.name) + "</title>";
      if (!path.isEmpty())
        body += path.element("i", style);
      body += end.element(isOne ? "p o" : "p", style) + "</g>";
    }
    body += "</g>";
  }

  void drawBox(const Box &box) {
    const double half = std::min(0.32 * (x(box.x + 1) - x(box.x)), 9.0);
    Path whisker, sides, middle;
    const double at = x(box.x);
    whisker.move(at, y(box.quantiles[0]));
    whisker.line(at, y(box.quantiles[4]));
    sides.move(at - half, y(box.quantiles[1]));
    sides.line(at + half, y(box.quantiles[1]));
    sides.line(at + half, y(box.quantiles[3]));
    sides.line(at - half, y(box.quantiles[3]));
    sides.close();
    middle.move(at - half, y(box.quantiles[2]));
    middle.line(at + half, y(box.quantiles[2]));
    body += "<g><title>" + escapeXml(box.name) + "</title>" +
            whisker.element("i") + sides.element("k") + middle.element("c m") +
            "</g>";
  }

  void rug() {
    if (figure.rug.empty())
      return;
    // A mark for each pixel that has rows; neighbours are one line.
    std::vector<int64_t> places;
    for (double value : figure.rug)
      if (value >= figure.x.low && value <= figure.x.high)
        places.push_back(std::llround(x(value)));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    // Lines as thick as marks are high, from the end of the one before.
    std::string data;
    double at = 0;
    for (size_t i = 0, end; i < places.size(); i = end) {
      for (end = i + 1;
           end < places.size() && places[end] == places[end - 1] + 1;)
        ++end;
      const double from = double(places[i]) - 0.3,
                   length = double(end - i) - 0.4;
      data += i == 0 ? fmt::format("M{} {}", pixels(from), pixels(bottom - 3))
                     : fmt::format("m{} 0", pixels(from - at));
      data += "h" + pixels(length);
      at = from + length;
    }
    if (!data.empty())
      body += "<path class=\"u\" d=\"" + data + "\"/>";
  }

  /// Levels of the contours, all multiples of a step.
  std::vector<double> contourLevels(double low, double high,
                                    double &step) const {
    step = roundStep((high / 2 - low / 2) / 7);
    std::vector<double> levels;
    for (double i = std::floor(low / step) + 1; i * step < high; ++i)
      levels.push_back(i * step);
    return levels;
  }

  /// The class of values between two contours around `middle`.
  static std::string shadeOf(double middle, double most) {
    const int shade =
        std::clamp(int(std::lround(kShades * middle / (most > 0 ? most : 1))),
                   -kShades, kShades);
    return shade < 0 ? fmt::format("n{}", -shade) : fmt::format("q{}", shade);
  }

  void heat() {
    const Heat &heat = figure.heat;
    const auto [least, greatest] =
        std::minmax_element(heat.values.begin(), heat.values.end());
    const double low = *least, high = *greatest;
    const double most = std::max(std::fabs(low), std::fabs(high));
    double step = 1;
    std::vector<double> levels;
    if (low < high)
      levels = contourLevels(low, high, step);
    // Bands between neighbours among low, the levels and high.
    std::vector<double> ends = {low};
    ends.insert(ends.end(), levels.begin(), levels.end());
    ends.push_back(high);
    const bool isSmooth = figure.x.kind != Axis::Kind::Levels &&
                          figure.y.kind != Axis::Kind::Levels;
    body += "<g transform=\"scale(.1)\">";
    for (size_t k = 0; k + 1 < ends.size(); ++k) {
      const std::string shade = shadeOf((ends[k] + ends[k + 1]) / 2, most);
      const std::string name =
          levels.empty() ? formatWithin(low, most)
                         : fmt::format("{} to {}", formatWithin(ends[k], most),
                                       formatWithin(ends[k + 1], most));
      Path path = isSmooth ? region(heat, k == 0 ? low : ends[k])
                           : cells(heat, k, levels);
      if (!path.isEmpty())
        body += "<g><title>" + escapeXml(name) + "</title>" +
                path.element(fmt::format("h {}{}", shade,
                                         isSmooth && k > 0 ? " l" : "")) +
                "</g>";
    }
    body += "</g>";
    // Beyond the frame nothing is seen of contours along it.
    legend(ends, step, most);
  }

  Path region(const Heat &heat, double level) const {
    Path path;
    const double unitX = (right - left) / double(heat.columns - 1),
                 unitY = (top - bottom) / double(heat.rows - 1);
    for (const std::vector<GridPoint> &polygon : regionAbove(heat, level)) {
      for (size_t i = 0; i < polygon.size(); ++i) {
        const double atX = left + unitX * polygon[i].x,
                     atY = bottom + unitY * polygon[i].y;
        i == 0 ? path.move(atX, atY) : path.line(atX, atY);
      }
      path.close();
    }
    return path;
  }

  /// The cells between two levels, runs of each row as one rectangle.
  Path cells(const Heat &heat, size_t band,
             const std::vector<double> &levels) const {
    Path path;
    const double unitX = (right - left) / double(heat.columns),
                 unitY = (top - bottom) / double(heat.rows);
    auto isIn = [&](size_t i, size_t j) {
      const double value = heat.values[j * heat.columns + i];
      return size_t(std::upper_bound(levels.begin(), levels.end(), value) -
                    levels.begin()) == band;
    };
    for (size_t j = 0; j < heat.rows; ++j)
      for (size_t i = 0, end; i < heat.columns; i = end) {
        for (end = i + 1; end < heat.columns && isIn(end, j) == isIn(i, j);)
          ++end;
        if (!isIn(i, j))
          continue;
        const double x1 = left + unitX * double(i),
                     x2 = left + unitX * double(end);
        const double y1 = bottom + unitY * double(j), y2 = y1 + unitY;
        path.move(x1, y1);
        path.line(x2, y1);
        path.line(x2, y2);
        path.line(x1, y2);
        path.close();
      }
    return path;
  }

  /// A column of the colours, with the values between them.
  void legend(const std::vector<double> &ends, double step, double most) {
    const double at = kWidth - kLegend + 10, height = bottom - top;
    const size_t bands = ends.size() - 1;
    const double each = height / double(bands);
    for (size_t k = 0; k < bands; ++k) {
      const double from = bottom - each * double(k);
      body += fmt::format("<path class=\"h {}\" d=\"M{} {}h10v{}h-10z\"/>",
                          shadeOf((ends[k] + ends[k + 1]) / 2, most),
                          pixels(at), pixels(from), pixels(-each));
      if (k > 0)
        text(at + 13, from + 3.5, labelOf(ends[k], step, most), "s");
    }
  }

  const Figure &figure;
  std::string body;
  double left = 0, right = 0, bottom = 0;
  static constexpr double top = 32;
  bool turns = false;
  std::vector<Tick> xTicks, yTicks;
};

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes of the UTF-8 character that `text` begins with; 0 if it is none, or
/// cannot be in XML.
size_t characterLength(std::string_view text) {
  auto at = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = at(0);
  if (first < 0x80)
    return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4)
    return 0;
  uint32_t code = first & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80)
      return 0;
    code = code << 6 | (at(i) & 0x3F);
  }
  static constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool isCharacter = code >= least[length] && code <= 0x10FFFF &&
                           (code < 0xD800 || code > 0xDFFF) &&
                           (code & 0xFFFE) != 0xFFFE;
  return isCharacter ? length : 0;
}

} // namespace

std::string escapeXml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const size_t length = characterLength(text);
    switch (text.front()) {
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '&':
      escaped += "&amp;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += length ? text.substr(0, length) : kReplacement;
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return escaped;
}

std::string toSvg(const Figure &figure) {
  Drawing drawing(figure);
  const std::string attributes = drawing.attributes();
  return fmt::format("<svg class=\"fig\" viewBox=\"0 0 {:g} {:g}\" "
                     "role=\"img\" aria-label=\"{}\"{}>{}</svg>\n",
                     kWidth, kHeight, escapeXml(figure.title), attributes,
                     drawing.draw());
}

std::string toSvgFile(const Figure &figure) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fig\" "
      "width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {2:g} {3:g}\" "
      "role=\"img\" aria-label=\"{4}\">\n<style>{5}</style>\n"
      "<rect class=\"paper\" width=\"{2:g}\" height=\"{3:g}\"/>\n{6}</svg>\n",
      1.5 * kWidth, 1.5 * kHeight, kWidth, kHeight, escapeXml(figure.title),
      figureStyleText(), Drawing(figure).draw());
}

} // namespace tamrt::plot
