//===- plot/Contours.cpp - regions above a level --------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plot/Contours.h"

#include <algorithm>
#include <cstdint>

namespace tamrt::plot {
namespace {

/// The grid with a border of values that are below any level.
class Squares {
public:
  Squares(const Heat &heat, double level)
      : heat(heat), level(level), columns(heat.columns + 2),
        rows(heat.rows + 2), next(2 * columns * rows, kNone) {}

  std::vector<std::vector<GridPoint>> trace() {
    for (size_t j = 0; j + 1 < rows; ++j)
      for (size_t i = 0; i + 1 < columns; ++i)
        cell(i, j);
    std::vector<std::vector<GridPoint>> polygons;
    for (size_t edge = 0; edge < next.size(); ++edge) {
      if (next[edge] == kNone)
        continue;
      std::vector<GridPoint> &polygon = polygons.emplace_back();
      for (size_t at = edge; next[at] != kNone;) {
        polygon.push_back(place(at));
        const size_t to = next[at];
        next[at] = kNone;
        at = to;
      }
    }
    return polygons;
  }

private:
  static constexpr size_t kNone = SIZE_MAX;

  bool isBorder(size_t i, size_t j) const {
    return i == 0 || j == 0 || i + 1 == columns || j + 1 == rows;
  }
  double value(size_t i, size_t j) const {
    return heat.values[(j - 1) * heat.columns + i - 1];
  }
  bool isInside(size_t i, size_t j) const {
    return !isBorder(i, j) && value(i, j) >= level;
  }

  /// The edges from (i, j) to the right and upwards.
  size_t across(size_t i, size_t j) const { return 2 * (j * columns + i); }
  size_t up(size_t i, size_t j) const { return across(i, j) + 1; }

  /// Where an edge crosses the level.
  GridPoint place(size_t edge) const {
    size_t i = edge / 2 % columns, j = edge / 2 / columns;
    size_t k = i + (edge % 2 == 0), l = j + edge % 2;
    if (!isInside(i, j)) {
      std::swap(i, k);
      std::swap(j, l);
    }
    const double x = double(i) - 1, y = double(j) - 1;
    if (isBorder(k, l))
      return {x, y};
    // The difference of two values may be beyond a double.
    const double in = value(i, j) / 2, apart = in - value(k, l) / 2;
    const double t = apart > 0 ? (in - level / 2) / apart : 0;
    return {x + t * (double(k) - double(i)), y + t * (double(l) - double(j))};
  }

  void cell(size_t i, size_t j) {
    const bool in[4] = {isInside(i, j), isInside(i + 1, j),
                        isInside(i + 1, j + 1), isInside(i, j + 1)};
    const size_t edges[4] = {across(i, j), up(i + 1, j), across(i, j + 1),
                             up(i, j)};
    const int count = in[0] + in[1] + in[2] + in[3];
    if (count == 0 || count == 4)
      return;
    const bool isSaddle = count == 2 && in[0] == in[2];
    // A saddle has no border corner inside, so that it has four values unless
    // it is at the border, where the corners outside are below.
    bool joins = false;
    if (isSaddle && !isBorder(i, j) && !isBorder(i + 1, j + 1) &&
        !isBorder(i + 1, j) && !isBorder(i, j + 1))
      joins = value(i, j) / 4 + value(i + 1, j) / 4 + value(i + 1, j + 1) / 4 +
                  value(i, j + 1) / 4 >=
              level;
    // Counterclockwise, the contour leaves where the inside ends and arrives
    // where it begins: at the next such edge after the corners outside if the
    // inside is joined across them, else at the one before.
    for (size_t e = 0; e < 4; ++e) {
      if (!in[e] || in[(e + 1) % 4])
        continue;
      size_t to = e;
      do
        to = joins || !isSaddle ? (to + 1) % 4 : (to + 3) % 4;
      while (in[to] || !in[(to + 1) % 4]);
      next[edges[e]] = edges[to];
    }
  }

  const Heat &heat;
  double level;
  size_t columns, rows;
  /// For an edge at which a contour enters a cell, the edge where it leaves it.
  std::vector<size_t> next;
};

} // namespace

std::vector<std::vector<GridPoint>> regionAbove(const Heat &heat,
                                                double level) {
  return Squares(heat, level).trace();
}

} // namespace tamrt::plot
