//===- bench/GramBenchmark.cpp - sums over rows against OpenBLAS ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times per row, on one thread:
/// * `sums`: what a compiled model does with the rows of a group, from the
///   columns to the sums of the normal equations, right-hand side included;
/// * `maps`: the part of it that computes the functions of the inputs;
/// * OpenBLAS' DSYRK on the dense design of the same rows, without computing
///   the design.
/// The rows are random; a group has as many as one of the load model.
///
//===----------------------------------------------------------------------===//

#include "OpenBlas.h"

#include "core/device/AlignedBuffer.h"
#include "core/run/Workplace.h"
#include "kernels/cpu/CpuKernels.h"

#include <benchmark/benchmark.h>

#include <iterator>
#include <random>
#include <stdexcept>
#include <vector>

extern "C" const tamrt_model tam_model;

using namespace tamrt;

namespace {

constexpr int64_t rowsOfGroup = 2190, rowsOfChunk = 1024;

/// The rows of a group, and memory for a step.
class Group {
public:
  Group() : data(size_t(tam_model.input_count) + 1) {
    std::mt19937 random(1);
    for (std::vector<double> &column : data)
      for (int64_t i = 0; i < rowsOfGroup; ++i)
        column.push_back(double(random() % 20001) / 10000 - 1);
    for (int64_t i = 0; i < tam_model.input_count; ++i)
      parameters.insert(parameters.end(), {0, 1, -1, 1});
    context.kernels = &tamrt_cpu_kernels;
  }

  /// Runs a step on `rows` rows from `first` on.
  void run(const tamrt_step &step, const AlignedBuffer &arena,
           const AlignedBuffer &sums, double *output, int64_t rows,
           int64_t first) {
    std::vector<const void *> columns;
    for (const std::vector<double> &column : data)
      columns.push_back(column.data() + first);
    columns.push_back(nullptr);
    step.run(&context, arena.data(), sums.data(), nullptr, parameters.data(),
             nullptr, nullptr, columns.data(), output, rows, first,
             rowsOfGroup);
    if (context.status != TAMRT_OK)
      throw std::runtime_error("a step failed");
  }

  /// The values of input `i`.
  const double *column(size_t i) const { return data[i].data(); }
  const double *parametersOf(size_t i) const {
    return parameters.data() + 4 * i;
  }

private:
  std::vector<std::vector<double>> data;
  std::vector<double> parameters;
  tamrt_context context = {};
};

void sums(benchmark::State &state) {
  Group group;
  const tamrt_step &chunk =
      *stepFor(tam_model, TAMRT_STEP_FIT_CHUNK, rowsOfChunk);
  const ThreadMemory need = fitMemory(tam_model, chunk, TAMRT_SEGMENT_ROWS);
  const AlignedBuffer arena = AlignedBuffer::allocate(size_t(need.arena));
  const AlignedBuffer sums = AlignedBuffer::allocate(size_t(need.state));
  group.run(*firstStep(tam_model, TAMRT_STEP_FIT_INIT), arena, sums, nullptr, 0,
            0);
  for (auto _ : state)
    for (int64_t first = 0; first < rowsOfGroup; first += rowsOfChunk)
      group.run(chunk, arena, sums, nullptr,
                std::min(rowsOfChunk, rowsOfGroup - first), first);
  state.SetItemsProcessed(state.iterations() * rowsOfGroup);
}

enum Kind { Spline, Category, Fourier };

/// The functions of an input; `size` is the number of intervals, levels or
/// frequencies.
struct Map {
  Kind kind;
  int64_t size;
};

constexpr Map kMaps[] = {TAMC_MAPS};

/// Computes only the functions of the inputs, with the kernels that the
/// compiled step calls and with its tiles of rows. The difference to `sums` is
/// the time of the products.
void maps(benchmark::State &state) {
  constexpr int64_t tile = 128;
  Group group;
  std::vector<double> x(tile), values(tile * 64);
  std::vector<int32_t> starts(tile);
  tamrt_context context = {};
  context.kernels = &tamrt_cpu_kernels;
  for (auto _ : state)
    for (int64_t first = 0; first < rowsOfGroup; first += tile) {
      const int64_t rows = std::min(tile, rowsOfGroup - first);
      for (size_t i = 0; i < std::size(kMaps); ++i) {
        const auto &[kind, size] = kMaps[i];
        const double *parameters = group.parametersOf(i);
        tamrt_normalize(&context, group.column(i) + first, parameters, rows,
                        x.data());
        if (kind == Spline)
          tamrt_bspline(&context, x.data(), parameters, rows, size, 3,
                        TAMRT_LINEAR, values.data(), starts.data());
        else if (kind == Category)
          tamrt_onehot(&context, x.data(), rows, size, starts.data());
        else
          tamrt_fourier(&context, x.data(), rows, size, 0, TAMRT_CONTINUE,
                        values.data());
        benchmark::DoNotOptimize(values.data());
        benchmark::DoNotOptimize(starts.data());
      }
    }
  state.SetItemsProcessed(state.iterations() * rowsOfGroup);
}

void dsyrk(benchmark::State &state) {
  openblas_set_num_threads(1);
  Group group;
  const int64_t columns = tam_model.columns;
  std::vector<double> design(size_t(rowsOfGroup * columns)),
      gram(size_t(columns * columns));
  for (int64_t first = 0; first < rowsOfGroup; first += rowsOfChunk) {
    const int64_t rows = std::min(rowsOfChunk, rowsOfGroup - first);
    const tamrt_step &step = *stepFor(tam_model, TAMRT_STEP_DESIGN, rows);
    const ThreadMemory need = predictMemory(tam_model, step, rows);
    const AlignedBuffer arena = AlignedBuffer::allocate(size_t(need.arena));
    group.run(step, arena, AlignedBuffer(), design.data() + first * columns,
              rows, first);
  }
  const int n = int(columns), k = int(rowsOfGroup);
  const double one = 1.0, none = 0.0;
  for (auto _ : state)
    dsyrk_("L", "N", &n, &k, &one, design.data(), &n, &none, gram.data(), &n, 1,
           1);
  state.SetItemsProcessed(state.iterations() * rowsOfGroup);
}

BENCHMARK(sums);
BENCHMARK(maps);
BENCHMARK(dsyrk);

} // namespace

BENCHMARK_MAIN();
