//===- cpu/Predict.cpp - predictions --------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Predictions: each row's dot product with the coefficients.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/SparseRow.h"

namespace tamrt::cpu {

namespace {

/// The dot product of n numbers: four partial sums, then the remainder.
TAMRT_INLINE double dot(const double *__restrict a, const double *__restrict b,
                        int64_t n) {
  Vector partial = {0.0, 0.0, 0.0, 0.0};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    partial += vectorAt(a + i) * vectorAt(b + i);
  double sum = (partial[0] + partial[1]) + (partial[2] + partial[3]);
  for (; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// The sum of `value(i)`, i < n, in the order of dot(): with a single sum each
/// addition would wait for the one before.
template <typename Value> TAMRT_INLINE double sumOf(int64_t n, Value value) {
  double partial[4] = {};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; ++k)
      partial[k] += value(i + k);
  double sum = (partial[0] + partial[1]) + (partial[2] + partial[3]);
  for (; i < n; ++i)
    sum += value(i);
  return sum;
}

/// Writes `value(r)` to, or adds it to, a column of a matrix of this width.
template <typename Value>
TAMRT_INLINE void forEachRow(int64_t rows, int64_t width, int64_t column,
                             int64_t accumulate, double *__restrict out,
                             Value value) {
  out += column;
  if (accumulate)
    for (int64_t r = 0; r < rows; ++r)
      out[r * width] += value(r);
  else
    for (int64_t r = 0; r < rows; ++r)
      out[r * width] = value(r);
}

/// The mean of the first n numbers; 0 if n is 0.
double meanOf(const double *beta, int64_t n) {
  if (n == 0)
    return 0.0;
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i)
    sum += beta[i];
  return sum / static_cast<double>(n);
}

} // namespace

TAMRT_HOT void predict_dense(tamrt_context *ctx, const double *a,
                             const double *beta, int64_t rows, int64_t n,
                             int64_t width, int64_t column, int64_t accumulate,
                             double *out) {
  // One column, such as the offset's; dot() adds its product to a sum of 0.
  if (n == 1)
    return forEachRow(rows, width, column, accumulate, out,
                      [=](int64_t r)
                          TAMRT_LAMBDA { return 0.0 + a[r] * *beta; });
  forEachRow(rows, width, column, accumulate, out,
             [=](int64_t r) TAMRT_LAMBDA { return dot(a + r * n, beta, n); });
}

TAMRT_HOT void predict_banded(tamrt_context *ctx, const double *a,
                              const int32_t *a_start, const double *beta,
                              int64_t rows, int64_t z, int64_t n, int64_t width,
                              int64_t column, int64_t accumulate, double *out) {
  if (z == 4)
    forEachRow(rows, width, column, accumulate, out,
               [=](int64_t r) TAMRT_LAMBDA {
                 return dot(a + r * 4, beta + a_start[r], 4);
               });
  else
    forEachRow(rows, width, column, accumulate, out,
               [=](int64_t r) TAMRT_LAMBDA {
                 return dot(a + r * z, beta + a_start[r], z);
               });
}

void predict_onehot(tamrt_context *ctx, const int32_t *a, const double *beta,
                    int64_t rows, int64_t n, int64_t width, int64_t column,
                    int64_t accumulate, double *out) {
  // The mean for the last negative index is reused: a column has only one such
  // index.
  int32_t known = TAMRT_INDEX_NONE;
  double mean = 0.0;
  forEachRow(rows, width, column, accumulate, out, [&](int64_t r) TAMRT_LAMBDA {
    if (a[r] >= 0)
      return beta[a[r]];
    if (a[r] != known) {
      known = a[r];
      mean = meanOf(beta, meanColumns(known));
    }
    return mean;
  });
}

void predict_multihot(tamrt_context *ctx, const int32_t *a, const double *beta,
                      int64_t rows, int64_t z, int64_t n, double scale,
                      int64_t width, int64_t column, int64_t accumulate,
                      double *out) {
  forEachRow(rows, width, column, accumulate, out, [=](int64_t r) TAMRT_LAMBDA {
    const int32_t *index = a + r * z;
    return scale *
           sumOf(z, [=](int64_t i) TAMRT_LAMBDA { return beta[index[i]]; });
  });
}

void predict_sparse(tamrt_context *ctx, const double *a, const int32_t *a_index,
                    const double *beta, int64_t rows, int64_t z, int64_t n,
                    int64_t width, int64_t column, int64_t accumulate,
                    double *out) {
  forEachRow(rows, width, column, accumulate, out, [=](int64_t r) TAMRT_LAMBDA {
    const double *values = a + r * z;
    const int32_t *index = a_index + r * z;
    return sumOf(filled(values, z), [=](int64_t i) TAMRT_LAMBDA {
      return values[i] * beta[index[i]];
    });
  });
}

} // namespace tamrt::cpu
