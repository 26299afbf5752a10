//===- core/run/Quality.h - how well predictions fit ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Measures of the residuals, target less prediction, of rows, and of intervals
/// (docs/math.md section 8). Weights are row weights; rows of weight 0 do not
/// count.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_QUALITY_H
#define TAMRT_CORE_RUN_QUALITY_H

#include "core/data/CompensatedSum.h"

#include <cstddef>
#include <span>

namespace tamrt {

/// Weighted sums of which the measures are made. Those of several parts of the
/// rows can be used together.
struct QualitySums {
  double rows = 0, weight = 0;
  /// Of squares of residuals, NaN if they vanish and the residuals do not; of
  /// magnitudes of residuals, of those over that of the target and of 1 over
  /// rows whose target is not 0, and of |target|.
  double squares = 0, absolutes = 0, relatives = 0, relativeWeight = 0,
         targetAbsolutes = 0;
  /// The mean of the target, and the sum of its squares around it.
  double targetMean = 0, targetSquares = 0;
  /// Of residuals.
  double residuals = 0;
};

/// NaN where rows do not tell.
struct Quality {
  double rows = 0, rmse = 0, mae = 0;
  /// In percent.
  double mape = 0, nmae = 0;
  double r2 = 0;
  /// Mean of prediction less target.
  double bias = 0;
};

/// Measures of all parts together. O(parts).
Quality qualityOf(std::span<const QualitySums> parts);

/// Sums over rows that are added one by one; they depend on the rows and their
/// order alone.
class ResidualSums {
public:
  void add(double target, double prediction, double weight);
  QualitySums sums() const;

private:
  size_t rows = 0;
  /// The first target, from which others are measured.
  double start = 0;
  CompensatedSum weight, squares, absolutes, relatives, relativeWeight,
      targetAbsolutes, targets, targetSquares, residuals;
};

/// The same for intervals of one level.
class IntervalSums {
public:
  void add(double target, double lower, double upper, double level,
           double weight);

  /// Share of the weight whose target is in the interval, ends included.
  double coverage() const { return covered.value() / weight.value(); }
  /// Mean width; infinite if one is.
  double width() const { return mean(widths); }
  /// Mean pinball loss of the two ends as quantiles (1 - level) / 2 and
  /// (1 + level) / 2.
  double pinball() const { return mean(losses); }

private:
  double mean(const CompensatedSum &sum) const;

  bool isInfinite = false;
  CompensatedSum weight, covered, widths, losses;
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_QUALITY_H
