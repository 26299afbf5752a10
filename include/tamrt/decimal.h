//===- tamrt/decimal.h - numbers as they are written ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares numbers as they are written, beyond the precision and the range of
/// a double: 541448860000000011 and 541448860000000012 differ, 1 and 1.0 are
/// equal. Compiler and runtime identify groups, levels and dates with it.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_DECIMAL_H
#define TAMRT_DECIMAL_H

#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tamrt {

/// The parts of a decimal number such as " +0012.50e3".
class Decimal {
public:
  /// `text`, which must outlive this, is a finite number with a decimal point
  /// (`parseNumber`), perhaps with blanks around it. O(length).
  explicit constexpr Decimal(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t");
    text.remove_prefix(first == text.npos ? text.size() : first);
    isNegative = text.starts_with('-');
    const size_t end = text.find_first_of("eE");
    digits = text.substr(0, end);
    const size_t point = digits.find('.');
    const size_t start = digits.find_first_of("123456789");
    if (start == digits.npos) {
      digits = {};
      return;
    }
    const size_t whole =
        point == digits.npos ? digits.find_last_of("0123456789") + 1 : point;
    power = int64_t(whole) - int64_t(start) + (start > whole ? 1 : 0);
    digits = digits.substr(start, digits.find_last_of("123456789") + 1 - start);
    if (end != text.npos)
      addExponent(text.substr(end + 1));
  }

  /// -1, 0 or 1.
  constexpr int sign() const {
    return digits.empty() ? 0 : isNegative ? -1 : 1;
  }

  /// Calls digit(d) for the digits d1, d2, ... of the number, which is
  /// 0.d1d2d3... * 10^exponent(); neither the first nor the last one is 0.
  template <class Digit> constexpr void forEachDigit(const Digit &digit) const {
    for (char c : digits)
      if (c != '.')
        digit(c - '0');
  }
  constexpr int64_t exponent() const { return power; }

  /// Of two numbers with written exponents of more than 17 digits this only
  /// says whether they are written in the same way, except for zeros.
  friend constexpr std::strong_ordering operator<=>(const Decimal &a,
                                                    const Decimal &b) {
    if (a.sign() != b.sign())
      return a.sign() <=> b.sign();
    const std::strong_ordering order = a.compareMagnitude(b);
    return a.sign() < 0 ? 0 <=> order : order;
  }
  friend constexpr bool operator==(const Decimal &a, const Decimal &b) {
    return (a <=> b) == 0;
  }

private:
  static constexpr size_t kExponentDigits = 17;

  constexpr void addExponent(std::string_view text) {
    const bool isBelow = text.starts_with('-');
    const size_t first = text.find_first_of("123456789");
    if (first == text.npos)
      return;
    text.remove_prefix(first);
    text = text.substr(0, text.find_first_not_of("0123456789"));
    // Beyond all others if there are too many digits.
    int64_t value = INT64_MAX / 2;
    if (text.size() > kExponentDigits) {
      longExponent = text;
    } else {
      value = 0;
      for (char c : text)
        value = 10 * value + (c - '0');
    }
    power += isBelow ? -value : value;
  }

  constexpr std::strong_ordering compareMagnitude(const Decimal &other) const {
    if (power != other.power)
      return power <=> other.power;
    if (longExponent.size() != other.longExponent.size())
      return longExponent.size() <=> other.longExponent.size();
    if (longExponent != other.longExponent)
      return longExponent <=> other.longExponent;
    size_t i = 0, j = 0;
    while (true) {
      i += size_t(i < digits.size() && digits[i] == '.');
      j += size_t(j < other.digits.size() && other.digits[j] == '.');
      const bool ends = i == digits.size();
      if (ends || j == other.digits.size())
        return (ends ? 0 : 1) <=> int(j == other.digits.size() ? 0 : 1);
      if (digits[i] != other.digits[j])
        return digits[i] <=> other.digits[j];
      ++i;
      ++j;
    }
  }

  bool isNegative;
  /// From the first digit that is not 0 to the last one, perhaps with a point.
  std::string_view digits;
  int64_t power = 0;
  /// The written exponent if it has too many digits for `power`.
  std::string_view longExponent;
};

/// A number, which may be infinite, ordered by its value as it is written.
struct ExactNumber {
  /// The double nearest to it.
  double nearest;
  /// Its text, which must outlive this: see Decimal.
  std::string_view text;

  friend std::strong_ordering operator<=>(const ExactNumber &a,
                                          const ExactNumber &b) {
    if (a.nearest != b.nearest)
      return a.nearest < b.nearest ? std::strong_ordering::less
                                   : std::strong_ordering::greater;
    if (a.text == b.text || std::isinf(a.nearest))
      return std::strong_ordering::equal;
    return Decimal(a.text) <=> Decimal(b.text);
  }
  friend bool operator==(const ExactNumber &a, const ExactNumber &b) {
    return (a <=> b) == 0;
  }
};

} // namespace tamrt

#endif // TAMRT_DECIMAL_H
