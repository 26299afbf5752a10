//===- KernelsTest.cpp - kernels against those of the CPU -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels whose arguments the models of the conformance suite do not have on
/// this device: sums of loops over rows are the CPU's, so that it assembles
/// panels that the CPU added up. The rest is tested there (docs/backends.md).
///
//===----------------------------------------------------------------------===//

#include "backends/cuda/Emulator.h"
#include "backends/cuda/Launches.h"
#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <map>
#include <random>

using namespace tamrt::cuda;

namespace {

/// The emulator, and records of what kernels access, by address.
Emulator *emulator = nullptr;
std::map<const void *, std::vector<Record>> records;

/// Launches bodies on buffers of the test.
class TestLauncher {
public:
  explicit TestLauncher(tamrt_context *ctx) : ctx(ctx) {}

  template <class T> Buffer<T> buffer(T *address, int64_t count) {
    if (count == 0)
      return {};
    std::vector<Record> &own = records[address];
    own.resize(std::max(own.size(), size_t(count) * 2));
    return {address, count, own.data()};
  }
  template <class T> Buffer<T> rest(T *address) { return {address, 1 << 20}; }
  template <class Body> void operator()(const Grid &grid, const Body &body) {
    if (grid.blocks == 0)
      return;
    try {
      const Failure failure = emulator->run(grid, body);
      if (failure.status != TAMRT_OK)
        tamrt::fail(ctx, tamrt_status(failure.status), failure.detail);
    } catch (const Fault &fault) {
      ADD_FAILURE() << fault.message;
    }
  }
  Segments segments(int64_t rows) const { return {1, rows}; }
  SegmentSums sums(double *address, int64_t count, double = 0.0) {
    return {buffer(address, count), {}};
  }
  void add(const RowProduct &product, const SegmentSums &sums) {
    PendingSums pending;
    pending.add(product, segments(product.rows), sums);
    pending.flush(
        [&](const Grid &grid, const AddRows &body) { (*this)(grid, body); });
  }
  void fail(int32_t status, int64_t detail) {
    tamrt::fail(ctx, tamrt_status(status), detail);
  }

private:
  tamrt_context *ctx;
};

class KernelsTest : public ::testing::Test {
protected:
  std::vector<double> draw(int64_t count) {
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    std::vector<double> numbers;
    for (int64_t i = 0; i < count; ++i)
      numbers.push_back(any(generator));
    return numbers;
  }

  /// Calls `test(kernels)` for the CPU and for the emulator in each order; all
  /// results have to agree.
  template <class Run> void compare(const Run &run, double tolerance) {
    tamrt_context context = {};
    context.kernels = &tamrt_cpu_kernels;
    const std::vector<double> good = run(tamrt_cpu_kernels, context);
    const tamrt_kernels kernels = makeKernels<TestLauncher>();
    std::vector<double> first;
    for (Order order :
         {Order::Forward, Order::Backward, Order::Warps, Order::Random}) {
      Emulator own(order, 1, false);
      emulator = &own;
      records.clear();
      tamrt_context mine = {};
      mine.kernels = &kernels;
      const std::vector<double> got = run(kernels, mine);
      EXPECT_EQ(mine.status, context.status);
      EXPECT_EQ(mine.detail, context.detail);
      ASSERT_EQ(got.size(), good.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], good[i], tolerance) << "at " << i;
      if (!first.empty()) {
        EXPECT_EQ(got, first);
      }
      first = got;
    }
  }

  std::mt19937_64 generator{1};
};

int64_t wordOf(int64_t width) {
  return int64_t(std::bit_ceil(uint64_t(width)));
}

} // namespace

