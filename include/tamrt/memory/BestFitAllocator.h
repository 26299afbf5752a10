//===- tamrt/memory/BestFitAllocator.h - best fit, coalescing ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An allocator of blocks out of a few large regions, for memory that is in use
/// when release() is called or not in use at all: there are no streams in it.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_BESTFITALLOCATOR_H
#define TAMRT_MEMORY_BESTFITALLOCATOR_H

#include "tamrt/memory/RawMemory.h"
#include "tamrt/memory/Snapshot.h"
#include "tamrt/memory/Statistics.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tamrt {

/// Called once for each region that is obtained and once when it is returned,
/// for example to register its pages with a device. Called under the
/// allocator's lock; must neither call the allocator nor throw. Either may be
/// empty.
struct RegionVisitor {
  std::function<void(void *address, size_t bytes)> obtained;
  std::function<void(void *address, size_t bytes)> returned;
};

/// How a BestFitAllocator behaves.
struct BestFitOptions {
  /// Addresses and sizes of blocks are multiples of this, a power of two; of
  /// the raw memory's granularity where that is larger.
  size_t granularity = 256;
  /// Limit on the bytes of all regions together.
  size_t limit = std::numeric_limits<size_t>::max();
  /// Regions are obtained when they are needed: the first has this many bytes,
  /// each further one twice as many as the last, up to the most; more where a
  /// request needs it, less where there is no more. Otherwise only reserve()
  /// obtains regions.
  bool grows = true;
  size_t firstRegion = size_t(1) << 20;
  size_t maxRegion = size_t(1) << 34;
  std::vector<RegionVisitor> visitors;
  MemoryObserver observer;
};

/// A request to an allocator.
struct MemoryRequest {
  /// 0 is taken for 1.
  size_t bytes = 0;
  /// A power of two.
  size_t alignment = 1;
  /// As openTag() returned it; 0 is none.
  uint32_t tag = 0;
  /// How long to wait for other threads to release memory if there is none.
  std::chrono::nanoseconds patience{0};
};

/// `fraction` (0 to 1) of the bytes that are free in `raw` now: a limit for the
/// options above. Nothing if the raw memory cannot tell.
std::optional<size_t> limitOfFraction(RawMemory &raw, double fraction);

/// Best fit with coalescing. The smallest free block that is large enough is
/// taken, of several the lowest, and what is not needed of it is split off; a
/// released block is joined with its free neighbours at once. Free blocks are
/// ordered by size and address in bins by powers of two. All records are out of
/// band: no byte behind an address is touched.
///
/// All functions may be called from several threads at once. None throws but
/// those that return containers; when there is no memory for records, there is
/// no memory. An operation takes O(log n) expected for n free blocks, and as
/// long as the raw memory needs when a region is obtained; it allocates nothing
/// but, now and then, when the arrays of records double.
class BestFitAllocator {
public:
  /// `raw` must outlive the allocator.
  explicit BestFitAllocator(RawMemory &raw, BestFitOptions options = {});
  /// Returns all regions, whatever is in use.
  ~BestFitAllocator();
  BestFitAllocator(const BestFitAllocator &) = delete;
  BestFitAllocator &operator=(const BestFitAllocator &) = delete;

  /// A block; null when there is no memory: no free block, no further region
  /// even after regions without a used block were returned, and nothing
  /// released by others before the request's patience ended.
  void *allocate(const MemoryRequest &request) noexcept;
  void *allocate(size_t bytes) noexcept {
    return allocate(MemoryRequest{bytes, 1, 0, {}});
  }

  /// Ends the use of a block. False, and nothing else, when `address` is not
  /// that of a block in use; null is fine.
  bool release(void *address) noexcept;

  /// Bytes of the block at `address`, as rounded; 0 when there is none.
  size_t sizeOf(const void *address) const noexcept;

  /// Obtains one region of `bytes`, rounded up, now. False when the limit or
  /// the raw memory forbids it.
  bool reserve(size_t bytes) noexcept;

  /// Returns all regions of which no block is in use; the bytes of them.
  size_t trim() noexcept;

  /// Begins a part of the program under whose name requests are counted. Names
  /// are kept for good, with their counts and high-water marks: the tag of a
  /// name is the same each time. 0 when there is no memory for it.
  uint32_t openTag(std::string_view name) noexcept;
  /// Ends what openTag() began; what it holds still counts as it is released.
  void closeTag(uint32_t tag) noexcept;

  /// Of the raw memory, with this allocator's granularity.
  MemoryAttributes attributes() const;
  MemoryStatistics statistics() const noexcept;
  /// Counts by tag; the first one stands for requests without a tag.
  std::vector<TagStatistics> tags() const;
  /// Everything at this moment. O(n log n) for n blocks.
  MemorySnapshot snapshot() const;
  /// Resets all peaks to the present values, except those of tags.
  void resetPeaks() noexcept;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_BESTFITALLOCATOR_H
