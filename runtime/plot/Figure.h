//===- plot/Figure.h - what a picture shows ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A picture as data: what is drawn in it and the axes. `toSvg` draws it as
/// SVG, alone or as part of a page, `toText` with characters.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_PLOT_FIGURE_H
#define TAMRT_PLOT_FIGURE_H

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace tamrt::plot {

struct Axis {
  enum class Kind {
    Numbers,
    /// Level i of `levels` is at i.
    Levels,
    /// Seconds since 1970-01-01T00:00:00.
    Times,
  };
  std::string label;
  Kind kind = Kind::Numbers;
  /// The ends; for Levels they follow from the levels.
  double low = 0, high = 1;
  std::vector<std::string> levels = {};

  /// An axis of levels.
  static Axis of(std::string label, std::vector<std::string> levels);
  /// Widens the axis so that it has the value; those that are not finite do
  /// not count. The first value of an empty axis (low above high) sets both.
  void include(double value);
  /// Adds a margin on both sides; an axis of one value gets a length.
  void pad();
  /// Where a value is: 0 at `low`, 1 at `high`, in the middle of an axis
  /// without length.
  double part(double value) const;
  /// An empty axis.
  static Axis empty(std::string label, Kind kind = Kind::Numbers);
};

/// A curve through points of ascending x.
struct Line {
  enum class Style {
    Curve,
    /// What the other things are compared with.
    Reference,
    /// One of several, of which `shade`, from 0 to 1, is the colour.
    OneOfMany,
  };
  std::vector<double> x, y;
  Style style = Style::Curve;
  double shade = 0;
  /// Shown where the mouse is.
  std::string name = {};
};

/// Intervals around a curve.
struct Band {
  std::vector<double> x, low, high;
};

/// A value with its interval, if the ends are finite.
struct Dot {
  double x, y;
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
  /// As that of a line; below 0: the colour of curves.
  double shade = -1;
  std::string name = {};
};

/// The distribution of values at x: the quantiles of 5, 25, 50, 75 and 95 %.
struct Box {
  double x;
  double quantiles[5];
  std::string name = {};
};

/// Values at the points of a grid, row by row, y ascending. On an axis of
/// numbers the points span it evenly; on one of levels there is one per level.
struct Heat {
  size_t columns = 0, rows = 0;
  std::vector<double> values;

  bool isEmpty() const { return values.empty(); }
};

struct Figure {
  std::string title;
  /// Shown where the mouse is on the title.
  std::string detail = {};
  /// A short text beside the title.
  std::string facts = {};
  /// A sentence below, such as why nothing is drawn.
  std::string note = {};
  Axis x = {}, y = {};
  std::vector<Band> bands = {};
  std::vector<Line> lines = {};
  std::vector<Dot> dots = {};
  std::vector<Box> boxes = {};
  /// A cloud of points without intervals.
  std::vector<double> cloudX = {}, cloudY = {};
  Heat heat = {};
  /// Where rows of data are on the x axis.
  std::vector<double> rug = {};

  /// Whether there is anything in it but a note.
  bool isEmpty() const {
    return bands.empty() && lines.empty() && dots.empty() && boxes.empty() &&
           cloudX.empty() && heat.isEmpty();
  }
};

} // namespace tamrt::plot

#endif // TAMRT_PLOT_FIGURE_H
