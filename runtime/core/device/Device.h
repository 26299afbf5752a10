//===- core/device/Device.h - devices ---------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One device of one backend (tamrt/backend.h): its memory, the amount in use,
/// and its kernels. The CPU is a built-in device.
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
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// The free and total memory of a device.
struct DeviceMemory {
  int64_t freeBytes = 0, totalBytes = 0;
  /// The limit that determines it, e.g. "limit on address space"; may be empty.
  std::string source;
};

/// An open device. Several threads may allocate and release its memory at the
/// same time.
class Device {
public:
  /// Opens device `index` of a backend, which `probe` has found. Errors: those
  /// of the backend.
  static Result<std::unique_ptr<Device>> open(const tamrt_backend &backend,
                                              int32_t index);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device();

  /// The CPU, which always exists.
  static Device &cpu();

  /// The label of a backend's device: "cuda", "cuda:1", "torch:cpu".
  static std::string labelOf(const tamrt_backend &backend, int32_t index);
  std::string label() const { return labelOf(backend, index); }
  /// The manufacturer's name.
  std::string name() const;
  bool isCpu() const;
  bool hasTrait(tamrt_device_trait trait) const {
    return (traits & uint32_t(trait)) != 0;
  }
  /// The kind of its memory, which determines the share that may be used.
  MemoryPlace place() const {
    return hasTrait(TAMRT_DEVICE_SHARES_RAM) ? MemoryPlace::Ram
                                             : MemoryPlace::Device;
  }
  const tamrt_kernels *kernels() const { return backend.kernels(handle); }

  /// Bytes of its memory that its kernels take beside the planned buffers.
  int64_t reserveBytes() const;

  /// Whether it lacks kernels (Kernels.h).
  bool lacksKernels() const { return isIncomplete; }

  /// The backend and its own device, for work in streams (Queue.h, Batches.h).
  const tamrt_backend &functions() const { return backend; }
  tamrt_device *backendHandle() const { return handle; }
  /// The calls of a step that the device runs at once; 1 if it takes them one
  /// by one.
  int64_t batch() const;

  /// What the device has done since it was opened; zeros if it does not count,
  /// as the CPU.
  tamrt_device_counts counts() const;

  /// Whether work can run while the CPU goes on.
  bool hasStreams() const { return backend.stream_create; }
  /// A stream of the device, which `giveStream` takes back; null if it has no
  /// streams and events, or no memory for another. Streams are kept until the
  /// device is closed, because its allocator may wait for them. `giveStream`
  /// may get null.
  tamrt_stream *takeStream();
  void giveStream(tamrt_stream *stream);

  /// Replaces the device's allocator; statistics restart. To be called before
  /// threads use the device and while nothing is in use. Initially a device
  /// allocates directly, without a limit. RegionGrowth::All takes what `work`
  /// may use.
  void useAllocator(const AllocatorOptions &options,
                    const WorkShare &work = {});
  AllocatorKind allocator() const { return kind; }

  /// Memory that is free now: that of the backend, up to the allocator's limit,
  /// and that which the allocator keeps. The reserve of its kernels is part of
  /// it, because a plan counts that.
  DeviceMemory memory() const;

  /// Allocates `bytes` (at least one alignment unit) of the device's memory,
  /// for work in `stream`; null is the default stream. If there is not enough,
  /// memory kept for reuse is released and the backend is asked at most once
  /// more; if that fails, this is repeated during a Wait, and then the buffer
  /// is empty. The bytes are counted under
  /// `what`, their purpose. The device must outlive the buffer.
  AlignedBuffer allocate(size_t bytes, std::string_view what,
                         tamrt_stream *stream = nullptr);

  /// Memory of the CPU that the device copies from and to at full speed. Empty
  /// if the device has none (any more). Blocks are kept for later requests
  /// until the device is closed.
  AlignedBuffer allocatePinned(size_t bytes, std::string_view what);
  bool hasPinnedMemory() const { return backend.pinned_allocate; }

