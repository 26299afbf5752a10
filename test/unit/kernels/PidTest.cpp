//===- kernels/PidTest.cpp - tests of the map along time ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Proportional, integral and derivative columns against their definition, and
/// their independence of where chunks end.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <cmath>
#include <cstring>

namespace tamrt::test {

namespace {

class PidTest : public KernelTest {
protected:
  /// The columns of all rows, made in chunks.
  Doubles run(const Doubles &x, int64_t window, int64_t chunk) {
    const int64_t rows = x.size();
    Doubles values(3 * rows, std::nan(""));
    // What the carry holds before the first row is never read.
    Doubles carry(window + 2, std::nan(""));
    for (int64_t begin = 0; begin < rows; begin += chunk) {
      const int64_t end = std::min(rows, begin + chunk);
      const Doubles part(x.begin() + begin, x.begin() + end);
      tamrt_pid(&ctx, part.data(), end - begin, begin, rows, window,
                carry.data(), values.data() + 3 * begin);
    }
    return values;
  }
};

TEST_F(PidTest, MatchesTheDefinition) {
  for (int64_t rows : {1, 2, 7, 8, 50, 131})
    for (int64_t window : {0, 1, 2, 7, 16, 50, 200}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, window " +
                   std::to_string(window));
      const Doubles x = uniforms(rows, -2.0, 3.0);
      const Doubles values = run(x, window, rows);
      for (int64_t t = 0; t < rows; ++t) {
        long double sum = 0;
        for (int64_t s = t; s >= 0 && (window == 0 || t - s < window); --s)
          sum += x[s];
        if (window > 0)
          sum /= std::min(window, rows);
        EXPECT_EQ(values[3 * t], x[t]);
        EXPECT_NEAR(values[3 * t + 1], sum, 1e-13);
        EXPECT_EQ(values[3 * t + 2], t > 0 ? x[t] - x[t - 1] : x[t]);
      }
    }
}

TEST_F(PidTest, BytesDoNotDependOnChunks) {
  for (int64_t window : {0, 1, 3, 7, 32, 100, 500}) {
    const Doubles x = uniforms(333, -2.0, 3.0);
    const Doubles whole = run(x, window, x.size());
    for (int64_t chunk : {1, 2, 6, 7, 31, 32, 33, 150})
      EXPECT_EQ(0, std::memcmp(run(x, window, chunk).data(), whole.data(),
                               whole.size() * sizeof(double)))
          << "window " << window << ", chunks of " << chunk;
  }
}

// A sum that takes off what leaves the window would keep the rounding errors of
// a large value for ever.
TEST_F(PidTest, ForgetsLargeValues) {
  Doubles x(100, 0.25);
  x[3] = 1e17;
  const Doubles values = run(x, 4, 9);
  for (int64_t t = 7; t < 100; ++t)
    EXPECT_EQ(values[3 * t + 1], 0.25) << "row " << t;
}

TEST_F(PidTest, KeepsWhatLaterRowsNeed) {
  const Doubles x = {1.0, 2.0, 4.0, 8.0, 16.0};
  Doubles values(15), carry(3 + 2, std::nan(""));
  tamrt_pid(&ctx, x.data(), 5, 0, 9, 3, carry.data(), values.data());
  EXPECT_EQ(carry, (Doubles{8.0, 16.0, 4.0, 16.0, 24.0}));
  tamrt_pid(&ctx, x.data(), 0, 5, 9, 3, carry.data(), values.data());
  EXPECT_EQ(carry, (Doubles{8.0, 16.0, 4.0, 16.0, 24.0})) << "no rows";
}

TEST_F(PidTest, ArgumentsOutsideTheContract) {
  double x = 0.0, carry[3], values[3];
  tamrt_pid(&ctx, &x, 1, -1, 1, 1, carry, values);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 3);
  tamrt_pid(&ctx, &x, 1, 3, 3, 1, carry, values);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 4);
  tamrt_pid(&ctx, &x, 1, 0, 1, -1, carry, values);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 5);
}

} // namespace

} // namespace tamrt::test
