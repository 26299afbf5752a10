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
#include "kernels/cpu/Elementary.h"
#include "kernels/cpu/Extrapolate.h"
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

namespace {

/// The wavelets of one scale.
struct Scale {
  double lo, hi;
  int64_t locations;
  /// Distance of neighbouring centres.
  double step;
  /// Width of a wavelet, and the factor that makes its norm the same at every
  /// width.
  double width, height;

  /// Wavelets j to j + 3 at x.
  TAMRT_INLINE void at(double x, int64_t j, Vector &result) const {
    const auto first = static_cast<double>(j);
    const Vector number = first + Vector{0.0, 1.0, 2.0, 3.0};
    const Vector last = Vector{} + static_cast<double>(locations - 1);
    // Counted from the nearer end, so that both ends are exact.
    const Vector centre =
        2.0 * number <= last ? lo + step * number : hi - step * (last - number);
    const Vector u = (x - centre) / width, square = u * u;
    // From here on it is 0; the other factor could be infinite.
    const Vector farthest = Vector{} + 1500.0;
    const Vector near = square < farthest ? square : farthest;
    Vector decay;
    expOf(-0.5 * near, decay);
    result = (1.0 - near) * decay * height;
  }
};

/// All wavelets of a scale at x.
TAMRT_INLINE void evaluateScale(const Scale &scale, const Evaluation &e,
                                double *values) {
  for (int64_t j = 0; j < scale.locations; j += 4) {
    Vector value;
    scale.at(e.at, j, value);
    if (e.amount != 0.0) {
      Vector inner;
      scale.at(e.inner, j, inner);
      value += e.amount * ((value - inner) / Evaluation::step);
    }
    if (j + 4 <= scale.locations)
      vectorAt(values + j) = value;
    else
      for (int64_t i = 0; i < scale.locations - j; ++i)
        values[j + i] = value[i];
  }
}

TAMRT_HOT void evaluateRows(const double *x, double lo, double hi, int64_t rows,
                            int64_t scales, int64_t locations, int64_t mode,
                            double *values) {
  const double span = hi == lo ? 1.0 : hi - lo;
  const double step =
      locations > 1 ? (hi - lo) / static_cast<double>(locations - 1) : 0.0;
  for (int64_t r = 0; r < rows; ++r) {
    const Evaluation e = evaluationOf(x[r], mode);
    for (int64_t i = 0; i < scales; ++i, values += locations) {
      const double width = std::ldexp(0.2 * span, -static_cast<int>(i));
      evaluateScale({lo, hi, locations, step, width, 1.0 / std::sqrt(width)}, e,
                    values);
    }
  }
}

} // namespace

void wavelet(tamrt_context *ctx, const double *x, const double *range,
             int64_t rows, int64_t scales, int64_t locations, int64_t mode,
             double *values) {
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 6);
  evaluateRows(x, range[0], range[1], rows, scales, locations, mode, values);
}

} // namespace tamrt::cpu
