//===- bench/DsyrkBenchmark.cpp - Gram matrices against dsyrk -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: DsyrkBenchmark [REPEATS]
///
/// Times the Gram part of whole models: all kernels of their pairs of effects
/// on encoded matrices, chunk after chunk, alternating with OpenBLAS' DSYRK on
/// the dense design of the same rows. Uses one thread and the least processor
/// time of the repeats (default 5). Prints a table in Markdown: nanoseconds a
/// row, and the kernels' time as a multiple of dsyrk's.
///
/// "Sorted" inputs change slowly, as those of time series do, so that
/// consecutive rows are in the same leaf and span; "random" ones do not.
///
//===----------------------------------------------------------------------===//

#include "OpenBlas.h"

#include "kernels/cpu/CpuKernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using Doubles = std::vector<double>;

tamrt_context context = {&tamrt_cpu_kernels, TAMRT_OK, 0, 0, nullptr};

const double parameters[] = {0.0, 1.0, -1.0, 1.0};

/// Normalised inputs, different for each seed.
Doubles input(int64_t rows, bool sorted, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Doubles x(static_cast<size_t>(rows));
  double state = 0.0;
  for (double &value : x) {
    state = 0.99 * state + 0.1 * uniform(generator);
    value = sorted ? std::tanh(2.0 * state) : uniform(generator);
  }
  return x;
}

/// The Gram part of a model, with rows in chunks as in a fit.
class Model {
public:
  virtual ~Model() = default;
  virtual int64_t columns() const = 0;
  /// Adds rows [begin, end) of the one group to the sums.
  virtual void add(int64_t begin, int64_t end) = 0;
  /// The whole design matrix, row-major.
  virtual Doubles design(int64_t rows) const = 0;
};

struct Spline {
  static constexpr int64_t z = 4;
  int64_t n;
  Doubles values;
  std::vector<int32_t> start;

  Spline(const Doubles &x, int64_t k) : n(k + 3) {
    const auto rows = static_cast<int64_t>(x.size());
    values.resize(x.size() * z);
    start.resize(x.size());
    tamrt_bspline(&context, x.data(), parameters, rows, k, 3, 0, values.data(),
                  start.data());
  }
};

/// Workspace of gram_multihot.
alignas(
    TAMRT_ALIGNMENT) double leafSpace[TAMRT_LEAF_WORKSPACE(TAMRT_SEGMENT_ROWS)];

/// t(a, others='b|c', n_trees=50) + s(d, k=10) + s(e, k=10)
class Trees : public Model {
public:
  Trees(int64_t rows, bool sorted)
      : d(input(rows, sorted, 4), 10), e(input(rows, sorted, 5), 10) {
    Doubles points(static_cast<size_t>(rows * inputs));
    for (int64_t f = 0; f < inputs; ++f) {
      const Doubles x = input(rows, sorted, static_cast<uint64_t>(f + 1));
      for (int64_t r = 0; r < rows; ++r)
        points[static_cast<size_t>(r * inputs + f)] = x[static_cast<size_t>(r)];
    }
    std::mt19937_64 generator(6);
    std::vector<int32_t> features(trees * depth);
    Doubles thresholds(trees * depth);
    for (int32_t &feature : features)
      feature = static_cast<int32_t>(generator() % inputs);
    for (double &threshold : thresholds)
      threshold = std::uniform_real_distribution<double>(-1.0, 1.0)(generator);
    leaves.resize(static_cast<size_t>(rows * trees));
    tamrt_tree_oblivious(&context, points.data(), features.data(),
                         thresholds.data(), nullptr, rows, inputs, trees, depth,
                         leaves.data());
    ones.assign(static_cast<size_t>(rows), 1.0);
    square.resize(static_cast<size_t>(2 * n * n));
    ofOffset.resize(static_cast<size_t>(2 * n));
    ofD.resize(static_cast<size_t>(2 * n * d.n));
    ofE.resize(static_cast<size_t>(2 * n * e.n));
    small.resize(static_cast<size_t>(2 * d.n * e.n));
  }

