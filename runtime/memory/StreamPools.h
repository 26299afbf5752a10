//===- memory/StreamPools.h - free blocks by stream and kind ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_STREAMPOOLS_H
#define TAMRT_MEMORY_STREAMPOOLS_H

#include "memory/FreeBins.h"
#include "tamrt/memory/Statistics.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tamrt {

/// The free blocks of a caching allocator: one pool of small and one of large
/// segments for each stream. Not thread-safe.
class StreamPools {
public:
  struct Pool {
    FreeBins bins;
    /// Index into StreamPools::streams().
    uint32_t stream = 0;
    bool small = false;
    /// Segments are to be returned when the stream has done its work.
    bool returns = false;
  };

  /// The index of a pool, which is made at its first use; noChunk if there is
  /// no memory. O(log pools), O(1) for the pool of the last call.
  uint32_t find(Stream stream, bool small) noexcept;

  Pool &operator[](uint32_t pool) { return pools[pool]; }
  const Pool &operator[](uint32_t pool) const { return pools[pool]; }
  StreamStatistics &streamOf(uint32_t pool) {
    return statistics[pools[pool].stream];
  }
  const StreamStatistics &streamOf(uint32_t pool) const {
    return statistics[pools[pool].stream];
  }

  /// Calls wait(stream) for the pools that are marked, and unmarks them.
  template <class Wait> void waitForMarked(const Wait &wait) {
    for (Pool &pool : pools)
      if (pool.returns) {
        wait(statistics[pool.stream].stream);
        pool.returns = false;
      }
  }

  /// In the order in which they were first seen.
  const std::vector<StreamStatistics> &streams() const { return statistics; }

  /// Bytes of the largest free block; 0 if there is none. O(pools + log n).
  size_t largestFree(const ChunkTable &chunks) const;

private:
  std::vector<Pool> pools;
  std::vector<StreamStatistics> statistics;
  /// By stream: the index of the pool of large segments, which comes before
  /// that of small ones.
  std::map<Stream, uint32_t> indices;
  Stream lastStream = 0;
  uint32_t last = noChunk;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_STREAMPOOLS_H
