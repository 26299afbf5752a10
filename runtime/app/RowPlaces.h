//===- app/RowPlaces.h - where rows of a file are ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_ROWPLACES_H
#define TAMRT_APP_ROWPLACES_H

#include "core/data/Dataset.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "io/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// Rows of a dataset and their lines in the file, for messages. What is given
/// must outlive this.
class RowPlaces {
public:
  /// `lines`: by row of the file, empty: its index; `unit`: what messages call
  /// them.
  RowPlaces(const tamrt_model &model, const Dataset &data,
            std::span<const uint64_t> lines, const std::string &path,
            const char *unit = "line")
      : model(model), data(data), lines(lines), path(path), unit(unit) {}

  /// The marked row that comes first in the file, if there is one.
  std::optional<size_t> firstOf(const std::vector<bool> &isMarked) const;

  /// "data.csv: line 7: column 'y': group 'north'"; without a column or a group
  /// what there is.
  std::string placeOf(size_t row, const char *column = nullptr) const;
  /// The same of a row of which this is known.
  static std::string placeOf(const tamrt_model &model, const std::string &path,
                             const char *unit, uint64_t line,
                             const char *column, const std::string &group);

  /// Marks the rows of which numbers of `kind`, row by row, are not finite; no
  /// marks: all are.
  std::vector<bool> notFinite(std::span<const double> numbers,
                              tamrt_step_kind kind) const;
  /// Why a marked row is an error, without its place. Errors: those of
  /// `decomposeRow`.
  Result<std::string> whyNotFinite(size_t row, std::span<const double> numbers,
                                   tamrt_step_kind kind, const Weights &weights,
                                   const RunOptions &run) const;
  /// Checks that predictions of `kind`, row by row, are finite: that of a value
  /// far beyond the training range may not be. The error is for the first such
  /// row of the file and names the term, too. Other errors: those of
  /// `decomposeRow`.
  Status checkFinite(std::span<const double> numbers, tamrt_step_kind kind,
                     const Weights &weights, const RunOptions &run) const;

private:
  const tamrt_model &model;
  const Dataset &data;
  std::span<const uint64_t> lines;
  const std::string &path;
  const char *unit;
};

/// "expected a finite number, got inf; the row is too far from the training
/// rows".
std::string describeInfinite(double number);

} // namespace tamrt

#endif // TAMRT_APP_ROWPLACES_H
