//===- cpu/Neural.cpp - random neural features ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Layers of random neural features (docs/math.md section 3, term n).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Elementary.h"
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

namespace {

/// Rows that are multiplied by the weights together.
constexpr int tileRows = 4;

/// The inputs and outputs of up to tileRows rows; the rest repeat the last.
struct Tile {
  const double *h[tileRows];
  double *values[tileRows];
};

/// values = h W. Each sum runs over the inputs in ascending order, whatever the
/// vectors are.
TAMRT_INLINE void multiply(const Tile &tile, const double *__restrict weights,
                           int64_t d, int64_t n) {
  int64_t j = 0;
  for (; j + 8 <= n; j += 8) {
    Vector sum[tileRows][2] = {};
    for (int64_t k = 0; k < d; ++k) {
      const double *row = weights + k * n + j;
      const Vector left = vectorAt(row), right = vectorAt(row + 4);
      for (int t = 0; t < tileRows; ++t) {
        sum[t][0] += tile.h[t][k] * left;
        sum[t][1] += tile.h[t][k] * right;
      }
    }
    for (int t = 0; t < tileRows; ++t) {
      vectorAt(tile.values[t] + j) = sum[t][0];
      vectorAt(tile.values[t] + j + 4) = sum[t][1];
    }
  }
  for (; j < n; ++j) {
    double sum[tileRows] = {};
    for (int64_t k = 0; k < d; ++k)
      for (int t = 0; t < tileRows; ++t)
        sum[t] += tile.h[t][k] * weights[k * n + j];
    for (int t = 0; t < tileRows; ++t)
      tile.values[t][j] = sum[t];
  }
}

/// values = scale * act(values + bias).
template <typename Activation>
TAMRT_INLINE void activate(double *__restrict values,
                           const double *__restrict bias, int64_t n,
                           double scale, Activation act) {
  for (int64_t j = 0; j < n; ++j)
    values[j] += bias[j];
  forEachFour(values, n, values, [&](Vector v, Vector &out) TAMRT_LAMBDA {
    act(v, out);
    out *= scale;
  });
}

} // namespace

TAMRT_HOT void neural_layer(tamrt_context *ctx, const double *h,
                            const double *weights, const double *bias,
                            const double *only, int64_t rows, int64_t d,
                            int64_t n, int64_t activation, double scale,
                            double *values) {
  if (activation < TAMRT_RELU || activation > TAMRT_TANH)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 8);
  for (int64_t r = 0; r < rows;) {
    Tile tile;
    int count = 0;
    for (; r < rows && count < tileRows; ++r) {
      if (only && only[r] == 0.0)
        continue;
      tile.h[count] = h + r * d;
      tile.values[count++] = values + r * n;
    }
    if (count == 0)
      break;
    for (int t = count; t < tileRows; ++t) {
      tile.h[t] = tile.h[count - 1];
      tile.values[t] = tile.values[count - 1];
    }
    multiply(tile, weights, d, n);
    for (int t = 0; t < count; ++t) {
      double *row = tile.values[t];
      if (activation == TAMRT_RELU)
        activate(row, bias, n, scale, [](Vector v, Vector &out) TAMRT_LAMBDA {
          out = v < Vector{} ? Vector{} : v;
        });
      else if (activation == TAMRT_COS)
        activate(row, bias, n, scale,
                 [](Vector v, Vector &out) TAMRT_LAMBDA { cosOf(v, out); });
      else
        activate(row, bias, n, scale,
                 [](Vector v, Vector &out) TAMRT_LAMBDA { tanhOf(v, out); });
    }
  }
}

} // namespace tamrt::cpu
