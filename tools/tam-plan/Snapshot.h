//===- tools/tam-plan/Snapshot.h - reports on memory snapshots --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAM_PLAN_SNAPSHOT_H
#define TAM_PLAN_SNAPSHOT_H

#include "tamc/Planning/Strategy.h"
#include "tamc/Planning/TorchSnapshot.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

/// Reads a memory snapshot of PyTorch from a file, or from standard input for
/// "-".
std::variant<tamc::planning::TorchSnapshot, tamc::planning::Diagnostic>
readSnapshot(const std::string &path);

/// Prints the events of a snapshot while it is read as readSnapshot() does;
/// what is wrong with it, if anything is.
std::optional<tamc::planning::Diagnostic> printEvents(const std::string &path);

/// The report on a snapshot: its need, beside the plan `made` of its problem
/// with these options and what PyTorch's own allocator would do.
std::string reportSnapshot(const tamc::planning::TorchSnapshot &snapshot,
                           const tamc::planning::Problem &problem,
                           const tamc::planning::Plan &made,
                           const tamc::planning::Options &options);

/// The same report as JSON.
std::string reportSnapshotAsJson(const tamc::planning::TorchSnapshot &snapshot,
                                 const tamc::planning::Problem &problem,
                                 const tamc::planning::Plan &made,
                                 const tamc::planning::Options &options);

/// Whether the strategies would take too long for a report on a snapshot.
bool isLong(const tamc::planning::TorchSnapshot &snapshot);

/// The report on a long snapshot, without a plan of each allocation.
std::string reportLongSnapshot(const tamc::planning::TorchSnapshot &snapshot,
                               int64_t alignment);

#endif // TAM_PLAN_SNAPSHOT_H
