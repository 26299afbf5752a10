//===- LearnedModel.h - a model with tables and a carry ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A `FakeModel` with more columns: one for each kind of learner, one that
/// needs the row before and one that needs the number of rows of the group.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_LEARNEDMODEL_H
#define TAMRT_TEST_LEARNEDMODEL_H

#include "FakeModel.h"

namespace tamrt::test {

/// The columns: those of FakeModel, with v the normalised x and p that of the
/// row before: v - p; v / rows of the group; v within its range; two neurons;
/// two centres; the leaves of two oblivious trees of depth 1; the leaves of two
/// flat trees of 3.
inline constexpr int64_t kLearnedColumns = kColumns + 3 + 2 + 2 + 4 + 6;

class LearnedModel : public FakeModel {
public:
  explicit LearnedModel(std::vector<int64_t> rungs = {8, 4, 2, 1});

  const tamrt_model &get() override;

  /// In the order of the columns: range; W1, b1; centers, gamma; features,
  /// thresholds, leaf_weights; features, thresholds.
  std::vector<tamrt_table> tables;
  std::vector<tamrt_learner> learners;
};

} // namespace tamrt::test

#endif // TAMRT_TEST_LEARNEDMODEL_H
