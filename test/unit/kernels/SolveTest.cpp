//===- kernels/SolveTest.cpp - tests of the direct solver -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The normal equations and their solution against plain loops.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "kernels/cpu/Substitution.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

namespace tamrt::test {

namespace {

class SolveTest : public KernelTest {
protected:
  /// A random symmetric positive definite matrix, column-major, whole.
  Doubles positiveDefinite(int64_t n) {
    const Doubles factor = uniforms(n * n);
    Doubles a(n * n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t k = 0; k < n; ++k)
          a[j * n + i] += factor[i * n + k] * factor[j * n + k];
        if (i == j)
          a[j * n + i] += 0.5;
      }
    return a;
  }

  /// Workspaces of cholesky_solve and of cholesky_factor.
  double *workspace(int64_t n) {
    return space.emplace(TAMRT_SOLVE_WORKSPACE(n)).data();
  }
  double *factorSpace(int64_t n) {
    return space.emplace(TAMRT_FACTOR_WORKSPACE(n)).data();
  }

private:
  std::optional<Workspace> space;
};

TEST_F(SolveTest, Zero) {
  Doubles out = {1.0, 2.0, 3.0};
  tamrt_zero(&ctx, 2, out.data());
  EXPECT_EQ(out, (Doubles{0.0, 0.0, 3.0}));
}

TEST_F(SolveTest, AddPenalty) {
  const int32_t row[] = {1, 2, 2, 1}, column[] = {1, 0, 2, 1};
  const int32_t which[] = {0, 2, 1, 2};
  const double value[] = {0.5, 2.0, 4.0, 1.0}, weights[] = {3.0, 0.25, 5.0};
  Doubles a(9, 1.0);
  tamrt_add_penalty(&ctx, row, column, value, which, weights, 10, 3, 4,
                    a.data());
  EXPECT_EQ(a, (Doubles{1.0, 1.0, 101.0, 1.0, 66.0, 1.0, 1.0, 1.0, 11.0}));
}

TEST_F(SolveTest, PenaltyValues) {
  // Two parts of entry 0, none of entry 1, one of entry 2; factors in order.
  const int32_t part[] = {0, 0, 2, 2, 1, 0, 0, 1, 0};
  const double number[] = {4.0, 3.0, 0.1}, strengths[] = {0.5, 0.3};
  Doubles values(3, std::nan(""));
  tamrt_penalty_values(&ctx, part, number, strengths, 3, 3, values.data());
  EXPECT_EQ(values, (Doubles{4.0 + 0.1 * 0.5, 0.0, 3.0 * 0.3 * 0.5}));
  tamrt_penalty_values(&ctx, part, number, strengths, 0, 3, values.data());
  EXPECT_EQ(values, Doubles(3, 0.0));
  // Sum 3 has two parts; entry 1 is the sum times two strengths, then a number.
  const int32_t sums[] = {3, 1, 0, 3, 1, 1, 1, ~2, 3, 1, 0, 1, 0};
  values.resize(4, std::nan(""));
  tamrt_penalty_values(&ctx, sums, number, strengths, 4, 4, values.data());
  const double sum = 4.0 * 0.5 + 3.0 * 0.3;
  EXPECT_EQ(values, (Doubles{0.0, sum * 0.3 * 0.5 + 0.1, 0.0, sum}));
}

TEST_F(SolveTest, MultiplyPenalty) {
  // P = [1 0 3; 0 0 0; 3 0 2], T = 10.
  const int32_t row[] = {0, 2, 2}, column[] = {0, 0, 2};
  const double value[] = {1.0, 3.0, 2.0}, v[] = {1.0, 1e6, 2.0};
  Doubles q = {5.0, 6.0, 7.0};
  tamrt_multiply_penalty(&ctx, row, column, value, v, 10, 3, 3, q.data());
  EXPECT_DOUBLE_EQ(q[0], 5.0 + 10 * 7 + 1e-5);
  EXPECT_DOUBLE_EQ(q[1], 6.0 + 10.0);
  EXPECT_DOUBLE_EQ(q[2], 7.0 + 10 * 7 + 2e-5);
  // The same entries times 3, 0.5 and 3; no floor.
  const int32_t which[] = {1, 0, 1};
  const double weights[] = {0.5, 3.0};
  q = {5.0, 6.0, 7.0};
  tamrt_multiply_learnt_penalty(&ctx, row, column, value, which, weights, v, 10,
                                3, 3, q.data());
  EXPECT_EQ(q, (Doubles{5.0 + 10 * (3 + 3), 6.0, 7.0 + 10 * (1.5 + 12)}));
}

TEST_F(SolveTest, InverseForms) {
  for (int64_t n : {1, 3, 4, 9, 46, 131})
    for (int64_t count : {0, 1, 2, 8, 19}) {
      Doubles factor = positiveDefinite(n), b = uniforms(n);
      const Doubles a = factor, rows = uniforms(n * count);
      tamrt_cholesky_solve(&ctx, n, factor.data(), b.data(), workspace(n));
      ASSERT_EQ(ctx.status, TAMRT_OK);
      Doubles forms(count + 1, -1.0), memory(cpu::kFormsAtOnce * n);
      cpu::inverseForms(factor.data(), n, rows.data(), count, memory.data(),
                        forms.data());
      for (int64_t r = 0; r < count; ++r) {
        const Doubles x(rows.begin() + r * n, rows.begin() + (r + 1) * n);
        Doubles solved(n);
        tamrt_cholesky_apply(&ctx, factor.data(), x.data(), n, solved.data());
        double expected = 0;
        for (int64_t i = 0; i < n; ++i)
          expected += x[i] * solved[i];
        EXPECT_NEAR(forms[r], expected, 1e-9 * expected) << n << " " << r;
        double alone;
        cpu::inverseForms(factor.data(), n, x.data(), 1, memory.data(), &alone);
        EXPECT_EQ(forms[r], alone) << n << " " << r;
      }
      EXPECT_EQ(forms[count], -1.0);
    }
}

TEST_F(SolveTest, FactorOnceSolveOften) {
  for (int64_t n : {1, 5, 70, 131}) {
    const Doubles a = positiveDefinite(n);
    Doubles factor = a;
    tamrt_cholesky_factor(&ctx, n, 0, factor.data(), factorSpace(n));
    for (int time = 0; time < 2; ++time) {
      const Doubles b = uniforms(n);
      Doubles x(n, std::nan("")), expected = b, system = a;
      tamrt_cholesky_apply(&ctx, factor.data(), b.data(), n, x.data());
      tamrt_cholesky_solve(&ctx, n, system.data(), expected.data(),
                           workspace(n));
      EXPECT_EQ(x, expected) << n;
    }
    ASSERT_EQ(ctx.status, TAMRT_OK);
  }
}

TEST_F(SolveTest, FactorNamesTheColumnOfTheDesign) {
  Doubles a = {4.0, 2.0, 2.0, 0.0};
  tamrt_cholesky_factor(&ctx, 2, 40, a.data(), factorSpace(2));
  EXPECT_EQ(ctx.status, TAMRT_ERROR_NOT_POSITIVE_DEFINITE);
  EXPECT_EQ(ctx.detail, 41);
  ctx.status = TAMRT_OK;
  a = {4.0, 2.0, 2.0, HUGE_VAL};
  tamrt_cholesky_factor(&ctx, 2, 40, a.data(), factorSpace(2));
  EXPECT_EQ(ctx.status, TAMRT_ERROR_OVERFLOW);
  EXPECT_EQ(ctx.detail, 41);
  ctx.status = TAMRT_OK;
}

TEST_F(SolveTest, FactorWithoutAPivotIsTheDiagonals) {
  for (int64_t n : {2, 3, 5, 64, 70, 131})
    for (auto [bad, part] : {std::pair<int64_t, double>{1, -1e-15},
                             {n / 2, -1e-15},
                             {n - 1, -1e-15},
                             {n - 1, 1e-13}}) {
      Doubles a = positiveDefinite(n);
      // Column `bad` is twice the first, but for some of its diagonal.
      for (int64_t i = 0; i < n; ++i)
        a[bad * n + i] = a[i * n + bad] = 2 * a[i];
      a[bad * n + bad] = 4 * a[0] * (1 + part);
      const Doubles before = a, b = uniforms(n);
      Doubles x(n, std::nan(""));
      tamrt_cholesky_factor(&ctx, n, 40, a.data(), factorSpace(n));
      tamrt_cholesky_apply(&ctx, a.data(), b.data(), n, x.data());
      EXPECT_EQ(ctx.status, TAMRT_OK);
      for (int64_t i = 0; i < n; ++i)
        EXPECT_NEAR(x[i], b[i] / before[i * n + i], 1e-14 * std::abs(x[i]))
            << n << " " << bad << " " << i;
    }
}

// The bytes of the systems of one column that a diagonal one consists of.
TEST_F(SolveTest, DiagonalSystems) {
  const int64_t T = 5000;
  for (int64_t n : {0, 1, 3, 4, 9, 67})
    for (bool hasSums : {true, false}) {
      const Doubles sums = uniforms(n, 0.0, 30.0), b = uniforms(n);
      // Two numbers of each column but the last, not together; and some beside
      // the diagonal, which do not count.
      std::vector<int32_t> row, column;
      Doubles value;
      for (int32_t p = 0; p < 2 * n - 2; ++p) {
        row.push_back(p % (n - 1));
        column.push_back(p % (n - 1));
        value.push_back(uniform(0.0, 0.1));
        if (p % 3 == 0) {
          row.push_back(static_cast<int32_t>(n - 1));
          column.push_back(p % (n - 1));
          value.push_back(std::nan(""));
        }
      }
      Doubles factor(n + 1, 7.0), x(n + 1, 7.0);
      tamrt_diagonal_factor(&ctx, row.data(), column.data(), value.data(),
                            hasSums ? sums.data() : nullptr, T, n, 40,
                            value.size(), factor.data());
      tamrt_diagonal_apply(&ctx, factor.data(), b.data(), n, x.data());
      const int64_t table[] = {1, 0, 1, 1, 0, 0};
      for (int64_t j = 0; j < n; ++j) {
        Doubles own;
        for (size_t p = 0; p < value.size(); ++p)
          if (row[p] == j && column[p] == j)
            own.push_back(value[p]);
        const std::vector<int32_t> zeros(own.size(), 0);
        const double *blocks[] = {&sums[j]};
        double a, solved;
        tamrt_assemble_matrix(&ctx, table, zeros.data(), zeros.data(),
                              own.data(), blocks, hasSums, T, 1, own.size(),
                              &a);
        tamrt_cholesky_factor(&ctx, 1, 40 + j, &a, factorSpace(1));
        tamrt_cholesky_apply(&ctx, &a, &b[j], 1, &solved);
        EXPECT_EQ(factor[j], a) << n << " " << j;
        EXPECT_EQ(x[j], solved) << n << " " << j;
      }
      EXPECT_EQ(factor[n], 7.0);
      EXPECT_EQ(x[n], 7.0);
    }
}

TEST_F(SolveTest, DiagonalFactorNamesTheColumnOfTheDesign) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto check = [&](Doubles sums, int64_t T, double value, tamrt_status status,
                   int64_t column) {
    const int32_t at = 2;
    Doubles factor(sums.size());
    tamrt_diagonal_factor(&ctx, &at, &at, &value, sums.data(), T, sums.size(),
                          40, 1, factor.data());
    expectError(status, column);
  };
  check({1.0, infinity, 2.0, 4.0}, 10, 0.0, TAMRT_ERROR_OVERFLOW, 41);
  check({1.0, 3.0, std::nan(""), 4.0}, 10, 0.0, TAMRT_ERROR_OVERFLOW, 42);
  check({1.0, 3.0, 2.0, 4.0}, 10, 1e308, TAMRT_ERROR_OVERFLOW, 42);
  check({1.0, 3.0, 2.0, -4.0}, 10, 0.0, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, 43);
  check({1.0, 3.0, 2.0, 4.0}, 10, -0.5, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, 42);
  check({0.0, 3.0, 2.0, 4.0}, 0, 0.0, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, 40);
  // The first of several.
  check({1.0, -1.0, 2.0, infinity}, 10, 1e308,
        TAMRT_ERROR_NOT_POSITIVE_DEFINITE, 41);
  check({1.0, infinity, 2.0, -1.0}, 10, 1e308, TAMRT_ERROR_OVERFLOW, 41);
}

