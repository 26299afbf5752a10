//===- TreeSum.h - the order of a group's segments, plainly -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The order in which the sums of segments are joined, level by level.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_CORE_TREESUM_H
#define TAMRT_TEST_CORE_TREESUM_H

#include <cstddef>
#include <vector>

namespace tamrt::test {

/// The sum of numbers in a tree: of neighbours, of those sums, and so on.
inline double treeSum(std::vector<double> numbers) {
  while (numbers.size() > 1) {
    std::vector<double> next;
    for (size_t i = 0; i < numbers.size(); i += 2)
      next.push_back(i + 1 < numbers.size() ? numbers[i] + numbers[i + 1]
                                            : numbers[i]);
    numbers = next;
  }
  return numbers.front();
}

} // namespace tamrt::test

#endif // TAMRT_TEST_CORE_TREESUM_H
