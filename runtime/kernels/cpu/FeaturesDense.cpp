//===- cpu/FeaturesDense.cpp - dense feature maps -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Normalised inputs, and the feature maps whose columns are dense: intercept,
/// linear, affine, Fourier, Chebyshev (docs/math.md section 3).
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "kernels/cpu/Columns.h"
#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Elementary.h"
#include "kernels/cpu/Extrapolate.h"
#include "kernels/cpu/Support.h"

#include <bit>

namespace tamrt::cpu {

/// The value v of an input with a centre and half a range.
TAMRT_INLINE double normalized(double v, double centre, double half) {
  return (v - centre) / half;
}

TAMRT_WIDE static void normalizeRows(const double *__restrict v, double centre,
                                     double half, int64_t rows,
                                     double *__restrict x) {
  for (int64_t r = 0; r < rows; ++r)
    x[r] = normalized(v[r], centre, half);
}

void normalize(tamrt_context *ctx, const double *v, const double *parameters,
               int64_t rows, double *x) {
  normalizeRows(v, parameters[0], parameters[1], rows, x);
}

void offset(tamrt_context *ctx, int64_t rows, double *values) {
  std::fill_n(values, rows, 1.0);
}

TAMRT_WIDE static void scaleRows(const double *__restrict x, int64_t rows,
                                 double scale, double *__restrict values) {
  for (int64_t r = 0; r < rows; ++r)
    values[r] = scale * x[r];
}

/// scale * x as a feature map in a mode that isMode() accepts. `values` may be
/// `x`.
static void extrapolateLinear(const double *x, int64_t rows, double scale,
                              int64_t mode, double *values) {
  for (int64_t r = 0; r < rows; ++r) {
    const Evaluation e = evaluationOf(x[r], mode);
    values[r] = e.amount == 0.0 ? scale * e.at
                                : e.combine(scale * e.at, scale * e.inner);
  }
}

void linear(tamrt_context *ctx, const double *x, int64_t rows, double scale,
            int64_t mode, double *values) {
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  if (mode == TAMRT_CONTINUE)
    return scaleRows(x, rows, scale, values);
  extrapolateLinear(x, rows, scale, mode, values);
}

namespace {

/// Rows and columns of a block of linear columns, which stays in the
/// first-level cache, as do the lines of the rows that it is written to.
constexpr int64_t linearRows = 16, linearColumns = 8;
/// Rows for which blocks go down before the next columns: each input is read on
/// as far, and lines that the next columns share are still in the cache.
constexpr int64_t linearStrip = 256;

/// What `normalize` and `linear` make of v.
TAMRT_INLINE void linearColumn(const double *__restrict v,
                               const double *parameters, double scale,
                               int64_t mode, int64_t rows,
                               double *__restrict values) {
  const double centre = parameters[0], half = parameters[1];
  int64_t isBeyond = 0;
  for (int64_t r = 0; r < rows; ++r) {
    values[r] = normalized(v[r], centre, half);
    isBeyond |= std::fabs(values[r]) > 1.0;
  }
  // All modes agree within the range.
  if (isBeyond && mode != TAMRT_CONTINUE)
    return extrapolateLinear(values, rows, scale, mode, values);
  for (int64_t r = 0; r < rows; ++r)
    values[r] *= scale;
}

/// linear_columns for rows [begin, end).
TAMRT_WIDE void linearBlocks(const double *scales, const int64_t *modes,
                             const double *const *inputs, int64_t n,
                             int64_t begin, int64_t end, double *values) {
  double block[linearColumns][linearRows];
  for (int64_t j = 0; j < n; j += linearColumns) {
    const int64_t columns = std::min(linearColumns, n - j);
    for (int64_t first = begin; first < end; first += linearRows) {
      const int64_t rows = std::min(linearRows, end - first);
      for (int64_t i = 0; i < columns; ++i) {
        const double *const *input = inputs + 2 * (j + i);
        linearColumn(input[0] + first, input[1], scales[j + i], modes[j + i],
                     rows, block[i]);
      }
      columnsToRows(block, columns, rows, n, values + first * n + j);
    }
  }
}

} // namespace

void linear_columns(tamrt_context *ctx, const double *scales,
                    const int64_t *modes, const double *const *inputs,
                    int64_t inputs_count, int64_t rows, double *values) {
  if (inputs_count % 2 != 0)
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 3);
  const int64_t n = inputs_count / 2;
  if (!std::all_of(modes, modes + n, isMode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 2);
  for (int64_t begin = 0; begin < rows; begin += linearStrip)
    linearBlocks(scales, modes, inputs, n, begin,
                 std::min(rows, begin + linearStrip), values);
}

void affine(tamrt_context *ctx, const double *x, int64_t rows, double scale,
            double *values) {
  for (int64_t r = 0; r < rows; ++r) {
    values[2 * r] = 1.0;
    values[2 * r + 1] = scale * x[r];
  }
}

namespace {

/// cos and sin of pi * angle times four powers of four, the lowest first.
struct Powers {
  Vector cosines, sines;