// Columns: a dense effect 0..2, a one-hot 3..6, a banded one 7..11.
TEST_F(SolveTest, AssembleMatrix) {
  const int64_t n = 12, T = 5000;
  const Doubles dense = uniforms(9), oneHot = uniforms(4),
                banded = uniforms(25), oneHotDense = uniforms(4 * 3),
                oneHotBanded = uniforms(4 * 5), bandedDense = uniforms(5 * 3);
  const int64_t table[] = {
      1, 0, 3, 3, 0, 0, // upper triangle of dense
      2, 0, 4, 4, 3, 3, // diagonal of one-hot
      1, 0, 5, 5, 7, 7, // upper triangle of banded
      0, 0, 4, 3, 3, 0, // one-hot x dense lies below the diagonal
      0, 0, 4, 5, 3, 7, // one-hot x banded above it: stored transposed
      0, 0, 5, 3, 7, 0, // banded x dense
  };
  const double *blocks[] = {dense.data(),        oneHot.data(),
                            banded.data(),       oneHotDense.data(),
                            oneHotBanded.data(), bandedDense.data()};
  const int32_t penaltyRow[] = {0, 4, 8, 8, 5};
  const int32_t penaltyColumn[] = {0, 4, 8, 7, 4};
  const double penaltyValue[] = {0.5, 1e-9, 6.0, -4.0, 0.25};

  Doubles expected(n * n);
  auto add = [&](int64_t i, int64_t j, const Doubles &sums, int64_t e) {
    if (i < j)
      std::swap(i, j);
    expected[j * n + i] += sums[e];
  };
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = i; j < 3; ++j)
      add(i, j, dense, i * 3 + j);
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = i; j < 5; ++j)
      add(7 + i, 7 + j, banded, i * 5 + j);
  for (int64_t i = 0; i < 4; ++i) {
    add(3 + i, 3 + i, oneHot, i);
    for (int64_t j = 0; j < 3; ++j)
      add(3 + i, j, oneHotDense, i * 3 + j);
    for (int64_t j = 0; j < 5; ++j)
      add(3 + i, 7 + j, oneHotBanded, i * 5 + j);
  }
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 3; ++j)
      add(7 + i, j, bandedDense, i * 3 + j);
  for (int p = 0; p < 5; ++p)
    expected[penaltyColumn[p] * n + penaltyRow[p]] += T * penaltyValue[p];
  for (int64_t i = 0; i < n; ++i)
    expected[i * n + i] += 1e-6 * T;

  Doubles a(n * n, std::nan(""));
  tamrt_assemble_matrix(&ctx, table, penaltyRow, penaltyColumn, penaltyValue,
                        blocks, 6, T, n, 5, a.data());
  for (int64_t e = 0; e < n * n; ++e)
    EXPECT_NEAR(a[e], expected[e], 1e-12) << e % n << ", " << e / n;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < j; ++i)
      EXPECT_EQ(a[j * n + i], 0.0) << "above the diagonal";
}

