//===- tamrt/memory/Streams.h - streams and events --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The streams of a device that works asynchronously. A stream is a queue of
/// work; an event is a point in a stream that passes when all work before it is
/// done.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_STREAMS_H
#define TAMRT_MEMORY_STREAMS_H

#include <cstddef>
#include <cstdint>

namespace tamrt {

/// The device's handle of a queue of work; 0 is the device's default queue.
using Stream = uint64_t;

/// A point in a stream; 0 is none.
using StreamEvent = uint64_t;

/// The streams of one device. All functions may be called from several threads
/// at once, and none throws.
class Streams {
public:
  virtual ~Streams() = default;

  /// Records an event: it passes when all work that was given to the stream
  /// before this call is done. 0 if there is no event left: the caller must
  /// `synchronize` instead.
  virtual StreamEvent record(Stream stream) noexcept = 0;

  /// Whether the event has passed. Does not wait.
  virtual bool passed(StreamEvent event) noexcept = 0;

  /// Returns when the event has passed.
  virtual void wait(StreamEvent event) noexcept = 0;

  /// Destroys an event, passed or not. Must be called for every event.
  virtual void destroy(StreamEvent event) noexcept = 0;

  /// Returns when all work that was given to the stream is done.
  virtual void synchronize(Stream stream) noexcept = 0;

  // The rest is for OrderedAllocator, on a device that allocates and frees in
  // the order of a stream.

  /// `bytes` (1 or more), aligned to `alignment` (a power of two), for work
  /// that is given to `stream` from now on; null if there is no memory.
  virtual void *allocate(size_t, size_t, Stream) noexcept { return nullptr; }

  /// Frees a block of `allocate` when the stream reaches this point.
  virtual void release(void *, size_t, Stream) noexcept {}

  /// Makes work that is given to `stream` from now on wait for the event; the
  /// caller does not wait. The event may be destroyed before it passes.
  virtual void order(Stream, StreamEvent) noexcept {}
};

} // namespace tamrt

#endif // TAMRT_MEMORY_STREAMS_H
