//===- RandomModel.h - random specs on random data --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A random model and data for it, the same for the same seed on every machine:
/// formulas of l, f, s, c and p with random parameters and modes of
/// extrapolation, one to three uneven groups, with and without row weights and
/// dates, rows shuffled, new rows far beyond the training range.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_UNIT_DIFFERENTIAL_RANDOMMODEL_H
#define TAMC_TEST_UNIT_DIFFERENTIAL_RANDOMMODEL_H

#include "Datum.h"
#include "Table.h"

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace tamc::reference {

/// Numbers from a seed. The distributions are written out because those of the
/// standard library differ between implementations.
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
  double normal();
  template <typename T> const T &pick(const std::vector<T> &values) {
    return values[integer(0, static_cast<int64_t>(values.size()) - 1)];
  }

private:
  std::mt19937_64 engine;
};

/// A term of the formula, as text and as the penalty that belongs to it.
struct RandomTerm {
  std::string text;
  /// P, lambda included (docs/math.md section 3), given the number of columns
  /// of the term's design matrix.
  std::function<Matrix(size_t columns)> penalty;
};

struct RandomModel {
  explicit RandomModel(uint32_t seed);

  std::vector<RandomTerm> terms;
  /// Keys of the spec; empty: left out.
  std::string group, date, weights;
  Table train, fresh;
  /// Rows of a chunk that do not divide the groups evenly.
  int64_t chunkRows = 1;

  std::string formula() const;
  std::string yaml() const;
};

} // namespace tamc::reference

#endif // TAMC_TEST_UNIT_DIFFERENTIAL_RANDOMMODEL_H
