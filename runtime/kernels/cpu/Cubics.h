//===- cpu/Cubics.h - cubic B-splines as polynomials ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Cubic B-splines on equidistant knots with ends of multiplicity four
/// (docs/math.md section 3, term s), span by span as polynomials, and how their
/// products with each other depend on one another.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_CUBICS_H
#define TAMRT_KERNELS_CPU_CUBICS_H

#include "kernels/cpu/Support.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tamrt::cpu {

/// The four cubic B-splines that do not vanish on a span, as polynomials in u,
/// the position of x in the span from 0 to 1: [power][function].
struct Cubics {
  alignas(32) double coefficients[4][4];
};

/// The functions on a span depend only on knots within two spans of it, so that
/// the kind of a span is the number of spans before and after it, each at most
/// two.
constexpr int64_t kindsOfSpan = 9;
TAMRT_INLINE constexpr int64_t kindOfSpan(int64_t before, int64_t after) {
  return 3 * std::min<int64_t>(before, 2) + std::min<int64_t>(after, 2);
}

/// The cubics of every kind of span.
struct CubicTable {
  /// By kindOfSpan.
  Cubics kinds[kindsOfSpan];

  constexpr CubicTable() : kinds() {
    for (int before = 0; before < 3; ++before)
      for (int after = 0; after < 3; ++after)
        fill(kinds[kindOfSpan(before, after)], before, after);
  }

private:
  /// The triangular scheme of evaluate() on polynomials, in units of spans from
  /// the start of this one.
  static constexpr void fill(Cubics &out, int before, int after) {
    double values[4][4] = {{1.0}};
    for (int p = 1; p <= 3; ++p) {
      double carried[4] = {};
      for (int i = 0; i < p; ++i) {
        const double low = std::max(1 - p + i, -before);
        const double high = std::min(i + 1, after + 1);
        double share[4], next[4] = {};
        for (int power = 0; power < 4; ++power)
          share[power] = values[i][power] / (high - low);
        for (int power = 0; power < 4; ++power) {
          const double below = power > 0 ? share[power - 1] : 0.0;
          values[i][power] = carried[power] + high * share[power] - below;
          next[power] = below - low * share[power];
        }
        for (int power = 0; power < 4; ++power)
          carried[power] = next[power];
      }
      for (int power = 0; power < 4; ++power)
        values[p][power] = carried[power];
    }
    for (int power = 0; power < 4; ++power)
      for (int i = 0; i < 4; ++i)
        out.coefficients[power][i] = values[i][power];
  }
};

inline constexpr CubicTable cubicTable;

/// The ten products of two of a span's functions are polynomials of degree six,
/// so that seven of them are a basis. These are the coefficients by which the
/// four squares and the three products of neighbours, in this order, combine to
/// the product of functions 0 and 2. By symmetry the same coefficients, with
/// functions counted from the other end and the kind of the mirrored span, give
/// the product of functions 3 and 1.
///
/// None is larger than 0.73, so that the two combined sums are as accurate as
/// the others.
struct CubicProducts {
  static constexpr int count = 7;
  /// [kindOfSpan][function of the product]
  double coefficients[kindsOfSpan][count];

  constexpr CubicProducts() : coefficients() {
    for (int64_t kind = 0; kind < kindsOfSpan; ++kind)
      solve(cubicTable.kinds[kind], coefficients[kind]);
  }

private:
  using Row = long double[count + 1];

  /// Coefficient `power` of the product of functions i and k.
  static constexpr long double product(const Cubics &cubics, int i, int k,
                                       int power) {
    long double sum = 0.0L;
    for (int p = std::max(0, power - 3); p <= std::min(3, power); ++p)
      sum += static_cast<long double>(cubics.coefficients[p][i]) *
             cubics.coefficients[power - p][k];
    return sum;
  }

  /// An equation for each power, by elimination.
  static constexpr void solve(const Cubics &cubics, double *out) {
    Row rows[count] = {};
    for (int power = 0; power < count; ++power) {
      for (int i = 0; i < 4; ++i)
        rows[power][i] = product(cubics, i, i, power);
      for (int i = 0; i < 3; ++i)
        rows[power][4 + i] = product(cubics, i, i + 1, power);
      rows[power][count] = product(cubics, 0, 2, power);
    }
    for (int column = 0; column < count; ++column) {
      int pivot = column;
      for (int row = column + 1; row < count; ++row)
        if (magnitude(rows[row][column]) > magnitude(rows[pivot][column]))
          pivot = row;
      for (int k = 0; k <= count; ++k)
        std::swap(rows[column][k], rows[pivot][k]);
      for (int row = 0; row < count; ++row) {
        if (row == column)
          continue;
        const long double factor = rows[row][column] / rows[column][column];
        for (int k = column; k <= count; ++k)
          rows[row][k] -= factor * rows[column][k];
      }
    }
    for (int i = 0; i < count; ++i)
      out[i] = static_cast<double>(rows[i][count] / rows[i][i]);
  }

  static constexpr long double magnitude(long double value) {
    return value < 0.0L ? -value : value;
  }
};

inline constexpr CubicProducts cubicProducts;

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_CUBICS_H
