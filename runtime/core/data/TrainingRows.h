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
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_TRAININGROWS_H
#define TAMRT_CORE_DATA_TRAININGROWS_H

#include "core/data/Dataset.h"
#include "core/data/Normalization.h"
#include "io/Error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace tamrt {

class TrainingRows {
public:
  /// A run of rows of one group.
  struct Run {
    /// Index of the group, and of the first row among all rows.
    size_t group, first;
    size_t rows;
    /// Where the rows are, and the first of them there.
    const Dataset &data;
    size_t at;
  };

  /// The normalisation lives as long as this.
  explicit TrainingRows(const Normalization &normalization)
      : normalization(normalization) {}
  virtual ~TrainingRows() = default;

  virtual size_t size() const = 0;

  /// Calls body(run) for runs that have all rows between them. The runs of one
  /// group come in order; groups may take turns. Errors: of reading.
  virtual Status forEachRun(const std::function<void(const Run &)> &body) = 0;

  /// Calls body(row, x) for the values of `input`, which has no levels.
  template <class Body> Status forEach(int32_t input, const Body &body) {
    return forEachRun([&](const Run &run) {
      const double *values = run.data.numbers(size_t(input)) + run.at;
      const Range range = rangeAt(run.group, input);
      for (size_t i = 0; i < run.rows; ++i)
        body(run.first + i, (values[i] - range.centre) / range.half);
    });
  }

  /// Calls body() for every row, its point, the values of `inputs` in their
  /// order, written to `out`.
  template <class Body>
  Status forEachPoint(std::span<const int32_t> inputs, double *out,
                      const Body &body) {
    return forEachRun([&](const Run &run) {
      for (size_t i = 0; i < run.rows; ++i) {
        pointOf(run, i, inputs, out);
        body();
      }
    });
  }

  /// Writes the points of `rows`, one after another, to `out`.
  Status points(std::span<const uint32_t> rows, std::span<const int32_t> inputs,
                double *out);

private:
  Range rangeAt(size_t group, int32_t input) const {
    const double *range = normalization.ranges.data() +
                          2 * (group * normalization.inputs() + size_t(input));
    return {range[0], range[1]};
  }

  void pointOf(const Run &run, size_t i, std::span<const int32_t> inputs,
               double *out) const {
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Range range = rangeAt(run.group, inputs[k]);
      out[k] =
          (run.data.numbers(size_t(inputs[k]))[run.at + i] - range.centre) /
          range.half;
    }
  }

  const Normalization &normalization;
};

/// Rows in memory.
class RowsOfDataset final : public TrainingRows {
public:
  /// Both live as long as this.
  RowsOfDataset(const Dataset &data, const Normalization &normalization)
      : TrainingRows(normalization), data(data) {}

  size_t size() const override { return data.rowCount(); }
  Status forEachRun(const std::function<void(const Run &)> &body) override {
    for (size_t g = 0; g < data.groups().size(); ++g) {
      const Group &group = data.groups()[g];
      body({g, group.first, group.rows, data, group.first});
    }
    return {};
  }

private:
  const Dataset &data;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_TRAININGROWS_H
