//===- io/ShortDecimal.h - numbers of few digits ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A fast path for nearly all fields of a table: a sign, up to 8 digits, a
/// point and up to 8 digits. A parser that reads digit by digit has a
/// mispredicted branch at the end of each number; here all digits of a part are
/// one 64-bit word.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_SHORTDECIMAL_H
#define TAMRT_IO_SHORTDECIMAL_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tamrt {

/// Bytes that can be read from the start of a text given to
/// `parseShortDecimal`, whatever its length.
inline constexpr size_t kShortDecimalBytes = 24;

/// Sets `out` to the number with `count` digits; false if not all are digits.
/// `word` has a byte per digit, the first one lowest. 1 <= count <= 8.
inline bool parseDigits(uint64_t word, size_t count, uint64_t &out) {
  // Zeros in front of the digits.
  word = (word ^ 0x3030303030303030) << (64 - 8 * count);
  // Digits to pairs, pairs to fours, fours to eight.
  const uint64_t pairs = word * 10 + (word >> 8);
  out = ((pairs & 0x000000FF000000FF) * 0x000F424000000064 +
         (pairs >> 16 & 0x000000FF000000FF) * 0x0000271000000001) >>
        32;
  return (((word + 0x7676767676767676) | word) & 0x8080808080808080) == 0;
}

/// Sets `out` to the number in a text of `length` bytes, correctly rounded.
/// False if it is not a number of few digits; it may still be a number. Reads
/// kShortDecimalBytes bytes from `text` on.
///
/// The digits without the point are an integer below 2^53 and the power of ten
/// is exact, so that the one division rounds correctly (W. D. Clinger, "How to
/// read floating point numbers accurately", 1990).
inline bool parseShortDecimal(const char *text, size_t length, double &out) {
  if constexpr (std::endian::native != std::endian::little)
    return false;
  static constexpr double powers[] = {1,   1e1, 1e2, 1e3, 1e4,
                                      1e5, 1e6, 1e7, 1e8};
  static constexpr uint64_t integers[] = {
      1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  const auto negative = uint64_t(*text == '-');
  text += negative;
  length -= negative;
  // As an unsigned length, an empty text or one with only a sign is too long,
  // too.
  if (length - 1 > 16)
    return false;
  uint64_t word;
  std::memcpy(&word, text, 8);
  // The lowest byte that is a point; above it there may be false ones.
  const uint64_t unlike = word ^ 0x2E2E2E2E2E2E2E2E;
  const uint64_t points =
      (unlike - 0x0101010101010101) & ~unlike & 0x8080808080808080;
  const size_t whole = points ? size_t(std::countr_zero(points)) / 8 : 8;
  uint64_t digits;
  double value;
  if (length <= 8) {
    if (whole >= length) {
      if (!parseDigits(word, length, digits))
        return false;
      value = double(int64_t(digits));
    } else {
      // Closes the gap.
      const uint64_t below = (uint64_t(1) << (8 * whole)) - 1;
      if (length == 1 || !parseDigits((word & below) | (word >> 8 & ~below),
                                      length - 1, digits))
        return false;
      value = double(int64_t(digits)) / powers[length - 1 - whole];
    }
  } else {
    const size_t decimals = length - whole - 1;
    if (whole - 1 > 7 || decimals - 1 > 7 || text[whole] != '.')
      return false;
    uint64_t fraction, fractionWord;
    std::memcpy(&fractionWord, text + whole + 1, 8);
    if (!parseDigits(word, whole, digits) ||
        !parseDigits(fractionWord, decimals, fraction))
      return false;
    digits = digits * integers[decimals] + fraction;
    if (digits > uint64_t(1) << 53)
      return false;
    value = double(int64_t(digits)) / powers[decimals];
  }
  out = std::bit_cast<double>(std::bit_cast<uint64_t>(value) | negative << 63);
  return true;
}

} // namespace tamrt

#endif // TAMRT_IO_SHORTDECIMAL_H
