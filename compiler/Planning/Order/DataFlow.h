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

/// Most operations, and most buffers, whose order is kept as bits: at this
/// many one relation takes 128 MiB.
constexpr size_t maxOrdered = size_t(1) << 15;

/// By operation: those that have to come right before it, sorted, each once.
/// In the order of the list: who reads comes after the last who wrote, who
/// writes after all who touched the bytes since; and what Operation::after
/// names. The buffers of one alias class count as one. O(touches log touches).
std::vector<std::vector<int32_t>> dependencies(const Problem &problem);

/// When a buffer's bytes are needed, as far as the operations tell.
struct Uses {
  /// Sorted, each once: those that touch the buffer; for a buffer whose life
  /// is not what its operations imply, also those at the times of its life.
  std::vector<int32_t> operations;
  /// Those of them that no other of them has to precede.
  std::vector<int32_t> first;
  /// It holds something before any operation ran, or after all of them.
  bool fromOutside = false, toTheEnd = false;
  /// The buffer never occupies a byte.
  bool nothing = false;
  /// Its life is exactly what its operations imply.
  bool derived = false;
  /// In the order of the list: it is needed in [lower, upper).
  int64_t lower = 0, upper = 0;
};

/// The life that the operations imply; nothing when none touches the buffer.
/// By buffer. A buffer that is read before it is written lives from 0 on, an
/// output to the end.
std::vector<std::optional<Interval>> impliedLives(const Problem &problem);

/// The partial order of a problem's operations and what it says about buffers.
/// The problem is valid and has at most `maxOrdered` operations.
class DataFlow {
public:
  /// O(operations * dependencies / 64).
  explicit DataFlow(const Problem &problem);

  /// Operation `a` comes before `b` in every order.
  bool before(int32_t a, int32_t b) const { return later.test(a, b); }

  const Uses &uses(int32_t buffer) const { return all[buffer]; }

  /// Every use of buffer `a` comes before the definition of `b`.
  bool precedes(int32_t a, int32_t b) const;

  /// By buffer: the buffers that may not share a byte with it, which are those
  /// of its space and another class that neither precede nor follow it.
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
