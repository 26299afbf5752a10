//===- core/learn/TreeLearner.cpp - features and thresholds of trees ------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/LearnerJob.h"
#include "core/learn/Quantiles.h"
#include "core/learn/TreeLeaf.h"
#include "kernels/cpu/ElementaryScalars.h"

#include <algorithm>
#include <limits>

namespace tamrt {
namespace {

/// A range of equal values is widened by this much on each side.
constexpr double kMargin = 1e-3;

/// The sizes of the trees of one learner.
struct Forest {
  explicit Forest(const tamrt_learner &learner)
      : flat(learner.kind == TAMRT_LEARN_FLAT_TREES),
        trees(size_t(learner.sizes[0])),
        leaves(flat ? size_t(learner.sizes[1]) : size_t(1) << learner.sizes[1]),
        width(flat ? leaves - 1 : size_t(learner.sizes[1])) {}

  bool flat;
  size_t trees, leaves;
  /// Thresholds of a tree.
  size_t width;

  /// Whether thresholds are drawn; those of a single flat tree are not.
  bool drawn() const { return !flat || trees > 1; }

  /// Index of the feature that is compared with threshold `i` of all
  /// thresholds.
  size_t featurePlace(size_t i) const { return flat ? i / width : i; }
};

/// Memory for learning a forest.
struct Memory {
  /// A row.
  std::span<double> point;
  /// If quantiles are learnt: one input of all rows; and, for the thresholds of
  /// that input, their indices, their levels and the memory of `quantiles`.
  std::span<double> column, levels;
  std::span<size_t> places, ranks;

  Memory(const tamrt_model &model, const tamrt_learner &learner,
         const Forest &forest, size_t rows, Layout &layout) {
    point = layout.takeSpan<double>(size_t(learner.input_count));
    if (!learnsQuantiles(model, learner))
      return;
    const size_t thresholds = forest.trees * forest.width;
    column = layout.takeSpan<double>(rows);
    levels = layout.takeSpan<double>(thresholds);
    places = layout.takeSpan<size_t>(thresholds);
    ranks = layout.takeSpan<size_t>(2 * thresholds);
  }
};

/// Point `i` of linspace(lo, hi, intervals + 1), from the nearer end.
double linspace(double lo, double hi, size_t intervals, size_t i) {
  const double step = (hi - lo) / double(intervals);
  return i < (intervals + 1) / 2 ? lo + step * double(i)
                                 : hi - step * double(intervals - i);
}

/// Least and greatest over all inputs and rows.
LearnFault findExtent(const LearnerJob &job, const Memory &memory, double &lo,
                      double &hi) {
  lo = std::numeric_limits<double>::infinity();
  hi = -lo;
  if (!job.rows.forEachPoint(job.inputs(), memory.point.data(), [&] {
        for (double x : memory.point) {
          lo = std::min(lo, x);
          hi = std::max(hi, x);
        }
      }))
    return LearnFault::Rows;
  // Either of the two zeros may come first.
  lo += 0.0;
  hi += 0.0;
  if (lo == hi) {
    lo -= kMargin;
    hi += kMargin;
  }
  return LearnFault::None;
}

/// Replaces the levels in `thresholds` by the quantiles of their features.
LearnFault takeQuantiles(const LearnerJob &job, const Forest &forest,
                         const Memory &memory, std::span<double> thresholds) {
  std::span<const int32_t> features = job.integers(0);
  for (size_t input = 0; input < job.inputs().size(); ++input) {
    size_t count = 0;
    for (size_t i = 0; i < thresholds.size(); ++i)
      if (features[forest.featurePlace(i)] == int32_t(input)) {
        memory.places[count] = i;
        memory.levels[count++] = thresholds[i];
      }
    if (count == 0)
      continue;
    if (!job.rows.forEach(job.inputs()[input], [&](size_t row, double x) {
          memory.column[row] = x;
        }))
      return LearnFault::Rows;
    quantiles(memory.column, memory.levels.first(count), memory.ranks);
    for (size_t i = 0; i < count; ++i)
      thresholds[memory.places[i]] = memory.levels[i];
  }
  return LearnFault::None;
}

LearnFault makeThresholds(const LearnerJob &job, const Forest &forest,
                          const Memory &memory, Random &random) {
  std::span<double> thresholds = job.numbers(1);
  // These are levels in [0, 1] at first, and are replaced by thresholds in
  // place.
  for (size_t i = 0; i < thresholds.size(); ++i)
    thresholds[i] = forest.drawn() ? random.uniform()
                                   : linspace(0, 1, forest.leaves, i + 1);
  if (job.isGiven(1)) {
    job.applyGiven(1);
    return LearnFault::None;
  }
  if (job.learner.choice == TAMRT_SPLIT_QUANTILE) {
    if (LearnFault fault = takeQuantiles(job, forest, memory, thresholds);
        fault != LearnFault::None)
      return fault;
  } else {
    double lo, hi;
    if (LearnFault fault = findExtent(job, memory, lo, hi);
        fault != LearnFault::None)
      return fault;
    for (size_t i = 0; i < thresholds.size(); ++i)
      thresholds[i] = forest.drawn() ? (hi - lo) * thresholds[i] + lo
                                     : linspace(lo, hi, forest.leaves, i + 1);
  }
  if (forest.flat)
    for (size_t tree = 0; tree < forest.trees; ++tree) {
      std::span<double> own =
          thresholds.subspan(tree * forest.width, forest.width);
      std::sort(own.begin(), own.end());
    }
  return LearnFault::None;
}

LearnFault weighLeaves(const LearnerJob &job, const Forest &forest,
                       const Memory &memory) {
  std::span<const int32_t> features = job.integers(0);
  std::span<const double> thresholds = job.numbers(1);
  // Rows are counted in the doubles that become the weights; counts are exact
  // up to 2^53.
  std::span<double> weights = job.numbers(2);
  std::fill(weights.begin(), weights.end(), 0.0);
  const double *point = memory.point.data();
  if (!job.rows.forEachPoint(job.inputs(), memory.point.data(), [&] {
        for (size_t tree = 0; tree < forest.trees; ++tree) {
          std::span<const double> own =
              thresholds.subspan(tree * forest.width, forest.width);
          const size_t leaf =
              forest.flat
                  ? flatLeaf(point[size_t(features[tree])], own)
                  : obliviousLeaf(point, features.data() + tree * forest.width,
                                  own);
          weights[tree * forest.leaves + leaf] += 1;
        }
      }))
    return LearnFault::Rows;
  // Every row is in one leaf of each tree.
  const double mean = double(job.rows.size()) / double(forest.leaves);
  for (double &weight : weights)
    weight = cpu::power((weight + 1) / mean, -job.learner.number);
  return LearnFault::None;
}

} // namespace

LearnFault learnTrees(const LearnerJob &job) {
  const Forest forest(job.learner);
  Layout layout = job.memory;
  const Memory memory(job.model, job.learner, forest, job.rows.size(), layout);
  Random random(job.learner.seed);
  for (int32_t &feature : job.integers(0))
    feature = int32_t(random.integer(uint32_t(job.inputs().size())));
  job.applyGiven(0);
  if (LearnFault fault = makeThresholds(job, forest, memory, random);
      fault != LearnFault::None)
    return fault;
  if (job.learner.table_count > 2 && !job.isGiven(2))
    return weighLeaves(job, forest, memory);
  return LearnFault::None;
}

size_t treesBytes(const tamrt_model &model, const tamrt_learner &learner,
                  size_t rows) {
  Layout layout;
  const Memory memory(model, learner, Forest(learner), rows, layout);
  return layout.size();
}

} // namespace tamrt
