//===- cpu/Elementary.h - elementary functions ------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Elementary functions, such as exponentials and sines, of four numbers at a
/// time, within four ulps; NaN gives NaN. ElementaryScalars.h has those of one
/// number.
///
/// They replace those of the C library, which has no vector functions for some
/// machines and whose bits depend on the release and the machine; these give
/// the same bits everywhere. Arguments are reduced by constants in parts, all
/// but the last of which have so few digits that multiples are exact (Cody and
/// Waite); the power series is evaluated at the remainder.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_KERNELS_CPU_ELEMENTARY_H
#define TAMRT_KERNELS_CPU_ELEMENTARY_H

#include "kernels/cpu/Support.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace tamrt::cpu {

/// Four numbers as their bits.
typedef int64_t Bits __attribute__((vector_size(32)));

/// A sum of this and a number below a quarter of it has no bits for a fraction:
/// it is rounded half to even, and its last bits are those of the integer.
constexpr double noFraction = 0x1.8p52;

/// A power series: 1 / n! for n = First, First + Step and so on, with
/// alternating signs if Alternates.
template <int Terms, int First, int Step, bool Alternates> struct PowerSeries {
  double coefficients[Terms];

  constexpr PowerSeries() : coefficients() {
    double factorial = 1.0;
    for (int n = 2; n <= First; ++n)
      factorial *= n;
    for (int term = 0, n = First; term < Terms; ++term) {
      coefficients[term] = (Alternates && term % 2 ? -1.0 : 1.0) / factorial;
      for (int i = 0; i < Step; ++i)
        factorial *= ++n;
    }
  }

  /// The sum at x, a vector or a number. Uses Estrin's scheme: in Horner's,
  /// each product waits for the one before, and processors look ahead only a
  /// limited distance for independent work.
  template <typename V> TAMRT_INLINE void at(V x, V &sum) const {
    V parts[(Terms + 1) / 2];
    for (int i = 0; i < Terms / 2; ++i)
      parts[i] = coefficients[2 * i] + coefficients[2 * i + 1] * x;
    if constexpr (Terms % 2 == 1)
      parts[Terms / 2] = V{} + coefficients[Terms - 1];
    combine<(Terms + 1) / 2>(parts, x * x);
    sum = parts[0];
  }

private:
  /// Adds up parts[i] * step^i into the first.
  template <int Count, typename V>
  static TAMRT_INLINE void combine(V *parts, V step) {
    if constexpr (Count > 1) {
      for (int i = 0; i < Count / 2; ++i)
        parts[i] = parts[2 * i] + parts[2 * i + 1] * step;
      if constexpr (Count % 2 == 1)
        parts[Count / 2] = parts[Count - 1];
      combine<(Count + 1) / 2>(parts, step * step);
    }
  }
};

// Their truncation error is less than half an ulp where they are used.
constexpr PowerSeries<8, 1, 2, true> sineSeries;
constexpr PowerSeries<9, 0, 2, true> cosineSeries;
constexpr PowerSeries<13, 1, 1, false> exponentialSeries;

/// cos and sin of quarters * pi/2 + angle, |angle| <= pi/4. `quarters` has them
/// in its last bits.
TAMRT_INLINE void turn(Vector angle, Bits quarters, Vector &cosine,
                       Vector &sine) {
  const Vector square = angle * angle;
  AlignedVector s, c;
  sineSeries.at(square, s);
  s *= angle;
  cosineSeries.at(square, c);
  const Bits isOdd = -(quarters & 1), isTurned = -(quarters >> 1 & 1);
  const Vector across = isOdd ? s : c, along = isOdd ? c : s;
  cosine = (isOdd ^ isTurned) ? -across : across;
  sine = isTurned ? -along : along;
}

/// cos and sin of pi * turns. The argument is reduced before it is multiplied
/// by pi: subtracting a multiple of 1/2 is exact, while the rounding error of a
/// large pi * turns would appear in the result.
TAMRT_INLINE void sinCosPi(Vector turns, Vector &cosine, Vector &sine) {
  const Vector zero = {}, most = zero + 0x1p50;
  const Bits large = (turns > most) | (turns < -most);
  if (large[0] | large[1] | large[2] | large[3])
    for (int i = 0; i < 4; ++i)
      turns[i] = std::remainder(turns[i], 2.0);
  const Vector shifted = 2.0 * turns + noFraction;
  const Vector angle =
      std::numbers::pi * (turns - 0.5 * (shifted - noFraction));
  turn(angle, reinterpret_cast<Bits>(shifted), cosine, sine);
}

