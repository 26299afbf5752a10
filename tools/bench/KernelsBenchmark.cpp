//===- bench/KernelsBenchmark.cpp - times the kernels ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times the CPU's kernels, and OpenBLAS on the same matrices made dense.
///
/// Every benchmark handles one chunk of rows; `per_row` is its time over
/// them. Inputs are smooth, as those of time series sorted by date, where rows
/// that follow each other often share a span, or random ("shuffled").
/// OpenBLAS runs on one thread.
///
//===----------------------------------------------------------------------===//

#include "OpenBlas.h"

#include "kernels/cpu/CholeskyBundle.h"
#include "kernels/cpu/CpuKernels.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int64_t rows = 4096;

using Doubles = std::vector<double>;

tamrt_context context = {&tamrt_cpu_kernels, TAMRT_OK, 0, 0, nullptr};

/// Normalised inputs of the chunk, different for each seed.
Doubles input(bool shuffled, int seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  Doubles x(rows);
  double state = 0.0;
  for (int64_t r = 0; r < rows; ++r) {
    // Like half-hourly temperature: a daily wave plus a slow random walk.
    state = 0.998 * state + 0.02 * normal(generator);
    x[r] =
        std::tanh(0.35 * std::sin(2.0 * M_PI * (r + 7 * seed) / 48.0) + state);
  }
  if (shuffled)
    for (double &value : x)
      value = std::uniform_real_distribution<double>(-1.0, 1.0)(generator);
  return x;
}

enum class Encoding { Dense, Spline, OneHot };

struct Matrix {
  Encoding encoding;
  int64_t n, z = 4;
  Doubles values;
  std::vector<int32_t> start, index;

  /// The matrix, row-major.
  Doubles dense() const {
    Doubles out(rows * n);
    switch (encoding) {
    case Encoding::Dense:
      return values;
    case Encoding::Spline:
      tamrt_expand_banded(&context, values.data(), start.data(), rows, z, n, n,
                          0, out.data());
      break;
    case Encoding::OneHot:
      tamrt_expand_onehot(&context, index.data(), rows, n, n, 0, out.data());
      break;
    }
    return out;
  }
};

Matrix matrix(Encoding encoding, int64_t n, bool shuffled, int seed) {
  Matrix m{encoding, n, 4, {}, {}, {}};
  const Doubles x = input(shuffled, seed);
  const double parameters[] = {0.0, 1.0, -1.0, 1.0};
  switch (encoding) {
  case Encoding::Dense:
    m.values.resize(rows * n);
    if (n % 2 == 0)
      tamrt_fourier(&context, x.data(), rows, n / 2, 0, 0, m.values.data());
    else
      tamrt_chebyshev(&context, x.data(), rows, n, 0, m.values.data());
    break;
  case Encoding::Spline:
    m.values.resize(rows * 4);
    m.start.resize(rows);
    tamrt_bspline(&context, x.data(), parameters, rows, n - 3, 3, 0,
                  m.values.data(), m.start.data());
    break;
  case Encoding::OneHot:
    m.index.resize(rows);
    // A calendar: the level changes with every row.
    for (int64_t r = 0; r < rows; ++r)
      m.index[r] = static_cast<int32_t>(
          shuffled ? std::lround((x[r] + 1) / 2 * (n - 1)) : r % n);
    break;
  }
  return m;
}

/// Workspace of the kernels for wide matrices.
alignas(TAMRT_ALIGNMENT) double wideSpace[TAMRT_WIDE_WORKSPACE];

