//===- core/data/RowWeights.h - the scale of row weights --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The mean row weight of a group, by which the steps' row weights are divided
/// (docs/math.md section 4). Shared by the executable and the library for
/// embedding; nothing here allocates or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DATA_ROWWEIGHTS_H
#define TAMRT_CORE_DATA_ROWWEIGHTS_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tamrt {

/// The compensated (Neumaier) sum of the row weights of one group. It depends
/// only on their order: the bits are the same however they are split into
/// parts.
class WeightSum {
public:
  void add(double weight) {
    // The error of the addition, whichever of the two is larger.
    const double next = sum + weight, part = next - sum;
    error += (sum - (next - part)) + (weight - part);
    sum = next;
  }
  /// Infinite or NaN if it exceeds a double.
  double value() const { return sum + error; }
  /// The sum divided by `count`, rounded about once: the mean of equal weights
  /// is their weight.
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

/// The mean of `rows` non-negative weights; 1 if all are 1. None if their sum
/// is not above 0 in a double, or the mean does not have full precision.
std::optional<double> meanOf(const WeightSum &sum, size_t rows);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_ROWWEIGHTS_H
