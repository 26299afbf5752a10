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
#include <vector>

namespace tamrt {
namespace {

/// Brings the values at `ranks`, which ascend, to their places in the order.
/// All that lies in [first, last) belongs there.
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

void quantiles(std::span<double> values, std::span<double> levels) {
  const size_t last = values.size() - 1;
  std::vector<size_t> ranks;
  ranks.reserve(2 * levels.size());
  for (double level : levels) {
    const auto i = size_t(std::floor(level * double(last)));
    ranks.push_back(i);
    ranks.push_back(std::min(i + 1, last));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  select(values.data(), 0, values.size(), ranks);
  for (double &level : levels) {
    const double h = level * double(last), t = h - std::floor(h);
    const auto i = size_t(std::floor(h));
    const double a = values[i], b = values[std::min(i + 1, last)];
    level = t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
  }
}

} // namespace tamrt
