//===- cpu/ElementaryScalars.cpp - elementary functions of a number -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Logarithms are internally sums of two doubles, so that powers are accurate.
///
//===----------------------------------------------------------------------===//

#include "kernels/cpu/ElementaryScalars.h"
#include "kernels/cpu/Elementary.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace tamrt::cpu {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// ln 2 in two parts; a multiple of the first by an exponent is exact.
constexpr double ln2High = 0x1.62e42feep-1, ln2Low = 0x1.a39ef35793c76p-33;

/// A number as a sum of two; `low` is at most about half an ulp of `high`.
struct Sum {
  double high, low;
};

/// x + y exactly (Knuth).
Sum add(double x, double y) {
  const double sum = x + y, part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

/// x * y exactly (Dekker), |x| and |y| below 2^990.
Sum multiply(double x, double y) {
  const auto split = [](double value) {
    const double scaled = 0x1.0000002p27 * value;
    const double high = scaled - (scaled - value);
    return Sum{high, value - high};
  };
  const Sum a = split(x), b = split(y);
  const double product = x * y;
  return {product,
          ((a.high * b.high - product) + a.high * b.low + a.low * b.high) +
              a.low * b.low};
}

/// x / y.
Sum divide(double x, Sum y) {
  const double quotient = x / y.high;
  const Sum back = multiply(quotient, y.high);
  return {quotient, (((x - back.high) - back.low) - quotient * y.low) / y.high};
}

/// exp(x) of x.high within [-746, 710].
double exponentialOf(Sum x) {
  constexpr PowerSeries<13, 2, 1, false> series;
  const double n = (x.high * std::numbers::log2e + noFraction) - noFraction;
  const Sum rest = add(x.high - n * ln2High, x.low - n * ln2Low);
  // 1 + r + r^2 / 2 + ...
  double sum;
  series.at(rest.high, sum);
  const Sum start = add(1.0, rest.high);
  const double tail =
      rest.high * rest.high * sum + (rest.low + rest.low * rest.high);
  return std::ldexp(start.high + (start.low + tail), static_cast<int>(n));
}

/// ln of x, a positive finite number: with m = x / 2^n next to 1 and s = (m -
/// 1) / (m + 1), n ln 2 + 2 (s + s^3 / 3 + s^5 / 5 + ...).
Sum logarithmOf(Sum x) {
  int exponent;
  double m = std::frexp(x.high, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2.0;
    --exponent;
  }
  const double n = exponent;
  const Sum s = divide(m - 1.0, add(m, 1.0));
  const double square = s.high * s.high;
  double series = 0.0;
  for (int k = 12; k > 0; --k)
    series = square * (series + 1.0 / (2.0 * k + 1.0));
  const Sum sum = add(n * ln2High, 2.0 * s.high);
  const double low = 2.0 * (s.low + s.high * series) + n * ln2Low;
  return add(sum.high, (sum.low + low) + x.low / x.high);
}

/// The bits of 2 / pi behind a word of zeros.
constexpr uint64_t twoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

} // namespace

void reduceAngle(double x, int64_t &quarters, double &angle) {
  if (!std::isfinite(x)) {
    quarters = 0;
    angle = x - x;
    return;
  }
  // |x| is `digits` times 2^exponent. Only the part of its product with 2 / pi
  // below 4 matters (Payne and Hanek), so bits of 2 / pi before some position
  // are not needed. Three words of them give 60 bits even of the smallest
  // possible angle.
  typedef unsigned __int128 Wide;
  const auto bits = std::bit_cast<uint64_t>(x);
  constexpr uint64_t hidden = uint64_t(1) << 52;
  const uint64_t digits = bits % hidden + hidden;
  const auto place = static_cast<uint32_t>(bits / hidden % 2048 - 1075 + 62);
  const uint64_t *word = twoOverPi + place / 64;
  const uint32_t shift = place % 64;
  const auto wordAt = [&](int i) {
    return shift == 0 ? word[i]
                      : word[i] << shift | word[i + 1] >> (64 - shift);
  };
  const Wide low = static_cast<Wide>(digits) * wordAt(2);
  const Wide middle = static_cast<Wide>(digits) * wordAt(1) + (low >> 64);
  const uint64_t high =
      digits * wordAt(0) + static_cast<uint64_t>(middle >> 64);
  Wide part = static_cast<Wide>(high) << 64 | static_cast<uint64_t>(middle);
  quarters = static_cast<int64_t>(high >> 62);
  part = part << 2 | static_cast<uint64_t>(low) >> 62;
  // The nearest quarter is the one before or the one after.
  const bool isAfter = part >> 127;
  if (isAfter) {
    ++quarters;
    part = -part;
  }
  int zeros = 0;
  for (; zeros < 127 && !(part >> 127); ++zeros)
    part <<= 1;
  angle = std::ldexp(static_cast<double>(static_cast<uint64_t>(part >> 64)),
                     -64 - zeros) *
          (std::numbers::pi / 2);
  if (isAfter)
    angle = -angle;
  if (x < 0.0) {
    quarters = -quarters;
    angle = -angle;
  }
}

double exponential(double x) {
  if (std::isnan(x))
    return x;
  if (x > 710.0)
    return infinity;
  return x < -746.0 ? 0.0 : exponentialOf({x, 0.0});
}

double logarithm(double x) {
  if (x == 0.0)
    return -infinity;
  if (x < 0.0)
    return notANumber;
  return std::isfinite(x) ? logarithmOf({x, 0.0}).high : x;
}

double logarithmOfOnePlus(double x) {
  if (x < 0.0)
    return notANumber;
  return std::isfinite(x) ? logarithmOf(add(1.0, x)).high : x;
}

double power(double x, double y) {
  if (y == 0.0)
    return 1.0;
  if (!(x >= 0.0) || std::isnan(y))
    return notANumber;
  if (x == 0.0 || x == infinity)
    return (x == 0.0) == (y > 0.0) ? 0.0 : infinity;
  const Sum log = logarithmOf({x, 0.0});
  Sum exponent = multiply(log.high, y);
  exponent.low += log.low * y;
  if (exponent.high > 710.0)
    return infinity;
  return exponent.high < -746.0 ? 0.0 : exponentialOf(exponent);
}

void cosineAndSine(double x, double &cosine, double &sine) {
  Vector c, s;
  sinCosOf(Vector{} + x, c, s);
  cosine = c[0];
  sine = s[0];
}

} // namespace tamrt::cpu
