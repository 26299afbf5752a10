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
/// (docs/math.md section 3, term s), span by span as polynomials.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_CUBICS_H
#define TAMRT_KERNELS_CPU_CUBICS_H

#include "kernels/cpu/Support.h"
#include "tamrt/panels.h"

#include <algorithm>
#include <cstdint>

namespace tamrt::cpu {

/// The four cubic B-splines that do not vanish on a span, as polynomials in u,
/// the position of x in the span from 0 to 1: [power][function].
struct Cubics {
  alignas(32) double coefficients[4][4];
};

/// The cubics of every kind of span.
struct CubicTable {
  /// By panels::kindOfSpan.
  Cubics kinds[panels::kKindsOfSpan];

  constexpr CubicTable() : kinds() {
    for (int before = 0; before < 3; ++before)
      for (int after = 0; after < 3; ++after)
        fill(kinds[panels::kindOfSpan(before, after)], before, after);
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

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_CUBICS_H
