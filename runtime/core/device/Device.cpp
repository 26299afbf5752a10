//===- core/device/Device.cpp - devices -----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Device.h"

#include "core/Log.h"
#include "core/device/Kernels.h"
#include "core/device/MachineMemory.h"
#include "kernels/cpu/CpuKernels.h"
#include "tamrt/memory/CachingAllocator.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace tamrt {
namespace {

/// The CPU needs no handle of its own.
tamrt_device *const kCpuHandle = nullptr;

int32_t probeCpu(char *, size_t) { return 1; }
tamrt_device *openCpu(int32_t, char *, size_t) { return kCpuHandle; }
void closeCpu(tamrt_device *) {}
const char *nameOfCpu(tamrt_device *) { return "CPU"; }
uint32_t traitsOfCpu(tamrt_device *) {
  return TAMRT_DEVICE_HOST_ADDRESSABLE | TAMRT_DEVICE_SHARES_RAM;
}

/// Device::memory asks the machine how much is free.
int32_t memoryOfCpu(tamrt_device *, int64_t *freeBytes, int64_t *totalBytes) {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  *totalBytes = pages > 0 ? int64_t(pages) * ::sysconf(_SC_PAGESIZE) : 0;
  *freeBytes = *totalBytes;
  return TAMRT_OK;
}

void *allocateOnCpu(tamrt_device *, size_t bytes) {
  return std::aligned_alloc(TAMRT_ALIGNMENT, AlignedBuffer::size(bytes));
}
void releaseOnCpu(tamrt_device *, void *memory, size_t) { std::free(memory); }

int32_t copyOnCpu(tamrt_device *, void *to, const void *from, size_t bytes,
                  tamrt_stream *) {
  std::memcpy(to, from, bytes);
  return TAMRT_OK;
}
const tamrt_kernels *kernelsOfCpu(tamrt_device *) { return &tamrt_cpu_kernels; }

} // namespace

const tamrt_backend &cpuBackend() {
  static const tamrt_backend backend = [] {
    tamrt_backend table = {};
    table.version = TAMRT_BACKEND_VERSION;
    table.abi_version = TAMRT_ABI_VERSION;
    table.kind = "cpu";
    table.probe = probeCpu;
    table.open = openCpu;
    table.close = closeCpu;
    table.name = nameOfCpu;
    table.traits = traitsOfCpu;
    table.memory = memoryOfCpu;
    table.allocate = allocateOnCpu;
    table.release = releaseOnCpu;
    table.copy = copyOnCpu;
    table.kernels = kernelsOfCpu;
    return table;
  }();
  return backend;
}

Device &Device::cpu() {
  static Device device(cpuBackend(), kCpuHandle, 0);
  return device;
}

Device::Device(const tamrt_backend &backend, tamrt_device *handle,
               int32_t index)
    : backend(backend), handle(handle), index(index),
      traits(backend.traits(handle)),
      isIncomplete(!hasAllKernels(*backend.kernels(handle))),
      raw(backend, handle, label()), streams(backend, handle, raw),
      cache(makeAllocator({}, raw.limit, raw, streams)),
      pinnedRaw(backend, handle, label()) {
  const std::string of = index == 0 ? "" : " of " + label();
  usedName = "device memory" + of;
  reservedName = "reserved memory" + of;
  pinnedName = "pinned memory" + of;
  if (hasPinnedMemory())
    pinned = std::make_unique<CachingAllocator>(pinnedRaw, streams,
                                                CachingOptions::pinnedHost());
}

Device::~Device() {
  cache.reset();
  pinned.reset();
  for (tamrt_stream *stream : allStreams)
    backend.stream_destroy(handle, stream);
  backend.close(handle);
}

Result<std::unique_ptr<Device>> Device::open(const tamrt_backend &backend,
                                             int32_t index) {
  char why[256] = "";
  tamrt_device *handle = backend.open(index, why, sizeof(why));
  if (!handle)
    return Error{why[0] ? why : "the device cannot be opened"};
  return std::unique_ptr<Device>(new Device(backend, handle, index));
}

std::string Device::labelOf(const tamrt_backend &backend, int32_t index) {
  if (backend.label)
    return fmt::format("{}:{}", backend.kind, backend.label(index));
  return index == 0 ? backend.kind : fmt::format("{}:{}", backend.kind, index);
}

std::string Device::name() const { return backend.name(handle); }

bool Device::isCpu() const { return &backend == &cpuBackend(); }

