//===- core/data/CompensatedSum.h - sums in twice the precision -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of rows outside of steps. Shared by the executable and the library for
/// embedding; nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_COMPENSATEDSUM_H
#define TAMRT_CORE_DATA_COMPENSATEDSUM_H

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tamrt {

/// A compensated (Neumaier) sum: the result is rounded about once, however many
/// numbers are added. It depends only on their order: the bits are the same
/// however they are split into parts.
class CompensatedSum {
public:
  CompensatedSum() = default;
  /// The sum with these parts (`rounded`, `rest`).
  CompensatedSum(double rounded, double rest) : sum(rounded), error(rest) {}

  void add(double number) {
    // The error of the addition, whichever of the two is larger.
    const double next = sum + number, part = next - sum;
    error += (sum - (next - part)) + (number - part);
    sum = next;
  }
  /// Adds another sum; the order of the two does not matter.
  void join(const CompensatedSum &other) {
    const double rest = error + other.error;
    error = 0;
    add(other.sum);
    error += rest;
  }
  /// The two parts whose sum this is.
  double rounded() const { return sum; }
  double rest() const { return error; }
  /// Infinite or NaN if it exceeds a double.
  double value() const { return sum + error; }
  /// The sum divided by `count`, rounded about once: the mean of equal numbers
  /// is that number.
  double over(size_t count) const {
    const auto n = double(count);
    const double quotient = sum / n;
    // Parts of 26 and 27 bits, whose products with `n` are exact: the C
    // library's `fma` is not exact everywhere.
    constexpr uint64_t kLow = (uint64_t(1) << 27) - 1;
    const auto high =
        std::bit_cast<double>(std::bit_cast<uint64_t>(quotient) & ~kLow);
    const double rest = (sum - high * n) - (quotient - high) * n;
    return quotient + (rest + error) / n;
  }

private:
  double sum = 0, error = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_DATA_COMPENSATEDSUM_H
