//===- app/Memory.h - memory of a fit beside its arenas ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_MEMORY_H
#define TAMRT_APP_MEMORY_H

#include "tamrt/abi.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tamrt {

/// Upper bounds, in bytes of address space, on what a fit takes beside the
/// memory of a rung on each thread (`fitMemory`). A fit of R rows of G groups
/// on T threads runs under
///
///     constant + T * rung + (T - 1) * perThread + R * perRow + G * perGroup.
struct MemoryNeed {
  /// The program, its libraries and what the C library keeps; the model's
  /// tables, and what it takes to learn them; the block of the file that the
  /// first thread reads.
  int64_t constant;
  /// Stack, block and such of a thread beside the first.
  int64_t perThread;
  /// The columns the model reads, in the order of the file and of the steps.
  int64_t perRow;
  /// Coefficients and ranges; written twice on their way to the file.
  int64_t perGroup;
};

/// The bounds of `model`.
MemoryNeed memoryNeed(const tamrt_model &model);

/// The same of a fit in parts (`--stream`), which runs under
///
///     constant + T * use.rung + (T - 1) * perThread + R * perRow
///       + G * perGroup + min(G * use.group, max(use.group, groupLimit))
///
/// unless `kept` says otherwise.
struct StreamNeed {
  /// One of the model's solvers: its largest rung without what is a group's,
  /// and what a group takes while it is fitted.
  struct Use {
    tamrt_step_kind kind;
    int64_t rung, group;
  };

  /// As of a fit in memory, the rows of a part of the file included.
  int64_t constant, perThread, perGroup;
  /// What learners keep of a row.
  int64_t perRow;
  /// Most bytes of all groups that are fitted at a time, but for one.
  int64_t groupLimit;
  std::vector<Use> uses;
  /// What is kept that grows with rows or distinct values, a phrase each.
  std::vector<std::string> kept;
};

StreamNeed streamNeed(const tamrt_model &model);

} // namespace tamrt

#endif // TAMRT_APP_MEMORY_H
