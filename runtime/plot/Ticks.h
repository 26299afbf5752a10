//===- plot/Ticks.h - values that an axis shows -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_PLOT_TICKS_H
#define TAMRT_PLOT_TICKS_H

#include "plot/Figure.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tamrt::plot {

struct Tick {
  double value;
  std::string label;
};

/// The smallest of 1, 2 and 5 times a power of ten that is at least `step`,
/// which is above 0.
double roundStep(double step);

/// Round values within [low, high], about `count` and at most twice as many,
/// with labels of the same number of decimals.
std::vector<Tick> numberTicks(double low, double high, size_t count);

/// The same for times: years, months, days, hours, minutes or seconds, whose
/// labels say only what differs.
std::vector<Tick> timeTicks(double low, double high, size_t count);

/// The ticks of an axis, at most `count` of levels. Levels are shortened to
/// `characters`.
std::vector<Tick> ticksOf(const Axis &axis, size_t count, size_t characters);

/// A label of a value that is a multiple of `step`, with the decimals and the
/// unit ("20M") that suit values up to `most`.
std::string labelOf(double value, double step, double most);

/// A value with as many digits as tell 1/1000 of `range` apart, without zeros
/// at the end.
std::string formatWithin(double value, double range);

/// The first `count` characters of UTF-8 text, or all; "…" stands for the rest.
std::string shorten(const std::string &text, size_t count);

/// Number of characters of UTF-8 text.
size_t lengthOf(const std::string &text);

} // namespace tamrt::plot

#endif // TAMRT_PLOT_TICKS_H
