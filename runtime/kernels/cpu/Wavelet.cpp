//===- cpu/Wavelet.cpp - Ricker wavelets ----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The wavelet feature map (docs/math.md section 3, term w).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Extrapolate.h"

namespace tamrt::cpu {

namespace {

/// The wavelets of one scale.
struct Scale {
  double lo, hi;
  int64_t locations;
  /// Distance of neighbouring centres.
  double step;
  /// Width of a wavelet, and what makes its norm the same at every width.
  double width, height;

  /// The centre of wavelet j. Counted from the nearer end, so that both ends
  /// are exact.
  double centre(int64_t j) const {
    return 2 * j < locations
               ? lo + step * static_cast<double>(j)
               : hi - step * static_cast<double>(locations - 1 - j);
  }

  /// Wavelet j at x.
  double at(double x, int64_t j) const {
    const double u = (x - centre(j)) / width;
    const double square = u * u;
    // exp(-750) is 0; the factor before it could be infinite.
    if (square > 1500.0)
      return 0.0;
    return (1.0 - square) * std::exp(-0.5 * square) * height;
  }
};

} // namespace

void wavelet(tamrt_context *ctx, const double *x, const double *range,
             int64_t rows, int64_t scales, int64_t locations, int64_t mode,
             double *values) {
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 6);
  const double lo = range[0], hi = range[1];
  const double span = hi == lo ? 1.0 : hi - lo;
  const double step =
      locations > 1 ? (hi - lo) / static_cast<double>(locations - 1) : 0.0;
  for (int64_t r = 0; r < rows; ++r) {
    const Evaluation e = evaluationOf(x[r], mode);
    for (int64_t i = 0; i < scales; ++i) {
      const double width = std::ldexp(0.2 * span, -static_cast<int>(i));
      const Scale scale = {lo,   hi,    locations,
                           step, width, 1.0 / std::sqrt(width)};
      for (int64_t j = 0; j < locations; ++j) {
        const double value = scale.at(e.at, j);
        *values++ =
            e.amount == 0.0 ? value : e.combine(value, scale.at(e.inner, j));
      }
    }
  }
}

} // namespace tamrt::cpu
