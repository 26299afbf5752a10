//===- tamrt/memory/DeviceCaches.h - the caches of all devices --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Allocates and releases blocks of any device.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_DEVICECACHES_H
#define TAMRT_MEMORY_DEVICECACHES_H

#include "tamrt/memory/DeviceCache.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tamrt {

/// The caches of several devices, numbered from 0 in the order in which they
/// were added, and the device of each block in use. Addresses of different
/// devices must differ, as they do if host and devices share one address space.
/// All functions but add() may be called from several threads at once.
class DeviceCaches {
public:
  DeviceCaches();
  ~DeviceCaches();
  DeviceCaches(const DeviceCaches &) = delete;
  DeviceCaches &operator=(const DeviceCaches &) = delete;

  /// Adds a device and returns its number. To be done before threads call other
  /// functions.
  uint32_t add(std::unique_ptr<DeviceCache> cache);

  /// Number of devices.
  uint32_t size() const noexcept;
  /// The cache of a device, below size().
  DeviceCache &operator[](uint32_t device) noexcept;

  /// A block of a device, below size(), for work on one of its streams; null if
  /// there is no memory.
  void *allocate(uint32_t device, size_t bytes, Stream stream,
                 uint32_t tag = 0) noexcept;
  /// Ends the use of a block of any device. Returns false and does nothing if
  /// there is no such block; null is allowed.
  bool release(void *address) noexcept;
  /// As DeviceCache::recordUse; `stream` is a stream of the block's device.
  bool recordUse(void *address, Stream stream) noexcept;
  /// The device of a block in use; size() if there is no such block.
  uint32_t deviceOf(const void *address) const noexcept;
  /// Empties the caches of all devices; returns the bytes that were returned to
  /// the devices.
  size_t emptyCaches() noexcept;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_DEVICECACHES_H
