//===- Planning/Arithmetic.h - saturating arithmetic ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_ARITHMETIC_H
#define TAMC_PLANNING_ARITHMETIC_H

#include <cstdint>
#include <limits>
#include <numeric>

namespace tamc::planning {

/// Represents every value that is too large: no plan has an offset that is
/// `infinite`.
constexpr int64_t infinite = std::numeric_limits<int64_t>::max();

/// a + b for b >= 0, at most `infinite`.
inline int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? infinite : sum;
}

/// The least multiple of `alignment` not below `value` >= 0.
inline int64_t alignUp(int64_t value, int64_t alignment) {
  if (alignment <= 1)
    return value;
  if ((alignment & (alignment - 1)) == 0) {
    if (value > infinite - (alignment - 1))
      return infinite;
    return (value + alignment - 1) & ~(alignment - 1);
  }
  int64_t rest = value % alignment;
  return rest == 0 ? value : saturatingAdd(value, alignment - rest);
}

/// Least common multiple of two numbers >= 1, at most `infinite`.
inline int64_t commonMultiple(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a / std::gcd(a, b), b, &product))
    return infinite;
  return product;
}

} // namespace tamc::planning

#endif // TAMC_PLANNING_ARITHMETIC_H
