//===- core/data/TrainingRows.h - normalised training rows ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The training rows for learners: all rows, group after group, with inputs
/// normalised by the ranges of their group. Nothing is stored: a value is
/// computed when it is needed, with the same bits as in the kernel `normalize`.
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
  /// Consecutive rows of one group.
  struct Run {
    /// Index of the group, and of the first row among all rows.
    size_t group, first;
    size_t rows;
    /// The values of an input without levels, from the first row on.
    FunctionRef<Values(int32_t input)> values;
  };
  using Visit = FunctionRef<void(const Run &run)>;

  /// A requested row, and its index in the request.
  struct Wanted {
    uint32_t row, place;
  };

  /// `size` rows of `inputs` inputs with the pairs of centre and half range
  /// `ranges[group][input]`. `forEachRun(visit)` calls visit(run) for runs that
  /// together are all rows; runs of one group are in order, but runs of several
  /// groups may alternate. It returns false if rows cannot be read.
  TrainingRows(size_t size, const double *ranges, size_t inputs,
               FunctionRef<bool(Visit visit)> forEachRun)
      : count(size), ranges(ranges), inputs(inputs), forEachRun(forEachRun) {}

  size_t size() const { return count; }

  /// Calls body(row, x) for the values of `input`, which has no levels. False
  /// if rows cannot be read, as in the functions below.
  template <class Body> bool forEach(int32_t input, const Body &body) const {
    return forEachRun([&](const Run &run) {
      const Values values = run.values(input);
      const Range range = rangeAt(run.group, input);
      for (size_t i = 0; i < run.rows; ++i)
        body(run.first + i, (values[i] - range.centre) / range.half);
    });
  }

  /// Writes the point of every row, the values of `inputs` in their order, to
  /// `out` and calls body().
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

  /// Writes the point of each row of `wanted` to its position in `out`. Sorts
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
