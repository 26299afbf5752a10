//===- tamrt/memory/CachingAllocator.h - blocks reused by stream *- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A cache of a device's memory for work on streams. To obtain memory from a
/// device, or to return it, can take as long as a kernel and often waits for
/// all kernels; the cache avoids that.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_CACHINGALLOCATOR_H
#define TAMRT_MEMORY_CACHINGALLOCATOR_H

#include "tamrt/memory/DeviceCache.h"
#include "tamrt/memory/RawMemory.h"
#include "tamrt/memory/Statistics.h"
#include "tamrt/memory/Streams.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tamrt {

/// How a CachingAllocator behaves.
struct CachingOptions {
  /// Addresses and sizes of blocks are multiples of this power of two, or of
  /// the raw memory's granularity if that is larger.
  size_t granularity = 512;
  /// Requests of up to this many bytes come from segments of `smallSegment`
  /// bytes that serve no other requests, so that small blocks do not fragment
  /// the segments of large ones.
  size_t small = size_t(1) << 20;
  size_t smallSegment = size_t(2) << 20;
  /// Requests below this come from segments of `largeSegment` bytes; larger
  /// ones have a segment of their own, a multiple of `segmentUnit`.
  size_t large = size_t(10) << 20;
  size_t largeSegment = size_t(20) << 20;
  size_t segmentUnit = size_t(2) << 20;
  /// The rest of a free block in a large segment is split off if it is larger
  /// than this; in a small segment it is always split off.
  size_t minRest = size_t(1) << 20;
  /// Sizes are rounded up to powers of two, and each block has a segment of its
  /// own.
  bool powersOfTwo = false;
  /// If true, a block belongs to the stream that it was allocated for; as the
  /// stream's work runs in order, the stream may reuse the block as soon as it
  /// is released. If false, blocks belong to no stream, and every use must be
  /// recorded.
  bool ownedByStreams = true;

  /// For pinned memory of the host, which is slow to obtain and may be shared
  /// by all streams.
  static CachingOptions pinnedHost();
};

/// Blocks cut out of segments of a raw memory, best fit, kept when released.
///
/// A released block can be reused by its own stream at once, because later work
/// on a stream runs later. No other stream gets it, except through
/// emptyCache(), which waits for the stream. If recordUse() named other
/// streams, an event is recorded on each when the block is released, and the
/// block is not reused before all these events have passed.
///
/// If the raw memory has no more, the allocator waits for the uses of released
/// blocks, returns all that is cached, and tries the request again: for a whole
/// segment if anything was returned, and if that fails for no more than the
/// request needs. It waits under its lock: work that a stream runs must not
/// call the allocator.
///
/// An operation takes O(log n) expected for n free blocks of a stream, queries
/// one event for each stream that has events, and allocates only when the
/// arrays of records double.
class CachingAllocator final : public DeviceCache {
public:
  /// Both must outlive the allocator.
  CachingAllocator(RawMemory &raw, Streams &streams,
                   CachingOptions options = {});
  /// Waits for all events and returns all segments, even if blocks are in use.
  ~CachingAllocator() override;
  CachingAllocator(const CachingAllocator &) = delete;
  CachingAllocator &operator=(const CachingAllocator &) = delete;

  void *allocate(size_t bytes, Stream stream,
                 uint32_t tag = 0) noexcept override;
  bool release(void *address) noexcept override;
  bool recordUse(void *address, Stream stream) noexcept override;
  size_t emptyCache() noexcept override;
  uint32_t openTag(std::string_view name) noexcept override;
  void closeTag(uint32_t tag) noexcept override;
  MemoryStatistics statistics() const noexcept override;
  MemorySnapshot snapshot() const override;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_CACHINGALLOCATOR_H
