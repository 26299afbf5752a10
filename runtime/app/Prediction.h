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
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// Rows that were predicted. The data is no longer needed and may be taken.
struct PredictedRows {
  Dataset &data;
  const KeyCells &keys;
  /// By row in the order of the file: its line, of a frame its row.
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

  /// Numbers of a row's prediction.
  size_t width() const { return numbersPerRow; }
  const StandardErrors &standardErrors() const { return errors; }

  /// Notes about the rows that were read and predicted.
  std::vector<std::string> notes(const RowReader &reader) const;
  /// Prints them, and the warnings of standard errors.
  void tellNotes(const RowReader &reader) const;

private:
  size_t rowsAtOnce() const;
  Status add(Rows rows, const RowReader &reader, Timings &timings,
             const std::function<Status(const PredictedRows &)> &use);

  const tamrt_model &model;
  const Options &options;
  const Weights &weights;
  const RunOptions &run;
  size_t numbersPerRow;
  StandardErrors errors;
  BeyondRange beyond;
  size_t rowCount = 0, ties = 0;
  GrowingArray<double> numbers;
  /// Standard errors and intervals, row by row.
  std::vector<double> errorNumbers;
};

} // namespace tamrt

#endif // TAMRT_APP_PREDICTION_H
