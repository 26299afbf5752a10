//===- tamrt/memory/DeviceCache.h - blocks for streams ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface of one device's cache of memory.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_DEVICECACHE_H
#define TAMRT_MEMORY_DEVICECACHE_H

#include "tamrt/memory/Snapshot.h"
#include "tamrt/memory/Streams.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tamrt {

/// Blocks of one device's memory for work on its streams. All functions may be
/// called from several threads at once. Only snapshot() throws.
class DeviceCache {
public:
  virtual ~DeviceCache() = default;

  /// A block (0 bytes count as 1) for work that is given to `stream` from now
  /// on; null if there is no memory. `tag` is as openTag() returned it.
  virtual void *allocate(size_t bytes, Stream stream,
                         uint32_t tag = 0) noexcept = 0;

  /// Ends the use of a block. Work on its stream, and work recorded by
  /// recordUse(), may still use it: it is reused only when that is safe.
  /// Returns false and does nothing if `address` is not that of a block in use;
  /// null is allowed.
  virtual bool release(void *address) noexcept = 0;

  /// Records that work given to `stream` so far uses the block too. To be
  /// called after that work was given and before the block is released. False
  /// if there is no such block.
  virtual bool recordUse(void *address, Stream stream) noexcept = 0;

  /// Returns blocks that are not in use to the device, after waiting for the
  /// work that may still use them; returns their bytes.
  virtual size_t emptyCache() noexcept = 0;

  /// Tags of requests, as in BestFitAllocator.
  virtual uint32_t openTag(std::string_view name) noexcept = 0;
  virtual void closeTag(uint32_t tag) noexcept = 0;

  virtual MemoryStatistics statistics() const noexcept = 0;
  virtual MemorySnapshot snapshot() const = 0;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_DEVICECACHE_H