void Device::useAllocator(const AllocatorOptions &options,
                          const WorkShare &work) {
  assert(used == 0 && "allocator changed under buffers");
  cache.reset();
  kind = options.kind;
  // What is free takes reading several files of the system.
  int64_t unused = 0, totalBytes = 0;
  if (backend.memory(handle, &unused, &totalBytes) != TAMRT_OK)
    totalBytes = 0;
  raw.limit = reservableBytes(options.fraction, totalBytes);
  limitName = "--memory-fraction";
  leftToKernels = 0;
  // Regions may be larger than requests. What is free now bounds them, because
  // memory of the host counts as free until it is accessed. The kernels'
  // reserve is left to them.
  if (options.growth != RegionGrowth::Exact) {
    int64_t free = memory().freeBytes;
    if (options.growth == RegionGrowth::All)
      free = budgetOf(std::min(free, work.mostFree), work.share);
    if (free < raw.limit) {
      raw.limit = free;
      limitName = "--memory-growth";
    }
    leftToKernels = std::min(reserveBytes(), raw.limit);
    raw.limit -= leftToKernels;
  }
  cache = makeAllocator(options, raw.limit, raw, streams);
  waitLeft = options.wait;
  toldToWait = false;
  retriesTold = 0;
  peakSnapshot = {};
}

DeviceMemory Device::memory() const {
  DeviceMemory memory;
  if (backend.memory(handle, &memory.freeBytes, &memory.totalBytes) != TAMRT_OK)
    memory.freeBytes = 0;
  if (hasTrait(TAMRT_DEVICE_SHARES_RAM)) {
    // For RAM, the limits of the process count, too.
    MachineMemory machine = machineMemory();
    for (MemorySource &source : machine.sources)
      if (source.countsUntouched)
        source.free += reserveBytes();
    if (machine.free() <= memory.freeBytes || isCpu()) {
      memory.freeBytes = machine.free();
      if (const MemorySource *source = machine.tightest())
        memory.source = source->name;
    }
  }
  const int64_t left = raw.limit + leftToKernels - raw.reservedBytes();
  if (left < memory.freeBytes) {
    memory.freeBytes = left;
    memory.source = limitName;
  }
  if (!cache)
    return memory;
  memory.freeBytes += int64_t(cache->statistics().free);
  // Meanwhile threads may have moved bytes from free to cached memory or back.
  if (memory.totalBytes > 0)
    memory.freeBytes = std::min(memory.freeBytes, memory.totalBytes);
  return memory;
}

void Device::note(int64_t change) {
  used += change;
  if (!trace)
    return;
  trace->counter(reservedName.c_str(), raw.reservedBytes());
  trace->counter(usedName.c_str(), used);
}

void Device::noteRetries(int64_t bytes) {
  const uint64_t retries = statistics().retries;
  if (retriesTold.exchange(retries) < retries)
    trace->instant(0, "purge and retry", {{"bytes", bytes}});
}

AlignedBuffer Device::allocate(size_t bytes, std::string_view what,
                               tamrt_stream *stream) {
  bytes = AlignedBuffer::size(bytes);
  if (bytes == 0 || bytes > AlignedBuffer::kMaxBytes)
    return {};
  const uint32_t tag = cache->openTag(what);
  void *memory = cache->allocate(bytes, BackendStreams::number(stream), tag);
  for (Wait wait(*this); !memory && wait.again();)
    memory = cache->allocate(bytes, BackendStreams::number(stream), tag);
  cache->closeTag(tag);
  if (trace)
    noteRetries(int64_t(bytes));
  if (memory)
    note(int64_t(bytes));
  else if (trace)
    trace->instant(0, "out of memory", {{"bytes", int64_t(bytes)}});
  return AlignedBuffer::adopt(memory, bytes, this, give);
}

int32_t Device::copyAll(std::span<const tamrt_copy> copies,
                        tamrt_stream *stream) {
  if (backend.copy_all && !copies.empty())
    return backend.copy_all(handle, copies.data(), int64_t(copies.size()),
                            stream);
  for (const tamrt_copy &copy : copies)
    if (int32_t status =
            backend.copy(handle, copy.to, copy.from, copy.bytes, stream))
      return status;
  return TAMRT_OK;
}

tamrt_device_counts Device::counts() const {
  tamrt_device_counts counts = {};
  if (backend.counts)
    backend.counts(handle, &counts);
  return counts;
}

int64_t Device::reserveBytes() const {
  return backend.reserve ? std::max<int64_t>(backend.reserve(handle), 0) : 0;
}

int64_t Device::batch() const {
  return backend.batch ? std::max<int64_t>(backend.batch(handle), 1) : 1;
}

