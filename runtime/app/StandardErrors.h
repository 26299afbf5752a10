//===- app/StandardErrors.h - errors of predictions -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Standard errors and intervals of predictions (docs/math.md section 8).
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_STANDARDERRORS_H
#define TAMRT_APP_STANDARDERRORS_H

#include "app/CommandLine.h"
#include "core/data/Dataset.h"
#include "core/data/ModelColumns.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "io/Error.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

/// The x that a standard normal variable exceeds with probability 1 - p, for
/// 0 < p < 1, to about 1e-15 (Wichura, AS 241).
double normalQuantile(double p);

/// Checks that a group's residuals have a variance. The error names the group.
Status checkVariance(const tamrt_model &model, const Weights &weights,
                     size_t group);

/// The variance of a new value of a row about its expectation, to which that of
/// the prediction is to be added. Infinite for a weight of 0.
double varianceOfNew(double sigma2, double weight);

/// The columns of standard errors and intervals that a prediction has after its
/// own.
class StandardErrors {
public:
  /// What the options ask for; `weights`, which must outlive the object, have
  /// the parts that are needed.
  StandardErrors(const tamrt_model &model, const Options &options,
                 const Weights &weights);

  /// Whether a prediction with these options has such columns.
  static bool areAsked(const Options &options) {
    return options.se || !options.intervals.empty();
  }
  /// Whether they need the weights of the rows that are predicted.
  static bool needRowWeights(const Options &options) {
    return options.method == IntervalMethod::Gaussian &&
           !options.intervals.empty();
  }
  /// What data of a prediction are read for.
  static Purpose purposeOf(const Options &options) {
    return needRowWeights(options) ? Purpose::PredictNew : Purpose::Predict;
  }
  /// The parts of weights that they need.
  static WeightsParts partsFor(const Options &options) {
    const bool isGaussian = needRowWeights(options);
    auto part = [](bool isNeeded) {
      return isNeeded ? FilePart::Yes : FilePart::No;
    };
    return {part(options.se || isGaussian),
            part(!isGaussian && !options.intervals.empty())};
  }

  /// Names of the columns.
  std::vector<std::string> names() const;
  size_t width() const { return columnCount; }
  /// Bytes of memory per row, the columns included.
  size_t bytesPerRow() const;

  /// Computes the columns of all rows, row by row, for `numbers`, the
  /// prediction of the rows. Effects become centred: their means over the
  /// training rows move to the offset. Errors: those of `predictGroups`; a
  /// group whose training rows leave no variance of the residuals. May throw
  /// std::bad_alloc.
  Status compute(const Dataset &data, const RunOptions &run, double *numbers,
                 std::vector<double> &columns);

  /// A note if the rows that were computed lack the weights that intervals
  /// need.
  std::vector<std::string> notes() const;
  /// A warning for each level whose intervals are infinite for groups that were
  /// computed, and one on rows whose weights make them infinite.
  std::vector<std::string> warnings() const;

private:
  void prepareEffects(size_t group);
  void prepareOffsets(size_t group);
  void computeResponse(const Dataset &data, std::span<const double> forms,
                       const double *numbers, double *columns);
  Status computeEffects(const Dataset &data, const RunOptions &run,
                        std::span<const double> forms, double *numbers,
                        double *columns);

  const tamrt_model &model;
  const Options &options;
  const Weights &weights;
  size_t columnCount = 0;
  /// Whether they need inference, and residuals of held-out rows.
  bool hasInference, hasCalibration;
  std::vector<double> quantiles;
  /// Whether rows lack the weights that the model has.
  bool lacksRowWeights = false;
  /// Rows with gaussian intervals, and those whose intervals are infinite.
  size_t rowCount = 0, infinite = 0;
  /// For conformal intervals, by group and level.
  std::vector<Offsets> offsets;
  /// By group, whether its parts of other members have been computed.
  std::vector<bool> isPrepared;
  /// For effects, by group: V_jj m_j of each effect, in the order of the
  /// columns; by group and effect, m_j' V_jj m_j, and m_j' beta_j, the offset's
  /// being m' V m and the sum of the others.
  std::vector<double> products, meanVariances, meanEffects;
};

} // namespace tamrt

#endif // TAMRT_APP_STANDARDERRORS_H
