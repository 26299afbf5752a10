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

/// Most rows of which a learner keeps more than one column.
inline constexpr size_t kMaxRowsKept = 1000;

/// Why there are no tables.
enum class LearnFault {
  None,
  /// The rows cannot be read.
  Rows,
  /// No gamma can be computed from the square of the rows' median distance.
  Distance,
  /// A table, given or computed, has a fault.
  Table,
  /// The model has an unknown kind of learner.
  Kind,
};

/// The outcome of learning.
struct LearnOutcome {
  LearnFault fault = LearnFault::None;
  /// The learner with the fault.
  const tamrt_learner *learner = nullptr;
  /// For Table: the index of the learner's table, and its fault.
  int64_t table = 0;
  TableFault inTable;
  /// For Distance: the square.
  double number = 0;

  bool good() const { return fault == LearnFault::None; }
};

/// Computes `tables`, the contents of the tables of `model`, each aligned to 8
/// bytes, from the training rows. `memory` has learningBytes(model, rows) bytes
/// at any address.
///
/// The numbers that a learner draws depend only on its seed and on the rows,
/// not on which of its tables the spec gives: those are copied, and the numbers
/// drawn for them are dropped. A learner whose tables are all given draws
/// nothing.
///
/// Time: O(rows) for a range; O(rows * trees * depth) for the row counts of
/// leaves, if weights of leaves are learnt; O(rows * log thresholds) for
/// quantiles of a column; the distances of at most 1000 rows for a gamma that
/// is not given. Passes over the rows a few times at most.
LearnOutcome learnTables(const tamrt_model &model, const TrainingRows &rows,
                         void *const *tables, void *memory);

/// Bytes of memory that `learnTables` needs: for quantiles one column of the
/// rows, for centres some numbers each, and for a gamma that is not given the
/// distances of at most kMaxRowsKept rows.
size_t learningBytes(const tamrt_model &model, size_t rows);

/// Why a learner needs the rows themselves, and not only the ranges of inputs
/// without levels: what to change, for a message. Null if it does not.
const char *whyRowsOf(const tamrt_model &model, const tamrt_learner &learner);

/// Whether a learner learns quantiles, or centres, that the spec does not give.
bool learnsQuantiles(const tamrt_model &model, const tamrt_learner &learner);
bool learnsCenters(const tamrt_model &model, const tamrt_learner &learner);

} // namespace tamrt

#endif // TAMRT_CORE_LEARN_LEARN_H
