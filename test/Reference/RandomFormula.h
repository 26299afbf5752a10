//===- RandomFormula.h - random formulas of all terms -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_REFERENCE_RANDOMFORMULA_H
#define TAMC_TEST_REFERENCE_RANDOMFORMULA_H

#include "Random.h"
#include "Table.h"

#include <string>
#include <vector>

namespace tamc::reference {

/// A formula of 1 to `terms` terms of all kinds, including consecutive linear
/// terms and categories, and terms of columns with few values; each has few
/// columns.
std::string randomFormula(Random &random, int64_t terms);

/// Rows for these formulas: per group `rows` / 3 to `rows` rows. `spread`
/// widens the values beyond a range of 1. Columns: g, the group; a, b, d,
/// numbers; h, of 12 values half an hour apart; k, m and day, levels; w,
/// weights of at most 1; y.
Table randomRows(Random &random, const std::vector<std::string> &groups,
                 int64_t rows, double spread);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_RANDOMFORMULA_H
