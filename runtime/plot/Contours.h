//===- plot/Contours.h - regions above a level ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_PLOT_CONTOURS_H
#define TAMRT_PLOT_CONTOURS_H

#include "plot/Figure.h"

#include <vector>

namespace tamrt::plot {

/// A point in units of the grid: (0, 0) is the first value, (1, 0) the next one
/// of its row.
struct GridPoint {
  double x, y;
};

/// The region in which the values, interpolated, are at least `level`, as
/// closed polygons: those around it are counterclockwise, those around holes in
/// it clockwise. They end at the border of the grid. Marching squares; where a
/// cell is ambiguous its mean decides. O(values).
std::vector<std::vector<GridPoint>> regionAbove(const Heat &heat, double level);

} // namespace tamrt::plot

#endif // TAMRT_PLOT_CONTOURS_H
