//===- core/data/BeyondRange.h - values outside their range -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts rows with values that a model accepts but reports to its user: codes
/// beyond n_cat, values beyond the training range, unseen levels, tied
/// dates.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_BEYONDRANGE_H
#define TAMRT_CORE_DATA_BEYONDRANGE_H

#include "core/data/Dataset.h"
#include "core/data/ModelColumns.h"
#include "core/data/Normalization.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tamrt {

class BeyondRange {
public:
  /// `model` and `normalization` must outlive this. For a fit only codes are
  /// counted: the ranges come from its other values.
  BeyondRange(const tamrt_model &model, const Normalization &normalization,
              Purpose purpose);

  /// Counts the rows of `part`, whose groups have their indices in the
  /// normalisation. O(rows), on at most `threads` threads.
  void add(const Dataset &part, unsigned threads);

  /// A note for each column with such rows, in the order of the inputs.
  std::vector<std::string> notes() const;

private:
  const tamrt_model &model;
  const Normalization &normalization;
  /// Inputs whose values are compared with their range.
  std::vector<size_t> compared;
  /// By input.
  std::vector<size_t> counts;
  size_t rows = 0;
};

/// The note for `ties` (`Dataset::tiedRows`) among `rows` rows.
std::string describeTies(size_t ties, size_t rows);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_BEYONDRANGE_H
