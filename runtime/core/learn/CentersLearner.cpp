//===- core/learn/CentersLearner.cpp - centres and gamma ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/LearnerJob.h"

#include "io/Number.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tamrt {
namespace {

/// Rows whose distances gamma is found from.
constexpr size_t kGammaRows = 1000;

Status drawCenters(const LearnerJob &job) {
  Random random(job.learner.seed);
  const auto rows = uint32_t(job.rows.size());
  const auto count = size_t(job.learner.sizes[0]);
  std::vector<uint32_t> chosen;
  if (rows > count)
    chosen = random.permutation(rows, uint32_t(count));
  else
    for (size_t i = 0; i < count; ++i)
      chosen.push_back(random.integer(rows));
  return job.rows.points(chosen, job.inputs(), job.numbers(0).data());
}

double squaredDistance(const double *a, const double *b, size_t inputs) {
  double sum = 0;
  for (size_t i = 0; i < inputs; ++i)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// The lower median of the squared distances of all ordered pairs of the first
/// rows, those of a row and itself among them.
Result<double> medianSquaredDistance(const LearnerJob &job) {
  const size_t inputs = job.inputs().size();
  const size_t rows = std::min(job.rows.size(), kGammaRows);
  // In order, `rows` distances of 0 come first, then each distance of two rows
  // twice: half the pairs tell all.
  const size_t middle = (rows * rows - 1) / 2;
  if (middle < rows)
    return 0.0;
  std::vector<uint32_t> first(rows);
  std::iota(first.begin(), first.end(), 0u);
  std::vector<double> points(rows * inputs);
  if (Status s = job.rows.points(first, job.inputs(), points.data()); !s)
    return std::move(s).error();
  std::vector<double> pairs;
  pairs.reserve(rows * (rows - 1) / 2);
  for (size_t i = 1; i < rows; ++i)
    for (size_t j = 0; j < i; ++j)
      pairs.push_back(squaredDistance(points.data() + i * inputs,
                                      points.data() + j * inputs, inputs));
  auto at = pairs.begin() + ptrdiff_t((middle - rows) / 2);
  std::nth_element(pairs.begin(), at, pairs.end());
  return *at;
}

} // namespace

Status learnCenters(const LearnerJob &job) {
  if (!job.isGiven(0))
    if (Status s = drawCenters(job); !s)
      return s;
  if (job.isGiven(1))
    return {};
  double &gamma = job.numbers(1)[0];
  gamma = job.learner.number;
  if (gamma != 0)
    return {};
  Result<double> median = medianSquaredDistance(job);
  if (!median)
    return std::move(median).error();
  const double squared = *median;
  gamma = squared == 0 ? 1 : 1 / squared;
  if (!std::isfinite(gamma))
    return Error{"expected training rows with a median distance that has a "
                 "square, got " +
                 formatNumber(std::sqrt(squared)) + "; set gamma"};
  return {};
}

int64_t centersBytes(const tamrt_learner &learner) {
  const auto rows = int64_t(kGammaRows);
  // The centres' rows and where they are in the permutation, with the nodes of
  // a hash table.
  constexpr int64_t kPerCenter = 64;
  int64_t distances =
      learner.number != 0
          ? 0
          : int64_t(sizeof(double)) *
                (rows * (rows - 1) / 2 + rows * learner.input_count);
  return std::max(distances, kPerCenter * learner.sizes[0]);
}

} // namespace tamrt
