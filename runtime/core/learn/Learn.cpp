//===- core/learn/Learn.cpp - tables from training rows -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/Learn.h"

#include "core/learn/LearnerJob.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tamrt {
namespace {

LearnFault learnRange(const LearnerJob &job) {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  const bool done = job.rows.forEach(job.inputs()[0], [&](size_t, double x) {
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  });
  // Either of the two zeros may come first.
  std::span<double> range = job.numbers(0);
  range[0] = lo + 0.0;
  range[1] = hi + 0.0;
  return done ? LearnFault::None : LearnFault::Rows;
}

void drawNeural(const LearnerJob &job) {
  Random random(job.learner.seed);
  const double root = std::sqrt(double(job.learner.sizes[0]));
  for (int64_t layer = 0; layer < job.learner.sizes[1]; ++layer) {
    const auto k = size_t(2 * layer);
    random.normal(job.numbers(k));
    if (layer > 0)
      for (double &weight : job.numbers(k))
        weight /= root;
    job.applyGiven(k);
    std::span<double> bias = job.numbers(k + 1);
    if (job.learner.choice == TAMRT_COS)
      for (double &value : bias)
        value = 2 * std::numbers::pi * random.uniform();
    else
      random.normal(bias);
    job.applyGiven(k + 1);
  }
}

bool isForest(const tamrt_learner &learner) {
  return learner.kind == TAMRT_LEARN_OBLIVIOUS_TREES ||
         learner.kind == TAMRT_LEARN_FLAT_TREES;
}

/// Whether some table of the learner is not given by the spec.
bool isWanted(const tamrt_model &model, const tamrt_learner &learner) {
  const tamrt_table *first = model.tables + learner.first_table;
  return std::any_of(first, first + learner.table_count,
                     [](const tamrt_table &table) { return !table.given; });
}

/// Makes the tables that are not given.
LearnFault make(const LearnerJob &job, double &number) {
  switch (job.learner.kind) {
  case TAMRT_LEARN_RANGE:
    return learnRange(job);
  case TAMRT_LEARN_NEURAL:
    drawNeural(job);
    return LearnFault::None;
  case TAMRT_LEARN_CENTERS:
    return learnCenters(job, number);
  case TAMRT_LEARN_OBLIVIOUS_TREES:
  case TAMRT_LEARN_FLAT_TREES:
    return learnTrees(job);
  }
  return LearnFault::Kind;
}

/// Checks the job's given tables, or all tables.
LearnOutcome check(const LearnerJob &job, bool all) {
  for (int64_t k = 0; k < job.learner.table_count; ++k) {
    if (!all && !job.isGiven(size_t(k)))
      continue;
    if (TableFault fault =
            faultOf(job.model, job.learner, k, job.contents(size_t(k))))
      return {LearnFault::Table, &job.learner, k, fault};
  }
  return {};
}

LearnOutcome run(const LearnerJob &job) {
  for (int64_t k = 0; k < job.learner.table_count; ++k)
    job.applyGiven(size_t(k));
  // Checked before they are used: features, for example, are indices.
  LearnOutcome outcome = check(job, /*all=*/false);
  if (!outcome.good() || !isWanted(job.model, job.learner))
    return outcome;
  outcome.fault = make(job, outcome.number);
  outcome.learner = &job.learner;
  return outcome.good() ? check(job, /*all=*/true) : outcome;
}

} // namespace

LearnOutcome learnTables(const tamrt_model &model, const TrainingRows &rows,
                         void *const *tables, void *memory) {
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const LearnOutcome outcome =
        run({model, model.learners[i], rows, tables, Layout(memory)});
    if (!outcome.good())
      return outcome;
  }
  return {};
}

size_t learningBytes(const tamrt_model &model, size_t rows) {
  size_t most = 0;
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    if (!isWanted(model, learner))
      continue;
    if (learner.kind == TAMRT_LEARN_CENTERS)
      most = std::max(most, centersBytes(learner, rows));
    if (isForest(learner))
      most = std::max(most, treesBytes(model, learner, rows));
  }
  return most;
}

const char *whyRowsOf(const tamrt_model &model, const tamrt_learner &learner) {
  if (learnsQuantiles(model, learner))
    return "quantiles need all rows at once; use split_strategy='uniform'";
  if (learnsCenters(model, learner))
    return "centres are drawn from all rows";
  if (isForest(learner) && learner.table_count > 2 &&
      !model.tables[learner.first_table + 2].given)
    return "the weights of leaves need all rows at once; leave out sp_alpha";
  return nullptr;
}

bool learnsQuantiles(const tamrt_model &model, const tamrt_learner &learner) {
  return isForest(learner) && learner.choice == TAMRT_SPLIT_QUANTILE &&
         !model.tables[learner.first_table + 1].given;
}

bool learnsCenters(const tamrt_model &model, const tamrt_learner &learner) {
  return learner.kind == TAMRT_LEARN_CENTERS && isWanted(model, learner);
}

} // namespace tamrt
