//===- core/model/Inference.h - errors of a model's numbers -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What standard errors, intervals and summaries need to know of a fit
/// (docs/math.md section 8): the covariance of each group's coefficients, the
/// effective degrees of freedom, and statistics of the training rows.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_INFERENCE_H
#define TAMRT_CORE_MODEL_INFERENCE_H

#include "io/Error.h"
#include "tamrt/abi.h"
#include "tamrt/steps.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace tamrt {

/// Statistics of one group.
enum GroupField : size_t {
  /// Training rows of positive weight, and the sum of the row weights.
  kRows,
  kWeight,
  /// edf of all effects.
  kEdf,
  /// Weighted sum of squares of the residuals; that over rows - edf, NaN if
  /// there are not more rows.
  kRss,
  kSigma2,
  /// Weighted sums of |residual|, of |residual / target| and of 1 over rows
  /// whose target is not 0, and of |target|.
  kAbsolute,
  kRelative,
  kRelativeWeight,
  kTargetAbsolute,
  /// Weighted mean of the target, and sum of its squares around it.
  kTargetMean,
  kTargetSquares,
  /// Of the residuals in the order of time, without weights: the correlation
  /// with the one before, and the rise of the straight line through them from
  /// the first row to the last.
  kAcf1,
  kDrift,
  /// log|A|, and the condition number of A scaled to a unit diagonal.
  kLogDeterminant,
  kCondition,
  kGroupFields
};

/// Statistics of one effect in one group: the least and the greatest
/// contribution in the training rows, their weighted standard deviation, and
/// their covariance with the prediction over the prediction's variance, which
/// add up to 1.
enum EffectField : size_t { kLow, kHigh, kSd, kShare, kEffectFields };

/// Names of the fields in files and tables.
extern const std::string_view groupFieldNames[kGroupFields];
extern const std::string_view effectFieldNames[kEffectFields];

struct Inference {
  /// By group: the lower triangle, row by row, of the covariance sigma2 A^-1 of
  /// the coefficients; until `scale` of A^-1, with the row weights of the
  /// steps.
  std::vector<double> covariance;
  /// By group and effect: effective degrees of freedom.
  std::vector<double> edf;
  /// By group and column: the weighted mean over the training rows; 0 for the
  /// offset.
  std::vector<double> means;
  /// By group and field; by group, effect and field.
  std::vector<double> groups, effects;

  bool isEmpty() const { return edf.empty(); }

  /// Makes room for `count` groups of a model. May throw std::bad_alloc.
  void resize(const tamrt_model &model, size_t count);

  /// Bytes for one group.
  static size_t bytesPerGroup(const tamrt_model &model);

  /// Takes the output of FIT_INFER for a group. Several threads may take
  /// different groups.
  void take(const tamrt_model &model, size_t group, const double *output);

  /// The parts of a group.
  double *covarianceOf(const tamrt_model &model, size_t group) {
    return covariance.data() + group * size_t(triangleSize(model.columns));
  }
  const double *covarianceOf(const tamrt_model &model, size_t group) const {
    return covariance.data() + group * size_t(triangleSize(model.columns));
  }
  const double *edfOf(const tamrt_model &model, size_t group) const {
    return edf.data() + group * size_t(model.effect_count);
  }
  const double *meansOf(const tamrt_model &model, size_t group) const {
    return means.data() + group * size_t(model.columns);
  }
  double *fieldsOf(size_t group) {
    return groups.data() + group * kGroupFields;
  }
  double field(size_t group, GroupField field) const {
    return groups[group * kGroupFields + field];
  }
  double *fieldsOf(const tamrt_model &model, size_t group, size_t effect) {
    return effects.data() +
           (group * size_t(model.effect_count) + effect) * kEffectFields;
  }
  const double *fieldsOf(const tamrt_model &model, size_t group,
                         size_t effect) const {
    return effects.data() +
           (group * size_t(model.effect_count) + effect) * kEffectFields;
  }
};

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_INFERENCE_H
