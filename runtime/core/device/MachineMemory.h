//===- core/device/MachineMemory.h - free memory of a process ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How much memory a process may still take on the CPU: the least of what the
/// machine, its control groups (of both versions) and its resource limits
/// leave. Nothing here throws; it needs little memory.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_MACHINEMEMORY_H
#define TAMRT_CORE_DEVICE_MACHINEMEMORY_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tamrt {

/// Where to look, so that tests can look elsewhere.
struct MemorySources {
  /// Put before /proc and /sys.
  std::string root;
  /// Limits on address space and on data, in bytes; none: unlimited.
  std::optional<int64_t> addressSpace, data;

  /// The machine's own.
  static MemorySources machine();
};

/// What one source leaves to the process.
struct MemorySource {
  /// "available RAM", "control group /a/b", "limit on address space", "limit on
  /// data".
  std::string name;
  int64_t free = 0;
};

/// What all sources leave.
struct MachineMemory {
  /// Those that there are; a machine that tells nothing has none.
  std::vector<MemorySource> sources;

  /// The source that leaves least, the first of several; null if none.
  const MemorySource *tightest() const;

  /// Bytes that it leaves, not negative; INT64_MAX if there is none.
  int64_t free() const;
};

/// Asks all sources: MemAvailable of /proc/meminfo; of the process's control
/// group and each above it the limit less what is in use, where pages of files
/// that have not been used of late do not count, for the kernel gives them back
/// first; limits on address space and data less what /proc/self/statm says is
/// taken.
MachineMemory
machineMemory(const MemorySources &sources = MemorySources::machine());

/// Bytes of address space the process takes now; 0 when that is not told. Needs
/// no memory: for when there is none.
int64_t processBytes();

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_MACHINEMEMORY_H
