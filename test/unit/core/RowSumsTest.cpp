//===- core/RowSumsTest.cpp - tests of dense sums of design rows ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/RowSums.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace tamrt::test {
namespace {

using Doubles = std::vector<double>;

/// Rows with many zeros, against plain loops.
TEST(RowSumsTest, EqualPlainLoops) {
  std::mt19937 random(1);
  auto number = [&] { return double(random() % 2000) / 1000 - 1; };
  for (size_t d = 1; d < 40; ++d) {
    SCOPED_TRACE(d);
    constexpr size_t count = 5;
    Doubles rows(count * d + kSumsVector, std::nan("")), ys, weights;
    for (size_t i = 0; i < count * d; ++i)
      rows[i] = random() % 3 == 0 ? 0 : number();
    for (size_t r = 0; r < count; ++r) {
      ys.push_back(r == 2 ? 0 : number());
      weights.push_back(number() + 2);
    }
    auto isSum = [&](const Doubles &matrix, const Doubles &vector, size_t first,
                     size_t end) {
      for (size_t k = 0; k <= d; ++k)
        for (size_t i = k < d ? k : 0; i < d; ++i) {
          double sum = 0;
          for (size_t r = first; r < end; ++r)
            sum += weights[r] * (k < d ? rows[r * d + k] : ys[r]) *
                   rows[r * d + i];
          const double found = k < d ? matrix[k * d + i] : vector[i];
          if (!(std::fabs(found - sum) <= 1e-14))
            return false;
        }
      // Nothing is written above the diagonal.
      for (size_t k = 1; k < d; ++k)
        for (size_t i = 0; i < k; ++i)
          if (matrix[k * d + i] != 7)
            return false;
      return true;
    };
    Doubles a(sumsSize(d)), b(sumsSize(d), std::nan(""));
    auto add = [&](size_t r, const Doubles &from, Doubles &to) {
      addRow(rows.data() + r * d, d, weights[r], ys[r], from.data(), to.data());
    };
    // Row 0 in `a`, and rows 0 to 2 in `b`.
    add(0, a, a);
    add(1, a, b);
    add(2, b, b);
    Doubles matrix(d * d, 7), vector(d);
    expandSums(b.data(), nullptr, d, 1, matrix.data(), vector.data());
    EXPECT_TRUE(isSum(matrix, vector, 0, 3));
    Doubles rest(sumsSize(d));
    add(3, rest, rest);
    add(4, rest, rest);
    expandSums(b.data(), rest.data(), d, 1, matrix.data(), vector.data());
    EXPECT_TRUE(isSum(matrix, vector, 0, 5));
    // The same, apart.
    constexpr size_t stride = 8;
    Doubles matrices(d * d * stride, 7), vectors(d * stride, 7);
    expandSums(b.data(), rest.data(), d, stride, matrices.data() + 3,
               vectors.data() + 3);
    for (auto [all, one] :
         {std::pair(&matrices, &matrix), std::pair(&vectors, &vector)})
      for (size_t k = 0; k < all->size(); ++k)
        EXPECT_EQ((*all)[k], k % stride == 3 ? (*one)[k / stride] : 7);
    // The first row, as a system.
    expandSums(a.data(), nullptr, d, 1, matrix.data(), vector.data());
    Doubles system(sumsSize(d));
    addSystem(matrix.data(), vector.data(), d, system.data());
    expandSums(system.data(), nullptr, d, 1, matrix.data(), vector.data());
    EXPECT_TRUE(isSum(matrix, vector, 0, 1));
  }
}

} // namespace
} // namespace tamrt::test