TEST_F(KernelsTest, AssembleMatrix) {
  // Effects of 9, 7, 6, 10 and 24 columns: cubic and quadratic splines, dense,
  // frequencies, and a product of bands of 3 and 2 of 6 and 4 columns.
  struct Case {
    const char *what;
    std::vector<int64_t> table;
    int64_t numbers;
  };
  constexpr int64_t n = 9 + 7 + 6 + 10 + 24;
  constexpr int64_t s = 0, q = 9, d = 16, f = 22, p = 32;
  const int64_t panels = 4 * 3, pairs = (3 / 2 + 1) * 4 * 3;
  const std::vector<Case> cases = {
      {"full", {0, 0, 6, 7, d, q}, 6 * 7},
      {"full, transposed", {0, 0, 9, 6, s, d}, 9 * 6},
      {"upper triangle", {1, 0, 6, 6, d, d}, 36},
      {"diagonal", {2, 0, 6, 6, d, d}, 6},
      {"panels", {3, 4, 9, 6, s, d}, 6 * 6 * 4},
      {"panels downwards", {3, 3, 7, 9, q, s}, 5 * 9 * 4},
      {"panels with itself", {4, 3, 7, 7, q, q}, 5 * 2 * 4},
      {"panels of four with itself", {4, 4, 9, 9, s, s}, 6 * 3 * 4},
      {"panels of a product", {5, 2, 24, 6, p, d, 3, 6, 2, 4}, panels * 6 * 8},
      {"product with itself", {6, 2, 24, 24, p, p, 3, 6, 2, 4}, panels * pairs},
      {"frequencies", {7, 0, 10, 10, f, f}, 21},
      {"cubic panels", {8, 4, 9, 9, s, s}, 6 * 8},
      {"cubic panels of one span", {8, 4, 4, 4, s, s}, 8},
  };
  const auto assemble = [&](const std::vector<const Case *> &list) {
    std::vector<std::vector<double>> sums;
    std::vector<const double *> blocks;
    std::vector<int64_t> table;
    for (const Case *one : list) {
      sums.push_back(draw(one->numbers));
      blocks.push_back(sums.back().data());
      table.insert(table.end(), one->table.begin(), one->table.end());
    }
    const std::vector<int32_t> row = {3, 55, 7}, column = {3, 2, 1};
    const std::vector<double> value = {0.5, 0.25, -1.0};
    compare(
        [&](const tamrt_kernels &kernels, tamrt_context &context) {
          std::vector<double> a(n * n, NAN);
          kernels.assemble_matrix(&context, table.data(), row.data(),
                                  column.data(), value.data(), blocks.data(),
                                  int64_t(blocks.size()), 1000, n, 3, a.data());
          // Only the lower triangle counts.
          for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < j; ++i)
              a[size_t(j * n + i)] = 0.0;
          return a;
        },
        1e-12);
  };
  for (const Case &one : cases) {
    SCOPED_TRACE(one.what);
    assemble({&one});
  }
  // All together, also on the same elements, and more than a launch takes.
  std::vector<const Case *> all;
  for (int i = 0; i < 6; ++i)
    for (const Case &one : cases)
      all.push_back(&one);
  EXPECT_GT(all.size(), size_t(kMaxList));
  assemble(all);
}

TEST_F(KernelsTest, AssembleVector) {
  constexpr int64_t n = 9 + 6 + 24;
  const std::vector<int64_t> table = {4, 9, 0, 0, 6, 9, -2, 24, 15, 3, 6, 2, 4};
  const std::vector<double> spline = draw(6 * 4), column = draw(6),
                            product = draw(4 * 3 * wordOf(6));
  const double *blocks[] = {spline.data(), column.data(), product.data()};
  compare(
      [&](const tamrt_kernels &kernels, tamrt_context &context) {
        std::vector<double> b(n, NAN);
        kernels.assemble_vector(&context, table.data(), blocks, 3, n, b.data());
        return b;
      },
      1e-13);
}

