//===- core/learn/Learners.h - makes a model's tables -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Learns and draws the tables of a model from training rows in memory or in a
/// file, with its own working memory (core/learn/Learn.h).
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
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tamrt {

/// Makes the tables of `model` from the training rows `data`, normalised by
/// `normalization`. Memory besides the tables: `learningBytes`; the rows are
/// never copied.
///
/// Errors, with the effect: no memory; numbers that are not finite (distances
/// too small for a gamma, an sp_alpha too large for weights); given tables that
/// are invalid for the learner.
Result<Tables> learn(const tamrt_model &model, const Dataset &data,
                     const Normalization &normalization);

/// As above, from `rows` rows that need not be in memory: `forEachRun` is that
/// of TrainingRows. Errors: also those of `forEachRun`.
Result<Tables>
learn(const tamrt_model &model, size_t rows, const Normalization &normalization,
      const std::function<Status(TrainingRows::Visit)> &forEachRun);

/// Whether the tables of `model` follow from the ranges of its inputs. The
/// error names the effect whose tables do not, and what would help.
Status checkRangesSuffice(const tamrt_model &model);

/// As above, from the spreads of the inputs without levels in each group, if
/// these suffice.
Result<Tables>
learn(const tamrt_model &model, const Normalization &normalization,
      const std::function<Spread(size_t group, size_t input)> &spread);

/// Whether some learner of the model keeps one input of every row while it
/// learns. Learners run one after another.
bool keepsColumn(const tamrt_model &model);

/// The data that the learners of a model keep of `rows` rows that are not in
/// memory, or of an unknown number of rows: a sentence each, such as "80000
/// bytes, one input of every row, for the quantiles of effect 't'".
std::vector<std::string> keptByLearners(const tamrt_model &model,
                                        std::optional<size_t> rows);

} // namespace tamrt

#endif // TAMRT_CORE_LEARN_LEARNERS_H
