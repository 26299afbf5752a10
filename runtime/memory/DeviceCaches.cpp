//===- memory/DeviceCaches.cpp - the caches of all devices ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/memory/DeviceCaches.h"

#include "memory/AddressTable.h"

#include <array>
#include <mutex>
#include <vector>

using namespace tamrt;

class DeviceCaches::Implementation {
public:
  /// Sharded, so that threads with different blocks seldom wait for each other.
  struct alignas(64) Shard {
    std::mutex mutex;
    AddressTable devices;
  };

  Shard &shardOf(const void *address) {
    // The hash must use more than the low bits, which are equal through
    // alignment, and the high bits.
    uint64_t hash = reinterpret_cast<uintptr_t>(address);
    hash *= 0xD6E8FEB86659FD93u;
    return shards[hash >> 59];
  }

  std::vector<std::unique_ptr<DeviceCache>> caches;
  std::array<Shard, 32> shards;
};

DeviceCaches::DeviceCaches()
    : implementation(std::make_unique<Implementation>()) {}

DeviceCaches::~DeviceCaches() = default;

uint32_t DeviceCaches::add(std::unique_ptr<DeviceCache> cache) {
  implementation->caches.push_back(std::move(cache));
  return size() - 1;
}

uint32_t DeviceCaches::size() const noexcept {
  return static_cast<uint32_t>(implementation->caches.size());
}

DeviceCache &DeviceCaches::operator[](uint32_t device) noexcept {
  return *implementation->caches[device];
}

void *DeviceCaches::allocate(uint32_t device, size_t bytes, Stream stream,
                             uint32_t tag) noexcept {
  DeviceCache &cache = (*this)[device];
  void *address = cache.allocate(bytes, stream, tag);
  if (!address)
    return nullptr;
  Implementation::Shard &shard = implementation->shardOf(address);
  {
    std::lock_guard lock(shard.mutex);
    if (shard.devices.reserve()) {
      shard.devices.insert(reinterpret_cast<uintptr_t>(address), device);
      return address;
    }
  }
  cache.release(address);
  return nullptr;
}

bool DeviceCaches::release(void *address) noexcept {
  if (!address)
    return true;
  Implementation::Shard &shard = implementation->shardOf(address);
  uint32_t device = noChunk;
  {
    // This comes before the release: afterwards another thread may get the
    // address.
    std::lock_guard lock(shard.mutex);
    device = shard.devices.take(reinterpret_cast<uintptr_t>(address));
  }
  return device != noChunk && (*this)[device].release(address);
}

bool DeviceCaches::recordUse(void *address, Stream stream) noexcept {
  const uint32_t device = deviceOf(address);
  return device < size() && (*this)[device].recordUse(address, stream);
}

uint32_t DeviceCaches::deviceOf(const void *address) const noexcept {
  if (!address)
    return size();
  Implementation::Shard &shard = implementation->shardOf(address);
  std::lock_guard lock(shard.mutex);
  const uint32_t device =
      shard.devices.find(reinterpret_cast<uintptr_t>(address));
  return device == noChunk ? size() : device;
}

size_t DeviceCaches::emptyCaches() noexcept {
  size_t sum = 0;
  for (const std::unique_ptr<DeviceCache> &cache : implementation->caches)
    sum += cache->emptyCache();
  return sum;
}