// Panels against the sums that they represent: the words are filled with
// numbers, and every element must be the sum of its words' parts.
TEST_F(SolveTest, AssembleMatrixFromPanels) {
  const int64_t T = 5000;
  for (int64_t width : {1, 2, 3, 4, 5, 8}) {
    const int64_t columns = width + 3, starts = 4, others = 2, n = columns + 2;
    const int64_t size = width == 3 ? 4 : width == 5 ? 8 : width;
    const int64_t rotations = width / 2 + 1;
    // The band's columns come first in A, `others` after them; then the other
    // way round, where the block lies above the diagonal's transposed place.
    for (bool isFirst : {true, false}) {
      const int64_t band = isFirst ? 0 : others, rest = isFirst ? columns : 0;
      Doubles self = uniforms(starts * rotations * size),
              pair = uniforms(starts * others * size);
      const int64_t table[] = {4, width, columns, columns, band, band,
                               3, width, columns, others,  band, rest};
      const double *blocks[] = {self.data(), pair.data()};
      Doubles expected(n * n);
      auto add = [&](int64_t i, int64_t j, const Doubles &sums, int64_t e) {
        expected[std::min(i, j) * n + std::max(i, j)] += sums[e];
      };
      for (int64_t s = 0; s < starts; ++s)
        for (int64_t i = 0; i < width; ++i) {
          for (int64_t j = 0; j < others; ++j)
            add(band + s + i, rest + j, pair, (s * others + j) * size + i);
          // Each pair of the band's numbers once, whichever word has it first.
          for (int64_t k = i; k < width; ++k) {
            const int64_t up = k - i, down = width - up;
            const bool isUp = up <= width / 2;
            add(band + s + i, band + s + k, self,
                (s * rotations + (isUp ? up : down)) * size + (isUp ? i : k));
          }
        }
      for (int64_t i = 0; i < n; ++i)
        expected[i * n + i] += 1e-6 * T;
      Doubles a(n * n, std::nan(""));
      tamrt_assemble_matrix(&ctx, table, nullptr, nullptr, nullptr, blocks, 2,
                            T, n, 0, a.data());
      for (int64_t e = 0; e < n * n; ++e)
        EXPECT_NEAR(a[e], expected[e], 1e-12)
            << width << ": " << e % n << ", " << e / n;
    }
  }
}