/// Adds the chunk to the sums of a' b, or of a' a where `b` is null.
void gram(const Matrix &a, const Matrix *b, const double *w, double *sums) {
  const auto ctx = &context;
  const double *v = a.values.data(), *u = b ? b->values.data() : nullptr;
  const int32_t *s = a.start.data(), *i = a.index.data();
  const int32_t *t = b ? b->start.data() : nullptr;
  const int32_t *k = b ? b->index.data() : nullptr;
  if (!b) {
    if (a.encoding == Encoding::Dense && TAMRT_IS_WIDE(a.n, a.n))
      return tamrt_gram_wide(ctx, v, w, rows, a.n, sums, wideSpace);
    if (a.encoding == Encoding::Dense)
      return tamrt_gram_dense(ctx, v, w, rows, a.n, sums);
    if (a.encoding == Encoding::Spline)
      return tamrt_gram_banded(ctx, v, s, w, rows, a.z, a.n, sums);
    return tamrt_gram_onehot(ctx, i, w, rows, a.n, sums);
  }
  if (a.encoding == Encoding::Dense && TAMRT_IS_WIDE(a.n, b->n))
    return tamrt_gram_dense_wide(ctx, v, u, w, rows, a.n, b->n, sums,
                                 wideSpace);
  if (a.encoding == Encoding::Dense)
    return tamrt_gram_dense_dense(ctx, v, u, w, rows, a.n, b->n, sums);
  if (a.encoding == Encoding::Spline) {
    if (b->encoding == Encoding::Dense)
      return tamrt_gram_banded_dense(ctx, v, s, u, w, rows, a.z, a.n, b->n,
                                     sums);
    return tamrt_gram_banded_banded(ctx, v, s, u, t, w, rows, a.z, a.n, b->z,
                                    b->n, sums);
  }
  if (b->encoding == Encoding::Dense)
    return tamrt_gram_onehot_dense(ctx, i, u, w, rows, a.n, b->n, sums);
  if (b->encoding == Encoding::Spline)
    return tamrt_gram_onehot_banded(ctx, i, u, t, w, rows, a.n, b->z, b->n,
                                    sums);
  return tamrt_gram_onehot_onehot(ctx, i, k, w, rows, a.n, b->n, sums);
}

void countRows(benchmark::State &state) {
  state.counters["per_row"] =
      benchmark::Counter(rows, benchmark::Counter::kIsIterationInvariantRate |
                                   benchmark::Counter::kInvert);
}

/// Registers benchmarks of a pair and of the same product by OpenBLAS.
void addPair(const std::string &name, Matrix a, Matrix b, bool square,
             bool weighted = false) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
    Doubles sums(2 * a.n * (square ? a.n : b.n));
    const Doubles w(weighted ? rows : 0, 0.5);
    for (auto _ : state) {
      gram(a, square ? nullptr : &b, weighted ? w.data() : nullptr,
           sums.data());
      benchmark::ClobberMemory();
    }
    countRows(state);
  });
  if (weighted)
    return;
  benchmark::RegisterBenchmark(
      (name + "/openblas").c_str(), [=](benchmark::State &state) {
        const Doubles left = a.dense(), right = b.dense();
        const int na = a.n, nb = b.n, count = rows;
        const double one = 1.0;
        Doubles sums(na * (square ? na : nb));
        // Row-major matrices are transposed column-major ones.
        for (auto _ : state) {
          if (square)
            dsyrk_("L", "N", &na, &count, &one, left.data(), &na, &one,
                   sums.data(), &na, 1, 1);
          else
            dgemm_("N", "T", &nb, &na, &count, &one, right.data(), &nb,
                   left.data(), &na, &one, sums.data(), &nb, 1, 1);
          benchmark::ClobberMemory();
        }
        countRows(state);
      });
}

/// The model of docs/math.md section 5: four splines of 23 columns, two one-hot
/// effects, two linear ones and the intercept, all blocks of its Gram matrix.
void addModel(bool shuffled) {
  std::vector<Matrix> effects = {
      matrix(Encoding::OneHot, 7, shuffled, 5),
      matrix(Encoding::OneHot, 2, shuffled, 6),
  };
  for (int s = 0; s < 4; ++s)
    effects.push_back(matrix(Encoding::Spline, 23, shuffled, s));
  effects.push_back(matrix(Encoding::Dense, 3, shuffled, 9));
  const std::string name =
      std::string("load_model/") + (shuffled ? "shuffled" : "smooth");
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
    Doubles sums(2 * 23 * 23);
    for (auto _ : state)
      for (size_t i = 0; i < effects.size(); ++i) {
        gram(effects[i], nullptr, nullptr, sums.data());
        for (size_t j = i + 1; j < effects.size(); ++j)
          gram(effects[i], &effects[j], nullptr, sums.data());
      }
    countRows(state);
  });
  if (shuffled)
    return;
  Matrix whole{Encoding::Dense, 0, 0, {}, {}, {}};
  for (const Matrix &effect : effects)
    whole.n += effect.n;
  whole.values.resize(rows * whole.n);
  int64_t column = 0;
  for (const Matrix &effect : effects) {
    const Doubles part = effect.dense();
    tamrt_expand_dense(&context, part.data(), rows, effect.n, whole.n, column,
                       whole.values.data());
    column += effect.n;
  }
  addPair("gram_dense/" + std::to_string(whole.n), whole, whole, true);
}

/// A symmetric positive definite matrix.
Doubles definite(int64_t n) {
  Doubles a(n * n, 0.25);
  for (int64_t i = 0; i < n; ++i)
    a[i * (n + 1)] = n;
  return a;
}