  /// A wait for memory that other threads or processes release. All waits of a
  /// device together last at most AllocatorOptions::wait.
  class Wait {
  public:
    explicit Wait(Device &device) : device(device) {}
    Wait(const Wait &) = delete;
    Wait &operator=(const Wait &) = delete;
    ~Wait();

    /// Waits until this device's memory is released, but at most some
    /// milliseconds, because other processes tell nothing. False at the end of
    /// the time.
    bool again();

  private:
    Device &device;
    bool waits = false;
  };

  /// Records that work given to `stream` so far uses the buffer too: after it
  /// is freed, its memory is not reused before that work is done.
  void recordUse(const AlignedBuffer &buffer, tamrt_stream *stream);

  /// Releases memory that is kept for reuse.
  void purge();

  /// Copies between the CPU's memory and the device's, and waits for it. Work
  /// in streams must not use the memories. \returns a tamrt_status.
  [[nodiscard]] int32_t copy(void *to, const void *from, size_t bytes);

  /// Several copies in a stream, all to the device or all from it, as one
  /// operation if the backend can. \returns a tamrt_status.
  [[nodiscard]] int32_t copyAll(std::span<const tamrt_copy> copies,
                                tamrt_stream *stream);

  /// A message for such a status after the operation `what`: "copy".
  Status describe(int32_t status, const char *what) const;

  /// Bytes in use.
  int64_t usedBytes() const { return used; }

  /// The allocator's statistics.
  MemoryStatistics statistics() const { return cache->statistics(); }

  /// Whether to keep a snapshot of the moment when most memory was in use.
  void keepSnapshot(bool keeps) { keepsSnapshot = keeps; }
  /// The snapshot, or the present state if no more was in use before.
  MemorySnapshot snapshotOfPeak();

  /// Records allocations in `trace`, which may be null, and must be written
  /// before the device is closed.
  void follow(Trace *trace) { this->trace = trace; }

private:
  Device(const tamrt_backend &backend, tamrt_device *handle, int32_t index);
  void note(int64_t change);
  void notePinned(int64_t change);
  void noteRetries(int64_t bytes);
  bool isAtPeak() const;
  static void give(void *owner, void *memory, size_t bytes);
  static void givePinned(void *owner, void *memory, size_t bytes);

  const tamrt_backend &backend;
  tamrt_device *handle;
  int32_t index;
  uint32_t traits;
  bool isIncomplete;
  BackendMemory raw;
  BackendStreams streams;
  AllocatorKind kind = AllocatorKind::Direct;
  /// The limit of `raw` for messages.
  const char *limitName = "--memory-fraction";
  /// What regions leave to the kernels' reserve, which is not part of the limit
  /// of `raw`.
  int64_t leftToKernels = 0;
  std::unique_ptr<DeviceCache> cache;
  PinnedMemory pinnedRaw;
  std::unique_ptr<DeviceCache> pinned;
  std::mutex streamMutex;
  std::vector<tamrt_stream *> allStreams, freeStreams;
  /// Waiting threads, the time since when there is one, and the time left
  /// besides.
  std::mutex waitMutex;
  std::condition_variable released;
  size_t waiters = 0;
  std::chrono::steady_clock::time_point waitsSince;
  std::chrono::duration<double> waitLeft{0};
  bool toldToWait = false;
  std::atomic<int64_t> used = 0, pinnedUsed = 0;
  std::atomic<uint64_t> retriesTold = 0;
  Trace *trace = nullptr;
  /// Names of the trace's counters, which live as long as the trace.
  std::string usedName, reservedName, pinnedName;
  bool keepsSnapshot = false;
  std::mutex snapshotMutex;
  MemorySnapshot peakSnapshot;
};

/// The backend of the CPU.
const tamrt_backend &cpuBackend();

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_DEVICE_H
