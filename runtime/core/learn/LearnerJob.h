//===- core/learn/LearnerJob.h - the work of one learner --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arguments of the functions that make the tables of one learner. They use
/// only the memory they are given; nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_LEARN_LEARNERJOB_H
#define TAMRT_CORE_LEARN_LEARNERJOB_H

#include "core/data/TrainingRows.h"
#include "core/device/Layout.h"
#include "core/learn/Learn.h"
#include "core/learn/Random.h"
#include "core/model/TableFault.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tamrt {

/// A learner, its rows, its tables, which it fills, and its working memory.
/// Tables have indices within the learner.
struct LearnerJob {
  const tamrt_model &model;
  const tamrt_learner &learner;
  const TrainingRows &rows;
  /// The contents of the model's tables.
  void *const *tables;
  Layout memory;

  std::span<const int32_t> inputs() const {
    return {learner.inputs, size_t(learner.input_count)};
  }
  const tamrt_table &table(size_t k) const {
    return model.tables[size_t(learner.first_table) + k];
  }
  void *contents(size_t k) const {
    return tables[size_t(learner.first_table) + k];
  }
  bool isGiven(size_t k) const { return table(k).given; }
  std::span<double> numbers(size_t k) const {
    return {static_cast<double *>(contents(k)), size_t(elementsOf(table(k)))};
  }
  std::span<int32_t> integers(size_t k) const {
    return {static_cast<int32_t *>(contents(k)), size_t(elementsOf(table(k)))};
  }

  /// Overwrites table `k` with the contents that the spec gives, if any.
  void applyGiven(size_t k) const {
    if (isGiven(k) && bytesOf(table(k)) > 0)
      std::memcpy(contents(k), table(k).given, size_t(bytesOf(table(k))));
  }
};

/// TAMRT_LEARN_CENTERS. For Distance sets `number`, the median of the squared
/// distances.
LearnFault learnCenters(const LearnerJob &job, double &number);
/// The bytes it needs for `rows` rows.
size_t centersBytes(const tamrt_learner &learner, size_t rows);

/// TAMRT_LEARN_OBLIVIOUS_TREES and TAMRT_LEARN_FLAT_TREES, and the bytes they
/// need.
LearnFault learnTrees(const LearnerJob &job);
size_t treesBytes(const tamrt_model &model, const tamrt_learner &learner,
                  size_t rows);

} // namespace tamrt

#endif // TAMRT_CORE_LEARN_LEARNERJOB_H
