//===- core/data/TrainingRows.cpp - normalised training rows --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/TrainingRows.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tamrt {

Status TrainingRows::points(std::span<const uint32_t> rows,
                            std::span<const int32_t> inputs, double *out) {
  // Rows in order, each with its place in the list.
  std::vector<std::pair<uint32_t, size_t>> wanted;
  wanted.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    wanted.emplace_back(rows[i], i);
  std::sort(wanted.begin(), wanted.end());
  return forEachRun([&](const Run &run) {
    auto at = std::lower_bound(wanted.begin(), wanted.end(),
                               std::pair(uint32_t(run.first), size_t(0)));
    for (; at != wanted.end() && at->first < run.first + run.rows; ++at)
      pointOf(run, at->first - run.first, inputs,
              out + at->second * inputs.size());
  });
}

} // namespace tamrt
