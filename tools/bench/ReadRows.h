//===- ReadRows.h - the rows of a file, for benchmarks ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads a file as a fit does, and ends the program at an error.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_BENCH_READROWS_H
#define TAMC_BENCH_READROWS_H

#include "core/data/Dataset.h"
#include "core/data/RowReader.h"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace tamrt {

template <class T> T orStop(Result<T> result) {
  if (result)
    return *std::move(result);
  std::fprintf(stderr, "error: %s\n", result.error().message.c_str());
  std::exit(1);
}

/// The rows of a file in the order of the steps, and the levels in it.
struct ReadRows {
  Dataset rows;
  std::vector<LevelTable> levels;
};

/// Reads `path` on this many threads, 0 for as many as the machine has.
inline ReadRows readRows(const std::string &path, const tamrt_model &model,
                         unsigned threads) {
  RowReader reader = orStop(RowReader::open(path, model, {false, threads}));
  Rows rows = orStop(reader.read(std::numeric_limits<size_t>::max()));
  std::vector<LevelTable> levels = orStop(reader.levelTables());
  Dataset data = Dataset::arrange(std::move(rows), reader, reader.groupOrder(),
                                  model, levels, threads);
  return {std::move(data), std::move(levels)};
}

} // namespace tamrt

#endif // TAMC_BENCH_READROWS_H
