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

/// The bit that is set in addresses of devices, and the bytes of addresses that
/// each device has.
static constexpr uintptr_t kOfDevice = uintptr_t(1) << 52;
static constexpr uintptr_t kDeviceBytes = uintptr_t(1) << 46;

/// Between blocks, so that an access behind one is in none.
static constexpr uintptr_t kGap = 4096;

void Memory::Free::operator()(void *block) const { std::free(block); }

Memory::Memory(int64_t total, int device)
    : total(total), start(kOfDevice + uintptr_t(device) * kDeviceBytes),
      next(start + kGap) {}

bool Memory::isOfDevice(const void *address) {
  return (reinterpret_cast<uintptr_t>(address) & kOfDevice) != 0;
}

bool Memory::isOwn(const void *address) const {
  const auto number = reinterpret_cast<uintptr_t>(address);
  return number >= start && number - start < kDeviceBytes;
}

void *Memory::allocate(size_t bytes) {
  if (bytes == 0 || int64_t(bytes) > freeBytes())
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
  const uintptr_t address = next;
  next += (whole / kGap + 2) * kGap;
  used += int64_t(bytes);
  blocks.emplace(address, std::move(block));
  return reinterpret_cast<void *>(address);
}

bool Memory::release(void *address) {
  auto at = blocks.find(reinterpret_cast<uintptr_t>(address));
  if (at == blocks.end())
    return false;
  used -= int64_t(at->second.bytes);
  blocks.erase(at);
  return true;
}

void *Memory::find(const void *address, size_t bytes, void *&records) const {
  const auto number = reinterpret_cast<uintptr_t>(address);
  auto at = blocks.upper_bound(number);
  if (at == blocks.begin())
    throw Fault{"expected an address of the device, got another one"};
  --at;
  const size_t offset = number - at->first;
  if (offset > at->second.bytes || bytes > at->second.bytes - offset)
    throw Fault{"expected " + std::to_string(bytes) + " bytes in a block of " +
                std::to_string(at->second.bytes) +
                " bytes, got them from byte " + std::to_string(offset) + " on"};
  records =
      static_cast<Record *>(at->second.records.get()) + offset / kRecordedBytes;
  return static_cast<char *>(at->second.memory.get()) + offset;
}

void *Memory::place(const void *address, size_t bytes) const {
  void *records;
  return find(address, bytes, records);
}

} // namespace tamrt::cuda
