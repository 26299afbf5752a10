//===- core/device/MachineMemory.h - free memory of a process ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The memory that a process may still take on the CPU: the least that the
/// machine, the process's control groups (of both versions) and its resource
/// limits leave. Nothing here throws; it needs little memory.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_MACHINEMEMORY_H
#define TAMRT_CORE_DEVICE_MACHINEMEMORY_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tamrt {

/// The sources, which tests replace.
struct MemorySources {
  /// Prefix of /proc and /sys.
  std::string root;
  /// Limits on address space and on data, in bytes; none: unlimited.
  std::optional<int64_t> addressSpace, data;

  /// The machine's own.
  static MemorySources machine();
};

/// The memory that one source leaves to the process.
struct MemorySource {
  /// "available RAM", "control group /a/b", "limit on address space", "limit on
  /// data".
  std::string name;
  int64_t free = 0;
  /// Whether memory counts from its allocation on, before it is touched.
  bool countsUntouched = false;
};

/// The memory that each source leaves.
struct MachineMemory {
  /// The known sources; may be empty.
  std::vector<MemorySource> sources;

  /// The source that leaves the least, the first of several; null if there is
  /// none.
  const MemorySource *tightest() const;

  /// Bytes that it leaves, not negative; INT64_MAX if there is none.
  int64_t free() const;
};

/// Reads all sources. MemAvailable of /proc/meminfo. For the process's control
/// group and each above it, the limit minus the memory in use; inactive file
/// pages do not count, because the kernel reclaims them first. The limits on
/// address space and data minus the bytes in /proc/self/statm.
MachineMemory
machineMemory(const MemorySources &sources = MemorySources::machine());

/// Bytes of address space that the process takes now; 0 if unknown. Needs no
/// memory, so that it can be called when there is none.
int64_t processBytes();

/// Bytes of address space of the executable or shared library that holds this
/// code: from its first segment to the end of its last; 0 if unknown.
int64_t programBytes();

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_MACHINEMEMORY_H
