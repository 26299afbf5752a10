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
#include "Random.h"
#include "Table.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tamc::reference {

/// A term of the formula, as text and as its penalty.
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
