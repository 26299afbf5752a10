//===- core/learn/Learners.cpp - makes a model's tables -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/learn/Learners.h"

#include "core/device/AlignedBuffer.h"
#include "core/learn/LearnerJob.h"
#include "io/Number.h"

#include <algorithm>
#include <cmath>

namespace tamrt {
namespace {

/// The error message for a failed outcome, except that rows cannot be read.
Error describe(const LearnOutcome &outcome, const tamrt_model &model,
               const Tables &tables) {
  const tamrt_learner &learner = *outcome.learner;
  std::string text =
      "effect '" + std::string(model.effects[learner.effect].name) + "': ";
  switch (outcome.fault) {
  case LearnFault::None:
  case LearnFault::Rows:
    break;
  case LearnFault::Distance:
    text += "expected training rows with a median distance that has a square, "
            "got " +
            formatNumber(std::sqrt(outcome.number)) + "; set gamma";
    break;
  case LearnFault::Table: {
    const auto place = size_t(learner.first_table + outcome.table);
    text += "table '" + std::string(model.tables[place].name) + "': " +
            describe(outcome.inTable, model, learner, outcome.table,
                     tables.pointers()[place]);
    break;
  }
  case LearnFault::Kind:
    text += "internal error: expected a kind of learner, got " +
            std::to_string(learner.kind);
    break;
  }
  return Error{std::move(text)};
}

} // namespace

Result<Tables> learn(const tamrt_model &model, const Dataset &data,
                     const Normalization &normalization) {
  return learn(model, data.rowCount(), normalization,
               [&](TrainingRows::Visit visit) -> Status {
                 for (size_t g = 0; g < data.groups().size(); ++g) {
                   const Group &group = data.groups()[g];
                   visit({g, group.first, group.rows, [&](int32_t input) {
                            return Values{data.numbers(size_t(input)) +
                                          group.first};
                          }});
                 }
                 return {};
               });
}

Result<Tables>
learn(const tamrt_model &model, size_t rows, const Normalization &normalization,
      const std::function<Status(TrainingRows::Visit)> &forEachRun) {
  Result<Tables> tables = Tables::allocate(model);
  if (!tables)
    return tables;
  const size_t bytes = learningBytes(model, rows);
  AlignedBuffer memory;
  if (bytes > 0)
    memory = AlignedBuffer::allocate(bytes);
  if (bytes > 0 && !memory)
    return Error{"expected " + std::to_string(bytes) +
                 " bytes of memory to learn tables in, got less"};
  Status reading;
  auto tryEachRun = [&](TrainingRows::Visit visit) {
    reading = forEachRun(visit);
    return reading.ok();
  };
  const LearnOutcome outcome = learnTables(
      model,
      {rows, normalization.ranges.data(), normalization.inputs(), tryEachRun},
      tables->pointers(), memory.data());
  if (outcome.fault == LearnFault::Rows)
    return std::move(reading).error();
  if (!outcome.good())
    return describe(outcome, model, *tables);
  return tables;
}

Status checkRangesSuffice(const tamrt_model &model) {
  for (int64_t i = 0; i < model.learner_count; ++i)
    if (const char *why = whyRowsOf(model, model.learners[i]))
      return Error{"effect '" +
                   std::string(model.effects[model.learners[i].effect].name) +
                   "': expected tables that follow from the ranges of the "
                   "parts: " +
                   why +
                   ", take the weights of a fit of some rows as the spec's "
                   "state, or fit the rows as one file"};
  return {};
}

Result<Tables>
learn(const tamrt_model &model, const Normalization &normalization,
      const std::function<Spread(size_t group, size_t input)> &spread) {
  if (Status s = checkRangesSuffice(model); !s)
    return std::move(s).error();
  const size_t groups = normalization.ranges.size() /
                        std::max<size_t>(2 * normalization.inputs(), 1);
  // The ends of the ranges stand for the rows: learners of ranges see no
  // others.
  return learn(model, 2 * groups, normalization,
               [&](TrainingRows::Visit visit) -> Status {
                 for (size_t g = 0; g < groups; ++g) {
                   std::vector<double> ends;
                   for (size_t i = 0; i < normalization.inputs(); ++i) {
                     const Spread of = spread(g, i);
                     ends.push_back(of.lo);
                     ends.push_back(of.hi);
                   }
                   visit({g, 2 * g, 2, [&](int32_t input) {
                            return Values{ends.data() + 2 * size_t(input)};
                          }});
                 }
                 return {};
               });
}

bool keepsColumn(const tamrt_model &model) {
  return std::any_of(model.learners, model.learners + model.learner_count,
                     [&](const tamrt_learner &learner) {
                       return learnsQuantiles(model, learner);
                     });
}

std::vector<std::string> keptByLearners(const tamrt_model &model,
                                        std::optional<size_t> rows) {
  std::vector<std::string> kept;
  for (int64_t i = 0; i < model.learner_count; ++i) {
    const tamrt_learner &learner = model.learners[i];
    const std::string effect =
        " of effect '" + std::string(model.effects[learner.effect].name) + "'";
    if (learnsQuantiles(model, learner))
      kept.push_back(std::to_string(rows.value_or(1) * sizeof(double)) +
                     (rows ? " bytes" : " bytes per row") +
                     ", one input of every row, for the quantiles" + effect);
    if (learnsCenters(model, learner))
      kept.push_back(
          (rows ? "" : "up to ") +
          std::to_string(centersBytes(learner, rows.value_or(kMaxRowsKept))) +
          " bytes, some rows, for the centres" + effect);
  }
  return kept;
}

} // namespace tamrt