TEST_F(KernelsTest, SolveRefinesAndFails) {
  constexpr int64_t n = 40;
  // With the large shift the factor alone has six digits less.
  for (double shift : {0.0, 1e10}) {
    for (int failure = 0; failure < 4; ++failure) {
      SCOPED_TRACE(testing::Message() << shift << ", " << failure);
      compare(
          [&](const tamrt_kernels &kernels, tamrt_context &context) {
            std::vector<double> a(n * n), b(n, 0.0);
            for (int64_t j = 0; j < n; ++j)
              for (int64_t i = 0; i < n; ++i) {
                a[size_t(j * n + i)] = double(std::min(i, j) + 1) + shift;
                b[size_t(i)] += a[size_t(j * n + i)] * (double(j % 7) - 3.0);
              }
            if (failure == 1)
              a[17 * (n + 1)] -= 2.0;
            if (failure == 2)
              a[17 * (n + 1)] = a[20 * (n + 1)] = INFINITY;
            if (failure == 3)
              b[5] = NAN;
            std::vector<double> workspace(TAMRT_SOLVE_WORKSPACE(n), NAN);
            kernels.cholesky_solve(&context, n, a.data(), b.data(),
                                   workspace.data());
            return failure == 0 ? b : std::vector<double>();
          },
          1e-9);
    }
  }
}

TEST_F(KernelsTest, LongLists) {
  constexpr int64_t count = 100, parts = 2 * kMaxList + 3;
  std::vector<std::vector<double>> earlier;
  std::vector<const double *> list;
  for (int64_t i = 0; i < parts; ++i) {
    earlier.push_back(draw(count));
    list.push_back(earlier.back().data());
  }
  const std::vector<double> own = draw(count);
  for (int64_t some : {int64_t(0), int64_t(1), kMaxList, parts}) {
    // The order of additions is that of the CPU.
    compare(
        [&](const tamrt_kernels &kernels, tamrt_context &context) {
          std::vector<double> sums = own, out(count, NAN);
          kernels.move_sums(&context, list.data(), some, count, sums.data(),
                            out.data());
          out.insert(out.end(), sums.begin(), sums.end());
          return out;
        },
        0.0);
    compare(
        [&](const tamrt_kernels &kernels, tamrt_context &context) {
          std::vector<double> sums = own;
          kernels.join_sums(&context, list.data(), some, count, sums.data());
          return sums;
        },
        0.0);
  }
  compare(
      [&](const tamrt_kernels &kernels, tamrt_context &context) {
        std::vector<double> points(10 * size_t(parts), NAN);
        kernels.stack(&context, list.data(), parts, 10, points.data());
        return points;
      },
      0.0);
}

TEST_F(KernelsTest, LinearColumns) {
  // More columns than two launches take, in all modes.
  constexpr int64_t n = 2 * LinearColumns::kMost + 3, rows = 37;
  std::vector<std::vector<double>> numbers;
  std::vector<const double *> inputs;
  std::vector<int64_t> modes;
  for (int64_t j = 0; j < n; ++j) {
    numbers.push_back(draw(rows));
    // Some of the numbers are beyond the range.
    numbers.push_back({0.1, 0.2 + 0.01 * double(j)});
    modes.push_back(j % (TAMRT_SATURATION + 1));
  }
  for (const std::vector<double> &one : numbers)
    inputs.push_back(one.data());
  const std::vector<double> scales = draw(n);
  compare(
      [&](const tamrt_kernels &kernels, tamrt_context &context) {
        std::vector<double> values(size_t(rows * n), NAN), x(rows), one(rows);
        kernels.linear_columns(&context, scales.data(), modes.data(),
                               inputs.data(), 2 * n, rows, values.data());
        // The bits of each column are those of an input alone.
        for (int64_t j = 0; j < n; ++j) {
          kernels.normalize(&context, inputs[size_t(2 * j)],
                            inputs[size_t(2 * j + 1)], rows, x.data());
          kernels.linear(&context, x.data(), rows, scales[size_t(j)],
                         modes[size_t(j)], one.data());
          for (int64_t r = 0; r < rows; ++r)
            EXPECT_EQ(values[size_t(r * n + j)], one[size_t(r)])
                << "row " << r << ", column " << j;
        }
        return values;
      },
      1e-15);
}

