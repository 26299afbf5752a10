//===- Planning/Drawing.cpp - a plan on the terminal ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Drawing.h"

#include <algorithm>
#include <numeric>

using namespace tamc::planning;

namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

struct Rectangle {
  int64_t lower, upper; // time
  int64_t begin, end;   // addresses
  int32_t buffer;
};

/// Contents of a cell: its used share, and the buffer that uses most of it.
struct Cell {
  float taken = 0;
  float most = 0;
  int32_t buffer = -1;
};

std::string padded(std::string text, size_t width) {
  return text.size() >= width ? text
                              : std::string(width - text.size(), ' ') + text;
}

/// Maps [from, from + length) to `cells` cells of one size.
struct Scale {
  double from, length;
  int cells;
  double at(int64_t value) const {
    return (static_cast<double>(value) - from) / length * cells;
  }
};

/// The cells that [a, b) overlaps, clamped.
std::pair<int, int> range(double a, double b, int cells) {
  int first = std::clamp(static_cast<int>(a), 0, cells - 1);
  int last = std::clamp(static_cast<int>(b), first, cells - 1);
  return {first, last};
}

std::vector<Rectangle> rectanglesOf(const Problem &problem,
                                    std::span<const int64_t> offsets,
                                    int32_t space) {
  std::vector<Rectangle> rectangles;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    if (buffer.space != space)
      continue;
    auto add = [&](Interval time, int64_t from, int64_t to) {
      if (time.lower < time.upper && from < to)
        rectangles.push_back({time.lower, time.upper, offsets[i] + from,
                              offsets[i] + to, static_cast<int32_t>(i)});
    };
    for (const Interval &interval : buffer.live)
      add(interval, 0, buffer.size);
    for (const Window &window : buffer.windows)
      add(window.time, window.lower, window.upper);
  }
  return rectangles;
}

/// The buffers with the largest areas, largest first.
std::vector<int32_t> largest(const Problem &problem,
                             const std::vector<Rectangle> &rectangles,
                             size_t count) {
  std::vector<double> area(problem.buffers.size(), 0);
  std::vector<int32_t> order;
  for (const Rectangle &r : rectangles) {
    if (area[r.buffer] == 0)
      order.push_back(r.buffer);
    area[r.buffer] += (static_cast<double>(r.upper) - r.lower) *
                      (static_cast<double>(r.end) - r.begin);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return area[a] > area[b]; });
  order.resize(std::min(order.size(), count));
  return order;
}

/// The text cut to at most this many bytes, at the end of a character.
std::string cut(const std::string &text, size_t bytes) {
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80)
    --bytes;
  return text.substr(0, bytes);
}

std::string legendOf(const Problem &problem, std::span<const int64_t> offsets,
                     const std::vector<int32_t> &shown, size_t total,
                     size_t width) {
  std::string text;
  size_t longest = 0;
  for (int32_t index : shown)
    longest =
        std::max(longest, std::min<size_t>(problem.buffers[index].name.size(),
                                           width > 60 ? width - 44 : 16));
  for (size_t i = 0; i < shown.size(); ++i) {
    const Buffer &buffer = problem.buffers[shown[i]];
    std::string name = buffer.name;
    if (name.size() > longest)
      name = cut(name, longest - 1) + "~";
    name.resize(longest, ' ');
    text += std::string("  ") + letters[i] + "  " + name + "  " +
            std::to_string(offsets[shown[i]]) + " + " +
            std::to_string(buffer.size);
    int64_t lower = INT64_MAX, upper = 0;
    for (const Interval &interval : buffer.live) {
      lower = std::min(lower, interval.lower);
      upper = std::max(upper, interval.upper);
    }
    for (const Window &window : buffer.windows) {
      lower = std::min(lower, window.time.lower);
      upper = std::max(upper, window.time.upper);
    }
    text +=
        "  [" + std::to_string(lower) + ", " + std::to_string(upper) + ")\n";
  }
  if (total > shown.size())
    text += "  #  " + std::to_string(total - shown.size()) + " more buffers\n";
  return text;
}

} // namespace

