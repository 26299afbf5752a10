//===- core/learn/LearnerJob.h - the work of one learner --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the functions that make the tables of one learner each get.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_LEARN_LEARNERJOB_H
#define TAMRT_CORE_LEARN_LEARNERJOB_H

#include "core/data/TrainingRows.h"
#include "core/learn/Random.h"
#include "core/model/Tables.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamrt {

/// A learner, the rows it learns from and the tables it fills. Tables are
/// numbered within the learner.
struct LearnerJob {
  const tamrt_model &model;
  const tamrt_learner &learner;
  TrainingRows &rows;
  Tables &tables;

  std::span<const int32_t> inputs() const {
    return {learner.inputs, size_t(learner.input_count)};
  }
  size_t place(size_t k) const { return size_t(learner.first_table) + k; }
  bool isGiven(size_t k) const { return model.tables[place(k)].given; }
  std::span<double> numbers(size_t k) const { return tables.numbers(place(k)); }
  std::span<int32_t> integers(size_t k) const {
    return tables.integers(place(k));
  }

  /// Ends the making of table `k`: what the spec gives replaces what was made.
  void settle(size_t k) const {
    if (isGiven(k))
      tables.set(place(k), model.tables[place(k)].given);
  }
};

/// TAMRT_LEARN_CENTERS, and the bytes it needs for a while.
Status learnCenters(const LearnerJob &job);
int64_t centersBytes(const tamrt_learner &learner);

/// TAMRT_LEARN_OBLIVIOUS_TREES and TAMRT_LEARN_FLAT_TREES, and the bytes they
/// need for a while besides a column of the rows.
Status learnTrees(const LearnerJob &job);
int64_t treesBytes(const tamrt_learner &learner);

} // namespace tamrt

#endif // TAMRT_CORE_LEARN_LEARNERJOB_H
