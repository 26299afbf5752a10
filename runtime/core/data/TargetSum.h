//===- core/data/TargetSum.h - sums of a group's target ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a choice of penalties needs of a group's rows besides the sums of steps
/// (docs/math.md sections 4 and 8): the sum of squares of the target, and the
/// number of rows that count. It is joined as those sums are: within a segment
/// row by row, and over segments in their tree, so the bits are the same for
/// rows in one file and in several.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_TARGETSUM_H
#define TAMRT_CORE_DATA_TARGETSUM_H

#include "core/data/CompensatedSum.h"
#include "core/data/Dataset.h"
#include "tamrt/abi.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamrt {

/// Sums of squares below this may have lost digits of squares that are
/// subnormal or 0.
inline constexpr double kMinSquares = 1e-290;

/// The sum of some rows, or of a node of the tree.
class TargetSum {
public:
  /// Numbers of `store`.
  static constexpr size_t kNumbers = 3;

  void add(double weight, double target) {
    sum.add(weight * target * target);
    rows += weight > 0;
  }
  /// Adds the sum of other rows; the order of the two does not matter.
  void join(const TargetSum &other) {
    sum.join(other.sum);
    rows += other.rows;
  }

  /// Sum of weight * target^2. Infinite or NaN if it exceeds a double.
  double squares() const { return sum.value(); }
  /// Rows of positive weight.
  double positiveRows() const { return rows; }

  /// Writes the sum as kNumbers numbers, and reads it.
  void store(double *to) const {
    to[0] = sum.rounded();
    to[1] = sum.rest();
    to[2] = rows;
  }
  static TargetSum load(const double *from) {
    TargetSum sum;
    sum.sum = CompensatedSum(from[0], from[1]);
    sum.rows = from[2];
    return sum;
  }

private:
  CompensatedSum sum;
  /// At most 2^53.
  double rows = 0;
};

/// The sum of a group's rows, which come in their order.
class TargetSums {
public:
  TargetSums() = default;
  /// Of rows that have been joined; no more may be added.
  explicit TargetSums(const TargetSum &all) : current(all) {}

  void add(double weight, double target) {
    if (inSegment == TAMRT_SEGMENT_ROWS)
      endSegment();
    current.add(weight, target);
    ++inSegment;
  }
  /// Adds the rows of a group of `data`, whose weights are scaled.
  void add(const Dataset &data, const Group &group) {
    for (size_t row = group.first; row < group.first + group.rows; ++row)
      add(data.weights() ? data.weights()[row] : 1.0, data.target()[row]);
  }

  /// The sum of all rows so far.
  TargetSum all() const {
    TargetSum all = current;
    for (size_t level = 0; level < levels.size(); ++level)
      if (ended >> level & 1)
        all.join(levels[level]);
    return all;
  }

private:
  /// Joins the current segment with the nodes that it completes.
  void endSegment() {
    const auto complete = size_t(std::countr_one(ended));
    for (size_t level = 0; level < complete; ++level)
      current.join(levels[level]);
    if (levels.size() <= complete)
      levels.resize(complete + 1);
    levels[complete] = current;
    current = {};
    inSegment = 0;
    ++ended;
  }

  TargetSum current;
  uint32_t inSegment = 0;
  /// Segments that have ended, and the nodes of 2^l of them that have no
  /// partner, as the bits of their number say.
  uint32_t ended = 0;
  std::vector<TargetSum> levels;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_TARGETSUM_H
