//===- kernels/InstructionSetTest.cpp - the bits of every machine ---------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kernels compiled only for the baseline instruction set, or only for
/// AVX2, give the same bytes as those that choose at start.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <cstring>

/// The same sources, compiled once more each (see CMakeLists.txt).
extern const tamrt_kernels tamrt_baseline_kernels;
#ifdef TAMC_TEST_AVX2
extern const tamrt_kernels tamrt_avx2_kernels;
#endif

namespace tamrt::test {

namespace {

class InstructionSetTest : public KernelTest {
protected:
  /// Runs `run` with all tables; it fills what it is given.
  template <typename Run> void compare(size_t count, Run run) {
    Doubles here(count);
    run(&ctx, here.data());
    compareWith(tamrt_baseline_kernels, here, run);
#ifdef TAMC_TEST_AVX2
    if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V3)
      compareWith(tamrt_avx2_kernels, here, run);
#endif
  }

private:
  template <typename Run>
  void compareWith(const tamrt_kernels &kernels, const Doubles &here, Run run) {
    Doubles there(here.size());
    tamrt_context other = ctx;
    other.kernels = &kernels;
    run(&other, there.data());
    EXPECT_EQ(other.status, TAMRT_OK);
    EXPECT_EQ(0, std::memcmp(here.data(), there.data(),
                             here.size() * sizeof(double)));
  }
};

TEST_F(InstructionSetTest, LevelCompression) {
  const int64_t rows = 301, levels = 24, columns = 7, outer = 3;
  const Doubles x = uniforms(rows);
  const double parameters[] = {1.25, 3.7, -1, 1};
  const Doubles basis = uniforms(levels * columns);
  compare(rows, [&](tamrt_context *ctx, double *out) {
    tamrt_regrid(ctx, x.data(), parameters, rows, levels, 0.3, out);
  });
  for (int64_t inner : {1, 4, 5}) {
    const Doubles sums = uniforms(outer * levels * inner);
    compare(outer * columns * inner, [&](tamrt_context *ctx, double *out) {
      tamrt_expand_levels(ctx, sums.data(), basis.data(), outer, levels, inner,
                          columns, out);
    });
  }
  const Doubles counts = uniforms(levels);
  compare(columns * columns, [&](tamrt_context *ctx, double *out) {
    tamrt_expand_counts(ctx, counts.data(), basis.data(), basis.data(), levels,
                        columns, columns, out);
  });
}

TEST_F(InstructionSetTest, SumsOfSegments) {
  for (size_t count : {7, 15, 16, 31, 513})
    for (size_t parts : {0, 1, 2, 5}) {
      std::vector<Doubles> earlier;
      std::vector<const double *> pointers;
      for (size_t part = 0; part < parts; ++part)
        earlier.push_back(uniforms(count));
      for (const Doubles &part : earlier)
        pointers.push_back(part.data());
      const Doubles own = uniforms(count);
      compare(count, [&](tamrt_context *ctx, double *sums) {
        std::copy(own.begin(), own.end(), sums);
        tamrt_join_sums(ctx, pointers.data(), int64_t(parts), int64_t(count),
                        sums);
      });
      compare(count, [&](tamrt_context *ctx, double *moved) {
        Doubles sums = own;
        tamrt_move_sums(ctx, pointers.data(), int64_t(parts), int64_t(count),
                        sums.data(), moved);
      });
    }
}

TEST_F(InstructionSetTest, Sums) {
  const int64_t rows = TAMRT_SEGMENT_ROWS + 99;
  const Doubles w = uniforms(rows, 0.0, 2.0), y = uniforms(rows);
  std::vector<Matrix> matrices;
  for (int64_t n : {1, 2, 3, 7, 20})
    matrices.push_back(randomMatrix(Encoding::Dense, rows, n, 0, generator));
  for (int64_t z : {3, 4})
    matrices.push_back(randomMatrix(Encoding::Banded, rows, 13, z, generator));
  matrices.push_back(randomMatrix(Encoding::OneHot, rows, 6, 0, generator));
  matrices.push_back(randomMatrix(Encoding::MultiHot, rows, 15, 6, generator));
  for (int64_t z : {3, 4, 8, 16})
    matrices.push_back(randomMatrix(Encoding::Sparse, rows, 17, z, generator));
  for (int64_t m : {1, 4, 7}) {
    Doubles values(static_cast<size_t>(rows * 2 * m));
    tamrt_fourier(&ctx, y.data(), rows, m, 0, TAMRT_CONTINUE, values.data());
    for (const double *weights : {(const double *)nullptr, w.data()})
      compare(4 * m + 1, [&](tamrt_context *ctx, double *sums) {
        tamrt_gram_fourier(ctx, values.data(), weights, rows, 2 * m, sums);
      });
  }
  for (const Matrix &a : matrices)
    for (const double *weights : {(const double *)nullptr, w.data()}) {
      compare(a.n * a.n, [&](tamrt_context *ctx, double *sums) {
        gram(ctx, a, nullptr, weights, 0, rows, sums);
      });
      if (a.encoding == Encoding::Dense)
        compare(a.n, [&](tamrt_context *ctx, double *sums) {
          tamrt_squares_dense(ctx, a.values.data(), weights, rows, a.n, sums);
        });
      compare(a.n, [&](tamrt_context *ctx, double *sums) {
        rhs(ctx, a, y.data(), weights, 0, rows, sums);
      });
      for (const Matrix &b : matrices)
        if (hasCrossKernel(a.encoding, b.encoding))
          compare(a.n * b.n, [&](tamrt_context *ctx, double *sums) {
            gram(ctx, a, &b, weights, 0, rows, sums);
          });
    }
}

TEST_F(InstructionSetTest, WideMatrices) {
  const int64_t rows = 150;
  const Matrix few = randomMatrix(Encoding::Dense, rows, 13, 0, generator);
  for (int64_t n : {160, 168, 172, 181, 200}) {
    const Matrix many = randomMatrix(Encoding::Dense, rows, n, 0, generator);
    compare(n * n, [&](tamrt_context *ctx, double *sums) {
      gram(ctx, many, nullptr, nullptr, 0, rows, sums);
      // Of what lies below the diagonal some is summed, as it comes.
      for (int64_t i = 0; i < n; ++i)
        std::fill_n(sums + i * n, i, 0.0);
    });
    compare(few.n * n, [&](tamrt_context *ctx, double *sums) {
      gram(ctx, few, &many, nullptr, 0, rows, sums);
    });
    compare(few.n * n, [&](tamrt_context *ctx, double *sums) {
      gram(ctx, many, &few, nullptr, 0, rows, sums);
    });
  }
}

TEST_F(InstructionSetTest, FeaturesAndPredictions) {
  const int64_t rows = 500;
  const Doubles x = uniforms(rows, -1.5, 1.5), beta = uniforms(30);
  const double parameters[] = {0.1, 0.7, -1.0, 1.0};
  compare(rows, [&](tamrt_context *ctx, double *out) {
    tamrt_normalize(ctx, x.data(), parameters, rows, out);
  });
  for (int64_t n : {1, 3, 8, 21}) {
    std::vector<const double *> inputs;
    std::vector<int64_t> modes;
    for (int64_t j = 0; j < n; ++j) {
      inputs.insert(inputs.end(), {x.data() + j, parameters});
      modes.push_back(j % 8 < 4 ? TAMRT_CONTINUE : TAMRT_SATURATION);
    }
    compare((rows - n) * n, [&](tamrt_context *ctx, double *out) {
      tamrt_linear_columns(ctx, beta.data(), modes.data(), inputs.data(), 2 * n,
                           rows - n, out);
    });
  }
  for (int64_t degree : {2, 3})
    for (int64_t k : {1, 2, 4, 5, 20})
      for (int64_t some : {rows, rows - 3, rows - 6, int64_t(5)})
        compare(some * (degree + 1), [&](tamrt_context *ctx, double *out) {
          std::vector<int32_t> start(some);
          tamrt_bspline(ctx, x.data(), parameters, some, k, degree,
                        TAMRT_LINEAR, out, start.data());
        });
  compare(rows * 20, [&](tamrt_context *ctx, double *out) {
    tamrt_fourier(ctx, x.data(), rows, 10, 0, TAMRT_SATURATION, out);
  });
  const Matrix dense = randomMatrix(Encoding::Dense, rows, 30, 0, generator);
  compare(rows, [&](tamrt_context *ctx, double *out) {
    tamrt_predict_dense(ctx, dense.values.data(), beta.data(), rows, 30, 1, 0,
                        0, out);
  });
  const Matrix band = randomMatrix(Encoding::Banded, rows, 30, 4, generator);
  compare(rows, [&](tamrt_context *ctx, double *out) {
    tamrt_predict_banded(ctx, band.values.data(), band.start.data(),
                         beta.data(), rows, 4, 30, 1, 0, 0, out);
  });
}

TEST_F(InstructionSetTest, MapsOfSeveralVariables) {
  const int64_t rows = 61, d = 5, n = 19;
  const Doubles h = uniforms(rows * d), weights = uniforms(d * n);
  const Doubles bias = uniforms(n), gamma = {0.7};
  for (int64_t activation : {TAMRT_RELU, TAMRT_COS, TAMRT_TANH})
    compare(rows * n, [&](tamrt_context *ctx, double *out) {
      tamrt_neural_layer(ctx, h.data(), weights.data(), bias.data(), nullptr,
                         rows, d, n, activation, 0.2, out);
    });
  for (double nu : {0.0, 1.5, 0.8, 3.3})
    compare(rows * n, [&](tamrt_context *ctx, double *out) {
      tamrt_radial(ctx, h.data(), weights.data(), gamma.data(), nullptr, rows,
                   d, n, nu, out);
    });
  const Matrix b = randomMatrix(Encoding::Dense, rows, n, 0, generator);
  compare(rows * d * n, [&](tamrt_context *ctx, double *out) {
    tamrt_kronecker_dense(ctx, h.data(), b.values.data(), rows, d, n, out);
  });
  for (int64_t z : {3, 4}) {
    const Matrix a = randomMatrix(Encoding::Sparse, rows, 9, z, generator);
    compare(rows * z * z, [&](tamrt_context *ctx, double *out) {
      std::vector<int32_t> index(rows * z * z);
      tamrt_kronecker_sparse(ctx, a.values.data(), a.index.data(),
                             a.values.data(), a.index.data(), rows, z, 9, z, 9,
                             out, index.data());
    });
  }
}

TEST_F(InstructionSetTest, Solutions) {
  for (int64_t n : {3, 9, 13, 22, 40, 104, 107, 150, 301})
    // The second is refined: column 1 is half the first, but for its diagonal.
    for (double part : {0.0, 1e-9}) {
      const Doubles b = uniforms(n), noise = uniforms(n * n);
      compare(n, [&](tamrt_context *ctx, double *x) {
        Doubles a = noise;
        Workspace workspace(TAMRT_SOLVE_WORKSPACE(n));
        for (int64_t i = 0; i < n; ++i)
          a[i * (n + 1)] = n;
        if (part > 0) {
          for (int64_t i = 1; i < n; ++i)
            a[n + i] = a[i] / 2;
          a[1] = n / 2.0;
          a[n + 1] = n / 4.0 * (1 + part);
        }
        std::copy_n(b.begin(), n, x);
        tamrt_cholesky_solve(ctx, n, a.data(), x, workspace.data());
      });
    }
}

TEST_F(InstructionSetTest, DiagonalSystems) {
  const int64_t n = 107;
  const Doubles sums = uniforms(n, 0.0, 9.0), b = uniforms(n);
  compare(n, [&](tamrt_context *ctx, double *x) {
    Doubles factor(n);
    tamrt_diagonal_factor(ctx, nullptr, nullptr, nullptr, sums.data(), 100, n,
                          0, 0, factor.data());
    tamrt_diagonal_apply(ctx, factor.data(), b.data(), n, x);
  });
}

TEST_F(InstructionSetTest, Inverses) {
  for (int64_t n : {3, 9, 13, 22, 40, 104, 107, 128, 150, 193, 301}) {
    const Doubles noise = uniforms(n * n);
    const int64_t size = n * (n + 1) / 2;
    compare(size + 2, [&](tamrt_context *ctx, double *out) {
      Doubles a = noise;
      Workspace workspace(TAMRT_INVERSE_WORKSPACE(n));
      for (int64_t i = 0; i < n; ++i)
        a[i * (n + 1)] = n;
      tamrt_cholesky_inverse(ctx, n, a.data(), out, out + size,
                             workspace.data());
    });
  }
}

TEST_F(InstructionSetTest, QuadraticForms) {
  const int64_t rows = 50, z = 93, columns = 200, ends[] = {1, 5, 25, 93};
  const Doubles values = uniforms(rows * z);
  const Doubles triangle = uniforms(columns * (columns + 1) / 2);
  std::vector<int32_t> index;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < z; ++i)
      index.push_back(
          static_cast<int32_t>(i < 25 ? i + r % 3 * (i > 4) : i + i / 3 + r));
  compare(rows * 5, [&](tamrt_context *ctx, double *out) {
    tamrt_quadratic_forms(ctx, values.data(), index.data(), ends,
                          triangle.data(), rows, z, 4, out);
  });
}

} // namespace

} // namespace tamrt::test