// Of ten products of a span's four cubics eight are summed; the other two
// follow, on each kind of span.
TEST_F(SolveTest, AssembleMatrixFromCubicPanels) {
  const int64_t rows = 3000, T = 5000;
  const double parameters[] = {0.0, 1.0, -0.9, 1.0};
  for (int64_t k : {1, 2, 3, 4, 5, 6, 20}) {
    const int64_t n = k + 3;
    const Doubles x = uniforms(rows, -0.9, 1.0), w = uniforms(rows, 0.0, 2.0);
    Doubles z(rows * 4), sums(k * 8), expected(n * n);
    std::vector<int32_t> start(rows);
    tamrt_bspline(&ctx, x.data(), parameters, rows, k, 3, TAMRT_LINEAR,
                  z.data(), start.data());
    for (int64_t r = 0; r < rows; ++r) {
      double *word = sums.data() + start[r] * 8;
      for (int64_t i = 0; i < 4; ++i) {
        for (int64_t q = 0; q < 2; ++q)
          word[4 * q + i] += w[r] * z[4 * r + i] * z[4 * r + (i + q) % 4];
        for (int64_t j = i; j < 4; ++j)
          expected[(start[r] + i) * n + start[r] + j] +=
              w[r] * z[4 * r + i] * z[4 * r + j];
      }
    }
    for (int64_t i = 0; i < n; ++i)
      expected[i * (n + 1)] += 1e-6 * T;
    const int64_t table[] = {8, 4, n, n, 0, 0};
    const double *blocks[] = {sums.data()};
    Doubles a(n * n, std::nan(""));
    tamrt_assemble_matrix(&ctx, table, nullptr, nullptr, nullptr, blocks, 1, T,
                          n, 0, a.data());
    for (int64_t e = 0; e < n * n; ++e)
      EXPECT_NEAR(a[e], expected[e], 1e-14 * rows)
          << k << ": " << e % n << ", " << e / n;
  }
}

