//===- kernels/InferenceTest.cpp - tests of the kernels of inference ------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The inverse of the normal equations, its traces and its quadratic forms,
/// against plain loops in long double.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <cmath>
#include <numeric>

namespace tamrt::test {

namespace {

using Longs = std::vector<long double>;

int64_t placeOf(int64_t i, int64_t j) {
  return std::max(i, j) * (std::max(i, j) + 1) / 2 + std::min(i, j);
}

class InferenceTest : public KernelTest {
protected:
  /// The result of cholesky_inverse.
  struct Inverse {
    Doubles triangle;
    double logDeterminant, condition;
  };

  /// Checks that only the lower triangle of a column-major matrix is read.
  Inverse invert(const Doubles &a, int64_t n) {
    Doubles lower = a, numbers(2, std::nan(""));
    for (int64_t j = 0; j < n; ++j)
      std::fill_n(lower.begin() + j * n, j, std::nan(""));
    Inverse result = {Doubles(n * (n + 1) / 2, std::nan("")), 0, 0};
    Workspace workspace(TAMRT_INVERSE_WORKSPACE(n));
    tamrt_cholesky_inverse(&ctx, n, lower.data(), result.triangle.data(),
                           numbers.data(), workspace.data());
    result.logDeterminant = numbers[0];
    result.condition = numbers[1];
    return result;
  }

  /// The inverse, whole, by Gauss and Jordan, and log|A|. The matrix is
  /// positive definite, so that it needs no pivoting.
  static Longs invertInLong(const Doubles &a, int64_t n,
                            long double &logDeterminant) {
    Longs x(a.begin(), a.end());
    logDeterminant = 0;
    for (int64_t k = 0; k < n; ++k) {
      const long double pivot = x[k * n + k];
      logDeterminant += std::log(pivot);
      x[k * n + k] = 1;
      for (int64_t i = 0; i < n; ++i)
        x[k * n + i] /= pivot;
      for (int64_t j = 0; j < n; ++j) {
        if (j == k)
          continue;
        const long double factor = x[j * n + k];
        x[j * n + k] = 0;
        for (int64_t i = 0; i < n; ++i)
          x[j * n + i] -= factor * x[k * n + i];
      }
    }
    return x;
  }

  static long double oneNorm(const Longs &a, const Longs &scales, int64_t n) {
    long double norm = 0;
    for (int64_t j = 0; j < n; ++j) {
      long double sum = 0;
      for (int64_t i = 0; i < n; ++i)
        sum += std::abs(a[j * n + i] * scales[i] * scales[j]);
      norm = std::max(norm, sum);
    }
    return norm;
  }

  /// A random matrix whose condition number, scaled to a unit diagonal, is
  /// about `condition`; its columns have different sizes.
  Doubles positiveDefinite(int64_t n, double condition) {
    Doubles a(n * n);
    const Doubles root = uniforms(n * n), size = uniforms(n, 0.01, 100.0);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = j; i < n; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < n; ++k)
          sum += root[k * n + i] * root[k * n + j] *
                 (k < 2 ? 1.0 : 30.0 / condition);
        a[j * n + i] = a[i * n + j] =
            (sum + (i == j ? 3.0 * n / condition : 0.0)) * size[i] * size[j];
      }
    return a;
  }

  void expectInverse(const Doubles &a, int64_t n) {
    const Inverse inverse = invert(a, n);
    ASSERT_EQ(ctx.status, TAMRT_OK);
    long double logDeterminant;
    const Longs expected = invertInLong(a, n, logDeterminant);
    Longs scales(n), inverses(n);
    for (int64_t i = 0; i < n; ++i) {
      scales[i] = 1 / std::sqrt((long double)a[i * (n + 1)]);
      inverses[i] = 1 / scales[i];
    }
    const double condition = oneNorm(Longs(a.begin(), a.end()), scales, n) *
                             oneNorm(expected, inverses, n);
    const double accuracy = condition * 0x1p-52;
    EXPECT_NEAR(inverse.condition, condition,
                condition * std::min(accuracy + n * 0x1p-51, 1.0));
    EXPECT_NEAR(inverse.logDeterminant, logDeterminant,
                accuracy + 0x1p-50 * n * (1 + std::abs(logDeterminant)));
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        const double size =
            std::sqrt(expected[i * (n + 1)]) * std::sqrt(expected[j * (n + 1)]);
        ASSERT_NEAR(inverse.triangle[placeOf(i, j)], expected[j * n + i],
                    (4 * accuracy + 0x1p-50) * size)
            << n << ": " << i << ", " << j;
      }
    for (int time = 0; time < 3; ++time) {
      const Doubles phi = uniforms(n);
      long double form = 0, sum = 0;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const long double weight = (long double)phi[i] * phi[j];
          form += weight * inverse.triangle[placeOf(i, j)];
          sum += weight * expected[j * n + i];
        }
      EXPECT_LE(std::abs(form / sum - 1), accuracy + n * 0x1p-52)
          << n << " of condition " << condition;
    }
  }
};

TEST_F(InferenceTest, Inverse) {
  for (int64_t n :
       {1,   2,   3,   4,   5,   6,   7,   8,   9,   13,  31,  64,  65,
        100, 126, 127, 128, 129, 130, 131, 132, 191, 192, 193, 260, 300})
    expectInverse(positiveDefinite(n, 100.0), n);
}

TEST_F(InferenceTest, InverseOfIllConditionedMatrices) {
  for (int64_t n : {3, 10, 63, 127, 128, 129, 300})
    for (double condition : {1e4, 1e7, 1e10})
      expectInverse(positiveDefinite(n, condition), n);
}

