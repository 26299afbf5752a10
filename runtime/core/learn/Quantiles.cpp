//===- core/learn/Quantiles.cpp - order statistics without sorting --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/Quantiles.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// Moves the values of the ascending `ranks` to their positions in sorted
/// order. All values in [first, last) belong to that range.
void select(double *values, size_t first, size_t last,
            std::span<const size_t> ranks) {
  if (ranks.empty())
    return;
  const size_t middle = ranks.size() / 2, rank = ranks[middle];
  std::nth_element(values + first, values + rank, values + last);
  select(values, first, rank, ranks.first(middle));
  select(values, rank + 1, last, ranks.subspan(middle + 1));
}

} // namespace

void quantiles(std::span<double> values, std::span<double> levels,
               std::span<size_t> ranks) {
  const size_t last = values.size() - 1;
  for (size_t k = 0; k < levels.size(); ++k) {
    const auto i = size_t(std::floor(levels[k] * double(last)));
    ranks[2 * k] = i;
    ranks[2 * k + 1] = std::min(i + 1, last);
  }
  ranks = ranks.first(2 * levels.size());
  std::sort(ranks.begin(), ranks.end());
  ranks = ranks.first(
      size_t(std::unique(ranks.begin(), ranks.end()) - ranks.begin()));
  select(values.data(), 0, values.size(), ranks);
  for (double &level : levels) {
    const double h = level * double(last), t = h - std::floor(h);
    const auto i = size_t(std::floor(h));
    const double a = values[i], b = values[std::min(i + 1, last)];
    level = t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
  }
}

} // namespace tamrt