/// Two or three factors of a product: width and columns of each.
using FactorList = std::vector<std::array<int64_t, 2>>;

/// One row of a product of factors: the numbers of each factor's band.
struct ProductRow {
  std::vector<int64_t> start;
  std::vector<Doubles> band;

  /// The row of the product, all columns of it.
  Doubles dense(const FactorList &factors) const {
    Doubles values = {1.0};
    for (size_t f = 0; f < factors.size(); ++f) {
      Doubles next;
      for (double value : values)
        for (int64_t c = 0; c < factors[f][1]; ++c) {
          const int64_t i = c - start[f];
          next.push_back(i >= 0 && i < factors[f][0] ? value * band[f][i]
                                                     : 0.0);
        }
      values = next;
    }
    return values;
  }
};

// The numbers that a row adds to panels of a product, as #tam.sums describes
// them, must give its part of the normal equations.
TEST_F(SolveTest, AssembleFromPanelsOfProducts) {
  for (const FactorList &factors :
       {FactorList{{4, 6}, {4, 5}}, FactorList{{4, 5}, {1, 3}},
        FactorList{{1, 3}, {4, 5}}, FactorList{{1, 2}, {1, 3}},
        FactorList{{3, 4}, {2, 4}}, FactorList{{2, 4}, {3, 3}, {3, 5}},
        FactorList{{3, 4}, {1, 2}, {2, 3}}}) {
    const int64_t count = factors.size(), T = 5000;
    int64_t columns = 1, panels = 1, width = 1, word = 0;
    std::vector<int64_t> sizes;
    for (int64_t f = 0; f < count; ++f) {
      columns *= factors[f][1];
      panels *= factors[f][1] - factors[f][0] + 1;
      width *= factors[f][0];
      if (factors[f][0] >= factors[word][0])
        word = f;
      sizes.insert(sizes.end(), {factors[f][0], factors[f][1]});
    }
    const int64_t wordWidth = factors[word][0], rotations = wordWidth / 2 + 1;
    const int64_t wordSize = std::bit_ceil(static_cast<uint64_t>(wordWidth));
    const int64_t rowSize = std::bit_ceil(static_cast<uint64_t>(width));
    int64_t words = rotations;
    for (int64_t f = 0; f < count; ++f)
      if (f != word)
        words *= factors[f][0] * (factors[f][0] + 1) / 2;

    // The other effect, of two columns, comes before or after the product.
    for (bool isFirst : {true, false}) {
      const int64_t n = columns + 2, own = isFirst ? 0 : 2,
                    other = isFirst ? columns : 0;
      Doubles self(panels * words * wordSize), cross(panels * 2 * rowSize),
          target(panels * rowSize);
      Doubles expected(n * n), expectedTarget(columns);
      for (int64_t r = 0; r < 40; ++r) {
        ProductRow row;
        int64_t panel = 0;
        for (int64_t f = 0; f < count; ++f) {
          const int64_t starts = factors[f][1] - factors[f][0] + 1;
          row.start.push_back((7 * r + 3 * f + r / 5) % starts);
          row.band.push_back(uniforms(factors[f][0]));
          panel = panel * starts + row.start[f];
        }
        const Doubles others = uniforms(3);
        // Panels of the product itself, pair by pair of the factors.
        Doubles tuples = {1.0};
        for (int64_t f = 0; f < count; ++f) {
          Doubles next;
          for (double value : tuples)
            for (int64_t i = 0; i < factors[f][0]; ++i)
              for (int64_t k = i; f != word && k < factors[f][0]; ++k)
                next.push_back(value * row.band[f][i] * row.band[f][k]);
          if (f != word)
            tuples = next;
        }
        for (size_t t = 0; t < tuples.size(); ++t)
          for (int64_t q = 0; q < rotations; ++q)
            for (int64_t i = 0; i < wordWidth; ++i)
              self[((panel * words + t * rotations + q) * wordSize) + i] +=
                  tuples[t] * row.band[word][i] *
                  row.band[word][(i + q) % wordWidth];
        // Panels with the other effect and the target.
        Doubles values = {1.0};
        for (int64_t f = 0; f < count; ++f) {
          Doubles next;
          for (double value : values)
            for (double factor : row.band[f])
              next.push_back(value * factor);
          values = next;
        }
        for (int64_t i = 0; i < width; ++i) {
          for (int64_t j = 0; j < 2; ++j)
            cross[(panel * 2 + j) * rowSize + i] += values[i] * others[j];
          target[panel * rowSize + i] += values[i] * others[2];
        }
        const Doubles dense = row.dense(factors);
        for (int64_t i = 0; i < columns; ++i) {
          expectedTarget[i] += dense[i] * others[2];
          for (int64_t j = 0; j <= i; ++j)
            expected[(own + j) * n + own + i] += dense[i] * dense[j];
          for (int64_t j = 0; j < 2; ++j)
            expected[std::min(own + i, other + j) * n +
                     std::max(own + i, other + j)] += dense[i] * others[j];
        }
      }
      std::vector<int64_t> table = {6, count, columns, columns, own, own};
      table.insert(table.end(), sizes.begin(), sizes.end());
      table.insert(table.end(), {5, count, columns, 2, own, other});
      table.insert(table.end(), sizes.begin(), sizes.end());
      const double *blocks[] = {self.data(), cross.data()};
      for (int64_t i = 0; i < n; ++i)
        expected[i * n + i] += 1e-6 * T;
      Doubles a(n * n, std::nan(""));
      tamrt_assemble_matrix(&ctx, table.data(), nullptr, nullptr, nullptr,
                            blocks, 2, T, n, 0, a.data());
      for (int64_t e = 0; e < n * n; ++e)
        ASSERT_NEAR(a[e], expected[e], 1e-12)
            << count << ": " << e % n << ", " << e / n;

      std::vector<int64_t> vector = {-count, columns, 0};
      vector.insert(vector.end(), sizes.begin(), sizes.end());
      const double *targets[] = {target.data()};
      Doubles b(columns, std::nan(""));
      tamrt_assemble_vector(&ctx, vector.data(), targets, 1, columns, b.data());
      for (int64_t i = 0; i < columns; ++i)
        ASSERT_NEAR(b[i], expectedTarget[i], 1e-13) << i;
    }
  }
}

