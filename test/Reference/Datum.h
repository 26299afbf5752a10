//===- Datum.h - values of the reference interpreter ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values of the solver graph in the reference interpreter: plain numbers for
/// every encoding.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_REFERENCE_DATUM_H
#define TAMC_TEST_REFERENCE_DATUM_H

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace tamc::reference {

using Vector = std::vector<double>;

/// A column of levels' indices, or TAMRT_INDEX_NONE or TAMRT_INDEX_MEAN.
using Codes = std::vector<int32_t>;

/// A dense matrix, row by row.
struct Matrix {
  Matrix() = default;
  Matrix(size_t rows, size_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}

  double &at(size_t row, size_t column) {
    return values[row * columns + column];
  }
  double at(size_t row, size_t column) const {
    return values[row * columns + column];
  }

  bool operator==(const Matrix &) const = default;

  size_t rows = 0, columns = 0;
  Vector values;
};

/// An `index`, a tensor<?xi32>, a tensor of rank 1, a tensor of rank 2.
using Datum = std::variant<int64_t, Codes, Vector, Matrix>;

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_DATUM_H