TEST_F(KernelsTest, SquaresDense) {
  constexpr int64_t rows = 45;
  const std::vector<double> w = draw(rows);
  for (int64_t n : {1, 13, 300})
    for (bool isWeighted : {false, true}) {
      SCOPED_TRACE(testing::Message() << n << ", " << isWeighted);
      const std::vector<double> a = draw(rows * n), before = draw(n);
      const double *weights = isWeighted ? w.data() : nullptr;
      compare(
          [&](const tamrt_kernels &kernels, tamrt_context &context) {
            std::vector<double> sums = before;
            kernels.squares_dense(&context, a.data(), weights, 0, n,
                                  sums.data());
            EXPECT_EQ(sums, before);
            kernels.squares_dense(&context, a.data(), weights, rows, n,
                                  sums.data());
            return sums;
          },
          0.0);
      // Those of segments of 20 rows, of which the last is shorter.
      constexpr int64_t segments = 3, some = 20;
      std::vector<double> own(size_t(n), 0.0), later(own);
      later.resize(size_t(n * (segments - 1)));
      const auto given = [](const std::vector<double> &numbers) {
        return Buffer<const double>{numbers.data(), int64_t(numbers.size())};
      };
      Emulator(Order::Forward, 1, false)
          .run(gridFor(n * segments),
               AddSquares{{given(a), n},
                          isWeighted ? given(w) : Buffer<const double>(),
                          rows,
                          n,
                          {segments, some},
                          {{own.data(), n}, {later.data(), 2 * n}, n}});
      own.insert(own.end(), later.begin(), later.end());
      std::vector<double> good(size_t(n * segments), 0.0);
      tamrt_context context = {};
      for (int64_t k = 0; k < segments; ++k)
        tamrt_cpu_kernels.squares_dense(&context, a.data() + k * some * n,
                                        weights ? weights + k * some : nullptr,
                                        std::min(some, rows - k * some), n,
                                        good.data() + k * n);
      EXPECT_EQ(own, good);
    }
}

TEST_F(KernelsTest, Diagonal) {
  // More columns than a block has threads.
  constexpr int64_t n = kSolveThreads + 12, group = 1000, first = 5;
  std::vector<double> sums = draw(n);
  for (double &sum : sums)
    sum += 1.5;
  const std::vector<double> b = draw(n);
  std::vector<int32_t> row, column;
  std::vector<double> value;
  const auto add = [&](int64_t i, int64_t j, double number) {
    row.push_back(int32_t(i));
    column.push_back(int32_t(j));
    value.push_back(number);
  };
  // Some numbers have several entries or none; one beside the diagonal counts
  // for nothing.
  for (int64_t j = 0; j < n; ++j)
    for (int64_t k = 0; k < j % 4; ++k)
      add(j, j, 1e-3 * double(7 * j + k));
  add(9, 2, NAN);
  const auto penalties = int64_t(row.size());
  for (bool hasSums : {false, true})
    for (int64_t count : {int64_t(0), penalties})
      compare(
          [&](const tamrt_kernels &kernels, tamrt_context &context) {
            std::vector<double> factor(n, NAN), x(n, NAN);
            kernels.diagonal_factor(&context, row.data(), column.data(),
                                    value.data(),
                                    hasSums ? sums.data() : nullptr, group, n,
                                    first, count, factor.data());
            kernels.diagonal_apply(&context, factor.data(), b.data(), n,
                                   x.data());
            // The bits are those of each number as a matrix.
            for (int64_t j = 0; j < n; ++j) {
              const int64_t table[] = {2, 0, 1, 1, 0, 0};
              const double *blocks[] = {sums.data() + j};
              const int32_t corner[] = {0, 0, 0};
              std::vector<double> own, workspace(TAMRT_FACTOR_WORKSPACE(1));
              for (int64_t p = 0; p < count; ++p)
                if (row[size_t(p)] == j && column[size_t(p)] == j)
                  own.push_back(value[size_t(p)]);
              double a = NAN, solution = NAN;
              kernels.assemble_matrix(&context, table, corner, corner,
                                      own.data(), blocks, hasSums, group, 1,
                                      int64_t(own.size()), &a);
              kernels.cholesky_factor(&context, 1, first + j, &a,
                                      workspace.data());
              kernels.cholesky_apply(&context, &a, b.data() + j, 1, &solution);
              EXPECT_EQ(factor[size_t(j)], a) << "at " << j;
              EXPECT_EQ(x[size_t(j)], solution) << "at " << j;
            }
            factor.insert(factor.end(), x.begin(), x.end());
            return factor;
          },
          0.0);
  // Of all numbers that have no root the first one counts.
  struct Failure {
    std::map<int64_t, double> numbers;
    int32_t status;
    int64_t detail;
  };
  const Failure failures[] = {
      {{{0, -9.0}}, TAMRT_ERROR_NOT_POSITIVE_DEFINITE, first},
      {{{3, INFINITY}, {131, -9.0}}, TAMRT_ERROR_OVERFLOW, first + 3},
      {{{131, NAN}, {132, -9.0}}, TAMRT_ERROR_OVERFLOW, first + 131},
      {{{7, -9.0}, {135, INFINITY}, {20, NAN}},
       TAMRT_ERROR_NOT_POSITIVE_DEFINITE,
       first + 7},
      {{{139, -INFINITY}}, TAMRT_ERROR_OVERFLOW, first + 139}};
  for (const Failure &failure : failures)
    compare(
        [&](const tamrt_kernels &kernels, tamrt_context &context) {
          std::vector<double> bad = sums, factor(n);
          for (const auto &[at, number] : failure.numbers)
            bad[size_t(at)] = number;
          kernels.diagonal_factor(&context, row.data(), column.data(),
                                  value.data(), bad.data(), 1, n, first, 0,
                                  factor.data());
          EXPECT_EQ(context.status, failure.status);
          EXPECT_EQ(context.detail, failure.detail);
          return std::vector<double>();
        },
        0.0);
}

