//===- Planning/Program.h - operations of a schedule ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_PROGRAM_H
#define TAMC_PLANNING_PROGRAM_H

#include "tamc/Planning/Problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tamc::planning {

/// Operations, their dependencies, and the bytes that they need. It can be
/// reversed: in reversed() dependencies have the opposite direction, and inputs
/// become outputs.
struct Program {
  struct Bytes {
    int64_t size = 0;
    int32_t space = 0;
    /// The alias class: members of one group share their bytes.
    int32_t group = 0;
    /// Alive before the first and after the last operation.
    bool input = false, output = false;
    /// The operations that access it, sorted, each once.
    std::vector<int32_t> touches;
  };
  std::vector<Bytes> buffers;
  std::vector<std::vector<int32_t>> groups;
  /// By operation.
  std::vector<std::vector<int32_t>> before, after, buffersOf, groupsOf;
  size_t spaces = 1;

  explicit Program(const Problem &problem);
  Program reversed() const;
  size_t size() const { return before.size(); }
  /// Number of accesses: the buffers of each operation, summed.
  int64_t touches() const;
};

/// Bytes by space.
using Load = std::vector<int64_t>;

/// The buffers that are alive after some operations have run: those that one
/// operation has accessed and another has yet to access.
class Runner {
public:
  explicit Runner(const Program &program);

  const Load &load() const { return now; }
  bool isReady(int32_t operation) const {
    return !done[operation] && waits[operation] == 0;
  }
  bool isDone(int32_t operation) const { return done[operation]; }
  /// Operations that access a buffer and have not run.
  int32_t left(int32_t buffer) const { return rest[buffer]; }
  bool isStarted(int32_t buffer) const { return started[buffer]; }

  /// The bytes that the operation would add while it runs, and how many of
  /// these would remain afterwards (negative if it frees more), by space.
  void peek(int32_t operation, Load &during, Load &afterwards) const;
  /// Runs it, and raises `peak` to the bytes alive while it runs.
  void run(int32_t operation, Load &peak);

private:
  const Program &program;
  Load now;
  mutable Load add, keep;
  std::vector<bool> done, started;
  std::vector<int32_t> waits, rest;
};

/// Sum over the spaces; saturates.
int64_t total(const Load &load);

/// Most bytes alive while the operations run in this order, by space.
Load peakOf(const Program &program, std::span<const int32_t> order);

} // namespace tamc::planning

#endif // TAMC_PLANNING_PROGRAM_H
