//===- core/run/Statistics.h - statistics of training rows ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a fitted model leaves of its training rows: residuals, and the spread
/// of each effect. Completes an Inference.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_RUN_STATISTICS_H
#define TAMRT_CORE_RUN_STATISTICS_H

#include "core/data/Dataset.h"
#include "core/model/Inference.h"
#include "core/model/Systems.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "io/Error.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tamrt {

/// Sets the fields of a group of `inference`, which FIT_INFER has begun, from
/// its sums alone, and scales its covariance. `system` has what a fit of these
/// sums has; `weightMean` is what the row weights were divided by. Fields that
/// need each row are NaN: those of magnitudes of residuals and targets, acf1,
/// drift, and the least and the greatest contribution of effects. The others
/// agree with those of rows but for cancellation: the sum of squares of the
/// residuals is a difference of sums of squares of the target.
void finishFromSums(const tamrt_model &model, const System &system,
                    double weightMean, const double *coefficients, size_t group,
                    Inference &inference);

/// Sums over the training rows of each group, which may come in parts.
class TrainingStatistics {
public:
  /// For `groups` groups of the model; it must outlive the sums.
  TrainingStatistics(const tamrt_model &model, size_t groups);

  /// Adds rows, which follow those that were added of their groups before, and
  /// have scaled weights. The sums depend on the rows and their order alone,
  /// not on parts and threads. The model must have no carry if a group's rows
  /// come in parts. Errors: those of `predictGroups`.
  Status add(const Dataset &rows, const Weights &weights,
             const RunOptions &options);

  /// Sets the fields of `inference`, which FIT_INFER has begun, and scales its
  /// covariances. `weightMeans` has the means by which the row weights were
  /// divided; empty without weights.
  void finish(std::span<const double> weightMeans, Inference &inference) const;

private:
  struct Sums;
  struct Effect;
  void addRow(size_t group, double target, double weight, const double *terms);

  const tamrt_model &model;
  std::vector<Sums> groups;
  std::vector<Effect> effects;

public:
  ~TrainingStatistics();
};

} // namespace tamrt

#endif // TAMRT_CORE_RUN_STATISTICS_H