  int64_t columns() const override { return 1 + n + d.n + e.n; }

  void add(int64_t begin, int64_t end) override {
    const int64_t rows = end - begin;
    const int32_t *a = leaves.data() + begin * trees;
    const double *one = ones.data() + begin;
    tamrt_gram_multihot(&context, a, nullptr, rows, trees, n, scale,
                        square.data(), leafSpace);
    tamrt_gram_multihot_dense(&context, a, one, nullptr, rows, trees, n, scale,
                              1, ofOffset.data());
    tamrt_gram_multihot_banded(&context, a, valuesOf(d, begin),
                               startsOf(d, begin), nullptr, rows, trees, n,
                               scale, Spline::z, d.n, ofD.data());
    tamrt_gram_multihot_banded(&context, a, valuesOf(e, begin),
                               startsOf(e, begin), nullptr, rows, trees, n,
                               scale, Spline::z, e.n, ofE.data());
    for (const Spline *s : {&d, &e}) {
      tamrt_gram_banded(&context, valuesOf(*s, begin), startsOf(*s, begin),
                        nullptr, rows, Spline::z, s->n, small.data());
      tamrt_gram_banded_dense(&context, valuesOf(*s, begin),
                              startsOf(*s, begin), one, nullptr, rows,
                              Spline::z, s->n, 1, small.data());
    }
    tamrt_gram_banded_banded(&context, valuesOf(d, begin), startsOf(d, begin),
                             valuesOf(e, begin), startsOf(e, begin), nullptr,
                             rows, Spline::z, d.n, Spline::z, e.n,
                             small.data());
    tamrt_gram_dense(&context, one, nullptr, rows, 1, small.data());
  }

  Doubles design(int64_t rows) const override {
    const int64_t width = columns();
    Doubles out(static_cast<size_t>(rows * width));
    tamrt_expand_dense(&context, ones.data(), rows, 1, width, 0, out.data());
    tamrt_expand_multihot(&context, leaves.data(), rows, trees, n, scale, width,
                          1, out.data());
    int64_t column = 1 + n;
    for (const Spline *s : {&d, &e}) {
      tamrt_expand_banded(&context, s->values.data(), s->start.data(), rows,
                          Spline::z, s->n, width, column, out.data());
      column += s->n;
    }
    return out;
  }

private:
  static constexpr int64_t inputs = 3, trees = 50, depth = 5;
  static constexpr int64_t n = trees << depth;
  const double scale = 1.0 / std::sqrt(static_cast<double>(trees));

  static const double *valuesOf(const Spline &s, int64_t row) {
    return s.values.data() + row * Spline::z;
  }
  static const int32_t *startsOf(const Spline &s, int64_t row) {
    return s.start.data() + row;
  }

  Spline d, e;
  std::vector<int32_t> leaves;
  Doubles ones, square, ofOffset, ofD, ofE, small;
};

/// f(a, m=20) + f(b, m=20)
class Fourier : public Model {
public:
  Fourier(int64_t rows, bool sorted) {
    ones.assign(static_cast<size_t>(rows), 1.0);
    for (int t = 0; t < 2; ++t) {
      const Doubles x = input(rows, sorted, static_cast<uint64_t>(t + 1));
      values[t].resize(static_cast<size_t>(rows * n));
      tamrt_fourier(&context, x.data(), rows, m, 0, 0, values[t].data());
    }
    sums.resize(static_cast<size_t>(2 * n * n));
    cross = sums;
  }

  int64_t columns() const override { return 1 + 2 * n; }

