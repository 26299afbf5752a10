//===- SegmentsTest.cpp - the tree of a group's segments ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How the sums of segments are joined, without rows: the test writes the sums
/// of each segment to the state.
///
//===----------------------------------------------------------------------===//

#include "TreeSum.h"

#include "core/run/Workplace.h"
#include "kernels/cpu/CpuKernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tamrt::test {
namespace {

constexpr int64_t S = TAMRT_SEGMENT_ROWS;

TEST(Segments, Levels) {
  const std::pair<int64_t, int64_t> expected[] = {
      {0, 0},         {1, 0},     {S, 0},         {S + 1, 1},    {2 * S, 1},
      {2 * S + 1, 2}, {4 * S, 2}, {4 * S + 1, 3}, {1'000'000, 8}};
  for (auto [rows, levels] : expected)
    EXPECT_EQ(levelsFor(rows), levels) << rows;
}

/// The sum of a group whose segments have these sums. The second accumulator,
/// at an offset of its own, has them with the other sign, and the third counts
/// rows, which stay where they are.
double joined(const std::vector<double> &segments) {
  const tamrt_accumulator accumulators[] = {
      {TAMRT_STEP_FIT_CHUNK, 0, 0, 1, 0},
      {TAMRT_STEP_FIT_CHUNK, 0, 192, 1, 0},
      {TAMRT_STEP_FIT_CHUNK, 0, 64, 1, 0.25}};
  tamrt_model model = {};
  model.state_bytes = 200;
  model.accumulator_count = 3;
  model.accumulators = accumulators;
  const auto rows = int64_t(segments.size()) * S;
  // What no kernel has written is not read.
  std::vector<double> memory(
      size_t(groupBytes(model, StepSolver::Direct, rows)) / sizeof(double),
      std::nan(""));
  Workplace place;
  place.context.kernels = &tamrt_cpu_kernels;
  place.state = memory.data();
  double *sum = memory.data(), *opposite = sum + 24, *count = sum + 8;
  *sum = *opposite = *count = 0;
  const auto now = [&](const auto &body) { body(place); };
  for (size_t i = 0; i < segments.size(); ++i) {
    arrange(place, model, TAMRT_STEP_FIT_CHUNK, int64_t(i) * S, rows, now);
    EXPECT_EQ(*sum, 0);
    *sum += segments[i];
    *opposite -= segments[i];
    *count += 0.25;
  }
  arrange(place, model, TAMRT_STEP_FIT_FINISH, 0, rows, now);
  EXPECT_EQ(*opposite, -*sum);
  EXPECT_EQ(*count, 0.25 * double(segments.size()));
  return *sum;
}

TEST(Segments, AreJoinedInATree) {
  std::mt19937_64 random(1);
  std::vector<double> segments;
  for (int i = 0; i < 300; ++i) {
    segments.push_back(std::ldexp(double(random()), -64));
    EXPECT_EQ(joined(segments), treeSum(segments)) << i;
  }
}

/// The error of 10^7 rows relative to long double, at most a third of that of
/// segments that are added one after another.
TEST(Segments, RoundingErrorsAreSmall) {
  double tree = 0, inOrder = 0;
  for (unsigned draw = 0; draw < 20; ++draw) {
    std::mt19937_64 random(draw);
    std::vector<double> segments;
    long double exact = 0;
    for (int64_t i = 0; i < 10'000'000 / S; ++i) {
      double sum = 0;
      for (int64_t row = 0; row < S; ++row) {
        const double square = std::ldexp(double(random() >> 11), -53);
        sum += square;
        exact += square;
      }
      segments.push_back(sum);
    }
    double chain = segments.front();
    for (size_t i = 1; i < segments.size(); ++i)
      chain += segments[i];
    tree += std::pow(double((joined(segments) - exact) / exact), 2);
    inOrder += std::pow(double((chain - exact) / exact), 2);
  }
  std::printf("relative error: %.2g, in order %.2g\n", std::sqrt(tree / 20),
              std::sqrt(inOrder / 20));
  EXPECT_LT(std::sqrt(tree), std::sqrt(inOrder) / 3);
}

} // namespace
} // namespace tamrt::test
