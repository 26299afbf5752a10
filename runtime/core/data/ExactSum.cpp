//===- core/data/ExactSum.cpp - sums that are rounded once ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/data/ExactSum.h"

#include <limits>

namespace tamrt {

double ExactSum::over(size_t count) const {
  using Wide = unsigned __int128;
  const Digits from = canonical();
  size_t top = kDigits;
  while (top > 0 && from[top - 1] == 0)
    --top;
  if (top == 0)
    return 0;
  // Long division, with one more digit below the least double. Three digits of
  // the quotient, of which the first is not 0, have more bits than a double.
  Wide quotient = 0;
  uint64_t rest = 0;
  size_t at = top + 1;
  for (int found = 0; at > 0 && found < 3;) {
    --at;
    // By bytes, so that the rest and the next one have less than 64 bits.
    const uint64_t next = at > 0 ? from[at - 1] : 0;
    uint64_t digit = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
      const uint64_t value = rest << 8 | (next >> shift & 0xff);
      digit = digit << 8 | value / count;
      rest = value % count;
    }
    quotient = quotient << 32 | digit;
    found += found > 0 || digit != 0;
  }
  bool isMore = rest != 0;
  for (size_t i = 0; i + 1 < at; ++i)
    isMore |= from[i] != 0;
  // Bits of the quotient count from that of the digit `at`; those from `low` on
  // are kept: 53, or those from the least double on.
  size_t bits = 0;
  while (bits < 96 && quotient >> bits != 0)
    ++bits;
  const size_t least = at == 0 ? 32 : 0;
  const size_t low = bits > least + 53 ? bits - 53 : least;
  auto kept = uint64_t(quotient >> low);
  const Wide half = Wide(1) << (low - 1);
  isMore |= (quotient & (half - 1)) != 0;
  if ((quotient & half) != 0 && (isMore || kept % 2 == 1))
    ++kept;
  // The exponent field counts from the least double; a carry into it is right.
  const uint64_t field = low + 32 * at - 32;
  if (field > 2045 || (field == 2045 && kept >> 53 != 0))
    return std::numeric_limits<double>::infinity();
  return std::bit_cast<double>((field << 52) + kept);
}

} // namespace tamrt
