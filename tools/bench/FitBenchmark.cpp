//===- bench/FitBenchmark.cpp - a fit against a dense pipeline ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: FitBenchmark FILE.csv [options of Google Benchmark]
///
/// Times the fit of the load model to the rows of FILE.csv, which
/// tools/bench/load-model writes. The rows are in memory; the ranges of the
/// inputs, the sums, and the solution of a system per group are timed. The same
/// fit by a dense design and OpenBLAS runs on one thread: for each chunk the
/// design matrix, which the model's own step computes, DSYRK and DGEMV; for
/// each group DPOTRF and DPOTRS.
///
//===----------------------------------------------------------------------===//

#include "OpenBlas.h"
#include "ReadRows.h"

#include "core/data/Normalization.h"
#include "core/device/AlignedBuffer.h"
#include "core/run/Executor.h"
#include "core/run/Progress.h"
#include "core/run/Workplace.h"
#include "kernels/cpu/CpuKernels.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

extern "C" const tamrt_model tam_model;

using namespace tamrt;

namespace {

constexpr int64_t rowsOfChunk = 1024;

std::string path;

void fit(benchmark::State &state) {
  const ReadRows data = readRows(path, tam_model, 1);
  Progress progress(-1, "fit");
  RunOptions options;
  options.threads = unsigned(state.range(0));
  options.kernels = &tamrt_cpu_kernels;
  options.progress = &progress;
  for (auto _ : state) {
    const Normalization normalization =
        orStop(normalize(tam_model, data.rows, data.levels, options.threads));
    benchmark::DoNotOptimize(orStop(
        fitGroups(tam_model, data.rows, normalization, Tables(), options)));
  }
  state.SetItemsProcessed(state.iterations() * int64_t(data.rows.rowCount()));
}

void dense(benchmark::State &state) {
  openblas_set_num_threads(1);
  const ReadRows data = readRows(path, tam_model, 1);
  const tamrt_step &design =
      *stepFor(tam_model, TAMRT_STEP_DESIGN, rowsOfChunk);
  const ThreadMemory need = predictMemory(tam_model, design, rowsOfChunk);
  const AlignedBuffer arena = AlignedBuffer::allocate(size_t(need.arena));
  const AlignedBuffer output = AlignedBuffer::allocate(size_t(need.output));
  std::vector<double> parameters(size_t(need.parameters) / sizeof(double));
  std::vector<const void *> columns(size_t(tam_model.input_count) + 2);
  Workplace place;
  place.parameters = parameters.data();
  place.context.kernels = &tamrt_cpu_kernels;
  place.arena = arena.data();
  place.output = static_cast<double *>(output.data());
  place.columns = columns.data();
  const int n = int(tam_model.columns), step = 1;
  const double one = 1.0;
  std::vector<double> gram(size_t(n) * size_t(n)), target(size_t(n), 0.0);
  for (auto _ : state) {
    const Normalization normalization =
        orStop(normalize(tam_model, data.rows, data.levels, 1));
    for (size_t g = 0; g < data.rows.groups().size(); ++g) {
      const Group &group = data.rows.groups()[g];
      normalization.parameters(tam_model, g, place.parameters);
      std::fill(gram.begin(), gram.end(), 0.0);
      std::fill(target.begin(), target.end(), 0.0);
      predictGroup(
          design, place, nullptr, group.rows, size_t(rowsOfChunk),
          [&](size_t first, size_t) {
            for (size_t i = 0; i < size_t(tam_model.input_count); ++i)
              columns[i] = data.rows.numbers(i) + group.first + first;
          },
          [&](size_t first, size_t count) {
            const int rows = int(count);
            dsyrk_("L", "N", &n, &rows, &one, place.output, &n, &one,
                   gram.data(), &n, 1, 1);
            dgemv_("N", &n, &rows, &one, place.output, &n,
                   data.rows.target() + group.first + first, &step, &one,
                   target.data(), &step, 1);
          });
      for (int i = 0; i < n; ++i)
        gram[size_t(i) * size_t(n + 1)] += 1e-6 * double(group.rows);
      int info = 0;
      dpotrf_("L", &n, gram.data(), &n, &info, 1);
      if (info == 0)
        dpotrs_("L", &n, &step, gram.data(), &n, target.data(), &n, &info, 1);
      if (info != 0 || !place.good())
        return state.SkipWithError("the dense fit failed");
      benchmark::DoNotOptimize(target.data());
    }
  }
  state.SetItemsProcessed(state.iterations() * int64_t(data.rows.rowCount()));
}

// Processor time is the sum over all threads.
BENCHMARK(fit)
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(dense)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: FitBenchmark FILE.csv [options]\n");
    return 1;
  }
  path = argv[1];
  benchmark::RunSpecifiedBenchmarks();
}