TEST_F(SolveTest, AssembleRefusesTooManyFactors) {
  const double block[] = {1.0, 1.0};
  const double *blocks[] = {block};
  double a = 0.0;
  const int64_t matrix[] = {5, 9, 1, 1, 0, 0};
  tamrt_assemble_matrix(&ctx, matrix, nullptr, nullptr, nullptr, blocks, 1, 1,
                        1, 0, &a);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 1);
}

TEST_F(SolveTest, Marginal) {
  // Words of four numbers, of three and of one.
  for (int64_t size : {4, 3, 1}) {
    const int64_t m = 5 * size, n = 3 * size;
    const Doubles sums = uniforms(m);
    const std::vector<int32_t> from = {0, 2, 2, 5};
    std::vector<int32_t> index;
    for (int64_t word : {4, 1, 0, 0, 3})
      index.push_back(static_cast<int32_t>(word * size));
    Doubles out(n, -1.0);
    tamrt_marginal(&ctx, from.data(), index.data(), sums.data(), n, size,
                   out.data());
    for (int64_t e = 0; e < size; ++e) {
      const double *word = sums.data() + e, *own = out.data() + e;
      EXPECT_EQ(own[0], word[4 * size] + word[size]);
      EXPECT_EQ(own[size], 0.0);
      EXPECT_EQ(own[2 * size], word[0] + word[0] + word[3 * size]);
    }
  }
}