void addSolve(int n) {
  const std::string name = "cholesky_solve/" + std::to_string(n);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
    const Doubles original = definite(n);
    Doubles a = original, b(n, 1.0), workspace(TAMRT_SOLVE_WORKSPACE(n));
    for (auto _ : state) {
      state.PauseTiming();
      a = original;
      state.ResumeTiming();
      tamrt_cholesky_solve(&context, n, a.data(), b.data(), workspace.data());
    }
  });
  benchmark::RegisterBenchmark(
      (name + "/openblas").c_str(), [=](benchmark::State &state) {
        const Doubles original = definite(n);
        Doubles a = original, b(n, 1.0);
        const int one = 1;
        int info;
        for (auto _ : state) {
          state.PauseTiming();
          a = original;
          state.ResumeTiming();
          dpotrf_("L", &n, a.data(), &n, &info, 1);
          dpotrs_("L", &n, &one, a.data(), &n, b.data(), &n, &info, 1);
        }
      });
}

/// A bundle of small systems, and as many one by one; `per_system` is the time
/// of one.
void addBundle(int64_t n) {
  using tamrt::cpu::kBundleSystems;
  auto add = [&](const std::string &name, auto solve) {
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
      Doubles a(n * n * kBundleSystems), factors(a.size()),
          b(n * kBundleSystems, 1.0), x(b.size()),
          workspace(TAMRT_SOLVE_WORKSPACE(n));
      const Doubles one = definite(n);
      for (size_t k = 0; k < a.size(); ++k)
        a[k] = one[k / kBundleSystems];
      for (auto _ : state)
        solve(one, a, b, factors, x, workspace);
      state.counters["per_system"] = benchmark::Counter(
          double(state.iterations() * kBundleSystems),
          benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    });
  };
  const std::string name = "bundle/" + std::to_string(n);
  add(name, [=](const Doubles &, const Doubles &a, const Doubles &b,
                Doubles &factors, Doubles &x, Doubles &) {
    benchmark::DoNotOptimize(tamrt::cpu::solveBundle(n, a.data(), b.data(),
                                                     factors.data(), x.data()));
  });
  add(name + "/one_by_one",
      [=](const Doubles &one, const Doubles &, const Doubles &b,
          Doubles &factors, Doubles &x, Doubles &workspace) {
        for (int64_t s = 0; s < kBundleSystems; ++s) {
          std::copy(one.begin(), one.end(), factors.begin());
          std::copy_n(b.begin(), n, x.begin());
          tamrt_cholesky_solve(&context, n, factors.data(), x.data(),
                               workspace.data());
        }
      });
}

void addInverse(int n) {
  const std::string name = "cholesky_inverse/" + std::to_string(n);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
    const Doubles original = definite(n);
    Doubles a = original, inverse(int64_t(n) * (n + 1) / 2), numbers(2);
    Doubles workspace(TAMRT_INVERSE_WORKSPACE(n));
    for (auto _ : state) {
      state.PauseTiming();
      a = original;
      state.ResumeTiming();
      tamrt_cholesky_inverse(&context, n, a.data(), inverse.data(),
                             numbers.data(), workspace.data());
    }
  });
  benchmark::RegisterBenchmark((name + "/openblas").c_str(),
                               [=](benchmark::State &state) {
                                 const Doubles original = definite(n);
                                 Doubles a = original;
                                 int info;
                                 for (auto _ : state) {
                                   state.PauseTiming();
                                   a = original;
                                   state.ResumeTiming();
                                   dpotrf_("L", &n, a.data(), &n, &info, 1);
                                   dpotri_("L", &n, a.data(), &n, &info, 1);
                                 }
                               });
}

