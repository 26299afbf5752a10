//===- Learners.h - what a fit learns once for all groups -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tables of a model (abi.h, tamrt_learner): the numbers that wavelets,
/// neural features, radial basis functions and trees learn or draw in a fit.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_SPECTOTAM_LEARNERS_H
#define TAMC_CONVERSION_SPECTOTAM_LEARNERS_H

#include "Inputs.h"

#include "tamc/Spec/Tables.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tamc {

/// A tamrt_table.
struct Table {
  std::string name;
  bool isInteger;
  llvm::SmallVector<int64_t, 2> shape;
  /// The contents if the spec's `state` has them; else empty.
  llvm::ArrayRef<double> given;
};

/// A tamrt_learner.
struct Learner {
  tamrt_learner_kind kind;
  int32_t choice = 0;
  std::array<int64_t, 2> sizes = {};
  double number = 0;
  uint32_t seed = 0;
  int32_t effect = 0;
  std::vector<int32_t> inputs = {};
  /// Its range of Learners::tables.
  int64_t firstTable = 0, tableCount = 0;
};

struct Learners {
  std::vector<Learner> learners;
  std::vector<Table> tables;

  /// The first table of `term`, which may be a factor of a te; -1 if it has
  /// none.
  int64_t firstTable(const spec::Term &term) const {
    auto found = first.find(&term);
    return found == first.end() ? -1 : found->second;
  }

  llvm::DenseMap<const spec::Term *, int64_t> first;
};

/// The learners of all terms, and of the factors of te, in the order of the
/// formula. `inputs` are the model's. The result refers to terms by their
/// addresses, and to given contents in `spec`.
Learners collectLearners(const spec::ModelSpec &spec,
                         const std::vector<Input> &inputs);

} // namespace tamc

#endif // TAMC_CONVERSION_SPECTOTAM_LEARNERS_H
