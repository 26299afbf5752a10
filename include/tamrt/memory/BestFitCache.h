//===- tamrt/memory/BestFitCache.h - best fit for streams -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A BestFitAllocator with the interface of a DeviceCache.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_BESTFITCACHE_H
#define TAMRT_MEMORY_BESTFITCACHE_H

#include "tamrt/memory/BestFitAllocator.h"
#include "tamrt/memory/DeviceCache.h"
#include "tamrt/memory/Streams.h"

#include <memory>

namespace tamrt {

/// Any stream may reuse a block, so release() waits for the streams that use
/// it: its own, and those that recordUse() named. Work on the default stream
/// must have finished when release() is called.
class BestFitCache final : public DeviceCache {
public:
  /// Both must outlive the cache.
  BestFitCache(RawMemory &raw, Streams &streams, BestFitOptions options = {});
  ~BestFitCache() override;
  BestFitCache(const BestFitCache &) = delete;
  BestFitCache &operator=(const BestFitCache &) = delete;

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

#endif // TAMRT_MEMORY_BESTFITCACHE_H
