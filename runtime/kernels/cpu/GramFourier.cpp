//===- cpu/GramFourier.cpp - Gram blocks of Fourier terms -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The Gram block of cosines and sines of multiples 1..m of one angle: products
/// of two of them are halves of cosines and sines of the multiples' sum and
/// difference, so that sums over rows of the multiples 0..2m are enough
/// (docs/math.md section 5). Multiples beyond m are products with the m-th.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/CpuKernels.h"
#include "kernels/cpu/Support.h"

namespace tamrt::cpu {

namespace {

/// Rows of a block, for which all multiples are computed one after another:
/// they fit in the first-level cache.
constexpr int64_t blockRows = 64;

/// Numbers at an address: four, or one.
struct Four {
  static TAMRT_INLINE Vector &at(double *p) { return vectorAt(p); }
  static TAMRT_INLINE const Vector &at(const double *p) { return vectorAt(p); }
};
struct One {
  static TAMRT_INLINE double &at(double *p) { return *p; }
  static TAMRT_INLINE double at(const double *p) { return *p; }
};

/// Adds rows [begin, end) to the sums of multiples k + 1 and m + k + 1, and as
/// many after them as Numbers takes at a time.
template <bool Weighted, typename Numbers>
TAMRT_INLINE void addMultiples(const double *__restrict values,
                               const double *__restrict w, int64_t begin,
                               int64_t end, int64_t m, int64_t k,
                               double *__restrict sums) {
  double *cosines = sums + 1 + k, *sines = cosines + 2 * m;
  auto low = Numbers::at(cosines), high = Numbers::at(cosines + m);
  auto lowSine = Numbers::at(sines), highSine = Numbers::at(sines + m);
  for (int64_t r = begin; r < end; ++r) {
    const double *row = values + r * 2 * m;
    auto cosine = Numbers::at(row + k), sine = Numbers::at(row + m + k);
    if constexpr (Weighted) {
      cosine *= w[r];
      sine *= w[r];
    }
    const double lastCosine = row[m - 1], lastSine = row[2 * m - 1];
    low += cosine;
    lowSine += sine;
    high += lastCosine * cosine - lastSine * sine;
    highSine += lastSine * cosine + lastCosine * sine;
  }
  Numbers::at(cosines) = low;
  Numbers::at(cosines + m) = high;
  Numbers::at(sines) = lowSine;
  Numbers::at(sines + m) = highSine;
}

template <bool Weighted>
TAMRT_INLINE void addRows(const double *values, const double *w, int64_t begin,
                          int64_t end, int64_t m, double *sums) {
  for (int64_t r = begin; r < end; ++r)
    sums[0] += weightAt<Weighted>(w, r);
  for (; begin < end; begin += blockRows) {
    const int64_t blockEnd = std::min(end, begin + blockRows);
    int64_t k = 0;
    for (; k + 4 <= m; k += 4)
      addMultiples<Weighted, Four>(values, w, begin, blockEnd, m, k, sums);
    for (; k < m; ++k)
      addMultiples<Weighted, One>(values, w, begin, blockEnd, m, k, sums);
  }
}

} // namespace

TAMRT_HOT void gram_fourier(tamrt_context *ctx, const double *a,
                            const double *w, int64_t rows, int64_t n,
                            double *sums) {
  const int64_t m = n / 2;
  if (w)
    addRows<true>(a, w, 0, rows, m, sums);
  else
    addRows<false>(a, w, 0, rows, m, sums);
}

} // namespace tamrt::cpu