/// Rows of an intercept, `splines` cubic splines of 23 columns, a one-hot
/// effect of 24 and `dense` effects of 20.
void addForms(int splines, int dense) {
  const std::string name = "quadratic_forms/" + std::to_string(splines) +
                           "x4_" + std::to_string(dense) + "x20";
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
    std::vector<std::pair<Matrix, int64_t>> effects;
    effects.emplace_back(
        Matrix{Encoding::Dense, 1, 4, Doubles(rows, 1.0), {}, {}}, 1);
    for (int s = 0; s < splines; ++s)
      effects.emplace_back(matrix(Encoding::Spline, 23, false, s), 4);
    effects.emplace_back(matrix(Encoding::OneHot, 24, false, 7), 1);
    for (int s = 0; s < dense; ++s)
      effects.emplace_back(matrix(Encoding::Dense, 20, false, s), 20);
    int64_t width = 0, first = 0, at = 0;
    std::vector<int64_t> ends;
    for (const auto &[effect, z] : effects)
      ends.push_back(width += z);
    Doubles values(rows * width);
    std::vector<int32_t> index(rows * width);
    double *v = values.data();
    for (const auto &[effect, z] : effects) {
      switch (effect.encoding) {
      case Encoding::Dense:
        tamrt_sparsify_dense(&context, effect.values.data(), rows, effect.n,
                             first, width, at, v, index.data());
        break;
      case Encoding::Spline:
        tamrt_sparsify_banded(&context, effect.values.data(),
                              effect.start.data(), rows, z, effect.n, first,
                              width, at, v, index.data());
        break;
      case Encoding::OneHot:
        tamrt_sparsify_onehot(&context, effect.index.data(), rows, effect.n, 1,
                              first, width, at, v, index.data());
        break;
      }
      first += effect.n;
      at += z;
    }
    const Doubles triangle(first * (first + 1) / 2, 0.5);
    Doubles out(rows * (1 + ends.size()));
    for (auto _ : state) {
      tamrt_quadratic_forms(&context, v, index.data(), ends.data(),
                            triangle.data(), rows, width, ends.size(),
                            out.data());
      benchmark::ClobberMemory();
    }
    countRows(state);
    state.counters["z"] = static_cast<double>(width);
    state.counters["columns"] = static_cast<double>(first);
  });
}

void addFeatures() {
  static const Doubles x = input(false, 3);
  auto add = [](const char *name, auto run) {
    benchmark::RegisterBenchmark(name, [run](benchmark::State &state) {
      Doubles values(rows * 100);
      std::vector<int32_t> start(rows);
      for (auto _ : state) {
        run(values.data(), start.data());
        benchmark::ClobberMemory();
      }
      countRows(state);
    });
  };
  const auto ctx = &context;
  static const double parameters[] = {0.0, 1.0, -1.0, 1.0};
  add("bspline/20/3", [=](double *values, int32_t *start) {
    tamrt_bspline(ctx, x.data(), parameters, rows, 20, 3, TAMRT_LINEAR, values,
                  start);
  });
  add("fourier/10", [=](double *values, int32_t *) {
    tamrt_fourier(ctx, x.data(), rows, 10, 0, TAMRT_CONTINUE, values);
  });
  add("fourier/50", [=](double *values, int32_t *) {
    tamrt_fourier(ctx, x.data(), rows, 50, 0, TAMRT_CONTINUE, values);
  });
  add("chebyshev/5", [=](double *values, int32_t *) {
    tamrt_chebyshev(ctx, x.data(), rows, 5, TAMRT_SATURATION, values);
  });
  add("normalize", [=](double *values, int32_t *) {
    tamrt_normalize(ctx, x.data(), parameters, rows, values);
  });
  add("onehot/24", [=](double *, int32_t *start) {
    tamrt_onehot(ctx, x.data(), rows, 24, start);
  });
}

/// n linear columns, and the sums of their squares.
void addLinearColumns(int64_t n) {
  auto add = [&](const std::string &name, auto run) {
    const std::string whole = name + "/" + std::to_string(n);
    benchmark::RegisterBenchmark(whole.c_str(), [=](benchmark::State &state) {
      static const double parameters[] = {0.1, 1.3, -1.0, 1.0};
      const Doubles scales(n, 1.7);
      const std::vector<int64_t> modes(n, TAMRT_LINEAR);
      Doubles columns, values(rows * n), sums(n);
      for (int64_t j = 0; j < n; ++j) {
        const Doubles x = input(false, static_cast<int>(j));
        columns.insert(columns.end(), x.begin(), x.end());
      }
      std::vector<const double *> inputs;
      for (int64_t j = 0; j < n; ++j)
        inputs.insert(inputs.end(), {columns.data() + j * rows, parameters});
      for (auto _ : state) {
        run(scales, modes, inputs, values, sums);
        benchmark::ClobberMemory();
      }
      countRows(state);
    });
  };
  add("linear_columns", [=](const Doubles &scales, const auto &modes,
                            const auto &inputs, Doubles &values, Doubles &) {
    tamrt_linear_columns(&context, scales.data(), modes.data(), inputs.data(),
                         2 * n, rows, values.data());
  });
  add("squares_dense", [=](const Doubles &, const auto &, const auto &,
                           Doubles &values, Doubles &sums) {
    tamrt_squares_dense(&context, values.data(), nullptr, rows, n, sums.data());
  });
}

