//===- cuda/Elementary.h - elementary functions -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Elementary functions of bodies, which give the same bits on a GPU and on the
/// host: arguments are reduced by constants in parts (Cody and Waite), and the
/// power series is evaluated at the remainder.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_CUDA_ELEMENTARY_H
#define TAMRT_BACKENDS_CUDA_ELEMENTARY_H

#include "backends/cuda/Block.h"

#include <cmath>
#include <cstring>

namespace tamrt::cuda {

/// A sum of this and a number below a quarter of it is rounded to an integer,
/// half to even.
constexpr double kNoFraction = 0x1.8p52;

TAMRT_BODY double magnitude(double x) { return x < 0.0 ? -x : x; }
TAMRT_BOTH inline double least(double x, double y) { return y < x ? y : x; }
TAMRT_BOTH inline double greatest(double x, double y) { return x < y ? y : x; }
TAMRT_BOTH inline int64_t least(int64_t x, int64_t y) { return y < x ? y : x; }
TAMRT_BOTH inline int64_t greatest(int64_t x, int64_t y) {
  return x < y ? y : x;
}
TAMRT_BODY bool isFinite(double x) {
  return magnitude(x) <= 0x1.fffffffffffffp1023;
}

/// exp(x), within two ulps; 0 below -708. NaN gives NaN.
TAMRT_BODY double exponential(double x) {
  if (x < -708.0)
    return 0.0;
  x = x > 709.0 ? 709.0 : x;
  const double n = (x * 1.4426950408889634 + kNoFraction) - kNoFraction;
  const double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  // 1 + r (1 + r/2 (1 + r/3 (...))).
  double sum = 1.0;
  for (int k = 14; k > 0; --k)
    sum = 1.0 + r * sum / k;
  // 2^n in two steps, because the greatest n is beyond a double.
  int64_t bits = (static_cast<int64_t>(n == n ? n : 0.0) + 1022) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return sum * power * 2.0;
}

/// log(x) of a positive, normal x, within two ulps.
TAMRT_BODY double logarithm(double x) {
  int64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  // x = m 2^n with 1/sqrt(2) <= m < sqrt(2).
  int64_t n = (bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffff) | (int64_t(1023) << 52);
  double m;
  std::memcpy(&m, &bits, sizeof m);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++n;
  }
  // log(m) = 2 artanh((m - 1) / (m + 1)), in odd powers.
  const double t = (m - 1.0) / (m + 1.0), square = t * t;
  double sum = 0.0;
  for (int k = 23; k > 1; k -= 2)
    sum = square * (sum + 1.0 / k);
  const auto power = static_cast<double>(n);
  return power * 0x1.62e42feep-1 +
         (2.0 * t + (2.0 * t * sum + power * 0x1.a39ef35793c76p-33));
}

/// exp(x) - 1, without cancellation near 0.
TAMRT_BODY double exponentialLessOne(double x) {
  if (magnitude(x) > 0.5)
    return exponential(x) - 1.0;
  double sum = 1.0;
  for (int k = 16; k > 1; --k)
    sum = 1.0 + x * sum / k;
  return x * sum;
}

TAMRT_BODY double tangentHyperbolic(double x) {
  const double size = magnitude(x);
  const double m = exponentialLessOne(2.0 * (size < 20.0 ? size : 20.0));
  const double value = m / (m + 2.0);
  return x != x ? x : x < 0.0 ? -value : value;
}

/// cos and sin of pi * turns, within two ulps of the larger.
TAMRT_BODY void cosSinPi(double turns, double &cosine, double &sine) {
  // A remainder is exact.
  if (magnitude(turns) > 0x1p50)
    turns = std::fmod(turns, 2.0);
  const double quarters = (2.0 * turns + kNoFraction) - kNoFraction;
  // Subtracting a multiple of 1/2 is exact.
  const double angle = 3.141592653589793 * (turns - 0.5 * quarters);
  const double square = angle * angle;
  double c = 1.0, s = 1.0;
  for (int k = 18; k > 0; k -= 2) {
    c = 1.0 - square * c / (k * (k - 1));
    s = 1.0 - square * s / (k * (k + 1));
  }
  s *= angle;
  const int64_t quarter =
      quarters == quarters ? static_cast<int64_t>(quarters) & 3 : 0;
  cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_ELEMENTARY_H