TEST_F(SolveTest, AssembleVectorFromPanels) {
  const int64_t width = 3, count = 5, starts = 3, size = 4;
  const Doubles sums = uniforms(starts * size);
  const double *blocks[] = {sums.data()};
  const int64_t table[] = {width, count, 0};
  Doubles b(count, std::nan("")), expected(count);
  tamrt_assemble_vector(&ctx, table, blocks, 1, count, b.data());
  for (int64_t s = 0; s < starts; ++s)
    for (int64_t i = 0; i < width; ++i)
      expected[s + i] += sums[s * size + i];
  for (int64_t i = 0; i < count; ++i)
    EXPECT_NEAR(b[i], expected[i], 1e-14) << i;
}

TEST_F(SolveTest, AssembleMatrixRefusesAnUnknownForm) {
  const int64_t table[] = {9, 0, 1, 1, 0, 0};
  const double block[] = {1.0, 1.0};
  const double *blocks[] = {block};
  double a = 0.0;
  tamrt_assemble_matrix(&ctx, table, nullptr, nullptr, nullptr, blocks, 1, 1, 1,
                        0, &a);
  expectError(TAMRT_ERROR_INVALID_ARGUMENT, 1);
}

TEST_F(SolveTest, AssembleVector) {
  const Doubles first = {11.0, 22.0}, second = {55.0};
  const double *blocks[] = {first.data(), second.data()};
  const int64_t table[] = {0, 2, 1, 0, 1, 0};
  Doubles b(3, std::nan(""));
  tamrt_assemble_vector(&ctx, table, blocks, 2, 3, b.data());
  EXPECT_EQ(b, (Doubles{55.0, 11.0, 22.0}));
}

TEST_F(SolveTest, CholeskySolve) {
  for (int64_t n : {1,  2,  3,  4,  5,  7,  8,  9,   13,  31,
                    63, 64, 65, 67, 68, 72, 96, 104, 130, 257}) {
    const Doubles a = positiveDefinite(n), x = uniforms(n);
    Doubles b(n), factored = a;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        b[i] += a[j * n + i] * x[j];
    // Only the lower triangle may count.
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < j; ++i)
        factored[j * n + i] = 0.0;
    tamrt_cholesky_solve(&ctx, n, factored.data(), b.data(), workspace(n));
    for (int64_t i = 0; i < n; ++i)
      EXPECT_NEAR(b[i], x[i], 1e-9) << "n " << n;
  }
  tamrt_cholesky_solve(&ctx, 0, nullptr, nullptr, nullptr);
}

TEST_F(SolveTest, CholeskyRefinesWhatSmallPivotsLose) {
  // Pascal's symmetric matrix of 12 columns, of condition number 1e12, has the
  // pivots 1. It is spread over a system that is well conditioned. All numbers
  // are integers, so that b is exact.
  const int64_t hard = 12;
  for (int64_t n : {12, 13, 40, 127, 131, 260}) {
    Doubles a(n * n), x(n), b(n);
    for (int64_t i = 0; i < n; ++i) {
      x[i] = double(i * 7 % 11) - 5;
      for (int64_t j = 0; j < i; ++j)
        a[j * n + i] = double((i * 5 + j * 3) % 3) - 1;
      a[i * n + i] = 1024;
    }
    auto place = [&](int64_t k) { return k * (n - 1) / (hard - 1); };
    for (int64_t k = 0; k < hard; ++k) {
      for (int64_t i = 0; i < n; ++i)
        a[std::min(i, place(k)) * n + std::max(i, place(k))] = 0;
    }
    for (int64_t p = 0; p < hard; ++p)
      for (int64_t q = 0; q <= p; ++q)
        a[place(q) * n + place(p)] =
            q == 0 ? 1
                   : a[place(q - 1) * n + place(p)] +
                         (q == p ? a[place(q - 1) * n + place(p)]
                                 : a[place(q) * n + place(p - 1)]);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        b[i] += a[std::min(i, j) * n + std::max(i, j)] * x[j];
    tamrt_cholesky_solve(&ctx, n, a.data(), b.data(), workspace(n));
    ASSERT_EQ(ctx.status, TAMRT_OK);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_NEAR(b[i], x[i], 1e-15) << n << " " << i;
  }
}