void addPairs() {
  for (bool shuffled : {false, true}) {
    const std::string kind = shuffled ? "/shuffled" : "/smooth";
    const Matrix spline = matrix(Encoding::Spline, 23, shuffled, 1);
    const Matrix other = matrix(Encoding::Spline, 23, shuffled, 2);
    const Matrix hour = matrix(Encoding::OneHot, 24, shuffled, 3);
    const Matrix day = matrix(Encoding::OneHot, 7, shuffled, 4);
    const Matrix fourier = matrix(Encoding::Dense, 20, shuffled, 5);
    const Matrix pair = matrix(Encoding::Dense, 2, shuffled, 6);
    const Matrix one = matrix(Encoding::Dense, 1, shuffled, 6);
    addPair("banded_banded/23x23" + kind, spline, other, false);
    addPair("banded_banded/23x23/weighted" + kind, spline, other, false, true);
    addPair("banded/23" + kind, spline, spline, true);
    addPair("onehot_banded/24x23" + kind, hour, spline, false);
    addPair("onehot_banded/7x23" + kind, day, spline, false);
    addPair("onehot_onehot/24x7" + kind, hour, day, false);
    addPair("banded_dense/23x20" + kind, spline, fourier, false);
    addPair("banded_dense/23x2" + kind, spline, pair, false);
    addPair("banded_dense/23x1" + kind, spline, one, false);
    addPair("onehot_dense/24x20" + kind, hour, fourier, false);
    addPair("onehot_dense/24x1" + kind, hour, one, false);
    if (shuffled)
      continue;
    addPair("dense_dense/20x2", fourier, pair, false);
    addPair("dense_dense/20x20", fourier, fourier, false);
    addPair("dense/20", fourier, fourier, true);
  }
}

/// Cross products of sparse matrices with `za` and `zb` numbers of a row: a
/// spline with a category has runs of four columns, two splines have four of
/// them.
void addSparse(int64_t za, int64_t zb) {
  const std::string name =
      "sparse_sparse/" + std::to_string(za) + "x" + std::to_string(zb);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
    constexpr int64_t columns = 8, n = columns * columns;
    std::mt19937 generator(1);
    const auto make = [&](int64_t z, Doubles &values,
                          std::vector<int32_t> &index) {
      for (int64_t r = 0; r < rows; ++r) {
        const auto start = int32_t(generator() % (columns - 3));
        const auto level = int32_t(generator() % columns);
        for (int32_t i = 0; i < z; ++i) {
          values.push_back(0.5 + i);
          index.push_back((level + i / 4) % columns * columns + start + i % 4);
        }
      }
    };
    Doubles a, b, sums(n * n);
    std::vector<int32_t> a_index, b_index;
    make(za, a, a_index);
    make(zb, b, b_index);
    for (auto _ : state) {
      tamrt_gram_sparse_sparse(&context, a.data(), a_index.data(), b.data(),
                               b_index.data(), nullptr, rows, za, n, zb, n,
                               sums.data());
      benchmark::ClobberMemory();
    }
    countRows(state);
  });
}

/// Moving the sums of a segment of `te(s(a, k=8), s(b, k=8))` after joining
/// them with those of others.
void addMove(int64_t parts) {
  const std::string name = "move_sums/" + std::to_string(parts);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
    constexpr size_t count = 64 * 136, line = 8;
    // Aligned as in a state.
    Doubles memory(count * size_t(parts + 2) + line);
    const size_t skipped =
        (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64 / 8;
    double *sums = memory.data() + skipped, *out = sums + count;
    std::vector<const double *> earlier;
    for (int64_t part = 0; part < parts; ++part)
      earlier.push_back(out + count * size_t(part + 1));
    for (auto _ : state) {
      tamrt_move_sums(&context, earlier.data(), parts, count, sums, out);
      benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * int64_t(count));
  });
}

} // namespace

int main(int argc, char **argv) {
  openblas_set_num_threads(1);
  addPairs();
  addSparse(4, 4);
  addSparse(16, 4);
  addSparse(4, 16);
  addSparse(16, 16);
  for (int64_t parts : {0, 1, 2, 3})
    addMove(parts);
  addModel(false);
  addModel(true);
  addFeatures();
  for (int64_t n : {16, 600})
    addLinearColumns(n);
  for (int n : {25, 100, 104, 400, 530, 1000, 1627})
    addSolve(n);
  for (int n : {4, 9, 16, 24, 32, 46, 64})
    addBundle(n);
  for (int n : {25, 100, 104, 400, 530, 1000, 1627})
    addInverse(n);
  addForms(4, 0);
  addForms(9, 0);
  addForms(4, 1);
  addForms(9, 2);
  addForms(20, 0);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
