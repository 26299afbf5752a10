//===- core/data/Ranges.h - the ranges and levels of inputs -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Computes the range, the knots and the levels of one input from its values
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
#include <span>

namespace tamrt {

/// Values of one column in the order of the steps' rows.
struct Values {
  const double *column;
  /// Index in the column of each row; null: the column's own order.
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

/// The least and the greatest of some values (the first of equal ones), and
/// whether all are integers: the data from which a range is computed.
struct Spread {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();
  bool integers = true;

  void add(double value);
  void add(std::span<const double> values);
  /// Adds the values that `more` has been computed from.
  void add(const Spread &more);
};

/// The spread of the `count` values of one group for the rule of `input`. For
/// rules that do not need it, `integers` may be true for values that are not
/// integers.
Spread spreadOf(const tamrt_input &input, Values values, size_t count);

/// The range of training values of one group by `input`'s rule; for
/// TAMRT_RULE_PERIOD_AUTO that of one distinct value (see `periodOf`).
Range rangeOf(const tamrt_input &input, const Spread &spread);

/// A value rounded to 10 decimals, for TAMRT_RULE_PERIOD_AUTO.
double roundForPeriod(double value);

/// TAMRT_RULE_PERIOD_AUTO of sorted distinct values, rounded as above: first
/// value, last value plus the smallest gap. False if there is one value.
bool periodOf(const double *distinct, size_t count, double &lo, double &hi);

/// Whether [lo, hi], both finite, can be the knots of `input`: lo < hi, and for
/// TAMRT_RULE_RANGE, whose values are normalised by their own range, within
/// [-1, 1] except for rounding.
bool isKnotRange(const tamrt_input &input, double lo, double hi);

/// Lowest and highest normalised value of one input over the groups.
struct Extent {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();

  void add(double value);
  /// The knots lo and hi, which differ even if all values are equal.
  void knots(double *out) const;
};

/// Faults of the values of an input in a group.
enum class RangeFault {
  None,
  /// Their range, or a normalised value, is not finite.
  NotFinite,
  /// They differ only by rounding.
  Rounding
};

/// Computes `range`, the range of training values of one group, or `period` if
/// the input has one for all groups (null: none), and adds the normalised
/// values to `extent`.
RangeFault normalizeGroup(const tamrt_input &input, const Range *period,
                          const Spread &spread, Range &range, Extent &extent);

/// Whether `count` values are on a grid, continued on both sides, except for
/// rounding errors of 2^-51 of its length. Widens `spread` to these values.
bool areOnGrid(const tamrt_grid &grid, Values values, size_t count,
               Spread &spread);

/// Whether a group whose values are all on the grid has at most the grid's
/// levels, counted from the begin of its range, and none beyond the range's
/// end, which is possible with a period. Then the steps that sum by levels have
/// a grid point for each value (kernels.def, grid_points).
bool isWithinGrid(const tamrt_grid &grid, const Spread &spread,
                  const Range &range);

/// The level code of a value that is not one of `count` levels: the level
/// `nearest`, the mean, or none.
int32_t unseenCode(size_t count, tamrt_unseen unseen, size_t nearest);

/// The level code of `value` in `count` sorted levels: its level or, if it is
/// not a level, the code by `unseen`; of two equally near levels the lower one
/// is nearest. O(log count).
int32_t levelCode(const double *levels, size_t count, double value,
                  tamrt_unseen unseen);

/// Writes the parameter block of one group (abi.h): TAMRT_INPUT_PARAMETERS
/// doubles for each input, from the group's pairs of centre and half range and
/// the pairs of knots; then the strengths of the penalties, the model's own if
/// `strengths` is null.
void writeParameters(const tamrt_model &model, const double *ranges,
                     const double *knots, const double *strengths,
                     double *block);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_RANGES_H