std::string tamc::planning::draw(const Problem &problem,
                                 std::span<const int64_t> offsets,
                                 int32_t space, const DrawingOptions &options) {
  std::vector<Rectangle> rectangles = rectanglesOf(problem, offsets, space);
  if (rectangles.empty())
    return "  (nothing lives here)\n";
  int64_t lower = INT64_MAX, upper = INT64_MIN, peak = 0;
  for (const Rectangle &r : rectangles) {
    lower = std::min(lower, r.lower);
    upper = std::max(upper, r.upper);
    peak = std::max(peak, r.end);
  }
  size_t axis = std::to_string(peak).size();
  int width = std::max(options.width, 20);
  int columns = std::max(width - static_cast<int>(axis) - 3, 8);
  // More cells than units of time or bytes would show nothing more.
  double times = static_cast<double>(upper) - static_cast<double>(lower);
  int rows = std::max(options.height, 2);
  if (peak < rows)
    rows = static_cast<int>(std::max<int64_t>(peak, 1));
  Scale x{static_cast<double>(lower), times, columns};
  Scale y{0, static_cast<double>(peak), rows};

  std::vector<Cell> cells(static_cast<size_t>(rows) * columns);
  for (const Rectangle &r : rectangles) {
    double x0 = x.at(r.lower), x1 = x.at(r.upper);
    double y0 = y.at(r.begin), y1 = y.at(r.end);
    auto [firstColumn, lastColumn] = range(x0, x1, columns);
    auto [firstRow, lastRow] = range(y0, y1, rows);
    for (int row = firstRow; row <= lastRow; ++row)
      for (int column = firstColumn; column <= lastColumn; ++column) {
        double w =
            std::min<double>(x1, column + 1) - std::max<double>(x0, column);
        double h = std::min<double>(y1, row + 1) - std::max<double>(y0, row);
        if (w <= 0 || h <= 0)
          continue;
        Cell &cell = cells[static_cast<size_t>(row) * columns + column];
        auto area = static_cast<float>(w * h);
        cell.taken += area;
        if (area > cell.most) {
          cell.most = area;
          cell.buffer = r.buffer;
        }
      }
  }

  size_t legend =
      std::clamp<size_t>(std::max(options.legend, 0), 0, letters.size());
  std::vector<int32_t> shown = largest(problem, rectangles, legend);
  std::vector<char> glyph(problem.buffers.size(), '#');
  size_t total = 0;
  {
    std::vector<bool> seen(problem.buffers.size(), false);
    for (const Rectangle &r : rectangles)
      if (!seen[r.buffer]) {
        seen[r.buffer] = true;
        ++total;
      }
  }
  for (size_t i = 0; i < shown.size(); ++i)
    glyph[shown[i]] = letters[i];

  std::string text;
  for (int row = rows - 1; row >= 0; --row) {
    // The topmost and the lowest row have the ends of the scale as labels.
    std::string label = row == rows - 1 ? std::to_string(peak)
                        : row == 0      ? "0"
                                        : "";
    text += padded(label, axis) + " |";
    for (int column = 0; column < columns; ++column) {
      const Cell &cell = cells[static_cast<size_t>(row) * columns + column];
      text += cell.buffer < 0      ? '.'
              : cell.taken < 0.25f ? '-'
                                   : glyph[cell.buffer];
    }
    text += '\n';
  }
  text += std::string(axis + 1, ' ') + "+" + std::string(columns, '-') + "\n";
  std::string left = std::to_string(lower), right = std::to_string(upper);
  std::string ticks = left;
  if (left.size() + right.size() + 1 <= static_cast<size_t>(columns))
    ticks += std::string(columns - left.size() - right.size(), ' ') + right;
  text += std::string(axis + 2, ' ') + ticks + "\n";
  return text +
         legendOf(problem, offsets, shown, total, static_cast<size_t>(width));
}