TEST_F(KernelsTest, Radial) {
  // Distances of all sizes from one centre; the last ones are beyond what any
  // function tells from 0.
  std::vector<double> points = {0.0, 1e-300, 1e-160};
  for (double exponent = -12.0; exponent < 3.5; exponent += 0.173)
    points.push_back(std::pow(10.0, exponent));
  const auto rows = int64_t(points.size());
  const double center = 0.0;
  for (double nu : {0.0, 0.01, 0.3, 0.5, 1.0, 1.5, 2.0, 2.5, 3.7, 12.0, 60.5,
                    199.0, 201.0, 1e4})
    for (double gamma : {1e-3, 1.0, 7.0}) {
      SCOPED_TRACE(testing::Message() << "nu " << nu << ", gamma " << gamma);
      compare(
          [&](const tamrt_kernels &kernels, tamrt_context &context) {
            std::vector<double> values(points.size(), NAN);
            kernels.radial(&context, points.data(), &center, &gamma, nullptr,
                           rows, 1, 1, nu, values.data());
            return values;
          },
          1e-11);
    }
}

TEST_F(KernelsTest, NeuralLayer) {
  // Sums of all sizes, some beyond what tanh and cos tell apart.
  std::vector<double> h;
  for (double exponent = -18.0; exponent < 6.0; exponent += 0.37)
    for (double sign : {-1.0, 1.0})
      h.push_back(sign * std::pow(10.0, exponent));
  const auto rows = int64_t(h.size());
  const std::vector<double> weights = {1.0, -0.5, 3.0}, bias = {0.0, 1e-3, 0.0};
  for (int64_t activation : {TAMRT_RELU, TAMRT_COS, TAMRT_TANH})
    compare(
        [&](const tamrt_kernels &kernels, tamrt_context &context) {
          std::vector<double> values(size_t(rows) * 3, NAN);
          kernels.neural_layer(&context, h.data(), weights.data(), bias.data(),
                               nullptr, rows, 1, 3, activation, 0.5,
                               values.data());
          // Small ones to their own scale.
          for (double &value : values)
            if (activation == TAMRT_TANH)
              value = std::copysign(std::log1p(std::fabs(value) * 1e16), value);
          return values;
        },
        activation == TAMRT_RELU ? 0.0 : 1e-9);
}

