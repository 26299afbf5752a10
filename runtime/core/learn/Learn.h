//===- core/learn/Learn.h - tables from training rows -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Learns and draws the tables of a model from its training rows (abi.h,
/// tamrt_learner_kind; docs/math.md section 3). Shared by the executable and
/// the library for embedding; nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_LEARN_LEARN_H
#define TAMRT_CORE_LEARN_LEARN_H

#include "core/data/TrainingRows.h"
#include "core/model/TableFault.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>

namespace tamrt {

/// Rows of which a learner keeps more than a column at most.
inline constexpr size_t kMaxRowsKept = 1000;

/// Why there are no tables.
enum class LearnFault {
  None,
  /// The rows cannot be read.
  Rows,
  /// The median distance of rows has no square that a gamma can be made of.
  Distance,
  /// A table, given or made, has a fault.
  Table,
  /// The model has a kind of learner that is none.
  Kind,
};

/// What became of the learning.
struct LearnOutcome {
  LearnFault fault = LearnFault::None;
  /// The learner with the fault.
  const tamrt_learner *learner = nullptr;
  /// Of Table: which of the learner's, and what is wrong with it.
  int64_t table = 0;
  TableFault inTable;
  /// Of Distance: the square.
  double number = 0;

  bool good() const { return fault == LearnFault::None; }
};

/// Fills `tables`, the contents of the tables of `model`, each aligned to 8
/// bytes, from the training rows. `memory` are learningBytes(model, rows) bytes
/// at any address.
///
/// What a learner draws depends on its seed and on the rows alone, not on which
/// of its tables the spec gives: those are copied, and the numbers drawn in
/// their place are dropped. A learner whose tables are all given draws nothing.
///
/// Time: O(rows) for a range; O(rows * trees * depth) for the rows of leaves,
/// where weights of leaves are learnt; O(rows * log thresholds) for quantiles
/// of a column; for a gamma that is not given the distances of at most 1000
/// rows. Goes through the rows a few times at most.
LearnOutcome learnTables(const tamrt_model &model, const TrainingRows &rows,
                         void *const *tables, void *memory);

/// Bytes that `learnTables` works in: for quantiles a column of the rows, for
/// centres some numbers each and, for a gamma that is not given, the distances
/// of at most kMaxRowsKept rows.
size_t learningBytes(const tamrt_model &model, size_t rows);

/// Whether a learner learns quantiles, or centres, that the spec does not give.
bool learnsQuantiles(const tamrt_model &model, const tamrt_learner &learner);
bool learnsCenters(const tamrt_model &model, const tamrt_learner &learner);

} // namespace tamrt

#endif // TAMRT_CORE_LEARN_LEARN_H
