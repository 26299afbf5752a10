//===- tamrt/memory/BestFitAllocator.h - best fit, coalescing ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An allocator of blocks out of a few large regions. It knows no streams: the
/// use of a block must have ended when release() is called.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_BESTFITALLOCATOR_H
#define TAMRT_MEMORY_BESTFITALLOCATOR_H

#include "tamrt/memory/RawMemory.h"
#include "tamrt/memory/Snapshot.h"
#include "tamrt/memory/Statistics.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

namespace tamrt {

/// How a BestFitAllocator behaves.
struct BestFitOptions {
  /// Addresses and sizes of blocks are multiples of this power of two, or of
  /// the raw memory's granularity if that is larger.
  size_t granularity = 256;
  /// Limit on the bytes of all regions together.
  size_t limit = std::numeric_limits<size_t>::max();
  /// If true, regions are obtained when they are needed. The first has
  /// `firstRegion` bytes, each further one twice as many as the last, up to
  /// `maxRegion`; more if a request needs it, fewer if no more are free. If
  /// false, only reserve() obtains regions.
  bool grows = true;
  size_t firstRegion = size_t(1) << 20;
  size_t maxRegion = size_t(1) << 34;
};

/// A request to an allocator.
struct MemoryRequest {
  /// 0 counts as 1.
  size_t bytes = 0;
  /// A power of two.
  size_t alignment = 1;
  /// As openTag() returned it; 0 is none.
  uint32_t tag = 0;
};

/// Best fit with coalescing. A request takes the smallest free block that is
/// large enough, the lowest if there are several, and splits off the rest. A
/// released block is joined with its free neighbours at once. Free blocks are
/// ordered by size and address in bins by powers of two. All records are kept
/// outside the memory: no byte behind an address is read or written.
///
/// All functions may be called from several threads at once. Only snapshot()
/// throws; a request fails if there is no memory for its record. An operation
/// takes O(log n) expected for n free blocks, plus the raw memory's time if it
/// obtains a region. It allocates only when the arrays of records double.
class BestFitAllocator {
public:
  /// `raw` must outlive the allocator.
  explicit BestFitAllocator(RawMemory &raw, BestFitOptions options = {});
  /// Returns all regions, even if blocks are in use.
  ~BestFitAllocator();
  BestFitAllocator(const BestFitAllocator &) = delete;
  BestFitAllocator &operator=(const BestFitAllocator &) = delete;

  /// A block; null if there is no memory: no free block, and no further region
  /// even after regions without a used block were returned.
  void *allocate(const MemoryRequest &request) noexcept;
  void *allocate(size_t bytes) noexcept {
    return allocate(MemoryRequest{bytes, 1, 0});
  }

  /// Ends the use of a block. Returns false and does nothing if `address` is
  /// not that of a block in use; null is allowed.
  bool release(void *address) noexcept;

  /// Bytes of the block at `address`, as rounded; 0 if there is none.
  size_t sizeOf(const void *address) const noexcept;

  /// Obtains one region of `bytes`, rounded up, now. False if it would exceed
  /// the limit or the raw memory has no such region.
  bool reserve(size_t bytes) noexcept;

  /// Returns all regions without a block in use to the raw memory; returns
  /// their bytes.
  size_t trim() noexcept;

  /// Opens a tag: requests with it are counted under `name`. Names are never
  /// removed, nor are their counts and peaks: a name has the same tag each
  /// time. 0 if there is no memory for it.
  uint32_t openTag(std::string_view name) noexcept;
  /// Closes a tag. Releases of its blocks are still counted.
  void closeTag(uint32_t tag) noexcept;

  MemoryStatistics statistics() const noexcept;
  /// The allocator's present state. O(n log n) for n blocks.
  MemorySnapshot snapshot() const;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_BESTFITALLOCATOR_H
