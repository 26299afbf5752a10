//===- core/data/TrainingRows.cpp - normalised training rows --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/TrainingRows.h"

#include <algorithm>

namespace tamrt {

bool TrainingRows::points(std::span<Wanted> wanted,
                          std::span<const int32_t> inputs, double *out) const {
  auto isBefore = [](const Wanted &a, const Wanted &b) {
    return a.row != b.row ? a.row < b.row : a.place < b.place;
  };
  std::sort(wanted.begin(), wanted.end(), isBefore);
  return forEachRun([&](const Run &run) {
    auto at = std::lower_bound(wanted.begin(), wanted.end(),
                               Wanted{uint32_t(run.first), 0}, isBefore);
    for (; at != wanted.end() && at->row < run.first + run.rows; ++at)
      pointOf(run, at->row - run.first, inputs,
              out + at->place * inputs.size());
  });
}

} // namespace tamrt
