//===- cuda/Memory.cpp - memory of the emulated device --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/cuda/Memory.h"

#include "tamrt/abi.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace tamrt::cuda {

/// The bit that is set in addresses of the device.
static constexpr uintptr_t kOfDevice = uintptr_t(1) << 52;

void Memory::Free::operator()(void *block) const { std::free(block); }

bool Memory::isOfDevice(const void *address) {
  return (reinterpret_cast<uintptr_t>(address) & kOfDevice) != 0;
}

void *Memory::allocate(size_t bytes) {
  if (int64_t(bytes) > freeBytes())
    return nullptr;
  const size_t whole =
      (bytes + TAMRT_ALIGNMENT - 1) / TAMRT_ALIGNMENT * TAMRT_ALIGNMENT;
  Block block = {bytes, nullptr, nullptr};
  block.memory.reset(std::aligned_alloc(TAMRT_ALIGNMENT, whole));
  // Pages of records that nobody accesses take no memory.
  block.records.reset(std::calloc(whole / kRecordedBytes, sizeof(Record)));
  if (!block.memory || !block.records)
    return nullptr;
  // NaN, so that reads before writes are detected.
  std::memset(block.memory.get(), 0xff, whole);
  const auto address = reinterpret_cast<uintptr_t>(block.memory.get());
  used += int64_t(bytes);
  blocks.emplace(address, std::move(block));
  return reinterpret_cast<void *>(address | kOfDevice);
}

bool Memory::release(void *address, size_t bytes) {
  auto at = blocks.find(reinterpret_cast<uintptr_t>(address) & ~kOfDevice);
  if (!isOfDevice(address) || at == blocks.end() || at->second.bytes != bytes)
    return false;
  used -= int64_t(bytes);
  blocks.erase(at);
  return true;
}

void *Memory::find(const void *address, size_t bytes, void *&records,
                   uint64_t &uploaded) {
  records = nullptr;
  if (!isOfDevice(address)) {
    std::vector<char> &copy = constants[{address, bytes}];
    if (copy.empty()) {
      copy.assign(static_cast<const char *>(address),
                  static_cast<const char *>(address) + bytes);
      uploaded += bytes;
    }
    return copy.data();
  }
  const uintptr_t start = reinterpret_cast<uintptr_t>(address) & ~kOfDevice;
  auto at = blocks.upper_bound(start);
  if (at == blocks.begin())
    throw Fault{"expected an address of the device, got another one"};
  --at;
  const size_t offset = start - at->first;
  if (offset > at->second.bytes || bytes > at->second.bytes - offset)
    throw Fault{"expected " + std::to_string(bytes) + " bytes in a block of " +
                std::to_string(at->second.bytes) +
                " bytes, got them from byte " + std::to_string(offset) + " on"};
  records =
      static_cast<Record *>(at->second.records.get()) + offset / kRecordedBytes;
  return reinterpret_cast<void *>(start);
}

size_t Memory::bytesFrom(const void *address) const {
  const uintptr_t start = reinterpret_cast<uintptr_t>(address) & ~kOfDevice;
  auto at = blocks.upper_bound(start);
  if (!isOfDevice(address) || at == blocks.begin())
    return 0;
  --at;
  const size_t offset = start - at->first;
  return offset < at->second.bytes ? at->second.bytes - offset : 0;
}

void *Memory::place(const void *address, size_t bytes) {
  void *records;
  uint64_t uploaded;
  return isOfDevice(address) ? find(address, bytes, records, uploaded)
                             : const_cast<void *>(address);
}

} // namespace tamrt::cuda
