//===- torch/Memory.cpp - memory of a device as tensors -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Memory.h"

#include "tamrt/abi.h"

#include <stdexcept>

namespace tamrt::aten {

Memory &memory() {
  static Memory all;
  return all;
}

void *Memory::allocate(tamrt_device &owner, at::Device device, size_t bytes) {
  at::Tensor block =
      at::empty({int64_t(bytes)}, at::TensorOptions(device).dtype(at::kByte));
  std::lock_guard lock(mutex);
  const uintptr_t address = next;
  // Blocks are apart, so that no address is of two.
  next += (bytes / TAMRT_ALIGNMENT + 2) * TAMRT_ALIGNMENT;
  blocks.emplace(address, Block{std::move(block), &owner});
  return reinterpret_cast<void *>(address);
}

bool Memory::release(void *address, size_t bytes) {
  at::Tensor block;
  std::lock_guard lock(mutex);
  auto at = blocks.find(reinterpret_cast<uintptr_t>(address));
  if (at == blocks.end() || at->second.bytes.numel() != int64_t(bytes))
    return false;
  block = std::move(at->second.bytes);
  blocks.erase(at);
  return true;
}

Memory::Place Memory::find(const void *address, int64_t bytes) const {
  const auto where = reinterpret_cast<uintptr_t>(address);
  std::lock_guard lock(mutex);
  auto after = blocks.upper_bound(where);
  if (after == blocks.begin())
    throw std::out_of_range("no block has this address");
  const auto &[start, block] = *std::prev(after);
  const auto offset = int64_t(where - start);
  if (offset + bytes > block.bytes.numel())
    throw std::out_of_range("a buffer ends after its block");
  return {block.bytes, offset, block.owner};
}

tamrt_device &Memory::ownerOf(const void *address) const {
  return *find(address, 0).owner;
}

std::pair<at::Tensor, uintptr_t> Memory::blockOf(const void *address) const {
  const Place place = find(address, 0);
  return {place.block,
          reinterpret_cast<uintptr_t>(address) - uintptr_t(place.offset)};
}

/// The bytes from the first to the last number of a view.
static int64_t bytesOf(at::IntArrayRef sizes, at::IntArrayRef strides,
                       int64_t unit) {
  int64_t last = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0)
      return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return (last + 1) * unit;
}

at::Tensor Memory::view(const void *address, at::ScalarType type,
                        at::IntArrayRef sizes, at::OptionalIntArrayRef given,
                        at::Device device) {
  at::DimVector strides;
  if (given) {
    strides.assign(given->begin(), given->end());
  } else {
    strides.resize(sizes.size());
    for (int64_t i = int64_t(sizes.size()) - 1, step = 1; i >= 0; --i) {
      strides[size_t(i)] = step;
      step *= sizes[size_t(i)];
    }
  }
  const auto unit = int64_t(c10::elementSize(type));
  const int64_t bytes = bytesOf(sizes, strides, unit);
  if (isOfDevice(address) || bytes == 0) {
    if (bytes == 0)
      return at::empty(sizes, at::TensorOptions(device).dtype(type));
    const Place place = find(address, bytes);
    return at::empty({0}, at::TensorOptions(place.block.device()).dtype(type))
        .set_(place.block.storage(), place.offset / unit, sizes, strides);
  }
  at::Tensor there = at::from_blob(const_cast<void *>(address), sizes, strides,
                                   at::TensorOptions(at::kCPU).dtype(type));
  if (device.is_cpu())
    return there;
  std::lock_guard lock(mutex);
  auto [at, isNew] =
      copies.try_emplace({address, bytes, device.str()}, at::Tensor());
  if (isNew)
    at->second = at::from_blob(const_cast<void *>(address), {bytes / unit},
                               at::TensorOptions(at::kCPU).dtype(type))
                     .to(device);
  return at->second.as_strided(sizes, strides);
}

} // namespace tamrt::aten
