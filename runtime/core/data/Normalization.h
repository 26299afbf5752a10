//===- core/data/Normalization.h - inputs scaled to [-1, 1] -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The numbers that a fit computes from its inputs before it solves: ranges,
/// knots and levels (docs/math.md sections 2.2 and 3). They are part of the
/// weights.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_NORMALIZATION_H
#define TAMRT_CORE_DATA_NORMALIZATION_H

#include "core/data/Dataset.h"
#include "core/data/Levels.h"
#include "core/data/Ranges.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// Ranges of G groups and I inputs. Inputs of TAMRT_RULE_LEVELS have zeros for
/// range and knots, and a table; the others have an empty table.
struct Normalization {
  /// G x I x 2: centre c and half range a/2; x = (v - c) / (a/2).
  std::vector<double> ranges;
  /// I x 2: lo and hi of the knots; G x I x 2 if the groups are normalised
  /// apart.
  std::vector<double> knots;
  /// I tables.
  std::vector<LevelTable> levels;

  size_t inputs() const { return levels.size(); }

  /// The knots of a group.
  const double *knotsOf(size_t group) const {
    const size_t width = 2 * inputs();
    return knots.data() + (knots.size() > width ? group * width : 0);
  }
  /// That of `count` groups from `first` on, which are normalised apart.
  Normalization part(size_t first, size_t count) const;
  /// Whether a group is normalised as a group of another normalisation of the
  /// same inputs, to the bit, but for inputs that are `apart`, if there are
  /// any.
  bool areEqual(size_t group, const Normalization &with, size_t other,
                const std::vector<bool> &apart = {}) const;

  /// Writes the parameter block of `group` (writeParameters). `strengths` are
  /// those of the penalties; empty: the model's.
  void parameters(const tamrt_model &model, size_t group, double *block,
                  std::span<const double> strengths = {}) const;
};

/// Normalises the training rows `data`, whose levels are `levels`, on `threads`
/// threads (0: as many as the machine has and the rows keep busy). O(rows), and
/// O(distinct values) memory to find a period.
///
/// Errors, with group and column: a range too wide for a double.
Result<Normalization> normalize(const tamrt_model &model, const Dataset &data,
                                std::vector<LevelTable> levels,
                                unsigned threads);

/// The same for ranges of rows of `source` that are fitted apart, each as a
/// group with the knots and periods of its own rows alone. Levels are not
/// normalised: their tables are empty. `namer` names ranges in errors.
Result<Normalization> normalizeApart(const tamrt_model &model,
                                     const RowSource &source,
                                     std::span<const Group> ranges,
                                     unsigned threads, const GroupNamer &namer);

/// `rangeOf` for contiguous values.
inline Range rangeOf(const tamrt_input &input, const double *values,
                     size_t count) {
  return rangeOf(input, spreadOf(input, Values{values}, count));
}

/// TAMRT_RULE_PERIOD_AUTO: the first distinct value, and the last distinct
/// value plus the smallest gap, of values rounded to 10 decimals. Takes at most
/// four times the memory of the distinct values.
class PeriodFinder {
public:
  void add(double value);

  /// The period of the added values; false if there is only one distinct value.
  bool find(double &lo, double &hi);

  /// Number of distinct values so far, or somewhat more.
  size_t size() const { return distinct.size(); }

  /// The distinct values, sorted.
  std::span<const double> values();

private:
  void tidy();

  std::vector<double> distinct;
  size_t limit = kBatch;
  static constexpr size_t kBatch = size_t(1) << 16;
};

/// The period of contiguous values.
bool findPeriod(std::span<const double> values, double &lo, double &hi);

/// The summary of training rows that normalisation needs.
struct RowSummary {
  /// Number of groups, and the name of one.
  size_t groups;
  std::function<std::string(size_t group)> nameOf;
  /// The spread of an input without levels in a group.
  std::function<Spread(size_t group, size_t input)> spread;
  /// The period of an input of TAMRT_RULE_PERIOD_AUTO over all groups.
  std::function<bool(size_t input, double &lo, double &hi)> period;
};

/// As above, from a summary.
Result<Normalization> normalize(const tamrt_model &model,
                                const RowSummary &summary,
                                std::vector<LevelTable> levels);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_NORMALIZATION_H
