//===- Planning/DataFlow.h - dependencies between operations ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_DATAFLOW_H
#define TAMC_PLANNING_DATAFLOW_H

#include "Order/BitMatrix.h"
#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tamc::planning {

/// Most operations, and most buffers, whose order is stored as bits: with this
/// many, one relation takes 128 MiB.
constexpr size_t maxOrdered = size_t(1) << 15;

/// By operation: its direct predecessors, sorted, each once. In the order of
/// the list, an operation that reads bytes comes after the last that wrote
/// them, and one that writes them after all that have accessed them since. The
/// operations of Operation::after are added. The buffers of one alias class
/// count as one. O(accesses log accesses).
std::vector<std::vector<int32_t>> dependencies(const Problem &problem);

/// When a buffer's bytes are needed, as far as it follows from the operations.
struct Uses {
  /// Sorted, each once: the operations that access the buffer. If its live
  /// range does not follow from its operations, also those at the times of its
  /// live range.
  std::vector<int32_t> operations;
  /// Those of them that need not come after another of them.
  std::vector<int32_t> first;
  /// It has contents before the first operation, or after the last one.
  bool fromOutside = false, toTheEnd = false;
  /// The buffer never occupies a byte.
  bool nothing = false;
  /// Its live range follows from its operations.
  bool derived = false;
  /// In the order of the list: it is needed in [lower, upper).
  int64_t lower = 0, upper = 0;
};

/// By buffer: the live range that follows from the operations; nothing if none
/// accesses the buffer. A buffer that is read before it is written lives from
/// 0, an output to the end.
std::vector<std::optional<Interval>> impliedLives(const Problem &problem);

/// The partial order of a problem's operations and of its buffers. The problem
/// must be valid and have at most `maxOrdered` operations.
class DataFlow {
public:
  /// O(operations * dependencies / 64).
  explicit DataFlow(const Problem &problem);

  /// Operation `a` comes before `b` in every order.
  bool before(int32_t a, int32_t b) const { return later.test(a, b); }

  const Uses &uses(int32_t buffer) const { return all[buffer]; }

  /// Every use of buffer `a` comes before the definition of `b`.
  bool precedes(int32_t a, int32_t b) const;

  /// By buffer: the buffers that must not share a byte with it: those in its
  /// space and not in its class that neither precede nor follow it.
  /// O(buffers^2).
  BitMatrix conflicts() const;

private:
  const Problem &problem;
  /// By operation: those that come after it.
  BitMatrix later;
  std::vector<Uses> all;
};

} // namespace tamc::planning

#endif // TAMC_PLANNING_DATAFLOW_H
