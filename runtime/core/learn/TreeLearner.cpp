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

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tamrt {
namespace {

/// A range of equal values is widened by this much each side.
constexpr double kMargin = 1e-3;

/// The sizes of the trees of one learner.
struct Forest {
  explicit Forest(const LearnerJob &job)
      : flat(job.learner.kind == TAMRT_LEARN_FLAT_TREES),
        trees(size_t(job.learner.sizes[0])),
        leaves(flat ? size_t(job.learner.sizes[1])
                    : size_t(1) << job.learner.sizes[1]),
        width(flat ? leaves - 1 : size_t(job.learner.sizes[1])) {}

  bool flat;
  size_t trees, leaves;
  /// Thresholds of a tree.
  size_t width;

  /// Whether thresholds are drawn; those of a single flat tree are not.
  bool drawn() const { return !flat || trees > 1; }

  /// The place of the feature that threshold `i` of all is compared with.
  size_t featurePlace(size_t i) const { return flat ? i / width : i; }
};

/// Point `i` of linspace(lo, hi, intervals + 1), from the nearer end.
double linspace(double lo, double hi, size_t intervals, size_t i) {
  const double step = (hi - lo) / double(intervals);
  return i < (intervals + 1) / 2 ? lo + step * double(i)
                                 : hi - step * double(intervals - i);
}

/// Least and greatest over all inputs and rows.
Status extent(const LearnerJob &job, double &lo, double &hi) {
  lo = std::numeric_limits<double>::infinity();
  hi = -lo;
  std::vector<double> point(job.inputs().size());
  Status done = job.rows.forEachPoint(job.inputs(), point.data(), [&] {
    for (double x : point) {
      lo = std::min(lo, x);
      hi = std::max(hi, x);
    }
  });
  // Of zeros of both signs either may come first.
  lo += 0.0;
  hi += 0.0;
  if (lo == hi) {
    lo -= kMargin;
    hi += kMargin;
  }
  return done;
}

/// Replaces the levels in `thresholds` by the quantiles of their features.
Status takeQuantiles(const LearnerJob &job, const Forest &forest,
                     std::span<double> thresholds) {
  std::span<const int32_t> features = job.integers(0);
  const size_t rows = job.rows.size();
  std::unique_ptr<double[]> column;
  for (size_t input = 0; input < job.inputs().size(); ++input) {
    std::vector<size_t> places;
    for (size_t i = 0; i < thresholds.size(); ++i)
      if (features[forest.featurePlace(i)] == int32_t(input))
        places.push_back(i);
    if (places.empty())
      continue;
    if (!column)
      column.reset(new (std::nothrow) double[rows]);
    if (!column)
      return Error{"expected " + std::to_string(rows * sizeof(double)) +
                   " bytes of memory for the quantiles of a column, got less"};
    if (Status s =
            job.rows.forEach(job.inputs()[input],
                             [&](size_t row, double x) { column[row] = x; });
        !s)
      return s;
    std::vector<double> levels;
    for (size_t place : places)
      levels.push_back(thresholds[place]);
    quantiles({column.get(), rows}, levels);
    for (size_t i = 0; i < places.size(); ++i)
      thresholds[places[i]] = levels[i];
  }
  return {};
}

Status makeThresholds(const LearnerJob &job, const Forest &forest,
                      Random &random) {
  std::span<double> thresholds = job.numbers(1);
  // Levels in [0, 1] first, which become thresholds in place.
  for (size_t i = 0; i < thresholds.size(); ++i)
    thresholds[i] = forest.drawn() ? random.uniform()
                                   : linspace(0, 1, forest.leaves, i + 1);
  if (job.isGiven(1)) {
    job.settle(1);
    return {};
  }
  if (job.learner.choice == TAMRT_SPLIT_QUANTILE) {
    if (Status s = takeQuantiles(job, forest, thresholds); !s)
      return s;
  } else {
    double lo, hi;
    if (Status s = extent(job, lo, hi); !s)
      return s;
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
  return {};
}

Status weighLeaves(const LearnerJob &job, const Forest &forest) {
  std::span<const int32_t> features = job.integers(0);
  std::span<const double> thresholds = job.numbers(1);
  // Rows are counted in the doubles that become the weights: exact to 2^53.
  std::span<double> weights = job.numbers(2);
  std::fill(weights.begin(), weights.end(), 0.0);
  std::vector<double> point(job.inputs().size());
  Status done = job.rows.forEachPoint(job.inputs(), point.data(), [&] {
    for (size_t tree = 0; tree < forest.trees; ++tree) {
      std::span<const double> own =
          thresholds.subspan(tree * forest.width, forest.width);
      const size_t leaf =
          forest.flat
              ? flatLeaf(point[size_t(features[tree])], own)
              : obliviousLeaf(point.data(),
                              features.data() + tree * forest.width, own);
      weights[tree * forest.leaves + leaf] += 1;
    }
  });
  // Every row is in one leaf of each tree.
  const double mean = double(job.rows.size()) / double(forest.leaves);
  for (double &weight : weights)
    weight = std::pow((weight + 1) / mean, -job.learner.number);
  return done;
}

} // namespace

Status learnTrees(const LearnerJob &job) {
  const Forest forest(job);
  Random random(job.learner.seed);
  for (int32_t &feature : job.integers(0))
    feature = int32_t(random.integer(uint32_t(job.inputs().size())));
  job.settle(0);
  if (Status s = makeThresholds(job, forest, random); !s)
    return s;
  if (job.learner.table_count > 2 && !job.isGiven(2))
    return weighLeaves(job, forest);
  return {};
}

int64_t treesBytes(const tamrt_learner &learner) {
  // Place and level of the thresholds of one feature, and ranks twice, in
  // vectors that may have grown to twice their size.
  constexpr int64_t kPerThreshold = 2 * 4 * int64_t(sizeof(double));
  return learner.choice == TAMRT_SPLIT_QUANTILE
             ? kPerThreshold * learner.sizes[0] * learner.sizes[1]
             : 0;
}

} // namespace tamrt
