//===- core/device/DeviceAllocator.h - a device's allocator -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The allocators of tamrt/memory over the functions of a backend. Internal to
/// Device.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_DEVICEALLOCATOR_H
#define TAMRT_CORE_DEVICE_DEVICEALLOCATOR_H

#include "tamrt/backend.h"
#include "tamrt/memory/DeviceCache.h"
#include "tamrt/memory/RawMemory.h"
#include "tamrt/memory/Streams.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tamrt {

/// The allocators of a device's memory.
enum class AllocatorKind {
  /// The backend itself, block by block. Released memory returns to it at once,
  /// so that kernels that run out of memory can use it.
  Direct,
  /// BestFitCache: released blocks are kept for the next request.
  BestFit,
  /// CachingAllocator: released memory is kept for its stream.
  Caching
};

/// "direct", "bfc", "caching"; and the kind with such a name.
std::string_view allocatorName(AllocatorKind kind);
std::optional<AllocatorKind> allocatorOf(std::string_view name);

/// The sizes of the regions that BestFitCache takes from the backend.
enum class RegionGrowth {
  /// What is requested: the bytes taken are the planned bytes.
  Exact,
  /// 1 MiB, then twice as much each time, up to 16 GiB; more if a request needs
  /// it, less if no more is free. Requests share regions, so that fewer calls
  /// of the backend are needed and released blocks can be joined.
  Double,
  /// One region, taken at the first request, with all memory that work may use,
  /// without what the device's kernels take besides. No other process gets that
  /// memory during the run.
  All
};

/// "exact", "double", "all"; and the growth with such a name.
std::string_view growthName(RegionGrowth growth);
std::optional<RegionGrowth> growthOf(std::string_view name);

struct AllocatorOptions {
  AllocatorKind kind = AllocatorKind::Direct;
  /// Share of a device's total memory that may be taken from the backend: above
  /// 0, at most 1.
  double fraction = 1;
  /// For BestFit; Exact for the others.
  RegionGrowth growth = RegionGrowth::Exact;
  /// How long the run waits, in total, for memory that other threads or
  /// processes release.
  std::chrono::duration<double> wait{0};
};

/// What work may use of a device's free memory: a share of it, of which at most
/// `mostFree` bytes count as free.
struct WorkShare {
  double share = 1;
  int64_t mostFree = std::numeric_limits<int64_t>::max();
};

/// `fraction` of `totalBytes`; no limit for 1, also if a device does not know
/// its total.
int64_t reservableBytes(double fraction, int64_t totalBytes);

/// Memory from a backend, up to a limit. Allocators call it under their lock.
class BackendMemory final : public RawMemory {
public:
  BackendMemory(const tamrt_backend &backend, tamrt_device *handle,
                std::string label);

  void *allocate(size_t bytes, size_t alignment) noexcept override;
  void release(void *address, size_t bytes) noexcept override;
  bool purge() noexcept override;
  const MemoryAttributes &attributes() const noexcept override {
    return description;
  }

  /// Most bytes to take.
  int64_t limit = std::numeric_limits<int64_t>::max();
  /// Bytes taken now.
  const std::atomic<int64_t> &reservedBytes() const { return reserved; }

private:
  const tamrt_backend &backend;
  tamrt_device *handle;
  const MemoryAttributes description;
  std::atomic<int64_t> reserved = 0;
};

/// Page-locked memory of the CPU from a backend, for CachingAllocator.
class PinnedMemory final : public RawMemory {
public:
  PinnedMemory(const tamrt_backend &backend, tamrt_device *handle,
               const std::string &label)
      : backend(backend),
        handle(handle), description{label + " pinned", TAMRT_ALIGNMENT} {}

  void *allocate(size_t bytes, size_t) noexcept override {
    return backend.pinned_allocate(handle, bytes);
  }
  void release(void *address, size_t bytes) noexcept override {
    backend.pinned_release(handle, address, bytes);
  }
  const MemoryAttributes &attributes() const noexcept override {
    return description;
  }

private:
  const tamrt_backend &backend;
  tamrt_device *handle;
  const MemoryAttributes description;
};

/// A backend's streams and events. Stream 0 is none: its work is done when it
/// has been given.
/// Backends do not allocate in the order of a stream, so an ordered allocation
/// is made at once, and an ordered release waits until the stream has done its
/// work: this is for OrderedAllocator, which allocates from the backend block
/// by block.
class BackendStreams final : public Streams {
public:
  BackendStreams(const tamrt_backend &backend, tamrt_device *handle,
                 RawMemory &memory)
      : backend(backend), handle(handle), memory(memory) {}

  static Stream number(tamrt_stream *stream) {
    return reinterpret_cast<Stream>(stream);
  }

  StreamEvent record(Stream stream) noexcept override;
  bool passed(StreamEvent event) noexcept override;
  void wait(StreamEvent event) noexcept override;
  void destroy(StreamEvent event) noexcept override;
  void synchronize(Stream stream) noexcept override;
  void *allocate(size_t bytes, size_t alignment,
                 Stream stream) noexcept override;
  void release(void *address, size_t bytes, Stream stream) noexcept override;
  void order(Stream stream, StreamEvent event) noexcept override;

private:
  const tamrt_backend &backend;
  tamrt_device *handle;
  RawMemory &memory;
};

/// Makes an allocator. `limit` is the most bytes that it can get from `raw`.
std::unique_ptr<DeviceCache> makeAllocator(const AllocatorOptions &options,
                                           int64_t limit, RawMemory &raw,
                                           Streams &streams);

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_DEVICEALLOCATOR_H
