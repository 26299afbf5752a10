//===- tamrt/memory/CachingAllocator.h - blocks reused by stream *- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A cache of a device's memory for work on streams. It exists because to
/// obtain memory from a device, or return it, can take as long as a kernel and
/// often waits for all kernels.
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
#include <limits>
#include <memory>

namespace tamrt {

/// How a CachingAllocator behaves.
struct CachingOptions {
  /// Addresses and sizes of blocks are multiples of this, a power of two; of
  /// the raw memory's granularity where that is larger.
  size_t granularity = 512;
  /// Requests of up to this many bytes come from segments of `smallSegment`,
  /// which serve no others, so that large blocks do not get caught between
  /// small ones.
  size_t small = size_t(1) << 20;
  size_t smallSegment = size_t(2) << 20;
  /// Requests below this come from segments of `largeSegment`; larger ones
  /// have a segment of their own, a multiple of `segmentUnit`.
  size_t large = size_t(10) << 20;
  size_t largeSegment = size_t(20) << 20;
  size_t segmentUnit = size_t(2) << 20;
  /// Of a free block of a large segment a rest is split off when it is larger
  /// than this; of one of a small segment always.
  size_t minRest = size_t(1) << 20;
  /// A free block of more than this is not split; it serves requests that leave
  /// at most `maxWaste` of it.
  size_t maxSplit = std::numeric_limits<size_t>::max();
  size_t maxWaste = size_t(20) << 20;
  /// Sizes are rounded up to powers of two, and each block has a segment of its
  /// own.
  bool powersOfTwo = false;
  /// Limit on the bytes of all segments together.
  size_t limit = std::numeric_limits<size_t>::max();
  /// Blocks belong to the stream that they were allocated for, whose order
  /// makes a released one free for it at once. Otherwise they belong to none,
  /// and every use is to be recorded.
  bool ownedByStreams = true;
  MemoryObserver observer;

  /// For pinned memory of the host, which is slow to obtain and may be shared
  /// by all streams.
  static CachingOptions pinnedHost();
};

/// Blocks cut out of segments of a raw memory, best fit, kept when released.
///
/// A released block is reused by its own stream at once, because what comes
/// later on a stream runs later. No other stream gets it; it goes to another
/// one by emptyCache() alone, which waits for the stream. Where recordUse()
/// named other streams, an event is recorded on each when the block is
/// released, and nobody gets the block before all of them have passed.
///
/// When the raw memory has no more, or the limit is reached, all that is cached
/// is returned, after waiting for what was released, and the request is tried
/// once more: for a segment where anything was returned, and else, or then, for
/// no more than it needs. Waiting is done under the lock: work that a stream
/// runs must not call the allocator.
///
/// An operation takes O(log n) expected for n free blocks of a stream, looks at
/// one event for each stream that has some, and allocates nothing but, now and
/// then, when the arrays of records double.
class CachingAllocator final : public DeviceCache {
public:
  /// Both must outlive the allocator.
  CachingAllocator(RawMemory &raw, Streams &streams,
                   CachingOptions options = {});
  /// Waits for all events and returns all segments, whatever is in use.
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
  void resetPeaks() noexcept override;

  /// Bytes of the block at `address`, as rounded; 0 when there is none.
  size_t sizeOf(const void *address) const noexcept;

  /// A pool for a graph, whose blocks lie at addresses that stay the graph's:
  /// what is captured is released and reused within the pool, but goes to
  /// nobody else, and is not returned, before closePool(). 0 when the streams
  /// do not capture, or there is no memory for it.
  uint32_t openPool() noexcept;
  /// From now on requests for `stream` are served from `pool`. While any stream
  /// captures, no event is recorded, asked or waited for and nothing is
  /// returned to the raw memory, for that would break the capture: released
  /// blocks with uses on other streams wait for its end. False when the pool is
  /// not open or the stream captures already.
  bool beginCapture(Stream stream, uint32_t pool) noexcept;
  /// False when the stream does not capture.
  bool endCapture(Stream stream) noexcept;
  /// The graph is gone: what is free of the pool, and what is released later,
  /// may be returned. False when there is no such pool, or a stream captures
  /// into it.
  bool closePool(uint32_t pool) noexcept;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_CACHINGALLOCATOR_H
