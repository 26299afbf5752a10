//===- tamrt/memory/Snapshot.h - blocks at one moment -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All regions and blocks of an allocator, for inspection, JSON output or
/// drawing.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_SNAPSHOT_H
#define TAMRT_MEMORY_SNAPSHOT_H

#include "tamrt/memory/Statistics.h"

#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// A part of a region.
struct MemoryBlock {
  enum class State { Free, Used, Waiting };
  State state = State::Free;
  uintptr_t address = 0;
  size_t bytes = 0;
  /// As asked for; 0 of a free block.
  size_t requested = 0;
  /// The allocator's clock when the block was allocated; 0 of a free block.
  uint64_t born = 0;
  /// Index into MemorySnapshot::tags; 0 is no tag.
  uint32_t tag = 0;
};

/// A contiguous block from the raw memory.
struct MemoryRegion {
  uintptr_t address = 0;
  size_t bytes = 0;
  /// Whose blocks it serves; 0 where the allocator knows no streams.
  Stream stream = 0;
  /// The graph pool it belongs to; 0 is none.
  uint32_t pool = 0;
  /// Ascending, without gaps.
  std::vector<MemoryBlock> blocks;
};

/// An allocator at one moment.
struct MemorySnapshot {
  /// Of the raw memory.
  std::string name;
  /// Allocations and releases so far: the allocator's clock.
  uint64_t now = 0;
  /// By ascending address.
  std::vector<MemoryRegion> regions;
  MemoryStatistics statistics;
  /// Ascending; those without a block are left out.
  std::vector<BinStatistics> bins;
  /// In the order in which the streams were first seen.
  std::vector<StreamStatistics> streams;
  /// The first one stands for requests without a tag.
  std::vector<TagStatistics> tags;
};

/// The state as text: "free", "used" or "waiting".
std::string_view toString(MemoryBlock::State state);

/// The snapshot as one JSON object with the members of the structs above, in
/// their order and by their names in snake case; a level is {"now", "peak"},
/// and addresses are texts, "0x...". Ends with a newline. Linear.
std::string toJson(const MemorySnapshot &snapshot);

/// The blocks in use as a planning problem whose plan is made, in the JSON form
/// of tam-plan, which draws it (`--emit=svg`, `--emit=html`): a buffer lives
/// from the allocator's clock at its birth to now (waiting ones too), lies at
/// its offset, and every region is a space. A buffer is called after its tag
/// and its birth, a space after its place in the list. The member `snapshot`
/// has all that `toJson` writes; tam-plan verifies the member `checksum`
/// (tamrt/checksum.h). Linear.
std::string toPlanningJson(const MemorySnapshot &snapshot);

} // namespace tamrt

#endif // TAMRT_MEMORY_SNAPSHOT_H
