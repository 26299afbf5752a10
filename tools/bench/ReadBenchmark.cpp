//===- ReadBenchmark.cpp - reading a CSV against fast_float ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times how a fit reads a file, until its columns are in the order of the
/// steps; and fast_float alone, on one thread, over the numeric fields of the
/// same file, whose positions it is given.
///
///     ReadBenchmark FILE.csv GROUP DATE TARGET
///
/// All other columns are inputs.
///
//===----------------------------------------------------------------------===//

#include "ReadRows.h"

#include "io/CsvBlocks.h"

#include <benchmark/benchmark.h>
#include <fast_float/fast_float.h>

#include <cstdio>
#include <deque>
#include <string>
#include <vector>

using namespace tamrt;

namespace {

std::string path;
std::vector<std::string> names;
std::vector<tamrt_input> inputs;
tamrt_model model = {};

void fastFloat(benchmark::State &state) {
  CsvBlocks file = orStop(CsvBlocks::open(path));
  // A deque, because the addresses of their bytes must not change.
  std::deque<CsvBlock> blocks;
  std::vector<std::string_view> fields;
  while (orStop(file.read(blocks.emplace_back()))) {
    CsvBlock &block = blocks.back();
    block.scan();
    for (size_t row = 0; row < block.rowCount(); ++row)
      for (size_t column = 0; column < file.names().size(); ++column)
        if (model.date != file.names()[column])
          fields.push_back(block.field(row, column));
  }
  std::vector<double> values(fields.size());
  for (auto _ : state) {
    for (size_t i = 0; i < fields.size(); ++i)
      fast_float::from_chars(fields[i].data(),
                             fields[i].data() + fields[i].size(), values[i]);
    benchmark::DoNotOptimize(values.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(int64_t(state.iterations() * fields.size()));
}

void read(benchmark::State &state) {
  const auto threads = unsigned(state.range(0));
  for (auto _ : state) {
    ReadRows data = readRows(path, model, threads);
    benchmark::DoNotOptimize(data.rows.target());
  }
}

BENCHMARK(fastFloat)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
// 0: as many threads as the machine has.
BENCHMARK(read)
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 5) {
    std::fprintf(stderr, "usage: ReadBenchmark FILE.csv GROUP DATE TARGET\n");
    return 1;
  }
  path = argv[1];
  model.group = argv[2];
  model.date = argv[3];
  model.target = argv[4];
  names = orStop(CsvBlocks::open(path)).names();
  for (const std::string &name : names)
    if (name != model.group && name != model.date && name != model.target)
      inputs.push_back(
          {name.c_str(), TAMRT_RULE_RANGE, 0, TAMRT_UNSEEN_EDGE, 0, 0, 0});
  model.inputs = inputs.data();
  model.input_count = int64_t(inputs.size());
  benchmark::RunSpecifiedBenchmarks();
}
