//===- Random.h - numbers from a seed ---------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_REFERENCE_RANDOM_H
#define TAMC_TEST_REFERENCE_RANDOM_H

#include <cstdint>
#include <random>
#include <vector>

namespace tamc::reference {

/// Numbers from a seed. The distributions are implemented here because those of
/// the standard library differ between implementations.
class Random {
public:
  explicit Random(uint32_t seed) : engine(seed) {}

  /// An integer of lo..hi.
  int64_t integer(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(engine() % uint64_t(hi - lo + 1));
  }
  bool flip() { return integer(0, 1) == 1; }
  /// A number of [lo, hi).
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(engine() >> 11) * 0x1p-53;
  }
  /// Roughly normal: mean 0, variance 1.
  double normal() {
    double sum = 0;
    for (int i = 0; i < 12; ++i)
      sum += uniform(-0.5, 0.5);
    return sum;
  }
  template <typename T> const T &pick(const std::vector<T> &values) {
    return values[integer(0, static_cast<int64_t>(values.size()) - 1)];
  }

private:
  std::mt19937_64 engine;
};

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_RANDOM_H
