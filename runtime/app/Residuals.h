//===- app/Residuals.h - pictures of residuals ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_RESIDUALS_H
#define TAMRT_APP_RESIDUALS_H

#include "app/EffectFigures.h"
#include "io/Date.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <string>
#include <vector>

namespace tamrt {

/// Levels of the intervals whose coverage is drawn, in per cent.
inline constexpr std::array kDrawnLevels = {10., 20., 30., 40., 50., 60.,
                                            70., 80., 90., 95., 99.};

/// Rows of data with their observations and predictions.
struct Compared {
  /// Seconds since 1970 for Local and Zoned, the date for Number; without a
  /// date the number of the row in the file.
  Date::Form form = Date::Form::Missing;
  std::vector<double> times, observed, fitted;
  /// Standard deviations of new values, sqrt(sigma2 / w + phi'V phi), infinite
  /// as for a weight w of 0; empty without inference.
  std::vector<double> deviations;
  /// Bit i: whether the row is in its conformal interval of kDrawnLevels[i];
  /// empty without residuals of held-out rows.
  std::vector<std::bitset<kDrawnLevels.size()>> conformal;

  size_t size() const { return observed.size(); }
  void add(const Compared &other, size_t row);
};

/// "731 rows, RMSE 812, MAPE 1.2 %, mean residual 3", as docs/math.md section 8
/// defines them, with weights of 1.
std::string describeErrors(const Compared &rows);

/// Pictures of the residuals, observed less fitted: over time, by month and by
/// hour where the rows have several, observed against fitted, normal quantiles,
/// and the coverage of intervals. `dateColumn`: its name, or null; `target`:
/// that of the target.
std::vector<NamedFigure> residualFigures(const Compared &rows,
                                         const char *dateColumn,
                                         const char *target);

/// The distribution of the residuals in each of several groups.
NamedFigure residualsByGroup(const std::vector<std::string> &groups,
                             const std::vector<Compared> &rows,
                             const char *groupColumn);

} // namespace tamrt

#endif // TAMRT_APP_RESIDUALS_H