/// x = quarters * pi/2 + angle, |angle| <= pi/4, up to a multiple of 2 pi, for
/// |x| >= 2^-10: exact to the last digits of `angle`. Infinity gives NaN.
void reduceAngle(double x, int64_t &quarters, double &angle);

/// cos and sin of x.
TAMRT_INLINE void sinCosOf(Vector x, Vector &cosine, Vector &sine) {
  // pi / 2 in parts, the first two of 33 bits.
  constexpr double high = 0x1.921fb544p0, middle = 0x1.0b4611a6p-34,
                   low = 0x1.3198a2e037073p-69;
  const Vector zero = {}, most = zero + 0x1p19;
  const Vector shifted = x * (2.0 / std::numbers::pi) + noFraction;
  const Vector count = shifted - noFraction;
  Vector angle = ((x - count * high) - count * middle) - count * low;
  Bits quarters = reinterpret_cast<Bits>(shifted);
  const Bits large = (x > most) | (x < -most);
  if (large[0] | large[1] | large[2] | large[3])
    for (int i = 0; i < 4; ++i)
      if (large[i]) {
        int64_t quartersOfOne;
        double angleOfOne;
        reduceAngle(x[i], quartersOfOne, angleOfOne);
        quarters[i] = quartersOfOne;
        angle[i] = angleOfOne;
      }
  turn(angle, quarters, cosine, sine);
}

/// cos of x.
TAMRT_INLINE void cosOf(Vector x, Vector &cosine) {
  Vector sine;
  sinCosOf(x, cosine, sine);
}

/// x = n * ln 2 + rest with an integer n: n, and exp(rest) - 1.
TAMRT_INLINE void reduceExponent(Vector x, Vector &n, Vector &rest) {
  constexpr double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33;
  n = (x * std::numbers::log2e + noFraction) - noFraction;
  const Vector r = (x - n * high) - n * low;
  AlignedVector sum;
  exponentialSeries.at(r, sum);
  rest = sum * r;
}

/// 2 to an integer n, -1022 <= n <= 1023.
TAMRT_INLINE void powerOfTwo(Vector n, Vector &power) {
  const Vector biased = n + (noFraction + 1023.0);
  power = reinterpret_cast<Vector>(reinterpret_cast<Bits>(biased) << 52);
}

/// exp(x); 0 if it is less than 4e-308, because each subnormal number costs
/// some processors a hundred cycles.
TAMRT_INLINE void expOf(Vector x, Vector &result) {
  const Vector zero = {}, most = zero + 710.0, least = zero - 708.0;
  x = x > most ? most : x;
  const Bits isLess = x < least;
  x = isLess ? zero : x;
  Vector n, rest, power;
  reduceExponent(x, n, rest);
  // In two steps: 2 to the greatest n is not a number, half of it is.
  powerOfTwo(n - 1.0, power);
  result = (power + power * rest) * 2.0;
  result = isLess ? zero : result;
}

/// tanh(x).
TAMRT_INLINE void tanhOf(Vector x, Vector &result) {
  const Vector zero = {}, most = zero + 44.0;
  const Bits isNegative = x < zero;
  Vector twice = 2.0 * (isNegative ? -x : x);
  // From here on tanh is 1.
  twice = twice > most ? most : twice;
  Vector n, rest, power;
  reduceExponent(twice, n, rest);
  powerOfTwo(n, power);
  const Vector lessOne = power * rest + (power - 1.0);
  const Vector magnitude = lessOne / (lessOne + 2.0);
  result = isNegative ? -magnitude : magnitude;
}

/// The square root of x >= 0.
TAMRT_INLINE void rootOf(Vector x, Vector &root) {
  for (int i = 0; i < 4; ++i)
    root[i] = __builtin_sqrt(x[i]);
}

/// Calls function(numbers, results) on `count` numbers, four by four; the last
/// ones with zeros.
template <typename Function>
TAMRT_INLINE void forEachFour(const double *in, int64_t count, double *out,
                              Function function) {
  int64_t i = 0;
  Vector result;
  for (; i + 4 <= count; i += 4) {
    function(vectorAt(in + i), result);
    vectorAt(out + i) = result;
  }
  if (i == count)
    return;
  double last[4] = {};
  std::copy(in + i, in + count, last);
  function(vectorAt(last), result);
  vectorAt(last) = result;
  std::copy_n(last, count - i, out + i);
}

} // namespace tamrt::cpu

#endif // TAMRT_KERNELS_CPU_ELEMENTARY_H
