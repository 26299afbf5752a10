//===- core/learn/Learners.cpp - makes a model's tables -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/Learners.h"

#include "core/learn/LearnerJob.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace tamrt {
namespace {

Status learnRange(const LearnerJob &job) {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  Status done = job.rows.forEach(job.inputs()[0], [&](size_t, double x) {
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  });
  // Of zeros of both signs either may come first.
  std::span<double> range = job.numbers(0);
  range[0] = lo + 0.0;
  range[1] = hi + 0.0;
  return done;
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
    job.settle(k);
    std::span<double> bias = job.numbers(k + 1);
    if (job.learner.choice == TAMRT_COS)
      for (double &value : bias)
        value = 2 * std::numbers::pi * random.uniform();
    else
      random.normal(bias);
    job.settle(k + 1);
  }
}

/// Makes the tables that are not given.
Status make(const LearnerJob &job) {
  switch (job.learner.kind) {
  case TAMRT_LEARN_RANGE:
    return learnRange(job);
  case TAMRT_LEARN_NEURAL:
    drawNeural(job);
    return {};
  case TAMRT_LEARN_CENTERS:
    return learnCenters(job);
  case TAMRT_LEARN_OBLIVIOUS_TREES:
  case TAMRT_LEARN_FLAT_TREES:
    return learnTrees(job);
  }
  return Error{"internal error: expected a kind of learner, got " +
               std::to_string(job.learner.kind)};
}

/// Checks tables of the job: those given, or all.
Status check(const LearnerJob &job, bool all) {
  for (int64_t k = 0; k < job.learner.table_count; ++k) {
    if (!all && !job.isGiven(size_t(k)))
      continue;
    std::string fault = faultOf(job.model, job.learner, k, job.tables);
    if (!fault.empty())
      return Error{"table '" +
                   std::string(job.model.tables[job.place(size_t(k))].name) +
                   "': " + fault};
  }
  return {};
}

Status run(const LearnerJob &job) {
  // Before they are used: features, for one, are subscripts.
  if (Status s = check(job, /*all=*/false); !s)
    return s;
  bool wanted = false;
  for (int64_t k = 0; k < job.learner.table_count; ++k)
    wanted |= !job.isGiven(size_t(k));
  if (!wanted)
    return {};
  if (Status s = make(job); !s)
    return s;
  return check(job, /*all=*/true);
}

} // namespace

Result<Tables> learn(const tamrt_model &model, const Dataset &data,
                     const Normalization &normalization) {
  RowsOfDataset rows(data, normalization);
  return learn(model, rows);
}

Result<Tables> learn(const tamrt_model &model, TrainingRows &rows) {
  Result<Tables> tables = Tables::allocate(model);
  if (!tables)
    return tables;
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    if (Status s = run({model, learner, rows, *tables}); !s)
      return Error{"effect '" +
                   std::string(model.effects[learner.effect].name) +
                   "': " + s.error().message};
  }
  return tables;
}

std::vector<std::string> keptByLearners(const tamrt_model &model, size_t rows) {
  std::vector<std::string> kept;
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    const std::string effect =
        " of effect '" + std::string(model.effects[learner.effect].name) + "'";
    const bool trees = learner.kind == TAMRT_LEARN_OBLIVIOUS_TREES ||
                       learner.kind == TAMRT_LEARN_FLAT_TREES;
    if (trees && learner.choice == TAMRT_SPLIT_QUANTILE &&
        !model.tables[learner.first_table + 1].given)
      kept.push_back(std::to_string(rows * sizeof(double)) +
                     " bytes, one input of every row, for the quantiles" +
                     effect);
    if (learner.kind == TAMRT_LEARN_CENTERS)
      kept.push_back(std::to_string(centersBytes(learner)) +
                     " bytes, some rows, for the centres" + effect);
  }
  return kept;
}

int64_t learningBytes(const tamrt_model &model) {
  int64_t most = 0;
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    if (learner.kind == TAMRT_LEARN_CENTERS)
      most = std::max(most, centersBytes(learner));
    if (learner.kind == TAMRT_LEARN_OBLIVIOUS_TREES ||
        learner.kind == TAMRT_LEARN_FLAT_TREES)
      most = std::max(most, treesBytes(learner));
  }
  return most;
}

} // namespace tamrt
