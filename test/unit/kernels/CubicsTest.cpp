//===- CubicsTest.cpp - products of cubic B-splines -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/cpu/Cubics.h"

#include "tamrt/panels.h"

#include "gtest/gtest.h"

namespace tamrt::cpu {
namespace {

TEST(CubicsTest, SquaresAndNeighboursGiveTheOtherProducts) {
  for (int64_t before = 0; before < 3; ++before)
    for (int64_t after = 0; after < 3; ++after) {
      const Cubics &cubics =
          cubicTable.kinds[panels::kindOfSpan(before, after)];
      const auto &up =
          panels::kCubicProducts[panels::kindOfSpan(before, after)];
      const auto &down =
          panels::kCubicProducts[panels::kindOfSpan(after, before)];
      for (double u = 0; u <= 1; u += 0x1p-5) {
        double f[4];
        for (int i = 0; i < 4; ++i)
          f[i] =
              ((cubics.coefficients[3][i] * u + cubics.coefficients[2][i]) * u +
               cubics.coefficients[1][i]) *
                  u +
              cubics.coefficients[0][i];
        double first = 0, last = 0;
        for (int i = 0; i < 4; ++i) {
          first += up[i] * f[i] * f[i];
          last += down[i] * f[3 - i] * f[3 - i];
        }
        for (int i = 0; i < 3; ++i) {
          first += up[4 + i] * f[i] * f[i + 1];
          last += down[4 + i] * f[3 - i] * f[2 - i];
        }
        EXPECT_NEAR(first, f[0] * f[2], 3e-16) << before << after << ' ' << u;
        EXPECT_NEAR(last, f[3] * f[1], 3e-16) << before << after << ' ' << u;
      }
    }
}

} // namespace
} // namespace tamrt::cpu
