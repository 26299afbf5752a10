//===- core/data/ExactSum.h - sums that are rounded once --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of rows that may be joined in any order. Shared by the executable and
/// the library for embedding; nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_EXACTSUM_H
#define TAMRT_CORE_DATA_EXACTSUM_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tamrt {

/// The exact sum of non-negative finite numbers, as an integer of the least
/// double: neither their order nor where they are split into parts matters. At
/// most 2^52 numbers, and 2^52 as a divisor.
class ExactSum {
public:
  /// Digits of 32 bits, the lowest first: of the largest double, and of as many
  /// of these as there may be numbers.
  static constexpr size_t kDigits = 67;
  using Digits = std::array<uint64_t, kDigits>;

  void add(double number) {
    const auto bits = std::bit_cast<uint64_t>(number);
    const uint64_t exponent = bits >> 52 & 0x7ff;
    const uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
    // Of a number below the least normal one the exponent stands for 1.
    const uint64_t shift = exponent > 0 ? exponent - 1 : 0;
    const auto value =
        static_cast<unsigned __int128>(
            exponent > 0 ? fraction | uint64_t(1) << 52 : fraction)
        << (shift % 32);
    const size_t first = shift / 32;
    digits[first] += uint32_t(value);
    digits[first + 1] += uint32_t(value >> 32);
    digits[first + 2] += uint32_t(value >> 64);
    if (++added == kMostAdded)
      carry();
  }

  void add(const ExactSum &other) {
    ExactSum more = other;
    more.carry();
    carry();
    for (size_t i = 0; i < kDigits; ++i)
      digits[i] += more.digits[i];
    carry();
  }

  /// Digits below 2^32, which are the same for equal sums.
  Digits canonical() const {
    ExactSum copy = *this;
    copy.carry();
    return copy.digits;
  }
  /// The sum with these digits, which are below 2^32.
  static ExactSum of(const Digits &digits) {
    ExactSum sum;
    sum.digits = digits;
    return sum;
  }

  bool isZero() const {
    for (uint64_t digit : digits)
      if (digit != 0)
        return false;
    return true;
  }

  /// The sum divided by `count`, rounded once, to the nearest double, ties to
  /// even; infinite if that is none.
  double over(size_t count) const;

private:
  static constexpr uint64_t kMostAdded = uint64_t(1) << 31;

  void carry() {
    for (size_t i = 0; i + 1 < kDigits; ++i) {
      digits[i + 1] += digits[i] >> 32;
      digits[i] &= 0xffffffff;
    }
    added = 0;
  }

  Digits digits = {};
  uint64_t added = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_EXACTSUM_H