TEST_F(KernelsTest, Pid) {
  const std::vector<double> x = draw(37);
  for (int64_t window : {0, 1, 2, 5, 37, 100})
    for (int64_t chunk : {1, 3, 5, 36, 37}) {
      SCOPED_TRACE(testing::Message()
                   << "window " << window << ", chunk " << chunk);
      compare(
          [&](const tamrt_kernels &kernels, tamrt_context &context) {
            std::vector<double> all;
            std::vector<double> carry(size_t(window) + 2, 0.0);
            for (int64_t first = 0; first < 37; first += chunk) {
              const int64_t rows = std::min<int64_t>(chunk, 37 - first);
              std::vector<double> values(size_t(rows) * 3, NAN);
              kernels.pid(&context, x.data() + first, rows, first, 37, window,
                          carry.data(), values.data());
              all.insert(all.end(), values.begin(), values.end());
            }
            all.insert(all.end(), carry.begin(), carry.end());
            return all;
          },
          0.0);
    }
}

TEST_F(KernelsTest, ArgumentsOutsideTheContract) {
  const std::vector<double> x = draw(10), parameters = {0.0, 1.0, -1.0, 1.0};
  const int32_t mean[] = {0, 1, TAMRT_INDEX_MEAN(2)};
  const auto all = [&](auto call) {
    compare(
        [&](const tamrt_kernels &kernels, tamrt_context &context) {
          call(kernels, &context);
          EXPECT_EQ(context.status, TAMRT_ERROR_INVALID_ARGUMENT);
          return std::vector<double>();
        },
        0.0);
  };
  std::vector<double> out(100);
  std::vector<int32_t> index(100);
  all([&](const tamrt_kernels &k, tamrt_context *ctx) {
    k.linear(ctx, x.data(), 10, 1.0, 4, out.data());
  });
  const double *inputs[] = {x.data(), parameters.data()};
  const int64_t mode = TAMRT_SATURATION + 1, good = TAMRT_CONTINUE;
  all([&](const tamrt_kernels &k, tamrt_context *ctx) {
    k.linear_columns(ctx, x.data(), &mode, inputs, 2, 10, out.data());
  });
  all([&](const tamrt_kernels &k, tamrt_context *ctx) {
    k.linear_columns(ctx, x.data(), &good, inputs, 1, 10, out.data());
  });
  all([&](const tamrt_kernels &k, tamrt_context *ctx) {
    k.bspline(ctx, x.data(), parameters.data(), 10, 0, 3, 0, out.data(),
              index.data());
  });
  all([&](const tamrt_kernels &k, tamrt_context *ctx) {
    k.bspline(ctx, x.data(), parameters.data(), 10, 2, 21, 0, out.data(),
              index.data());
  });
  all([&](const tamrt_kernels &k, tamrt_context *ctx) {
    k.gram_onehot(ctx, mean, nullptr, 3, 2, out.data());
  });
  all([&](const tamrt_kernels &k, tamrt_context *ctx) {
    k.sparsify_onehot(ctx, mean, 3, 2, 1, 0, 1, 0, out.data(), index.data());
  });
  all([&](const tamrt_kernels &k, tamrt_context *ctx) {
    k.boundary(ctx, x.data(), 5, 2, TAMRT_CONTINUE, out.data(), out.data(),
               out.data());
  });
  const int64_t unknown[] = {9, 0, 1, 1, 0, 0};
  const int64_t manyFactors[] = {5, 9, 1, 1, 0, 0};
  const double *blocks[] = {x.data()};
  for (const int64_t *table : {unknown, manyFactors})
    all([&](const tamrt_kernels &k, tamrt_context *ctx) {
      k.assemble_matrix(ctx, table, nullptr, nullptr, nullptr, blocks, 1, 1, 1,
                        0, out.data());
    });
}
