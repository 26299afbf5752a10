//===- tamrt/memory/OrderedAllocator.h - blocks in stream order -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An allocator for devices that allocate and free memory in the order of a
/// stream themselves. It only orders the uses by other streams, and keeps
/// statistics.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_ORDEREDALLOCATOR_H
#define TAMRT_MEMORY_ORDEREDALLOCATOR_H

#include "tamrt/memory/DeviceCache.h"
#include "tamrt/memory/Statistics.h"
#include "tamrt/memory/Streams.h"

#include <cstddef>
#include <memory>
#include <string>

namespace tamrt {

/// Passes requests on to Streams::allocate. A released block is freed at the
/// present end of its stream; the stream first waits, on the device, for the
/// other streams that recordUse() named. The allocator keeps no memory: the
/// device has a cache of its own, which emptyCache() does not empty. Each call
/// takes O(streams) expected plus the device's time.
class OrderedAllocator final : public DeviceCache {
public:
  /// `streams` allocates in order and outlives the allocator; addresses are
  /// multiples of `granularity`, a power of two.
  explicit OrderedAllocator(Streams &streams, std::string name,
                            size_t granularity = 256);
  /// Frees what is in use, as release() does.
  ~OrderedAllocator() override;
  OrderedAllocator(const OrderedAllocator &) = delete;
  OrderedAllocator &operator=(const OrderedAllocator &) = delete;

  void *allocate(size_t bytes, Stream stream,
                 uint32_t tag = 0) noexcept override;
  bool release(void *address) noexcept override;
  bool recordUse(void *address, Stream stream) noexcept override;
  /// Nothing is cached here: 0.
  size_t emptyCache() noexcept override { return 0; }
  uint32_t openTag(std::string_view name) noexcept override;
  void closeTag(uint32_t tag) noexcept override;
  MemoryStatistics statistics() const noexcept override;
  MemorySnapshot snapshot() const override;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_ORDEREDALLOCATOR_H
