//===- core/learn/Learners.h - makes a model's tables -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Learns and draws the tables of a model from its training rows (abi.h,
/// tamrt_learner_kind; docs/math.md section 3).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_LEARN_LEARNERS_H
#define TAMRT_CORE_LEARN_LEARNERS_H

#include "core/data/Dataset.h"
#include "core/data/Normalization.h"
#include "core/data/TrainingRows.h"
#include "core/model/Tables.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tamrt {

/// Makes the tables of `model` from the training rows `data`, normalised by
/// `normalization`.
///
/// What a learner draws depends on its seed and on the rows alone, not on which
/// of its tables the spec gives: those are copied, and the numbers drawn in
/// their place are dropped. A learner whose tables are all given draws nothing.
///
/// Time: O(rows) for a range; O(rows * trees * depth) for the rows of leaves,
/// where weights of leaves are learnt; O(rows * log thresholds) for quantiles
/// of a column; for a gamma that is not given the distances of at most 1000
/// rows. Memory besides the tables: `learningBytes`, and where a tree has
/// quantiles one column of the training rows; the rows themselves are never
/// copied.
///
/// Errors, with the effect: no memory; numbers that are not finite (distances
/// too small for a gamma, an sp_alpha too large for weights); given tables that
/// do not fit the learner.
Result<Tables> learn(const tamrt_model &model, const Dataset &data,
                     const Normalization &normalization);

/// As above, from rows wherever they are, which a learner goes through a few
/// times at most. Errors: those of the rows, too.
Result<Tables> learn(const tamrt_model &model, TrainingRows &rows);

/// What the learners of a model keep of `rows` rows when these are not in
/// memory: a sentence each, such as "80000 bytes for the quantiles of effect
/// 't'".
std::vector<std::string> keptByLearners(const tamrt_model &model, size_t rows);

/// Most bytes that `learn` needs for a while besides the tables and a column of
/// the rows.
int64_t learningBytes(const tamrt_model &model);

} // namespace tamrt

#endif // TAMRT_CORE_LEARN_LEARNERS_H
