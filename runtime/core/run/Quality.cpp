//===- core/run/Quality.cpp - how well predictions fit --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/Quality.h"

#include "core/data/TargetSum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamrt {

Quality qualityOf(std::span<const QualitySums> parts) {
  auto ratio = [](double a, double b) {
    return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN();
  };
  auto sum = [&](double QualitySums::*field) {
    double sum = 0;
    for (const QualitySums &part : parts)
      sum += part.*field;
    return sum;
  };
  const double weight = sum(&QualitySums::weight),
               squares = sum(&QualitySums::squares),
               absolutes = sum(&QualitySums::absolutes);
  double mean = 0, around = sum(&QualitySums::targetSquares);
  for (const QualitySums &part : parts)
    mean += part.weight / weight * part.targetMean;
  for (const QualitySums &part : parts) {
    const double apart = part.targetMean - mean;
    around += part.weight * apart * apart;
  }
  Quality quality;
  quality.rows = sum(&QualitySums::rows);
  quality.rmse = std::sqrt(squares / weight);
  quality.mae = ratio(absolutes, weight);
  quality.mape = 100 * ratio(sum(&QualitySums::relatives),
                             sum(&QualitySums::relativeWeight));
  quality.nmae = 100 * ratio(absolutes, sum(&QualitySums::targetAbsolutes));
  quality.r2 = 1 - ratio(squares, around);
  quality.bias = ratio(0.0 - sum(&QualitySums::residuals), weight);
  return quality;
}

void ResidualSums::add(double target, double prediction, double by) {
  if (!(by > 0))
    return;
  if (rows++ == 0)
    start = target;
  const double residual = target - prediction, y = target - start;
  weight.add(by);
  squares.add(by * residual * residual);
  absolutes.add(by * std::fabs(residual));
  targets.add(by * y);
  targetSquares.add(by * y * y);
  targetAbsolutes.add(by * std::fabs(target));
  if (target != 0) {
    relatives.add(by * std::fabs(residual / target));
    relativeWeight.add(by);
  }
  residuals.add(by * residual);
}

QualitySums ResidualSums::sums() const {
  QualitySums sums;
  sums.rows = double(rows);
  sums.weight = weight.value();
  sums.absolutes = absolutes.value();
  const double rss = squares.value();
  sums.squares = rss < kMinSquares && sums.absolutes > 0
                     ? std::numeric_limits<double>::quiet_NaN()
                     : rss;
  sums.relatives = relatives.value();
  sums.relativeWeight = relativeWeight.value();
  sums.targetAbsolutes = targetAbsolutes.value();
  if (rows > 0) {
    const double sum = targets.value();
    sums.targetMean = start + sum / sums.weight;
    sums.targetSquares =
        std::max(targetSquares.value() - sum * (sum / sums.weight), 0.0);
  }
  sums.residuals = residuals.value();
  return sums;
}

void IntervalSums::add(double target, double lower, double upper, double level,
                       double by) {
  if (!(by > 0))
    return;
  weight.add(by);
  covered.add(lower <= target && target <= upper ? by : 0);
  if (std::isinf(upper - lower)) {
    isInfinite = true;
    return;
  }
  widths.add(by * (upper - lower));
  // The loss of q as the quantile t is (y - q) t above it, (q - y) (1 - t)
  // below. Of the lower end t, and of the upper end 1 - t, is this.
  const double tail = (1 - level) / 2;
  auto loss = [&](double outside) {
    return outside > 0 ? outside * (1 - tail) : -outside * tail;
  };
  losses.add(by * (loss(lower - target) + loss(target - upper)) / 2);
}

double IntervalSums::mean(const CompensatedSum &sum) const {
  return isInfinite ? std::numeric_limits<double>::infinity()
                    : sum.value() / weight.value();
}

} // namespace tamrt