/// Rows of the sparse matrix of several effects.
struct Effects {
  struct Effect {
    /// Columns; numbers a row; how many of them have consecutive columns.
    int64_t columns, numbers, run;
  };
  std::vector<Effect> effects;
  int64_t columns = 0, z = 0;
  std::vector<int64_t> ends;

  explicit Effects(std::vector<Effect> list) : effects(std::move(list)) {
    for (const Effect &effect : effects) {
      columns += effect.columns;
      ends.push_back(z += effect.numbers);
    }
  }
};

TEST_F(InferenceTest, QuadraticForms) {
  const int64_t rows = 7;
  for (const Effects &model :
       {Effects({{1, 1, 1}}), Effects({{2, 2, 2}}),
        Effects({{1, 1, 1}, {23, 4, 4}}),
        Effects({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {20, 20, 20}}),
        Effects({{5, 5, 5}, {7, 1, 1}, {23, 4, 4}, {60, 16, 4}, {40, 10, 1}}),
        Effects({{150, 150, 150}, {3, 2, 1}}),
        Effects({{90, 70, 3}, {90, 70, 1}})})
    for (bool shuffled : {false, true}) {
      const Doubles triangle =
          uniforms(model.columns * (model.columns + 1) / 2);
      Doubles values = uniforms(rows * model.z);
      std::vector<int32_t> index;
      for (int64_t r = 0; r < rows; ++r) {
        int64_t first = 0;
        for (const auto &[columns, numbers, run] : model.effects) {
          const size_t begin = index.size();
          // The last numbers are padding, whose column is the first.
          const int64_t padding = r % 3 == 1 ? numbers / 3 : 0;
          int64_t free = columns - numbers, column = first;
          for (int64_t i = 0; i < numbers - padding; ++i, ++column) {
            if (i % run == 0 && free > 0) {
              const int64_t gap = static_cast<int64_t>(uniform(0, free));
              column += gap;
              free -= gap;
            }
            index.push_back(static_cast<int32_t>(column));
          }
          if (shuffled)
            std::shuffle(index.begin() + begin, index.end(), generator);
          for (int64_t i = numbers - padding; i < numbers; ++i) {
            values[index.size()] = 0.0;
            index.push_back(static_cast<int32_t>(first));
          }
          first += columns;
        }
      }
      const int64_t count = model.effects.size();
      Doubles out(rows * (1 + count), std::nan(""));
      tamrt_quadratic_forms(&ctx, values.data(), index.data(),
                            model.ends.data(), triangle.data(), rows, model.z,
                            count, out.data());
      for (int64_t r = 0; r < rows; ++r) {
        auto form = [&](int64_t begin, int64_t end) {
          long double sum = 0;
          for (int64_t i = r * model.z + begin; i < r * model.z + end; ++i)
            for (int64_t k = r * model.z + begin; k < r * model.z + end; ++k)
              sum += (long double)values[i] * values[k] *
                     triangle[placeOf(index[i], index[k])];
          return static_cast<double>(sum);
        };
        const double *row = out.data() + r * (1 + count);
        EXPECT_NEAR(row[0], form(0, model.z), 1e-13 * model.z) << r;
        for (int64_t e = 0; e < count; ++e)
          EXPECT_NEAR(row[1 + e],
                      form(e ? model.ends[e - 1] : 0, model.ends[e]),
                      1e-13 * model.z)
              << r << " " << e;
      }
    }
}

TEST_F(InferenceTest, ColumnMeans) {
  const Doubles a = {4.0, 8.0, -2.0, 0.0, 9.0, 9.0, 0.0, 0.0, 9.0};
  Doubles means(3, std::nan(""));
  tamrt_column_means(&ctx, a.data(), 4, 3, means.data());
  EXPECT_EQ(means, (Doubles{0.0, 2.0, -0.5}));
}

TEST_F(InferenceTest, EffectiveDegreesOfFreedom) {
  const int64_t T = 1000, ends[] = {1, 4, 6};
  const Doubles inverse = uniforms(21);
  Doubles edf(3, std::nan(""));
  tamrt_effective_df(&ctx, ends, inverse.data(), T, 3, edf.data());
  int64_t column = 0;
  Doubles expected;
  for (int64_t end : ends) {
    double sum = static_cast<double>(end - column);
    for (; column < end; ++column)
      sum -= 1e-6 * T * inverse[placeOf(column, column)];
    expected.push_back(sum);
  }
  for (int e = 0; e < 3; ++e)
    EXPECT_NEAR(edf[e], expected[e], 1e-15);

  const int32_t row[] = {0, 1, 2, 2, 5, 5, 4},
                column7[] = {0, 1, 1, 2, 4, 5, 4};
  const double value[] = {0.5, 2.0, -1.0, 3.0, 0.25, 1.5, -0.75};
  const int32_t which[] = {0, 1, 1, 0, 1, 0, 0};
  const double weights[] = {2.0, 0.125};
  for (bool learnt : {false, true}) {
    for (int p = 0; p < 7; ++p) {
      const double product = T * value[p] * (learnt ? weights[which[p]] : 1.0) *
                             inverse[placeOf(row[p], column7[p])];
      const int e = row[p] < 1 ? 0 : row[p] < 4 ? 1 : 2;
      expected[e] -= row[p] == column7[p] ? product : 2 * product;
    }
    tamrt_penalty_trace(&ctx, ends, row, column7, value,
                        learnt ? which : nullptr, learnt ? weights : nullptr,
                        inverse.data(), T, 3, 7, edf.data());
    for (int e = 0; e < 3; ++e)
      EXPECT_NEAR(edf[e], expected[e], 1e-12) << e;
  }
}

} // namespace

} // namespace tamrt::test
