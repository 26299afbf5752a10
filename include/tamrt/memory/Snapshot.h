//===- tamrt/memory/Snapshot.h - blocks at one moment -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All regions and blocks of an allocator, for JSON output and drawing.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_SNAPSHOT_H
#define TAMRT_MEMORY_SNAPSHOT_H

#include "tamrt/memory/Statistics.h"

#include <string>
#include <vector>

namespace tamrt {

/// A part of a region.
struct MemoryBlock {
  enum class State { Free, Used, Waiting };
  State state = State::Free;
  uintptr_t address = 0;
  size_t bytes = 0;
  /// The size requested; 0 for a free block.
  size_t requested = 0;
  /// The allocator's clock when the block was allocated; 0 for a free block.
  uint64_t born = 0;
  /// Index into MemorySnapshot::tags; 0 is no tag.
  uint32_t tag = 0;
};

/// A contiguous block from the raw memory.
struct MemoryRegion {
  uintptr_t address = 0;
  size_t bytes = 0;
  /// The stream of its blocks; 0 if the allocator knows no streams.
  Stream stream = 0;
  /// Ascending, without gaps.
  std::vector<MemoryBlock> blocks;
};

/// An allocator at one moment.
struct MemorySnapshot {
  /// Name of the raw memory.
  std::string name;
  /// Allocations and releases so far: the allocator's clock.
  uint64_t now = 0;
  /// By ascending address.
  std::vector<MemoryRegion> regions;
  MemoryStatistics statistics;
  /// Ascending; bins without a block are left out.
  std::vector<BinStatistics> bins;
  /// In the order in which the streams were first seen.
  std::vector<StreamStatistics> streams;
  /// The first is for requests without a tag.
  std::vector<TagStatistics> tags;
};

/// The blocks in use as a planning problem with its plan, in the JSON form of
/// tam-plan, which draws it (`--emit=svg`, `--emit=html`). A block, also a
/// waiting one, is a buffer that lives from the allocator's clock at its
/// allocation to now; its offset is that in its region, and every region is a
/// space. A buffer's name has its tag and the clock at its allocation, a
/// space's name its index in the list. The member `snapshot` is an object with
/// the members of the structs above, in their order and with their names in
/// snake case: a Level is {"now", "peak"}, an address a string, "0x...", a
/// state "free", "used" or "waiting". tam-plan verifies the member `checksum`
/// (tamrt/checksum.h). Ends with a newline. Linear.
std::string toPlanningJson(const MemorySnapshot &snapshot);

} // namespace tamrt

#endif // TAMRT_MEMORY_SNAPSHOT_H
