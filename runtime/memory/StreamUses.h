//===- memory/StreamUses.h - uses of blocks on other streams ----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_STREAMUSES_H
#define TAMRT_MEMORY_STREAMUSES_H

#include "memory/ChunkTable.h"
#include "tamrt/memory/Streams.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tamrt {

/// Uses of blocks by streams: at first in a list for each block; after the
/// block's release as events in a queue for each stream, in the order in which
/// they pass. Not thread-safe.
class StreamUses {
public:
  explicit StreamUses(Streams &streams) : streams(streams) {}
  ~StreamUses();

  /// Adds a use by `stream` to the list that begins at `list` (noChunk if
  /// empty), unless it is in the list. False if there is no memory. O(uses of
  /// the block + log streams).
  bool note(uint32_t &list, Stream stream) noexcept;

  /// Records an event for each use of a list; `chunk` waits for them. Returns
  /// their number. If no event is left, waits for the stream's work instead.
  uint32_t record(uint32_t list, uint32_t chunk) noexcept;

  /// Empties a list and calls look(stream) for each of its uses.
  template <class Look> void forget(uint32_t list, const Look &look) {
    for (uint32_t use = list, next; use != noChunk; use = next) {
      next = uses[use].next;
      look(queues[uses[use].queue].stream);
      removeUse(use);
    }
  }

  /// Calls done(chunk) for each event that has passed.
  template <class Done> void poll(const Done &done) {
    if (outstanding > 0)
      drain(done, /*waits=*/false);
  }
  /// Waits for all events and calls done(chunk) for each.
  template <class Done> void waitForAll(const Done &done) {
    drain(done, /*waits=*/true);
  }

private:
  struct Use {
    StreamEvent event = 0;
    uint32_t queue = 0;
    uint32_t chunk = noChunk;
    /// Next in the list of the block, in the queue of the stream, or in the
    /// list of unused records.
    uint32_t next = noChunk;
  };
  struct Queue {
    Stream stream = 0;
    uint32_t first = noChunk, last = noChunk;
  };

  uint32_t queueOf(Stream stream) noexcept;
  uint32_t addUse() noexcept;
  void removeUse(uint32_t use) noexcept {
    uses[use].next = firstUnused;
    firstUnused = use;
  }

  template <class Done> void drain(const Done &done, bool waits) {
    for (Queue &queue : queues)
      while (queue.first != noChunk) {
        const uint32_t use = queue.first;
        const StreamEvent event = uses[use].event;
        if (waits)
          streams.wait(event);
        else if (!streams.passed(event))
          break;
        streams.destroy(event);
        queue.first = uses[use].next;
        --outstanding;
        const uint32_t chunk = uses[use].chunk;
        removeUse(use);
        done(chunk);
      }
  }

  Streams &streams;
  std::vector<Use> uses;
  uint32_t firstUnused = noChunk;
  std::vector<Queue> queues;
  std::map<Stream, uint32_t> indices;
  size_t outstanding = 0;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_STREAMUSES_H
