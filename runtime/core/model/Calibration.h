//===- core/model/Calibration.h - conformal intervals -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The residuals of rows that were held out of a fit, and the intervals that
/// they give (split conformal prediction, docs/math.md section 8).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_CALIBRATION_H
#define TAMRT_CORE_MODEL_CALIBRATION_H

#include "tamrt/abi.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// Residuals, target less prediction, of held-out rows of positive weight.
class Calibration {
public:
  Calibration() = default;
  /// Sorts the residuals of each group; `split` says which rows were held out.
  Calibration(std::string split, std::vector<std::vector<double>> groups);

  bool isEmpty() const { return ends.empty(); }
  size_t groupCount() const { return ends.size(); }
  const std::string &split() const { return description; }

  /// The residuals of a group in ascending order; of all groups one after
  /// another.
  std::span<const double> of(size_t group) const;
  std::span<const double> all() const { return residuals; }

  /// Bytes of the tensors.
  size_t bytes() const {
    return (residuals.size() + ends.size()) * sizeof(double);
  }

private:
  std::string description;
  std::vector<double> residuals;
  /// By group, the end of its residuals.
  std::vector<size_t> ends;
};

/// The ends of an interval less the prediction.
struct Offsets {
  double lower, upper;
};

/// Offsets of the interval of a level in (0, 1) from n residuals in ascending
/// order, with a = 1 - level: -q and q for q the k-th smallest magnitude, k = n
/// + 1 - floor((n + 1) a + 1e-9); with `isSigned` the residuals of the ranks l
/// = floor((n + 1) a / 2 + 1e-9) and n + 1 - l. A rank of 0 or n + 1 is
/// infinite. O(n).
Offsets conformalOffsets(std::span<const double> residuals, double level,
                         bool isSigned);

/// The fewest residuals for which the offsets of a level are finite.
size_t residualsNeeded(double level, bool isSigned);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_CALIBRATION_H
