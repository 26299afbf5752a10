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

/// The sum of the row weights of one group, compensated (Neumaier). It depends
/// on their order alone: the same bits whatever parts they come in.
class WeightSum {
public:
  void add(double weight) {
    // The error of the addition, whichever of the two is larger.
    const double next = sum + weight, part = next - sum;
    error += (sum - (next - part)) + (weight - part);
    sum = next;
  }
  /// Infinite or NaN where it is beyond a double.
  double value() const { return sum + error; }
  /// Divided by `count`, rounded about once: the mean of equal weights is their
  /// weight.
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

/// The mean of `rows` weights, none of them negative; 1 where all are 1. None
/// where they have no sum above 0 in a double, or no mean of full precision.
std::optional<double> meanOf(const WeightSum &sum, size_t rows);

} // namespace tamrt

#endif // TAMRT_CORE_DATA_ROWWEIGHTS_H