  void add(int64_t begin, int64_t end) override {
    const int64_t rows = end - begin;
    const double *one = ones.data() + begin;
    const double *a = values[0].data() + begin * n;
    const double *b = values[1].data() + begin * n;
    for (const double *term : {a, b}) {
      tamrt_gram_fourier(&context, term, nullptr, rows, n, sums.data());
      tamrt_gram_dense_dense(&context, one, term, nullptr, rows, 1, n,
                             sums.data());
    }
    tamrt_gram_dense_dense(&context, a, b, nullptr, rows, n, n, cross.data());
    tamrt_gram_dense(&context, one, nullptr, rows, 1, sums.data());
  }

  Doubles design(int64_t rows) const override {
    const int64_t width = columns();
    Doubles out(static_cast<size_t>(rows * width));
    tamrt_expand_dense(&context, ones.data(), rows, 1, width, 0, out.data());
    for (int t = 0; t < 2; ++t)
      tamrt_expand_dense(&context, values[t].data(), rows, n, width, 1 + t * n,
                         out.data());
    return out;
  }

private:
  static constexpr int64_t m = 20, n = 2 * m;
  Doubles ones, values[2], sums, cross;
};

double processorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds(const std::function<void()> &run) {
  const double start = processorSeconds();
  run();
  return processorSeconds() - start;
}

void measure(const char *name, Model &model, int64_t rows, int64_t chunk,
             int repeats) {
  const Doubles design = model.design(rows);
  const int n = static_cast<int>(model.columns());
  const double one = 1.0;
  Doubles gram(static_cast<size_t>(n) * static_cast<size_t>(n));
  double ours = std::numeric_limits<double>::infinity(), dense = ours;
  auto inChunks = [&](const std::function<void(int64_t, int64_t)> &add) {
    for (int64_t begin = 0; begin < rows; begin += chunk)
      add(begin, std::min(rows, begin + chunk));
  };
  for (int repeat = 0; repeat < repeats; ++repeat) {
    ours = std::min(
        ours, seconds([&] {
          inChunks([&](int64_t begin, int64_t end) { model.add(begin, end); });
        }));
    dense = std::min(dense, seconds([&] {
                       inChunks([&](int64_t begin, int64_t end) {
                         const int count = static_cast<int>(end - begin);
                         dsyrk_("L", "N", &n, &count, &one,
                                design.data() + begin * n, &n, &one,
                                gram.data(), &n, 1, 1);
                       });
                     }));
  }
  if (context.status != TAMRT_OK) {
    std::fprintf(stderr, "DsyrkBenchmark: error: a kernel failed: %d\n",
                 static_cast<int>(context.status));
    std::exit(1);
  }
  const double perRow = 1e9 / static_cast<double>(rows);
  std::printf("| %s | %d | %lld | %lld | %.1f | %.1f | 1/%.1f |\n", name, n,
              static_cast<long long>(rows), static_cast<long long>(chunk),
              ours * perRow, dense * perRow, dense / ours);
}

} // namespace

int main(int argc, char **argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  if (repeats < 1) {
    std::fprintf(stderr,
                 "DsyrkBenchmark: error: expected a positive number of "
                 "repeats, got '%s'\n",
                 argv[1]);
    return 1;
  }
  openblas_set_num_threads(1);
  std::printf(
      "OpenBLAS core type: %s\n\n"
      "| model, inputs | D | rows of the group | chunk | Gram, ns a row "
      "| DSYRK, ns a row | ratio |\n|---|---|---|---|---|---|---|\n",
      openblas_get_corename());
  for (bool sorted : {false, true}) {
    const std::string inputs = sorted ? ", sorted" : ", random";
    for (int64_t rows : {2048, 8192}) {
      Trees trees(rows, sorted);
      // A fit takes at most as many rows as a segment has.
      for (int64_t chunk : {int64_t(1024), std::min<int64_t>(rows, 4096)})
        measure(("trees and splines" + inputs).c_str(), trees, rows, chunk,
                repeats);
    }
    // Rows that stay in cache, like those of a chunk that has just been
    // computed.
    Fourier fourier(1024, sorted);
    measure(("two Fourier terms" + inputs).c_str(), fourier, 1024, 1024,
            100 * repeats);
  }
}
