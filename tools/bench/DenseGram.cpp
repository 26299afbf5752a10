//===- bench/DenseGram.cpp - a dense Gram matrix by OpenBLAS --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: DenseGram DESIGN.csv GROUP FIRST THREADS
///
/// Reads a table of `model predict --type=design`, whose design columns start
/// at column FIRST, and times OpenBLAS on the matrices of its groups (column
/// GROUP): per group the Gram matrix Phi' Phi by DSYRK, the same by DGEMM, and
/// a Cholesky factorisation. Prints one line of JSON with the seconds of each
/// over all groups: the best of five runs, on THREADS threads. Reading is not
/// timed, nor is making the design matrix, which a real dense solver would have
/// to do as well.
///
//===----------------------------------------------------------------------===//

#include "OpenBlas.h"

#include "io/CsvBlocks.h"
#include "io/TextIndex.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace {

/// The design matrix of one group, row-major: column-major its transpose.
struct Design {
  std::vector<double> values;
  int rows = 0;
};

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "DenseGram: error: %s\n", message.c_str());
  std::exit(1);
}

std::vector<Design> read(const char *path, const char *group, size_t first,
                         int &columns) {
  using namespace tamrt;
  Result<CsvBlocks> file = CsvBlocks::open(path);
  if (!file)
    fail(file.error().message);
  Result<size_t> key = file->require(group);
  if (!key)
    fail(key.error().message);
  if (first >= file->names().size())
    fail("expected design columns from column " + std::to_string(first));
  columns = int(file->names().size() - first);
  // The order of the groups does not matter.
  TextIndex groups;
  std::vector<Design> designs;
  CsvBlock block;
  for (size_t line = file->firstRowLine();; line += block.lineCount()) {
    Result<bool> more = file->read(block);
    if (!more)
      fail(more.error().message);
    if (!*more)
      return designs;
    block.startAt(line);
    block.scan();
    if (block.fault())
      fail(file->describe(block).message);
    for (size_t row = 0; row < block.rowCount(); ++row) {
      const uint32_t id = groups.add(block.field(row, *key));
      if (id == designs.size())
        designs.emplace_back();
      ++designs[id].rows;
      for (size_t c = first; c < file->names().size(); ++c) {
        double value;
        if (!parseCsvNumber(block.raw(row, c), file->format(), value))
          fail(file->place(block, row, c) + ": expected a number");
        designs[id].values.push_back(value);
      }
    }
  }
}

double best(const std::function<void()> &run) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 5; ++repeat) {
    Clock::time_point start = Clock::now();
    run();
    least = std::min(
        least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return least;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5)
    fail("expected DESIGN.csv GROUP FIRST THREADS");
  const int threads = std::atoi(argv[4]);
  if (threads < 1)
    fail(std::string("expected a number of threads, got '") + argv[4] + "'");
  openblas_set_num_threads(threads);
  int n = 0;
  const std::vector<Design> designs =
      read(argv[1], argv[2], size_t(std::atoi(argv[3])), n);
  std::vector<double> gram(size_t(n) * size_t(n));
  const double one = 1.0, zero = 0.0;

  double syrk = best([&] {
    for (const Design &d : designs)
      dsyrk_("L", "N", &n, &d.rows, &one, d.values.data(), &n, &zero,
             gram.data(), &n, 1, 1);
  });
  double gemm = best([&] {
    for (const Design &d : designs)
      dgemm_("N", "T", &n, &n, &d.rows, &one, d.values.data(), &n,
             d.values.data(), &n, &zero, gram.data(), &n, 1, 1);
  });
  double factor = best([&] {
    for (const Design &d : designs) {
      dsyrk_("L", "N", &n, &d.rows, &one, d.values.data(), &n, &zero,
             gram.data(), &n, 1, 1);
      for (int i = 0; i < n; ++i)
        gram[size_t(i) * size_t(n + 1)] += 1e-6 * d.rows;
      int info = 0;
      dpotrf_("L", &n, gram.data(), &n, &info, 1);
      if (info != 0)
        fail("the matrix is not positive definite");
    }
  });
  size_t rows = 0;
  for (const Design &d : designs)
    rows += size_t(d.rows);
  std::printf("{\"rows\": %zu, \"groups\": %zu, \"columns\": %d, "
              "\"threads\": %d, \"syrk\": %.6f, \"gemm\": %.6f, "
              "\"syrk_potrf\": %.6f}\n",
              rows, designs.size(), n, threads, syrk, gemm, factor);
  return 0;
}
