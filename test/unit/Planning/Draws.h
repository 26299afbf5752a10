//===- Planning/Draws.h - random numbers of the tests -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_PLANNING_DRAWS_H
#define TAMC_TEST_PLANNING_DRAWS_H

#include <cstdint>
#include <random>

namespace tamc::planning::test {

/// A number from `low` to `high`, the same on every machine.
inline int64_t draw(std::mt19937_64 &random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % uint64_t(high - low + 1));
}

/// True in `percent` of 100 calls.
inline bool chance(std::mt19937_64 &random, int percent) {
  return draw(random, 0, 99) < percent;
}

} // namespace tamc::planning::test

#endif // TAMC_TEST_PLANNING_DRAWS_H