  TAMRT_INLINE void find(double angle) {
    sinCosPi(angle * Vector{1.0, 4.0, 16.0, 64.0}, cosines, sines);
  }
};

/// The first `count` numbers of four.
TAMRT_INLINE void storeSome(Vector numbers, int64_t count, double *out) {
  if (count > 0)
    out[0] = numbers[0];
  if (count > 1)
    out[1] = numbers[1];
  if (count > 2)
    out[2] = numbers[2];
}

/// cos and sin of pi * angle * k, k = 1..m, in O(m). Only powers of four, whose
/// multiples of the angle are exact, use the series. `powers` has those of 1 to
/// 64.
///
/// A multiple of four is split into its last nonzero digit in base four, at its
/// place, and the rest; the three numbers after it are split into that multiple
/// and their last digit. So an error goes through a few products for each digit
/// of k, not through k products.
TAMRT_INLINE void fourierRow(double angle, Powers powers, int64_t m,
                             double *__restrict cosines,
                             double *__restrict sines) {
  const double c1 = powers.cosines[0], s1 = powers.sines[0];
  const double c2 = c1 * c1 - s1 * s1, s2 = s1 * c1 + c1 * s1;
  const double c3 = c1 * c2 - s1 * s2, s3 = s1 * c2 + c1 * s2;
  const Vector digitCosines = {1.0, c1, c2, c3}, digitSines = {0.0, s1, s2, s3};
  // Element k - 1 belongs to k.
  storeSome(Vector{c1, c2, c3, 0.0}, m, cosines);
  storeSome(Vector{s1, s2, s3, 0.0}, m, sines);
  for (int64_t k = 4, exponent = 1; k <= m; k += 4) {
    const int64_t power = int64_t(1) << (std::countr_zero(uint64_t(k)) & ~1);
    double cosine, sine;
    if (k == power) {
      if (exponent % 4 == 0)
        powers.find(angle * static_cast<double>(k));
      cosine = powers.cosines[exponent % 4];
      sine = powers.sines[exponent % 4];
      ++exponent;
    } else {
      const int64_t digit = k & (3 * power);
      const int64_t p = (digit == k ? power : digit) - 1, q = k - p - 2;
      cosine = cosines[p] * cosines[q] - sines[p] * sines[q];
      sine = sines[p] * cosines[q] + cosines[p] * sines[q];
    }
    const Vector c = cosine * digitCosines - sine * digitSines;
    const Vector s = sine * digitCosines + cosine * digitSines;
    if (k + 3 <= m) {
      vectorAt(cosines + k - 1) = c;
      vectorAt(sines + k - 1) = s;
    } else {
      storeSome(c, m - k + 1, cosines + k - 1);
      storeSome(s, m - k + 1, sines + k - 1);
    }
  }
}

/// Replaces the values at the border by those of the mode beyond it.
void extrapolateFourier(const Evaluation &e, int64_t m, double base,
                        double *cosines, double *sines) {
  for (int64_t k = 0; k < m; k += 4) {
    const auto first = static_cast<double>(k + 1);
    const Vector multiples = {first, first + 1, first + 2, first + 3};
    Vector c, s;
    sinCosPi(base * multiples * e.inner, c, s);
    for (int64_t i = 0; i < std::min<int64_t>(4, m - k); ++i) {
      cosines[k + i] = e.combine(cosines[k + i], c[i]);
      sines[k + i] = e.combine(sines[k + i], s[i]);
    }
  }
}

TAMRT_HOT void fourierRows(const double *x, int64_t rows, int64_t m,
                           double base, int64_t mode, double *values) {
  // Compute the series of a block first: each has a long latency, but several
  // run in parallel.
  constexpr int64_t blockRows = 16;
  Evaluation evaluations[blockRows];
  Powers powers[blockRows];
  for (int64_t first = 0; first < rows; first += blockRows) {
    const int64_t count = std::min(blockRows, rows - first);
    for (int64_t r = 0; r < count; ++r) {
      evaluations[r] = evaluationOf(x[first + r], mode);
      powers[r].find(base * evaluations[r].at);
    }
    for (int64_t r = 0; r < count; ++r, values += 2 * m) {
      const Evaluation &e = evaluations[r];
      fourierRow(base * e.at, powers[r], m, values, values + m);
      if (e.amount != 0.0)
        extrapolateFourier(e, m, base, values, values + m);
    }
  }
}

} // namespace

void fourier(tamrt_context *ctx, const double *x, int64_t rows, int64_t m,
             int64_t cyclic, int64_t mode, double *values) {
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 5);
  fourierRows(x, rows, m, cyclic ? 1.0 : 0.5, mode, values);
}

void chebyshev(tamrt_context *ctx, const double *x, int64_t rows,
               int64_t degree, int64_t mode, double *values) {
  if (!isMode(mode))
    return fail(ctx, TAMRT_ERROR_INVALID_ARGUMENT, 4);
  for (int64_t r = 0; r < rows; ++r, values += degree) {
    const Evaluation e = evaluationOf(x[r], mode);
    double before = 1.0, now = e.at;
    double innerBefore = 1.0, innerNow = e.inner;
    for (int64_t i = 0; i < degree; ++i) {
      values[i] = e.amount == 0.0 ? now : e.combine(now, innerNow);
      const double next = 2.0 * e.at * now - before;
      before = now;
      now = next;
      const double innerNext = 2.0 * e.inner * innerNow - innerBefore;
      innerBefore = innerNow;
      innerNow = innerNext;
    }
  }
}

} // namespace tamrt::cpu
