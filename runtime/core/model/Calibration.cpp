//===- core/model/Calibration.cpp - conformal intervals -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tamrt {
namespace {

/// floor((n + 1) a + 1e-9): 1 - 0.9 is not quite a tenth.
size_t rankOf(size_t n, double a) {
  return size_t(std::floor(double(n + 1) * a + 1e-9));
}

} // namespace

Calibration::Calibration(std::string split,
                         std::vector<std::vector<double>> groups)
    : description(std::move(split)) {
  size_t count = 0;
  for (const std::vector<double> &group : groups)
    count += group.size();
  residuals.reserve(count);
  for (std::vector<double> &group : groups) {
    std::sort(group.begin(), group.end());
    residuals.insert(residuals.end(), group.begin(), group.end());
    ends.push_back(residuals.size());
    group = {};
  }
}

std::span<const double> Calibration::of(size_t group) const {
  const size_t first = group == 0 ? 0 : ends[group - 1];
  return std::span(residuals).subspan(first, ends[group] - first);
}

Offsets conformalOffsets(std::span<const double> residuals, double level,
                         bool isSigned) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const size_t n = residuals.size();
  if (isSigned) {
    const size_t low = rankOf(n, (1 - level) / 2);
    if (low == 0)
      return {-kInfinite, kInfinite};
    return {residuals[low - 1], residuals[n - low]};
  }
  const size_t rank = n + 1 - rankOf(n, 1 - level);
  if (rank > n)
    return {-kInfinite, kInfinite};
  std::vector<double> magnitudes(residuals.begin(), residuals.end());
  for (double &magnitude : magnitudes)
    magnitude = std::fabs(magnitude);
  std::nth_element(magnitudes.begin(), magnitudes.begin() + ptrdiff_t(rank - 1),
                   magnitudes.end());
  const double half = magnitudes[rank - 1];
  return {-half, half};
}

size_t residualsNeeded(double level, bool isSigned) {
  const double a = isSigned ? (1 - level) / 2 : 1 - level;
  // The first n for which the rank is not 0, up to rounding.
  auto n = size_t(std::max(std::floor((1 - 1e-9) / a) - 2, 0.0));
  while (rankOf(n, a) == 0)
    ++n;
  return n;
}

} // namespace tamrt
