//===- core/TrainingRows.h - normalised training rows -----------*- C++ -*-===//
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
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_TRAININGROWS_H
#define TAMRT_CORE_TRAININGROWS_H

#include "core/Dataset.h"
#include "core/Normalization.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamrt {

class TrainingRows {
public:
  /// Both live as long as this.
  TrainingRows(const Dataset &data, const Normalization &normalization)
      : data(data), normalization(normalization) {}

  size_t size() const { return data.rowCount(); }

  /// Calls body(x) for the values of `input`, which has no levels, in order.
  template <class Body> void forEach(int32_t input, const Body &body) const {
    const double *values = data.numbers(size_t(input));
    for (size_t g = 0; g < data.groups().size(); ++g) {
      const Group &group = data.groups()[g];
      const Range range = rangeAt(g, input);
      for (size_t row = group.first; row < group.first + group.rows; ++row)
        body((values[row] - range.centre) / range.half);
    }
  }

  /// The values of `inputs` in `row`, in the inputs' order. O(log groups).
  void point(size_t row, std::span<const int32_t> inputs, double *out) const {
    pointOf(data.groupOf(row), row, inputs, out);
  }

  /// Calls body() for every row in order, its point written to `out`.
  template <class Body>
  void forEachPoint(std::span<const int32_t> inputs, double *out,
                    const Body &body) const {
    for (size_t g = 0; g < data.groups().size(); ++g) {
      const Group &group = data.groups()[g];
      for (size_t row = group.first; row < group.first + group.rows; ++row) {
        pointOf(g, row, inputs, out);
        body();
      }
    }
  }

private:
  Range rangeAt(size_t group, int32_t input) const {
    const double *range = normalization.ranges.data() +
                          2 * (group * normalization.inputs() + size_t(input));
    return {range[0], range[1]};
  }

  void pointOf(size_t group, size_t row, std::span<const int32_t> inputs,
               double *out) const {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Range range = rangeAt(group, inputs[i]);
      out[i] =
          (data.numbers(size_t(inputs[i]))[row] - range.centre) / range.half;
    }
  }

  const Dataset &data;
  const Normalization &normalization;
};

} // namespace tamrt

#endif // TAMRT_CORE_TRAININGROWS_H
