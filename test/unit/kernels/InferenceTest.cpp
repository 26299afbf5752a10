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

  /// Gives the kernel only the lower triangle of a column-major matrix.
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
                 (k <= n / 10 ? 1.0 : 30.0 / condition);
        a[j * n + i] = a[i * n + j] =
            (sum + (i == j ? 3.0 * n / condition : 0.0)) * size[i] * size[j];
      }
    return a;
  }

  /// Returns the condition number of the scaled matrix.
  double expectInverse(const Doubles &a, int64_t n) {
    const Inverse inverse = invert(a, n);
    EXPECT_EQ(ctx.status, TAMRT_OK);
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
        EXPECT_NEAR(inverse.triangle[placeOf(i, j)], expected[j * n + i],
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
    return condition;
  }
};

TEST_F(InferenceTest, Inverse) {
  for (int64_t n : {1,   2,   3,   4,   5,   6,   7,   8,   9,   13,
                    31,  64,  65,  100, 126, 127, 128, 129, 130, 131,
                    132, 191, 192, 193, 255, 256, 257, 260, 300})
    expectInverse(positiveDefinite(n, 100.0), n);
}

TEST_F(InferenceTest, InverseOfIllConditionedMatrices) {
  for (int64_t n : {2, 3, 10, 63, 127, 128, 129, 300})
    for (double condition : {1e4, 1e7, 1e10}) {
      const double reached = expectInverse(positiveDefinite(n, condition), n);
      EXPECT_GT(reached, condition / (n < 10 ? 1000 : 10)) << n;
      EXPECT_LT(reached, condition * n * 10) << n;
    }
}

TEST_F(InferenceTest, InverseOfNumbersOfAnySize) {
  // Neither the sizes nor the condition number of the matrix itself matter.
  const Doubles a = {1e300, 1e145, 0, 0, 4e-10, 0, 0, 0, 1e-300};
  const Inverse inverse = invert(a, 3);
  EXPECT_NEAR(inverse.logDeterminant,
              std::log(4e290) + std::log(1e-300) + std::log1p(-0.25), 1e-9);
  EXPECT_LT(inverse.condition, 4.0);
  EXPECT_NEAR(inverse.triangle[0] * 1e300, 4.0 / 3, 1e-12);
  EXPECT_NEAR(inverse.triangle[2] * 4e-10, 4.0 / 3, 1e-12);
  EXPECT_NEAR(inverse.triangle[5] / 1e300, 1.0, 1e-12);
  // A diagonal matrix.
  const Inverse diagonal = invert({4.0, 0.0, 0.0, 0.25}, 2);
  EXPECT_EQ(diagonal.triangle, (Doubles{0.25, 0.0, 4.0}));
  EXPECT_EQ(diagonal.logDeterminant, 0.0);
  EXPECT_EQ(diagonal.condition, 1.0);
}

TEST_F(InferenceTest, InverseNamesThePivot) {
  for (int64_t n : {1, 5, 40, 128, 200, 300})
    for (double bad : {0.0, -1.0})
      for (int64_t pivot : {int64_t(0), n / 2, n - 1}) {
        Doubles a(n * n);
        for (int64_t i = 0; i < n; ++i)
          a[i * (n + 1)] = 2.0;
        a[pivot * (n + 1)] = bad;
        invert(a, n);
        SCOPED_TRACE("n " + std::to_string(n) + " pivot " +
                     std::to_string(pivot) + " of " + std::to_string(bad));
        expectError(TAMRT_ERROR_NOT_POSITIVE_DEFINITE, pivot);
      }
  // Column 3 is twice column 1, but for a part of its diagonal; then no number.
  const int64_t n = 50;
  for (bool isNumber : {true, false}) {
    Doubles a = positiveDefinite(n, 10.0);
    for (int64_t i = 0; i < n; ++i)
      a[3 * n + i] = a[i * n + 3] = 2 * a[n + i];
    a[3 * n + 3] = 4 * a[n + 1] * (1 - 1e-12);
    if (!isNumber)
      a[n + 2] = std::nan("");
    invert(a, n);
    expectError(TAMRT_ERROR_NOT_POSITIVE_DEFINITE, isNumber ? 3 : 2);
  }
}

