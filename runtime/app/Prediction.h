//===- app/Prediction.h - predicts the rows of a file -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the rows of a file, all or part by part, and predicts them with what
/// the options ask for: what predict, evaluate and fit --calibrate have in
/// common.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_PREDICTION_H
#define TAMRT_APP_PREDICTION_H

#include "app/CommandLine.h"
#include "app/StandardErrors.h"
#include "app/Timings.h"
#include "core/data/BeyondRange.h"
#include "core/data/RowReader.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "io/Error.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// Rows that were predicted. The data is no longer needed and may be taken.
struct PredictedRows {
  Dataset &data;
  const KeyCells &keys;
  /// By row in the order of the file: its line, of a frame its row; empty if
  /// that is its index.
  std::span<const uint64_t> lines;
  /// By row of `data`: the numbers of the prediction, and the columns of
  /// standard errors and intervals.
  std::span<const double> numbers, errors;
};

class Prediction {
public:
  /// All arguments must outlive the prediction; `weights` have the parts that
  /// its standard errors and intervals need.
  Prediction(const tamrt_model &model, const Options &options,
             const Weights &weights, const RunOptions &run);

  /// `checkFits` for the steps of a prediction.
  static Status checkMemory(const tamrt_model &model, const Options &options,
                            const RunOptions &run);

  /// Reads all rows. Calls look(rows), if it is given, for those of a part as
  /// they are read, then use(rows) when they are predicted. Parts follow each
  /// other in the order of the file. Ends the phases read and predict of
  /// `timings`.
  ///
  /// Errors: those of reading and of steps; a prediction that is not finite,
  /// with line, group and term; no memory for the output.
  Status forEachPart(RowReader &reader, Timings &timings,
                     const std::function<void(const Rows &)> &look,
                     const std::function<Status(const PredictedRows &)> &use);

  /// Reads all rows and keeps them. Errors: those of reading; no row.
  Status keepAll(RowReader &reader, Timings &timings);

  /// Predicts the rows that are kept, with the coefficients that the weights
  /// have now, and calls use(rows), which does not take the data if they are to
  /// be predicted again. Errors: those of `forEachPart` but for reading.
  Status predictKept(const RowReader &reader,
                     const std::function<Status(const PredictedRows &)> &use);

  size_t keptRows() const { return kept->rowCount(); }

  /// Numbers of a row's prediction.
  size_t width() const { return numbersPerRow; }
  const StandardErrors &standardErrors() const { return errors; }

  /// Notes about the rows that were predicted.
  std::vector<std::string> notes() const;
  /// The same for the rows of one reader: how many it dropped, if it may drop
  /// some, comes first.
  std::vector<std::string> notes(const RowReader &reader) const;
  /// Prints the notes and the warnings of standard errors.
  void tellNotes(const RowReader &reader) const;

private:
  size_t rowsAtOnce() const;
  /// Reads at most `most` rows in the place of those that are kept; false at
  /// the end of the file.
  Result<bool> keep(RowReader &reader, size_t most, Timings &timings,
                    const std::function<void(const Rows &)> &look);

  const tamrt_model &model;
  const Options &options;
  const Weights &weights;
  const RunOptions &run;
  size_t numbersPerRow;
  StandardErrors errors;
  BeyondRange beyond;
  size_t rowCount = 0, ties = 0;
  /// The rows of a part, with the cells of their keys and their lines.
  std::optional<Dataset> kept;
  KeyCells keys;
  GrowingArray<uint64_t> lines;
  GrowingArray<double> numbers;
  /// Standard errors and intervals, row by row.
  std::vector<double> errorNumbers;
};

} // namespace tamrt

#endif // TAMRT_APP_PREDICTION_H
