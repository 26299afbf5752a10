//===- memory/GraphPools.h - streams that capture into graphs ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_GRAPHPOOLS_H
#define TAMRT_MEMORY_GRAPHPOOLS_H

#include "memory/ChunkTable.h"
#include "tamrt/memory/Streams.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

namespace tamrt {

/// The open pools of graphs, the streams that capture into them, and the blocks
/// whose uses are processed when no stream captures any more. Pools are
/// numbered from 1. Not thread-safe.
class GraphPools {
public:
  /// 0 if there is no memory for it.
  uint32_t open() noexcept {
    try {
      isOpenPool.push_back(true);
    } catch (const std::exception &) {
      return 0;
    }
    return static_cast<uint32_t>(isOpenPool.size());
  }
  bool isOpen(uint32_t pool) const {
    return pool != 0 && pool <= isOpenPool.size() && isOpenPool[pool - 1];
  }
  bool close(uint32_t pool) noexcept {
    if (!isOpen(pool) ||
        std::any_of(captures.begin(), captures.end(),
                    [&](const Capture &each) { return each.pool == pool; }))
      return false;
    isOpenPool[pool - 1] = false;
    return true;
  }

  bool begin(Stream stream, uint32_t pool) noexcept {
    if (!isOpen(pool) || graphOf(stream) != 0)
      return false;
    try {
      captures.push_back({stream, pool});
    } catch (const std::exception &) {
      return false;
    }
    return true;
  }
  bool end(Stream stream) noexcept {
    auto capture = std::find_if(
        captures.begin(), captures.end(),
        [&](const Capture &each) { return each.stream == stream; });
    if (capture == captures.end())
      return false;
    captures.erase(capture);
    return true;
  }
  /// The pool that a stream captures into; 0 if it does not capture.
  uint32_t graphOf(Stream stream) const {
    for (const Capture &capture : captures)
      if (capture.stream == stream)
        return capture.pool;
    return 0;
  }
  bool capturing() const { return !captures.empty(); }

  /// Adds a chunk that is not in a bin to the list, through a link that bins
  /// use.
  void defer(ChunkTable &chunks, uint32_t chunk) {
    chunks[chunk].left = deferred;
    deferred = chunk;
  }
  /// Empties the list and calls look(chunk) for each chunk.
  template <class Look> void undefer(ChunkTable &chunks, const Look &look) {
    while (deferred != noChunk) {
      const uint32_t chunk = deferred;
      deferred = chunks[chunk].left;
      look(chunk);
    }
  }

private:
  struct Capture {
    Stream stream;
    uint32_t pool;
  };
  std::vector<bool> isOpenPool;
  std::vector<Capture> captures;
  uint32_t deferred = noChunk;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_GRAPHPOOLS_H
