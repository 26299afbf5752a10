//===- StepBenchmark.cpp - the steps of a compiled model ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times single calls of the load model's compiled functions on random rows of
/// one group: sums of a chunk, and predictions of chunks down to one row, both
/// within the training range and with half of the numbers of every column
/// beyond it. Reports processor time per row.
///
//===----------------------------------------------------------------------===//

#include "core/device/AlignedBuffer.h"
#include "core/run/Workplace.h"
#include "kernels/cpu/CpuKernels.h"

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

extern "C" const tamrt_model tam_model;

using namespace tamrt;

namespace {

/// Rows of a group of the load model.
constexpr size_t kRows = 2190;

/// Calls the step of `kind` for as many rows as the benchmark's argument, from
/// the first row of the group to the last. Columns are uniform on [-1, 1]; the
/// training range is [-half, half].
void step(benchmark::State &state, tamrt_step_kind kind, double half) {
  const auto rows = state.range(0);
  const tamrt_step &chunk = *stepFor(tam_model, kind, rows);
  const bool fits = kind == TAMRT_STEP_FIT_CHUNK;
  std::mt19937 random(1);
  std::vector<std::vector<double>> data(size_t(tam_model.input_count) + 1);
  for (std::vector<double> &column : data)
    for (size_t i = 0; i < kRows; ++i)
      column.push_back(double(random() % 2001) / 1000 - 1);
  std::vector<double> parameters;
  for (int64_t i = 0; i < tam_model.input_count; ++i)
    parameters.insert(parameters.end(), {0, half, -1, 1});
  std::vector<double> coefficients(size_t(tam_model.columns), 0.5);
  std::vector<double> output(kRows);
  const ThreadMemory need =
      fits ? fitMemory(tam_model, chunk, TAMRT_SEGMENT_ROWS)
           : predictMemory(tam_model, chunk, rows);
  const AlignedBuffer arena = AlignedBuffer::allocate(size_t(need.arena));
  const AlignedBuffer sums = AlignedBuffer::allocate(size_t(need.state));
  std::vector<const void *> columns(data.size() + 1);
  tamrt_context context = {};
  context.kernels = &tamrt_cpu_kernels;
  if (fits)
    firstStep(tam_model, TAMRT_STEP_FIT_INIT)
        ->run(&context, arena.data(), sums.data(), nullptr, parameters.data(),
              nullptr, nullptr, columns.data(), nullptr, 0, 0, kRows);
  int64_t first = 0;
  for (auto _ : state) {
    if (first + rows > int64_t(kRows))
      first = 0;
    for (size_t i = 0; i < data.size(); ++i)
      columns[i] = data[i].data() + first;
    chunk.run(&context, arena.data(), sums.data(), nullptr, parameters.data(),
              nullptr, fits ? nullptr : coefficients.data(), columns.data(),
              fits ? nullptr : output.data(), rows, first, kRows);
    first += rows;
  }
  if (context.status != TAMRT_OK)
    state.SkipWithError("a step failed");
  state.SetItemsProcessed(state.iterations() * rows);
}

BENCHMARK_CAPTURE(step, fit, TAMRT_STEP_FIT_CHUNK, 1.0)->Arg(1024);
BENCHMARK_CAPTURE(step, predict, TAMRT_STEP_PREDICT, 1.0)
    ->Arg(1024)
    ->Arg(64)
    ->Arg(1);
BENCHMARK_CAPTURE(step, predict_beyond, TAMRT_STEP_PREDICT, 0.5)
    ->Arg(1024)
    ->Arg(1);

} // namespace

BENCHMARK_MAIN();
