//===- core/device/Device.h - devices ---------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One device of one backend (tamrt/backend.h): its memory, how much of it is
/// in use, and its kernels. And the CPU, which is built in.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_DEVICE_H
#define TAMRT_CORE_DEVICE_DEVICE_H

#include "core/Trace.h"
#include "core/device/AlignedBuffer.h"
#include "core/device/DeviceAllocator.h"
#include "core/device/Oracle.h"
#include "io/Error.h"
#include "tamrt/backend.h"
#include "tamrt/memory/Snapshot.h"
#include "tamrt/memory/Statistics.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tamrt {

/// What a device says of its memory.
struct DeviceMemory {
  int64_t freeBytes = 0, totalBytes = 0;
  /// What keeps it as small as it is, e.g. "limit on address space"; may be
  /// empty.
  std::string source;
};

/// An open device. Its memory may be asked for and given back by several
/// threads at once.
class Device {
public:
  /// Opens device `index` of a backend that `probe` has found. Errors: the
  /// backend's.
  static Result<std::unique_ptr<Device>> open(const tamrt_backend &backend,
                                              int32_t index);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device();

  /// The CPU, always there.
  static Device &cpu();

  /// "cuda" or "cuda:1"; the maker's name.
  std::string label() const;
  std::string name() const;
  bool isCpu() const;
  bool hasTrait(tamrt_device_trait trait) const {
    return (traits & uint32_t(trait)) != 0;
  }
  /// Whose memory it has: what share of it may be used.
  MemoryPlace place() const {
    return hasTrait(TAMRT_DEVICE_SHARES_RAM) ? MemoryPlace::Ram
                                             : MemoryPlace::Device;
  }
  const tamrt_kernels *kernels() const { return backend.kernels(handle); }

  /// Has the device's memory handed out otherwise; statistics begin anew. To be
  /// called while nothing is in use, before threads use the device. A device
  /// that was opened hands it out directly, all there is.
  void useAllocator(const AllocatorOptions &options);
  AllocatorKind allocator() const { return kind; }

  /// What is free now: of the backend, as far as the allocator may take it, and
  /// what the allocator keeps.
  DeviceMemory memory() const;

  /// `bytes` (at least one alignment unit) of the device's memory, for work in
  /// `stream`; null is the default order. Where there is none what is kept for
  /// reuse is given back, and the backend is asked at most once more; then the
  /// buffer is empty. `what` it is for is what it is counted under. The device
  /// must outlive the buffer.
  AlignedBuffer allocate(size_t bytes, std::string_view what,
                         tamrt_stream *stream = nullptr);

  /// Work given to `stream` so far uses the buffer too: when it is freed,
  /// nobody gets its memory before that work is done.
  void recordUse(const AlignedBuffer &buffer, tamrt_stream *stream);

  /// Gives back what is kept for reuse.
  void purge();

  /// Copies between the CPU's memory and the device's, and waits for it.
  /// \returns a tamrt_status.
  [[nodiscard]] int32_t copy(void *to, const void *from, size_t bytes);

  /// Waits for all work. \returns a tamrt_status.
  [[nodiscard]] int32_t synchronize();

  /// What to say of such a status, of what the device was asked to do: "copy".
  Status describe(int32_t status, const char *what) const;

  /// Bytes in use.
  int64_t usedBytes() const { return used; }

  /// What the allocator counts.
  MemoryStatistics statistics() const { return cache->statistics(); }

  /// Has a snapshot kept of the moment when most was in use.
  void keepSnapshot(bool keeps) { keepsSnapshot = keeps; }
  /// The snapshot; of now where no more was in use before.
  MemorySnapshot snapshotOfPeak();

  /// Has allocations noted in `trace`, which may be null.
  void follow(Trace *trace) { this->trace = trace; }

private:
  Device(const tamrt_backend &backend, tamrt_device *handle, int32_t index);
  void note(int64_t change);
  void noteRetries(int64_t bytes);
  bool isAtPeak() const;
  static void give(void *owner, void *memory, size_t bytes);

  const tamrt_backend &backend;
  tamrt_device *handle;
  int32_t index;
  uint32_t traits;
  BackendMemory raw;
  BackendStreams streams;
  AllocatorKind kind = AllocatorKind::Direct;
  std::unique_ptr<DeviceCache> cache;
  std::atomic<int64_t> used = 0;
  std::atomic<uint64_t> retriesTold = 0;
  Trace *trace = nullptr;
  bool keepsSnapshot = false;
  std::mutex snapshotMutex;
  MemorySnapshot peakSnapshot;
};

/// The backend of the CPU.
const tamrt_backend &cpuBackend();

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_DEVICE_H
