//===- FitMemoryTest.cpp - what a fit takes beside its rows ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/Learners.h"
#include "core/run/Executor.h"
#include "core/run/Workplace.h"
#include "kernels/cpu/CpuKernels.h"
#include "support/AllocationCount.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

extern "C" const tamrt_model tam_model;

namespace tamrt::test {
namespace {

/// Bytes that a fit of `rows` rows takes beside them, and the plan's.
struct Fit {
  int64_t peak, plan;
};

Fit fitOf(size_t rows) {
  const std::string path = testing::TempDir() + "fit-memory.csv";
  std::FILE *file = std::fopen(path.c_str(), "w");
  EXPECT_NE(file, nullptr);
  std::fputs("a,b,c,d,y,w\n", file);
  std::mt19937 random(5);
  auto below = [&](unsigned limit) { return unsigned(random() % limit); };
  for (size_t row = 0; row < rows; ++row) {
    for (int column = 0; column < 3; ++column)
      std::fprintf(file, "%u.%03u,", below(10), below(1000));
    std::fprintf(file, "%u,%u,%u\n", below(5), below(100), 1 + below(3));
  }
  std::fclose(file);

  RowReader reader = *RowReader::open(path, tam_model, {});
  Rows read = *reader.read(std::numeric_limits<size_t>::max());
  std::remove(path.c_str());
  std::vector<LevelTable> levels = *reader.levelTables();
  const Dataset data = Dataset::arrange(
      std::move(read), reader, reader.groupOrder(), tam_model, levels, 1);
  EXPECT_EQ(data.rowCount(), rows);
  const int64_t peak = peakBytesIn([&] {
    Result<Normalization> normalization =
        normalize(tam_model, data, std::move(levels), 1);
    ASSERT_TRUE(normalization.ok());
    Result<Tables> tables = learn(tam_model, data, *normalization);
    ASSERT_TRUE(tables.ok());
    RunOptions options;
    options.threads = 1;
    options.kernels = &tamrt_cpu_kernels;
    Result<std::vector<double>> coefficients =
        fitGroups(tam_model, data, *normalization, *tables, options);
    ASSERT_TRUE(coefficients.ok()) << coefficients.error().message;
  });
  const tamrt_step *rung =
      stepFor(tam_model, TAMRT_STEP_FIT_CHUNK, int64_t(rows));
  return {peak, fitMemory(tam_model, *rung, int64_t(rows)).total()};
}

// The rows of a fit by hand, larger than a test likes, come from the
// environment.
TEST(FitMemory, IsThePlanWhateverTheRows) {
  std::vector<size_t> sizes = {10'000, 100'000};
  if (const char *rows = std::getenv("TAMC_FIT_ROWS"))
    sizes.push_back(std::strtoull(rows, nullptr, 10));
  for (size_t rows : sizes) {
    const Fit fit = fitOf(rows);
    std::printf("%zu rows: %ld bytes, plan %ld, ratio %.3f\n", rows,
                long(fit.peak), long(fit.plan),
                double(fit.peak) / double(fit.plan));
    EXPECT_GE(fit.peak, fit.plan);
    EXPECT_LE(double(fit.peak), 1.1 * double(fit.plan)) << rows << " rows";
  }
}

} // namespace
} // namespace tamrt::test
