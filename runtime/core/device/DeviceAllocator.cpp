//===- core/device/DeviceAllocator.cpp - a device's allocator -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/DeviceAllocator.h"

#include "core/device/Oracle.h"
#include "tamrt/memory/BestFitCache.h"
#include "tamrt/memory/CachingAllocator.h"
#include "tamrt/memory/OrderedAllocator.h"

#include <utility>

namespace tamrt {
namespace {

constexpr std::pair<AllocatorKind, std::string_view> kNames[] = {
    {AllocatorKind::Direct, "direct"},
    {AllocatorKind::BestFit, "bfc"},
    {AllocatorKind::Caching, "caching"}};

constexpr std::pair<RegionGrowth, std::string_view> kGrowths[] = {
    {RegionGrowth::Exact, "exact"},
    {RegionGrowth::Double, "double"},
    {RegionGrowth::All, "all"}};

/// The value with a name in a table of names.
template <class Names>
auto valueOf(const Names &names, std::string_view name)
    -> std::optional<decltype(names[0].first)> {
  for (const auto &[value, known] : names)
    if (known == name)
      return value;
  return std::nullopt;
}

tamrt_stream *streamOf(Stream stream) {
  return reinterpret_cast<tamrt_stream *>(stream);
}
tamrt_event *eventOf(StreamEvent event) {
  return reinterpret_cast<tamrt_event *>(event);
}

} // namespace

std::string_view allocatorName(AllocatorKind kind) {
  return kNames[size_t(kind)].second;
}

std::optional<AllocatorKind> allocatorOf(std::string_view name) {
  return valueOf(kNames, name);
}

std::string_view growthName(RegionGrowth growth) {
  return kGrowths[size_t(growth)].second;
}

std::optional<RegionGrowth> growthOf(std::string_view name) {
  return valueOf(kGrowths, name);
}

int64_t reservableBytes(double fraction, int64_t totalBytes) {
  return fraction >= 1 ? std::numeric_limits<int64_t>::max()
                       : budgetOf(totalBytes, fraction);
}

BackendMemory::BackendMemory(const tamrt_backend &backend, tamrt_device *handle,
                             std::string label)
    : backend(backend),
      handle(handle), description{std::move(label), TAMRT_ALIGNMENT} {}

void *BackendMemory::allocate(size_t bytes, size_t) noexcept {
  if (reserved > limit - int64_t(bytes))
    return nullptr;
  void *memory = backend.allocate(handle, bytes);
  if (memory)
    reserved += int64_t(bytes);
  return memory;
}

void BackendMemory::release(void *address, size_t bytes) noexcept {
  backend.release(handle, address, bytes);
  reserved -= int64_t(bytes);
}

bool BackendMemory::purge() noexcept {
  if (backend.purge)
    backend.purge(handle);
  return backend.purge;
}

StreamEvent BackendStreams::record(Stream stream) noexcept {
  if (!backend.event_create || stream == 0)
    return 0;
  tamrt_event *event = backend.event_create(handle);
  if (event &&
      backend.event_record(handle, event, streamOf(stream)) != TAMRT_OK) {
    backend.event_destroy(handle, event);
    return 0;
  }
  return reinterpret_cast<StreamEvent>(event);
}

bool BackendStreams::passed(StreamEvent event) noexcept {
  return backend.event_query(handle, eventOf(event)) == 1;
}

void BackendStreams::wait(StreamEvent event) noexcept {
  backend.event_synchronize(handle, eventOf(event));
}

void BackendStreams::destroy(StreamEvent event) noexcept {
  backend.event_destroy(handle, eventOf(event));
}

void BackendStreams::synchronize(Stream stream) noexcept {
  if (stream != 0)
    backend.synchronize(handle, streamOf(stream));
}

void *BackendStreams::allocate(size_t bytes, size_t alignment,
                               Stream) noexcept {
  void *address = memory.allocate(bytes, alignment);
  return address || !memory.purge() ? address
                                    : memory.allocate(bytes, alignment);
}

void BackendStreams::release(void *address, size_t bytes,
                             Stream stream) noexcept {
  synchronize(stream);
  memory.release(address, bytes);
}

void BackendStreams::order(Stream, StreamEvent event) noexcept {
  // The next release is done by the CPU.
  wait(event);
}

std::unique_ptr<DeviceCache> makeAllocator(const AllocatorOptions &given,
                                           int64_t limit, RawMemory &raw,
                                           Streams &streams) {
  const MemoryAttributes &attributes = raw.attributes();
  switch (given.kind) {
  case AllocatorKind::Direct:
    break;
  case AllocatorKind::BestFit: {
    BestFitOptions options;
    options.granularity = attributes.granularity;
    options.limit = size_t(limit);
    switch (given.growth) {
    case RegionGrowth::Exact:
      options.firstRegion = options.maxRegion = attributes.granularity;
      break;
    case RegionGrowth::Double:
      break;
    case RegionGrowth::All:
      options.firstRegion = options.maxRegion = options.limit;
      break;
    }
    return std::make_unique<BestFitCache>(raw, streams, std::move(options));
  }
  case AllocatorKind::Caching: {
    CachingOptions options;
    options.granularity = options.segmentUnit = attributes.granularity;
    options.small = options.large = options.minRest = 0;
    return std::make_unique<CachingAllocator>(raw, streams, std::move(options));
  }
  }
  return std::make_unique<OrderedAllocator>(streams, attributes.name,
                                            attributes.granularity);
}

} // namespace tamrt