TEST_F(InferenceTest, InverseTellsAnOverflow) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (int64_t n : {1, 5, 40, 200})
    for (double bad : {std::nan(""), infinity, -infinity})
      for (int64_t column : {int64_t(0), n / 2, n - 1}) {
        Doubles a(n * n);
        for (int64_t i = 0; i < n; ++i)
          a[i * (n + 1)] = i == 1 ? -1.0 : 2.0;
        a[column * (n + 1)] = bad;
        invert(a, n);
        SCOPED_TRACE("n " + std::to_string(n) + " column " +
                     std::to_string(column) + " of " + std::to_string(bad));
        expectError(TAMRT_ERROR_OVERFLOW, column);
      }
}

/// Effects of a sparse matrix.
struct Effects {
  struct Effect {
    /// Columns; numbers a row; how many of them at a time have consecutive
    /// columns.
    int64_t columns, numbers, run;
  };

  explicit Effects(std::vector<Effect> list) : effects(std::move(list)) {
    for (const Effect &effect : effects) {
      columns += effect.columns;
      ends.push_back(z += effect.numbers);
    }
  }

  int64_t count() const { return static_cast<int64_t>(ends.size()); }

  std::vector<Effect> effects;
  int64_t columns = 0, z = 0;
  std::vector<int64_t> ends;
};

