//===- Planning/Picture/Svg.cpp - a plan as a still picture ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Picture.h"

#include "Picture/Boxes.h"
#include "Picture/Text.h"
#include "Problem/Instance.h"
#include "tamc/Planning/Terminal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

using namespace tamc::planning;

namespace {

constexpr double width = 1200, left = 96, right = 24;
constexpr double plotWidth = width - left - right;
constexpr double loadHeight = 90, mapHeight = 400;
/// Side of the cells that small rectangles are merged into.
constexpr double cell = 3;
constexpr int columns = static_cast<int>(plotWidth / cell);
constexpr int rows = static_cast<int>(mapHeight / cell) + 1;

constexpr std::string_view style = R"(<style>
svg{font:12px system-ui,sans-serif;--paper:#fff;--ink:#1b1f24;--soft:#5c6670;
--line:#d5dae0;--load:#b9c6d6;--bound:#b3261e;--peak:#1b1f24;--some:#7d8a99}
@media(prefers-color-scheme:dark){svg{--paper:#14171b;--ink:#e8ebee;
--soft:#a2acb7;--line:#333a42;--load:#41536a;--bound:#ff8a80;--peak:#e8ebee;
--some:#8492a2}}
.paper{fill:var(--paper)}text{fill:var(--ink)}.soft{fill:var(--soft)}
.t{font-size:18px;font-weight:600}.u{font-weight:600}
.grid{stroke:var(--line);fill:none}.load{fill:var(--load)}
.bound{stroke:var(--bound);stroke-dasharray:6 4;fill:none;stroke-width:1.5}
.bt{fill:var(--bound)}.cap{stroke:var(--bound);stroke-width:2}
.peak{stroke:var(--peak);stroke-dasharray:2 3;fill:none}
.b rect{stroke:var(--paper);stroke-width:.6}
.b line{stroke:var(--ink);stroke-width:1.5}
.b .s{stroke-width:0}.b text{fill:#111;font-size:11px;pointer-events:none}
.b:hover rect,.b:hover line{stroke:var(--ink);stroke-width:2}
.p rect{stroke:var(--ink);stroke-width:1.5}.m{fill:var(--some)}
)";

constexpr std::array<const char *, 12> colours = {
    "#8dd3c7", "#fdb462", "#80b1d3", "#fb8072", "#bebada", "#b3de69",
    "#f7b6d2", "#ffd92f", "#9edae5", "#d9b08c", "#98c379", "#c7b0e8"};

/// A length or coordinate with at most two decimals.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string digits = text;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.')
    digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

/// A value of an axis whose steps are powers of two, in the largest unit in
/// which two decimals are exact.
std::string tickBytes(double bytes, double step) {
  constexpr std::array<const char *, 7> units = {" B",   " KiB", " MiB", " GiB",
                                                 " TiB", " PiB", " EiB"};
  size_t unit = units.size() - 1;
  while (unit > 0 && step < std::exp2(10. * unit) / 4)
    --unit;
  return bytes == 0 ? "0" : number(bytes / std::exp2(10. * unit)) + units[unit];
}

/// Maps [from, from + length) to [begin, begin + extent).
struct Scale {
  double from, length, begin, extent;
  double operator()(int64_t value) const {
    return begin + (static_cast<double>(value) - from) / length * extent;
  }
};

/// The smallest "round" number not below `step`: 1, 2 or 5 times a power of
/// ten, or a power of two.
double roundStep(double step, bool binary) {
  if (step <= 1)
    return 1;
  if (binary)
    return std::exp2(std::ceil(std::log2(step)));
  double power = std::pow(10, std::floor(std::log10(step)));
  for (double factor : {1., 2., 5.})
    if (factor * power >= step)
      return factor * power;
  return 10 * power;
}

class Svg {
public:
  Svg(const Problem &problem, const Plan &plan, int most)
      : problem(problem), plan(plan), most(size_t(std::max(most, 0))),
        uses(problem), members(buffersBySpace(problem)) {}

  std::string draw() {
    header();
    chooseTimes();
    std::vector<int32_t> spaces = spacesToShow(problem, plan);
    for (int32_t i : spaces)
      space(static_cast<size_t>(i));
    if (size_t more = problem.spaces.size() - spaces.size()) {
      text(left, y + 4, std::to_string(more) + " more spaces of lower peaks",
           "soft");
      y += 20;
    }
    text(
        left, y + 4,
        "Rectangles: buffers, by colour only to tell neighbours apart; a thick "
        "edge: pinned; a line: takes or lives nothing. Dashed: the lower "
        "bound. Dotted: the peak.",
        "soft");
    y += 16;
    std::string size = number(width) + "\" height=\"" + number(y);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
           size + "\" viewBox=\"0 0 " + number(width) + " " + number(y) +
           "\" role=\"img\" aria-labelledby=\"t d\">\n" + std::string(style) +
           "</style>\n<rect class=\"paper\" width=\"" + size + "\"/>\n" + body +
           "</svg>\n";
  }

private:
  void text(double x, double at, const std::string &what,
            const std::string &classes, const char *anchor = "") {
    body += "<text x=\"" + number(x) + "\" y=\"" + number(at) + "\"";
    if (!classes.empty())
      body += " class=\"" + classes + "\"";
    if (*anchor)
      body += std::string(" text-anchor=\"") + anchor + "\"";
    body += ">" + escapeXml(what) + "</text>\n";
  }

  void line(double x1, double y1, double x2, double y2, const char *classes) {
    body += "<path class=\"" + std::string(classes) + "\" d=\"M" + number(x1) +
            " " + number(y1) + "L" + number(x2) + " " + number(y2) + "\"/>\n";
  }

  void header() {
    std::string name =
        shorten(problem.name.empty() ? "Memory plan" : problem.name, 110);
    std::string facts =
        "strategy " + plan.strategy + ", " + std::string(toString(plan.status));
    if (!plan.peak.empty()) {
      char gap[32];
      std::snprintf(gap, sizeof gap, "%.3f%%", 100 * plan.gap());
      facts += ", peak " + describeBytes(plan.totalPeak()) + ", bound " +
               describeBytes(plan.totalBound()) + ", gap " + gap;
    }
    facts += ", " + std::to_string(problem.buffers.size()) + " buffers";
    body += "<title id=\"t\">" + escapeXml(name) + "</title>\n<desc id=\"d\">" +
            escapeXml(facts) + "</desc>\n";
    text(left, 30, name, "t");
    text(left, 50, facts, "soft");
    y = 62;
    if (!plan.fits() && !plan.reason.empty()) {
      text(left, 68, shorten("does not fit: " + plan.reason, 170), "bt");
      y = 80;
    }
  }

  /// One scale for all spaces, so that equal times are aligned.
  void chooseTimes() {
    int64_t lower = INT64_MAX, upper = INT64_MIN;
    auto include = [&](Interval time) {
      lower = std::min(lower, time.lower);
      upper = std::max(upper, time.upper);
    };
    for (const Buffer &buffer : problem.buffers) {
      for (const Interval &interval : buffer.live)
        include(interval);
      for (const Window &window : buffer.windows)
        include(window.time);
    }
    if (lower > upper)
      return;
    from = static_cast<double>(lower);
    until = static_cast<double>(upper);
  }

  /// Ticks at round values, with labels.
  void timeAxis(const Scale &x, double at, double up) {
    double step = roundStep(x.length / 10, false);
    double first = std::ceil(x.from / step) * step;
    for (double time = first; time <= x.from + x.length; time += step) {
      double place = left + (time - x.from) / x.length * plotWidth;
      line(place, up, place, at + 4, "grid");
      char label[32];
      std::snprintf(label, sizeof label, "%.15g", time);
      text(place, at + 17, label, "soft", "middle");
      if (time + step == time)
        break;
    }
  }

  void addressAxis(const Scale &address, double count) {
    double step = roundStep(address.length / count, true);
    for (double bytes = 0; bytes <= address.length; bytes += step) {
      double place = address.begin + bytes / address.length * address.extent;
      line(left - 4, place, left + plotWidth, place, "grid");
      text(left - 8, place + 4, tickBytes(bytes, step), "soft", "end");
    }
  }

  void space(size_t index) {
    std::vector<Box> boxes = boxesOf(problem, plan.offsets, members[index]);
    std::vector<Step> load =
        loadOf(problem, static_cast<int32_t>(index), members[index]);
    const Space &space = problem.spaces[index];
    std::string title = space.name.empty() ? "" : "Space " + space.name + ": ";
    int64_t top = 1, peak = 0, bound = 0;
    if (index < plan.peak.size()) {
      peak = plan.peak[index];
      title += "peak " + describeBytes(peak) + ", ";
    }
    if (index < plan.bound.size()) {
      bound = plan.bound[index];
      title += "bound " + describeBytes(bound);
    }
    top = std::max({top, peak, bound});
    for (const Step &step : load)
      top = std::max(top, step.bytes);
    for (const Box &box : boxes)
      top = std::max(top, box.end);
    if (space.capacity) {
      title += ", capacity " + describeBytes(*space.capacity);
      if (static_cast<double>(*space.capacity) < 1.3 * top)
        top = std::max(top, *space.capacity);
    }
    y += 22;
    text(left, y, title, "u");
    y += 12;

    Scale x{from, std::max(until - from, 1.), left, plotWidth};
    auto height = static_cast<double>(top) * 1.02;
    drawLoad(x, {0, height, y + loadHeight, -loadHeight}, load, bound);
    y += loadHeight + 14;
    Scale address{0, height, y + mapHeight, -mapHeight};
    addressAxis(address, 8);
    timeAxis(x, y + mapHeight, y);
    size_t merged = drawBoxes(x, address, boxes);
    auto mark = [&](int64_t bytes, const char *kind, const std::string &what) {
      body += "<g><title>" + escapeXml(what + " " + describeBytes(bytes)) +
              "</title>\n";
      line(left, address(bytes), left + plotWidth, address(bytes), kind);
      body += "</g>\n";
    };
    if (space.capacity && *space.capacity <= top)
      mark(*space.capacity, "cap", "capacity");
    if (!plan.peak.empty())
      mark(peak, "peak", "peak");
    mark(bound, "bound", "lower bound");
    y += mapHeight + 34;
    text(left + plotWidth, y - 2, "time", "soft", "end");
    if (boxes.empty())
      text(left, y - 2,
           plan.offsets.size() < problem.buffers.size() ? "no plan"
                                                        : "nothing lives here",
           "soft");
    if (merged) {
      text(left, y - 2,
           std::to_string(merged) + " of " + std::to_string(boxes.size()) +
               " rectangles are too small to be drawn one by one and merged "
               "into the grey: the darker, the more of the place is taken.",
           "soft");
    }
    y += 8;
  }

  void drawLoad(const Scale &x, const Scale &address,
                const std::vector<Step> &load, int64_t bound) {
    addressAxis(address, 2);
    if (!load.empty()) {
      body += "<path class=\"load\" d=\"M" + number(x(load.front().time)) +
              " " + number(address.begin);
      for (const Step &step : thin(load, static_cast<int>(plotWidth)))
        body += "H" + number(x(step.time)) + "V" + number(address(step.bytes));
      body += "z\"/>\n";
    }
    line(left, address(bound), left + plotWidth, address(bound), "bound");
    text(left + 4, address.begin - 5, "bytes alive", "");
  }

  /// Draws the largest boxes one by one and merges the others; returns the
  /// number of merged ones.
  size_t drawBoxes(const Scale &x, const Scale &address,
                   const std::vector<Box> &boxes) {
    auto wide = [&](const Box &box) { return x(box.upper) - x(box.lower); };
    auto high = [&](const Box &box) {
      return address(box.begin) - address(box.end);
    };
    auto area = [&](const Box &box) { return wide(box) * high(box); };
    std::vector<int32_t> shown;
    for (size_t i = 0; i < boxes.size(); ++i) {
      bool line = boxes[i].isLine() && boxes.size() <= most;
      if (line || (wide(boxes[i]) >= 1 && high(boxes[i]) >= 1))
        shown.push_back(static_cast<int32_t>(i));
    }
    if (shown.size() > most) {
      std::stable_sort(shown.begin(), shown.end(), [&](int32_t a, int32_t b) {
        return area(boxes[a]) > area(boxes[b]);
      });
      shown.resize(most);
    }
    std::vector<bool> single(boxes.size());
    for (int32_t i : shown)
      single[i] = true;
    if (shown.size() < boxes.size())
      drawMerged(x, address, boxes, single);

    // The shapes of a buffer are one group, so that they are highlighted
    // together. Lines come last, because a rectangle might cover them.
    auto key = [&](int32_t i) {
      return std::pair(boxes[i].isLine(), boxes[i].buffer);
    };
    std::stable_sort(shown.begin(), shown.end(),
                     [&](int32_t a, int32_t b) { return key(a) < key(b); });
    for (size_t i = 0; i < shown.size();) {
      int32_t index = boxes[shown[i]].buffer;
      const Buffer &buffer = problem.buffers[index];
      body +=
          std::string("<g class=\"b") + (buffer.pin ? " p" : "") +
          "\"><title>" +
          escapeXml(describeBuffer(problem, uses, plan.offsets[index], index)) +
          "</title>\n";
      for (auto first = key(shown[i]);
           i < shown.size() && key(shown[i]) == first; ++i)
        drawBox(x, address, boxes[shown[i]]);
      body += "</g>\n";
    }
    return boxes.size() - shown.size();
  }

  void drawBox(const Scale &x, const Scale &address, const Box &box) {
    double x1 = x(box.lower), x2 = x(box.upper);
    double top = address(box.end), bottom = address(box.begin);
    if (box.isLine()) {
      if (x1 == x2 && top == bottom)
        x2 = x1 + 3;
      body += "<line x1=\"" + number(x1) + "\" y1=\"" + number(bottom) +
              "\" x2=\"" + number(x2) + "\" y2=\"" + number(top) + "\"/>\n";
      return;
    }
    body += "<rect x=\"" + number(x1) + "\" y=\"" + number(top) +
            "\" width=\"" + number(x2 - x1) + "\" height=\"" +
            number(bottom - top) +
            (x2 - x1 < 4 || bottom - top < 4 ? "\" class=\"s" : "") +
            "\" fill=\"" + colours[box.buffer % colours.size()] + "\"/>\n";
    double characters = (x2 - x1 - 8) / 7;
    if (bottom - top >= 14 && characters >= 2)
      text(x1 + 4, (top + bottom) / 2 + 4,
           shorten(problem.buffers[box.buffer].name,
                   static_cast<size_t>(characters)),
           "");
  }

  void drawMerged(const Scale &x, const Scale &address,
                  const std::vector<Box> &boxes,
                  const std::vector<bool> &single) {
    std::vector<float> taken(size_t(columns) * rows, 0);
    for (size_t i = 0; i < boxes.size(); ++i)
      if (!single[i])
        addCoverage(x, address, boxes[i], taken);
    constexpr int shades = 5;
    for (int shade = 1; shade <= shades; ++shade) {
      std::string path;
      auto shadeOf = [&](int row, int column) {
        float part = std::min(taken[size_t(row) * columns + column], 1.f);
        return static_cast<int>(std::ceil(part * shades - 1e-3f));
      };
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          if (shadeOf(row, column) != shade)
            continue;
          int begin = column;
          while (column + 1 < columns && shadeOf(row, column + 1) == shade)
            ++column;
          int length = static_cast<int>(cell) * (column + 1 - begin);
          path += "M" + number(left + begin * cell) + " " +
                  number(address.begin - (row + 1) * cell) + "h" +
                  std::to_string(length) + "v3h-" + std::to_string(length) +
                  "z";
        }
      if (!path.empty())
        body += "<path class=\"m\" shape-rendering=\"crispEdges\" opacity=\"" +
                number(static_cast<double>(shade) / shades) + "\" d=\"" + path +
                "\"/>\n";
    }
  }

  /// Adds to every cell the part of it that the box covers.
  static void addCoverage(const Scale &x, const Scale &address, const Box &box,
                          std::vector<float> &taken) {
    double x1 = (x(box.lower) - left) / cell;
    double x2 = (x(box.upper) - left) / cell;
    double y1 = (address.begin - address(box.begin)) / cell;
    double y2 = (address.begin - address(box.end)) / cell;
    int lastColumn = std::min(static_cast<int>(x2), columns - 1);
    int lastRow = std::min(static_cast<int>(y2), rows - 1);
    for (int row = static_cast<int>(y1); row <= lastRow; ++row) {
      double high = std::min(y2, row + 1.) - std::max<double>(y1, row);
      for (int column = static_cast<int>(x1); column <= lastColumn; ++column) {
        double wide = std::min(x2, column + 1.) - std::max<double>(x1, column);
        taken[size_t(row) * columns + column] +=
            static_cast<float>(std::max(wide, 0.) * std::max(high, 0.));
      }
    }
  }

  const Problem &problem;
  const Plan &plan;
  size_t most;
  BufferUses uses;
  /// By space: its buffers.
  std::vector<std::vector<int32_t>> members;
  double y = 0, from = 0, until = 1;
  std::string body;
};

} // namespace

std::string tamc::planning::toSvg(const Problem &problem, const Plan &plan,
                                  int most) {
  return Svg(problem, plan, most).draw();
}