TEST_F(SolveTest, CholeskyRefinesNumbersOfAnySize) {
  // Their halves overflow: the solution stays what the factor gives.
  Doubles a = {1e305, 1e305, 0, 1e305 * (1 + 1e-9)}, b = {1e305, 1e305};
  tamrt_cholesky_solve(&ctx, 2, a.data(), b.data(), workspace(2));
  ASSERT_EQ(ctx.status, TAMRT_OK);
  EXPECT_NEAR(b[0], 1, 1e-6);
  EXPECT_NEAR(b[1], 0, 1e-6);
  for (double scale : {1e-290, 1e290}) {
    a = {scale, scale, 0, scale * (1 + 0x1p-30)};
    b = {scale, scale};
    tamrt_cholesky_solve(&ctx, 2, a.data(), b.data(), workspace(2));
    ASSERT_EQ(ctx.status, TAMRT_OK);
    EXPECT_NEAR(b[0], 1, 1e-15);
    EXPECT_NEAR(b[1], 0, 1e-15);
  }
}

TEST_F(SolveTest, CholeskyNamesThePivot) {
  for (int64_t n : {1, 5, 40, 200})
    for (double bad : {0.0, -1.0})
      for (int64_t pivot : {int64_t(0), n / 2, n - 1}) {
        Doubles a(n * n), b = uniforms(n);
        for (int64_t i = 0; i < n; ++i)
          a[i * n + i] = 2.0;
        a[pivot * n + pivot] = bad;
        tamrt_cholesky_solve(&ctx, n, a.data(), b.data(), workspace(n));
        SCOPED_TRACE("n " + std::to_string(n) + " pivot " +
                     std::to_string(pivot) + " of " + std::to_string(bad));
        expectError(TAMRT_ERROR_NOT_POSITIVE_DEFINITE, pivot);
      }
}

TEST_F(SolveTest, CholeskyTellsAnOverflow) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (int64_t n : {1, 5, 40, 200})
    for (double bad : {std::nan(""), infinity, -infinity})
      for (int64_t column : {int64_t(0), n / 2, n - 1})
        for (bool inMatrix : {true, false}) {
          Doubles a(n * n), b = uniforms(n);
          for (int64_t i = 0; i < n; ++i)
            a[i * n + i] = 2.0;
          (inMatrix ? a[column * n + column] : b[column]) = bad;
          tamrt_cholesky_solve(&ctx, n, a.data(), b.data(), workspace(n));
          SCOPED_TRACE("n " + std::to_string(n) + " column " +
                       std::to_string(column) + " of " + std::to_string(bad));
          expectError(TAMRT_ERROR_OVERFLOW, column);
        }
}

TEST_F(SolveTest, CholeskyNamesThePivotOfANaNAnywhere) {
  const int64_t n = 50;
  Doubles a = positiveDefinite(n), b = uniforms(n);
  // An entry below the diagonal spoils the pivot of its row.
  a[3 * n + 20] = std::nan("");
  tamrt_cholesky_solve(&ctx, n, a.data(), b.data(), workspace(n));
  expectError(TAMRT_ERROR_NOT_POSITIVE_DEFINITE, 20);
}

TEST_F(SolveTest, TheFirstErrorStays) {
  double a = -1.0, b = 1.0;
  tamrt_cholesky_solve(&ctx, 1, &a, &b, workspace(1));
  tamrt_linear(&ctx, &b, 1, 1.0, 17, &a);
  expectError(TAMRT_ERROR_NOT_POSITIVE_DEFINITE, 0);
}

} // namespace

} // namespace tamrt::test
