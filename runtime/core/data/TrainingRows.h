//===- core/data/TrainingRows.h - normalised training rows ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The training rows as learners see them: all rows, group after group, their
/// inputs normalised by the ranges of their group. Nothing is stored: a value
/// is computed when it is asked for, in the bits of the kernel `normalize`.
/// Nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_TRAININGROWS_H
#define TAMRT_CORE_DATA_TRAININGROWS_H

#include "core/FunctionRef.h"
#include "core/data/Ranges.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamrt {

class TrainingRows {
public:
  /// A run of rows of one group.
  struct Run {
    /// Index of the group, and of the first row among all rows.
    size_t group, first;
    size_t rows;
    /// The values of an input, which has no levels, from the first row on.
    FunctionRef<Values(int32_t input)> values;
  };
  using Visit = FunctionRef<void(const Run &run)>;

  /// A row that is asked for, and its place among those asked for.
  struct Wanted {
    uint32_t row, place;
  };

  /// `size` rows, whose pairs of centre and half range are `ranges[group]
  /// [input]` of `inputs` inputs. `forEachRun(visit)` calls visit(run) for runs
  /// that have all rows between them, those of one group in order, groups
  /// perhaps in turns; false where rows cannot be read.
  TrainingRows(size_t size, const double *ranges, size_t inputs,
               FunctionRef<bool(Visit visit)> forEachRun)
      : count(size), ranges(ranges), inputs(inputs), forEachRun(forEachRun) {}

  size_t size() const { return count; }

  /// Calls body(row, x) for the values of `input`, which has no levels. False
  /// where rows cannot be read, as below.
  template <class Body> bool forEach(int32_t input, const Body &body) const {
    return forEachRun([&](const Run &run) {
      const Values values = run.values(input);
      const Range range = rangeAt(run.group, input);
      for (size_t i = 0; i < run.rows; ++i)
        body(run.first + i, (values[i] - range.centre) / range.half);
    });
  }

  /// Calls body() for every row, its point, the values of `inputs` in their
  /// order, written to `out`.
  template <class Body>
  bool forEachPoint(std::span<const int32_t> inputs, double *out,
                    const Body &body) const {
    return forEachRun([&](const Run &run) {
      for (size_t i = 0; i < run.rows; ++i) {
        pointOf(run, i, inputs, out);
        body();
      }
    });
  }

  /// Writes the point of each row of `wanted` to its place in `out`. Sorts
  /// `wanted`.
  bool points(std::span<Wanted> wanted, std::span<const int32_t> inputs,
              double *out) const;

private:
  Range rangeAt(size_t group, int32_t input) const {
    const double *range = ranges + 2 * (group * inputs + size_t(input));
    return {range[0], range[1]};
  }

  void pointOf(const Run &run, size_t i, std::span<const int32_t> inputs,
               double *out) const {
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Range range = rangeAt(run.group, inputs[k]);
      out[k] = (run.values(inputs[k])[i] - range.centre) / range.half;
    }
  }

  size_t count;
  const double *ranges;
  size_t inputs;
  FunctionRef<bool(Visit visit)> forEachRun;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_TRAININGROWS_H