tamrt_stream *Device::takeStream() {
  if (!backend.stream_create)
    return nullptr;
  const std::lock_guard lock(streamMutex);
  if (freeStreams.empty()) {
    // `giveStream` cannot fail.
    allStreams.reserve(allStreams.size() + 1);
    freeStreams.reserve(allStreams.size() + 1);
    tamrt_stream *stream = backend.stream_create(handle);
    if (stream)
      allStreams.push_back(stream);
    return stream;
  }
  tamrt_stream *stream = freeStreams.back();
  freeStreams.pop_back();
  return stream;
}

void Device::giveStream(tamrt_stream *stream) {
  if (!stream)
    return;
  const std::lock_guard lock(streamMutex);
  freeStreams.push_back(stream);
}

AlignedBuffer Device::allocatePinned(size_t bytes, std::string_view what) {
  bytes = AlignedBuffer::size(bytes);
  if (!pinned || bytes == 0 || bytes > AlignedBuffer::kMaxBytes)
    return {};
  const uint32_t tag = pinned->openTag(what);
  void *memory = pinned->allocate(bytes, Stream(0), tag);
  pinned->closeTag(tag);
  if (memory)
    notePinned(int64_t(bytes));
  return AlignedBuffer::adopt(memory, bytes, this, givePinned);
}

void Device::givePinned(void *owner, void *memory, size_t bytes) {
  auto &device = *static_cast<Device *>(owner);
  device.pinned->release(memory);
  device.notePinned(-int64_t(bytes));
}

void Device::notePinned(int64_t change) {
  pinnedUsed += change;
  if (trace)
    trace->counter(pinnedName.c_str(), pinnedUsed);
}

void Device::recordUse(const AlignedBuffer &buffer, tamrt_stream *stream) {
  cache->recordUse(buffer.data(), BackendStreams::number(stream));
}

/// Whether more is in use than in any snapshot, and than ever before.
bool Device::isAtPeak() const {
  const Level now = cache->statistics().used;
  return now.now == now.peak && now.peak > peakSnapshot.statistics.used.now;
}

void Device::give(void *owner, void *memory, size_t bytes) {
  auto &device = *static_cast<Device *>(owner);
  if (device.keepsSnapshot) {
    const std::lock_guard lock(device.snapshotMutex);
    try {
      if (device.isAtPeak())
        device.peakSnapshot = device.cache->snapshot();
    } catch (const std::exception &) {
      // There is no memory for it: the snapshot of a smaller peak is kept.
    }
  }
  device.cache->release(memory);
  device.note(-int64_t(bytes));
  device.released.notify_all();
}

bool Device::Wait::again() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::duration<double> kPause = std::chrono::milliseconds(5);
  std::unique_lock lock(device.waitMutex);
  if (device.waiters == 0)
    device.waitsSince = Clock::now();
  const std::chrono::duration<double> left =
      device.waitLeft - (Clock::now() - device.waitsSince);
  if (left.count() <= 0)
    return false;
  if (!waits) {
    waits = true;
    if (device.waiters++ == 0) {
      if (!std::exchange(device.toldToWait, true))
        log(LogLevel::Warning,
            "waiting for memory on '{}', at most {:.3g} s (--memory-wait)",
            device.label(), left.count());
      if (device.trace)
        device.trace->instant(
            0, "wait for memory",
            {{"milliseconds left", int64_t(left.count() * 1000)}});
    }
  }
  device.released.wait_for(lock, std::min(left, kPause));
  return true;
}

Device::Wait::~Wait() {
  if (!waits)
    return;
  const std::lock_guard lock(device.waitMutex);
  if (--device.waiters > 0)
    return;
  const std::chrono::duration<double> waited =
      std::chrono::steady_clock::now() - device.waitsSince;
  device.waitLeft -= waited;
  if (device.trace)
    device.trace->instant(0, "waited for memory",
                          {{"milliseconds", int64_t(waited.count() * 1000)}});
}

MemorySnapshot Device::snapshotOfPeak() {
  const std::lock_guard lock(snapshotMutex);
  const bool isNone = peakSnapshot.regions.empty();
  return isNone || isAtPeak() ? cache->snapshot() : peakSnapshot;
}

void Device::purge() {
  cache->emptyCache();
  raw.purge();
}

int32_t Device::copy(void *to, const void *from, size_t bytes) {
  return backend.copy(handle, to, from, bytes, nullptr);
}

Status Device::describe(int32_t status, const char *what) const {
  if (status == TAMRT_OK)
    return {};
  return Error{fmt::format("device '{}' reported status {} when asked to {}",
                           label(), status, what)};
}

} // namespace tamrt
