//===- cpu/Extrapolate.h - feature maps beyond the range --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The values of a univariate feature map beyond the training range [-1, 1]
/// (docs/math.md section 3, "Beyond the range").
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_EXTRAPOLATE_H
#define TAMRT_KERNELS_CPU_EXTRAPOLATE_H

#include "kernels/cpu/ElementaryScalars.h"

#include "tamrt/abi.h"

#include <cmath>

namespace tamrt::cpu {

/// How a feature map phi is evaluated for one x:
/// phi(at) + amount * (phi(at) - phi(inner)) / step.
struct Evaluation {
  /// Distance of the two points from which the slope at the border is computed.
  static constexpr double step = 1e-5;

  double at;
  double inner;
  /// If 0, only phi(at) is needed.
  double amount;

  /// The value of a column from its values at `at` and `inner`.
  double combine(double atBorder, double inside) const {
    return atBorder + amount * ((atBorder - inside) / step);
  }
};

/// Whether `mode` is a tamrt_extrapolate.
inline bool isMode(int64_t mode) {
  return mode >= TAMRT_CONTINUE && mode <= TAMRT_SATURATION;
}

/// Where to evaluate a feature map for `x` in a mode that isMode() accepts.
inline Evaluation evaluationOf(double x, int64_t mode) {
  if (mode == TAMRT_CONTINUE || !(std::fabs(x) > 1.0))
    return {x, x, 0.0};
  const double sign = x > 0.0 ? 1.0 : -1.0;
  const double distance = std::fabs(x - sign);
  const double inner = sign - Evaluation::step * sign;
  if (mode == TAMRT_LINEAR)
    return {sign, inner, distance};
  if (mode == TAMRT_SATURATION)
    return {sign, inner, (1.0 - exponential(-2.0 * distance)) / 2.0};
  return {sign, sign, 0.0};
}

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_EXTRAPOLATE_H
