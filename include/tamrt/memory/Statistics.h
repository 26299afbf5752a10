//===- tamrt/memory/Statistics.h - statistics of allocators -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Statistics of an allocator. Bytes of blocks are rounded sizes, except those
/// called requested.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_STATISTICS_H
#define TAMRT_MEMORY_STATISTICS_H

#include "tamrt/memory/Streams.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tamrt {

/// A number of bytes, and its peak.
struct Level {
  size_t now = 0;
  size_t peak = 0;

  void add(size_t bytes) {
    now += bytes;
    if (now > peak)
      peak = now;
  }
  void subtract(size_t bytes) { now -= bytes; }
};

/// The state of an allocator, and what has happened to it.
struct MemoryStatistics {
  /// Blocks that are in use.
  Level used;
  /// The same, by the sizes requested.
  Level requested;
  /// Regions obtained from the raw memory and not returned.
  Level reserved;
  /// Released blocks whose uses on streams have not ended.
  size_t waiting = 0;
  /// Free bytes of the regions: reserved minus used and waiting.
  size_t free = 0;
  /// Bytes of the largest block that needs no further region.
  size_t largestFree = 0;
  /// Numbers of blocks in use, waiting and free.
  size_t usedBlocks = 0;
  size_t waitingBlocks = 0;
  size_t freeBlocks = 0;
  /// Number of regions obtained and not returned.
  size_t regions = 0;

  uint64_t allocations = 0;
  uint64_t releases = 0;
  uint64_t regionsObtained = 0;
  uint64_t regionsReturned = 0;
  /// Requests that were tried again because there was no memory at first.
  uint64_t retries = 0;
  /// Requests that got no memory. One that waits for memory counts each time
  /// that it is tried.
  uint64_t failures = 0;

  /// Counts a region of `bytes` bytes that was returned to the raw memory.
  void regionReturned(size_t bytes) {
    reserved.subtract(bytes);
    --regions;
    ++regionsReturned;
  }

  /// The share of the free bytes outside the largest free block: 0 if one block
  /// has all free bytes, or nothing is free.
  double fragmentation() const {
    return free == 0 ? 0
                     : 1 - static_cast<double>(largestFree) /
                               static_cast<double>(free);
  }
};

/// The blocks of sizes [least, 2 * least).
struct BinStatistics {
  size_t least = 0;
  size_t usedBlocks = 0;
  size_t usedBytes = 0;
  size_t freeBlocks = 0;
  size_t freeBytes = 0;
};

/// The blocks that were allocated for one stream.
struct StreamStatistics {
  Stream stream = 0;
  Level used;
  size_t waiting = 0;
  size_t free = 0;
  uint64_t allocations = 0;
  uint64_t releases = 0;
};

/// Requests with one tag, for example those of a kernel's launches.
struct TagStatistics {
  std::string name;
  /// Bytes requested and not released yet, and their peak.
  Level requested;
  /// The peak since the tag was last opened.
  size_t latestPeak = 0;
  /// Requests, and the sum of their bytes.
  uint64_t requests = 0;
  uint64_t bytes = 0;
  /// How often the tag was opened, and how often it is open now.
  uint64_t openings = 0;
  uint64_t open = 0;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_STATISTICS_H
