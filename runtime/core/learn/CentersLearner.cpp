//===- core/learn/CentersLearner.cpp - centres and gamma ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/LearnerJob.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// Memory for drawing the centres.
struct DrawMemory {
  std::span<uint32_t> chosen;
  std::span<Random::Moved> moved;
  std::span<TrainingRows::Wanted> wanted;

  DrawMemory(const tamrt_learner &learner, Layout &layout) {
    const auto count = size_t(learner.sizes[0]);
    chosen = layout.takeSpan<uint32_t>(count);
    moved = layout.takeSpan<Random::Moved>(Random::movedRoom(count));
    wanted = layout.takeSpan<TrainingRows::Wanted>(count);
  }
};

/// Memory for finding a gamma: the first rows and the distances of all pairs.
struct DistanceMemory {
  size_t rows;
  std::span<TrainingRows::Wanted> wanted;
  std::span<double> points, pairs;

  DistanceMemory(const tamrt_learner &learner, size_t all, Layout &layout)
      : rows(std::min(all, kMaxRowsKept)) {
    wanted = layout.takeSpan<TrainingRows::Wanted>(rows);
    points = layout.takeSpan<double>(rows * size_t(learner.input_count));
    pairs = layout.takeSpan<double>(rows * (rows - 1) / 2);
  }
};

LearnFault drawCenters(const LearnerJob &job) {
  Layout layout = job.memory;
  const DrawMemory memory(job.learner, layout);
  Random random(job.learner.seed);
  const auto rows = uint32_t(job.rows.size());
  if (rows > memory.chosen.size())
    random.permutation(rows, memory.chosen, memory.moved);
  else
    for (uint32_t &row : memory.chosen)
      row = random.integer(rows);
  for (uint32_t i = 0; i < memory.chosen.size(); ++i)
    memory.wanted[i] = {memory.chosen[i], i};
  return job.rows.points(memory.wanted, job.inputs(), job.numbers(0).data())
             ? LearnFault::None
             : LearnFault::Rows;
}

double squaredDistance(const double *a, const double *b, size_t inputs) {
  double sum = 0;
  for (size_t i = 0; i < inputs; ++i)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// The lower median of the squared distances of all ordered pairs of the first
/// rows, including the pairs of a row with itself.
LearnFault findMedian(const LearnerJob &job, double &median) {
  Layout layout = job.memory;
  const DistanceMemory memory(job.learner, job.rows.size(), layout);
  const size_t inputs = job.inputs().size(), rows = memory.rows;
  // In sorted order, `rows` distances of 0 come first, then each distance of
  // two different rows twice: half of the pairs are enough.
  const size_t middle = (rows * rows - 1) / 2;
  median = 0;
  if (middle < rows)
    return LearnFault::None;
  for (uint32_t i = 0; i < rows; ++i)
    memory.wanted[i] = {i, i};
  const double *points = memory.points.data();
  if (!job.rows.points(memory.wanted, job.inputs(), memory.points.data()))
    return LearnFault::Rows;
  double *pair = memory.pairs.data();
  for (size_t i = 1; i < rows; ++i)
    for (size_t j = 0; j < i; ++j)
      *pair++ =
          squaredDistance(points + i * inputs, points + j * inputs, inputs);
  double *at = memory.pairs.data() + (middle - rows) / 2;
  std::nth_element(memory.pairs.data(), at, pair);
  median = *at;
  return LearnFault::None;
}

} // namespace

LearnFault learnCenters(const LearnerJob &job, double &number) {
  if (!job.isGiven(0))
    if (LearnFault fault = drawCenters(job); fault != LearnFault::None)
      return fault;
  if (job.isGiven(1))
    return LearnFault::None;
  double &gamma = job.numbers(1)[0];
  gamma = job.learner.number;
  if (gamma != 0)
    return LearnFault::None;
  if (LearnFault fault = findMedian(job, number); fault != LearnFault::None)
    return fault;
  gamma = number == 0 ? 1 : 1 / number;
  return std::isfinite(gamma) ? LearnFault::None : LearnFault::Distance;
}

size_t centersBytes(const tamrt_learner &learner, size_t rows) {
  Layout draw, distances;
  const DrawMemory drawn(learner, draw);
  if (learner.number == 0)
    const DistanceMemory found(learner, rows, distances);
  return std::max(draw.size(), distances.size());
}

} // namespace tamrt