class FormsTest : public InferenceTest {
protected:
  /// Draws random columns of the numbers of `rows` rows, and their values. The
  /// last numbers of some rows' effects are padding.
  void draw(const Effects &model, int64_t rows, bool shuffled) {
    values = uniforms(rows * model.z);
    index.clear();
    for (int64_t r = 0; r < rows; ++r) {
      int64_t first = 0;
      for (const auto &[columns, numbers, run] : model.effects) {
        const size_t begin = index.size();
        const int64_t padding = r % 3 == 1 ? (numbers + 2) / 3 : 0;
        int64_t free = columns - numbers, column = first;
        for (int64_t i = 0; i < numbers - padding; ++i, ++column) {
          if (i % run == 0 && free > 0) {
            const auto gap = static_cast<int64_t>(uniform(0, free + 1));
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
  }

  Doubles forms(const Effects &model, const Doubles &triangle, int64_t rows) {
    Doubles out(rows * (1 + model.count()), std::nan(""));
    tamrt_quadratic_forms(&ctx, values.data(), index.data(), model.ends.data(),
                          triangle.data(), rows, model.z, model.count(),
                          out.data());
    return out;
  }

  /// The form of numbers [begin, end) of all rows.
  double form(const Doubles &triangle, int64_t begin, int64_t end) const {
    long double sum = 0;
    for (int64_t i = begin; i < end; ++i)
      for (int64_t k = begin; k < end; ++k)
        sum += static_cast<long double>(values[i]) * values[k] *
               triangle[placeOf(index[i], index[k])];
    return static_cast<double>(sum);
  }

  const std::vector<Effects> models = {
      Effects({{1, 1, 1}}),
      Effects({{2, 2, 2}}),
      Effects({{1, 1, 1}, {23, 4, 4}}),
      Effects({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {20, 20, 20}}),
      Effects({{2, 2, 2}, {3, 3, 3}, {1, 1, 1}, {5, 5, 5}, {6, 6, 6}}),
      Effects({{5, 5, 5}, {7, 1, 1}, {23, 4, 4}, {60, 16, 4}, {40, 10, 1}}),
      Effects({{1, 1, 1}, {90, 62, 62}, {3, 1, 1}}),
      Effects({{1, 1, 1}, {90, 63, 3}, {3, 1, 1}}),
      Effects({{64, 64, 64}, {64, 64, 64}, {64, 64, 64}}),
      Effects({{150, 150, 150}, {3, 2, 1}}),
      Effects({{90, 70, 3}, {90, 70, 1}}),
      Effects({{300, 200, 5}, {4, 2, 2}, {30, 20, 2}}),
  };
  Doubles values;
  std::vector<int32_t> index;
};

TEST_F(FormsTest, AgainstPlainLoops) {
  const int64_t rows = 7;
  for (const Effects &model : models)
    for (bool shuffled : {false, true}) {
      const Doubles triangle =
          uniforms(model.columns * (model.columns + 1) / 2);
      draw(model, rows, shuffled);
      const Doubles out = forms(model, triangle, rows);
      for (int64_t r = 0; r < rows; ++r) {
        const double *row = out.data() + r * (1 + model.count());
        const int64_t first = r * model.z;
        EXPECT_NEAR(row[0], form(triangle, first, first + model.z),
                    1e-13 * model.z)
            << r;
        for (int64_t e = 0, begin = first; e < model.count(); ++e) {
          EXPECT_NEAR(row[1 + e], form(triangle, begin, first + model.ends[e]),
                      1e-13 * model.z)
              << r << " " << e;
          begin = first + model.ends[e];
        }
      }
    }
}

TEST_F(FormsTest, TheSameBitsOfColumnsApart) {
  // Every other column of a larger matrix: none are consecutive.
  const int64_t rows = 9;
  for (const Effects &model : models) {
    const Doubles triangle = uniforms(model.columns * (model.columns + 1) / 2);
    Doubles large(model.columns * (2 * model.columns + 1), std::nan(""));
    for (int64_t i = 0; i < model.columns; ++i)
      for (int64_t j = 0; j <= i; ++j)
        large[placeOf(2 * i, 2 * j)] = triangle[placeOf(i, j)];
    draw(model, rows, false);
    const Doubles expected = forms(model, triangle, rows);
    for (int32_t &column : index)
      column *= 2;
    EXPECT_EQ(forms(model, large, rows), expected);
  }
}

TEST_F(FormsTest, OneRowAtATime) {
  const int64_t rows = 5;
  const Effects &model = models[5];
  const Doubles triangle = uniforms(model.columns * (model.columns + 1) / 2);
  draw(model, rows, false);
  const Doubles all = forms(model, triangle, rows);
  for (int64_t r = 0; r < rows; ++r) {
    const Doubles row = forms(model, triangle, 1);
    EXPECT_TRUE(std::equal(row.begin(), row.end(),
                           all.begin() + r * (1 + model.count())));
    values.erase(values.begin(), values.begin() + model.z);
    index.erase(index.begin(), index.begin() + model.z);
  }
}

TEST_F(FormsTest, ColumnsThatRepeat) {
  const Effects model({{1, 1, 1}, {9, 6, 3}});
  const Doubles triangle = uniforms(55);
  values = uniforms(model.z);
  index = {0, 5, 6, 7, 4, 5, 6};
  const Doubles out = forms(model, triangle, 1);
  EXPECT_NEAR(out[0], form(triangle, 0, 7), 1e-14);
  EXPECT_NEAR(out[2], form(triangle, 1, 7), 1e-14);
}

TEST_F(InferenceTest, ColumnMeans) {
  const Doubles a = {4.0, 8.0, -2.0, 0.0, 9.0, 9.0, 0.0, 0.0, 9.0};
  Doubles means(3, std::nan(""));
  tamrt_column_means(&ctx, a.data(), 4, 3, means.data());
  EXPECT_EQ(means, (Doubles{0.0, 2.0, -0.5}));
  tamrt_column_means(&ctx, a.data(), 1, 3, means.data());
  EXPECT_EQ(means, (Doubles{0.0, 8.0, -2.0}));
  tamrt_column_means(&ctx, a.data(), 1, 1, means.data());
  EXPECT_EQ(means, (Doubles{0.0, 8.0, -2.0}));
}

TEST_F(InferenceTest, EffectiveDegreesOfFreedom) {
  // The second effect has no columns.
  const int64_t effects = 4, penalties = 7, ends[] = {1, 1, 4, 6};
  const Doubles inverse = uniforms(21);
  const int32_t row[] = {0, 1, 2, 2, 5, 5, 4}, column[] = {0, 1, 1, 2, 4, 5, 4};
  const double value[] = {0.5, 2.0, -1.0, 3.0, 0.25, 1.5, -0.75};
  const int32_t which[] = {0, 1, 1, 0, 1, 0, 0};
  const double weights[] = {2.0, 0.125};
  for (int64_t T : {1, 1000, 1000000}) {
    Doubles edf(effects, std::nan("")), expected;
    tamrt_effective_df(&ctx, ends, inverse.data(), T, effects, edf.data());
    int64_t j = 0;
    for (int64_t end : ends) {
      double sum = static_cast<double>(end - j);
      for (; j < end; ++j)
        sum -= 1e-6 * T * inverse[placeOf(j, j)];
      expected.push_back(sum);
    }
    for (int e = 0; e < effects; ++e)
      EXPECT_NEAR(edf[e], expected[e], 2e-15);
    for (bool learnt : {false, true}) {
      for (int p = 0; p < penalties; ++p) {
        const double product = T * value[p] *
                               (learnt ? weights[which[p]] : 1.0) *
                               inverse[placeOf(row[p], column[p])];
        const int e = row[p] < 1 ? 0 : row[p] < 4 ? 2 : 3;
        expected[e] -= row[p] == column[p] ? product : 2 * product;
      }
      tamrt_penalty_trace(&ctx, ends, row, column, value,
                          learnt ? which : nullptr, learnt ? weights : nullptr,
                          inverse.data(), T, effects, penalties, edf.data());
      for (int e = 0; e < effects; ++e)
        EXPECT_NEAR(edf[e], expected[e], 1e-15 * T) << e;
    }
  }
}

TEST_F(InferenceTest, DegreesOfFreedomOfAFit) {
  // The trace of each effect's block of A^-1 G, where A = G + T P + 1e-6 T I.
  const int64_t n = 9, ends[] = {1, 5, 9};
  Doubles penalty;
  std::vector<int32_t> row, column;
  for (int32_t j = 1; j < n; ++j) {
    row.push_back(j), column.push_back(j), penalty.push_back(2.0);
    if (j != 1 && j != 5)
      row.push_back(j), column.push_back(j - 1), penalty.push_back(-0.9);
  }
  const int64_t penalties = penalty.size();
  for (int64_t T : {1, 4, 50}) {
    const Doubles design = uniforms(T * n);
    Doubles gram(n * n);
    for (int64_t r = 0; r < T; ++r)
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
          gram[i * n + j] += design[r * n + i] * design[r * n + j];
    const int64_t table[] = {1, 0, n, n, 0, 0};
    const double *blocks[] = {gram.data()};
    Doubles a(n * n);
    tamrt_assemble_matrix(&ctx, table, row.data(), column.data(),
                          penalty.data(), blocks, 1, T, n, penalties, a.data());
    const Inverse inverse = invert(a, n);
    Doubles edf(3);
    tamrt_effective_df(&ctx, ends, inverse.triangle.data(), T, 3, edf.data());
    tamrt_penalty_trace(&ctx, ends, row.data(), column.data(), penalty.data(),
                        nullptr, nullptr, inverse.triangle.data(), T, 3,
                        penalties, edf.data());
    for (int64_t e = 0, j = 0; e < 3; ++e) {
      double trace = 0;
      for (; j < ends[e]; ++j)
        for (int64_t i = 0; i < n; ++i)
          trace += inverse.triangle[placeOf(i, j)] * gram[i * n + j];
      EXPECT_NEAR(edf[e], trace, 1e-10) << T << " " << e;
      EXPECT_GT(edf[e], -1e-10);
      EXPECT_LT(edf[e], ends[e] - (e ? ends[e - 1] : 0));
    }
  }
}

} // namespace

} // namespace tamrt::test
