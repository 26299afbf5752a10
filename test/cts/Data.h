//===- Data.h - the rows of the suite ---------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_CTS_DATA_H
#define TAMC_TEST_CTS_DATA_H

#include "Table.h"

#include <cstdint>
#include <vector>

namespace tamc::cts {

/// Numbers of rows of the training groups, whose names are 1, 2, ...: around a
/// tile of the loops over rows and a segment of the sums. Each group is a shape
/// by itself. The shape of no rows is a call of each step before its other
/// calls (Runner.cpp).
inline const std::vector<int64_t> kShapes = {127, 1, 4097, 128, 300, 129};

/// Columns: g, the group, which alternates; t, the order in the group,
/// shuffled; a, b, d, e, any numbers; h, j, numbers on a grid; k, m, q, codes
/// of 5, 3 and 2 levels; day, text of 3 levels; w, weights, some of them 0;
/// y, the target. New rows have numbers beyond the training range and a level
/// that was not trained; groups have other numbers of them, the fifth none.
struct Data {
  Data();

  reference::Table train, fresh;
  /// The first rows of `fresh`, at most 129 per group.
  reference::Table few;
  /// Those of them whose group has more than one training row: one leaves
  /// nothing to estimate errors from.
  reference::Table uncertain;
};

} // namespace tamc::cts

#endif // TAMC_TEST_CTS_DATA_H
