//===- core/data/Ranges.h - the ranges and levels of inputs -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How values of one input become its range, its knots and its levels
/// (docs/math.md sections 2.2 and 3). Shared by the executable and the library
/// for embedding; nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_RANGES_H
#define TAMRT_CORE_DATA_RANGES_H

#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tamrt {

/// Values of one column in the order of the steps' rows.
struct Values {
  const double *column;
  /// Place in the column of each row; null: the column's own order.
  const uint32_t *order = nullptr;

  double operator[](size_t row) const {
    return column[order ? order[row] : row];
  }
  /// The same from row `row` on.
  Values from(size_t row) const {
    return order ? Values{column, order + row} : Values{column + row};
  }
};

/// Centre and half range, as in a parameter block.
struct Range {
  double centre, half;
};

/// The range [lo, hi]; a half range of 1/2 when lo = hi.
Range rangeOf(double lo, double hi);

/// What a range is found from: the least and the greatest of some values, of
/// equal ones the first, and whether all are integers.
struct Spread {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();
  bool integers = true;

  void add(double value);
};

/// The spread of the `count` values of one group that has the rule of `input`.
/// For rules that do not ask for them `integers` may be true for others.
Spread spreadOf(const tamrt_input &input, Values values, size_t count);

/// The range of training values of one group by `input`'s rule; for
/// TAMRT_RULE_PERIOD_AUTO that of one distinct value (see `periodOf`).
Range rangeOf(const tamrt_input &input, const Spread &spread);

/// A value as TAMRT_RULE_PERIOD_AUTO sees it: rounded to 10 decimals.
double roundForPeriod(double value);

/// TAMRT_RULE_PERIOD_AUTO of sorted distinct values, rounded as above: first
/// value, last value plus the smallest gap. False when there is one value.
bool periodOf(const double *distinct, size_t count, double &lo, double &hi);

/// Whether [lo, hi] can be the knots of `input`, finite numbers both: lo < hi,
/// and for TAMRT_RULE_RANGE, whose values are normalised by their own range,
/// within [-1, 1] but for rounding.
bool isKnotRange(const tamrt_input &input, double lo, double hi);

/// Lowest and highest normalised value of one input over the groups.
struct Extent {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();

  void add(double value);
  /// The knots lo and hi: apart from each other even where all values are
  /// equal.
  void knots(double *out) const;
};

/// What can be wrong with the values of an input in a group.
enum class RangeFault {
  None,
  /// Their range is no double, or they are none once they are normalised.
  NotFinite,
  /// They differ by rounding alone.
  Rounding
};

/// The range of training values of one group, `period` where the input has one
/// for all groups (null: none), in `range`; adds the normalised values to
/// `extent`.
RangeFault normalizeGroup(const tamrt_input &input, const Range *period,
                          const Spread &spread, Range &range, Extent &extent);

/// Whether `count` values are on a grid, or on what continues it, but for
/// rounding: a part of 2^-51 of its length. Widens `spread` to them.
bool areOnGrid(const tamrt_grid &grid, Values values, size_t count,
               Spread &spread);

/// Whether a group, all of whose values are on the grid, has no more levels
/// than it, counted from where its range begins, and none beyond the range's
/// end, as a period may leave some: the steps that sum by levels then see the
/// values that there are (kernels.def, grid_points).
bool isWithinGrid(const tamrt_grid &grid, const Spread &spread,
                  const Range &range);

/// The level code of a value that is none of `count` levels, `nearest` being
/// the nearest: that one, the mean, or none.
int32_t unseenCode(size_t count, tamrt_unseen unseen, size_t nearest);

/// The level code of `value` in `count` sorted levels: its level or, where it
/// is none, what `unseen` says, the lower of two being nearest. O(log count).
int32_t levelCode(const double *levels, size_t count, double value,
                  tamrt_unseen unseen);

/// Writes the parameter block of one group: TAMRT_INPUT_PARAMETERS doubles for
/// each of `inputs` inputs (abi.h), from the group's pairs of centre and half
/// range and the pairs of knots.
void writeParameters(const double *ranges, const double *knots, size_t inputs,
                     double *block);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_RANGES_H
