//===- Planning/OrderSafety.h - dependencies that reuse adds ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_ORDERSAFETY_H
#define TAMC_PLANNING_ORDERSAFETY_H

#include "tamc/Planning/Problem.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamc::planning {

/// Why branch-safe reuse cannot be decided: there are no operations, or too
/// many operations or buffers (2^15) for a relation in memory. Lower case, no
/// full stop; empty if it can be decided.
std::string whyNotBranchSafe(const Problem &problem);

/// A dependency between operations that only the plan causes: `after` writes
/// over bytes that `before` uses.
struct HiddenDependency {
  /// Indices of operations.
  int32_t before = -1;
  int32_t after = -1;
  /// Indices of the buffers that share the bytes; `first` is used by `before`.
  int32_t first = -1;
  int32_t second = -1;
  /// Number of bytes that they share.
  int64_t bytes = 0;
};

struct HiddenDependencies {
  /// All of them; an operation counts once for each pair of buffers.
  int64_t count = 0;
  /// Those with the most bytes, in descending order.
  std::vector<HiddenDependency> worst;
  /// False if the time ended before all pairs of buffers were compared: there
  /// may be more.
  bool complete = true;
};

/// The hidden dependencies of a correct plan. Counts only those uses of a
/// buffer after which there is no other use of it. whyNotBranchSafe() must be
/// empty. O(pairs of buffers that share bytes * their uses).
HiddenDependencies findHiddenDependencies(const Problem &problem,
                                          std::span<const int64_t> offsets,
                                          size_t most = 20,
                                          std::optional<double> seconds = {});

} // namespace tamc::planning

#endif // TAMC_PLANNING_ORDERSAFETY_H
