//===- core/model/Inference.cpp - errors of a model's numbers -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/model/Inference.h"

#include <algorithm>
#include <numeric>

namespace tamrt {

const std::string_view groupFieldNames[kGroupFields] = {
    "rows",        "weight",          "edf",
    "rss",         "sigma2",          "absolute",
    "relative",    "relative_weight", "target_absolute",
    "target_mean", "target_squares",  "acf1",
    "drift",       "log_determinant", "condition"};
const std::string_view effectFieldNames[kEffectFields] = {"low", "high", "sd",
                                                          "share"};

void Inference::resize(const tamrt_model &model, size_t count) {
  covariance.resize(count * size_t(triangleSize(model.columns)));
  edf.resize(count * size_t(model.effect_count));
  means.resize(count * size_t(model.columns));
  groups.resize(count * kGroupFields);
  effects.resize(count * size_t(model.effect_count) * kEffectFields);
}

size_t Inference::bytesPerGroup(const tamrt_model &model) {
  return sizeof(double) *
         (size_t(triangleSize(model.columns)) + size_t(model.columns) +
          size_t(model.effect_count) * (1 + kEffectFields) + kGroupFields);
}

void Inference::take(const tamrt_model &model, size_t group,
                     const double *output) {
  const InferenceLayout layout(model.columns, model.effect_count);
  const auto d = size_t(model.columns), e = size_t(model.effect_count);
  std::copy_n(output + layout.inverse, triangleSize(model.columns),
              covarianceOf(model, group));
  // A trace of a block of A^-1 S, which is between 0 and the number of columns.
  // It comes as a difference from that number, whose rounding may leave a
  // constant column -2e-16.
  double *own = edf.data() + group * e;
  for (size_t i = 0; i < e; ++i)
    own[i] = std::clamp(output[size_t(layout.edf) + i], 0.0,
                        double(model.effects[i].columns));
  std::copy_n(output + layout.means, d, means.data() + group * d);
  double *fields = fieldsOf(group);
  fields[kEdf] = std::accumulate(own, own + e, 0.0);
  fields[kLogDeterminant] = output[layout.numbers];
  fields[kCondition] = output[layout.numbers + 1];
}

} // namespace tamrt
