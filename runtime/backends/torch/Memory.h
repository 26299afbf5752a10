//===- torch/Memory.h - memory of a device as tensors --------- -*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The blocks of memory that the runtime has allocated, and tensors that view
/// parts of them. A block is a tensor of bytes on the torch device. The
/// addresses that the runtime gets are no program's: they have a bit above
/// those of user space, so that every torch device works like one whose memory
/// the CPU cannot address.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_BACKENDS_TORCH_MEMORY_H
#define TAMRT_BACKENDS_TORCH_MEMORY_H

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

struct tamrt_device;

namespace tamrt::aten {

/// The bit of a device's addresses.
constexpr uintptr_t kDeviceBit = uintptr_t(1) << 52;

inline bool isOfDevice(const void *address) {
  return (reinterpret_cast<uintptr_t>(address) & kDeviceBit) != 0;
}

/// The blocks of all devices. Its functions may be called from several threads
/// at once. Those that get addresses throw std::out_of_range for one that is
/// not in a block, or if the bytes from there on are not.
class Memory {
public:
  /// A block of `owner` on a device; throws what LibTorch throws.
  void *allocate(tamrt_device &owner, at::Device device, size_t bytes);
  /// Whether there was such a block.
  bool release(void *address, size_t bytes);

  /// A view of numbers from `address` on. Strides are in numbers; without them
  /// the view is contiguous. An address of the CPU's memory is that of
  /// constants, which are copied to `device` once if it is not the CPU.
  at::Tensor view(const void *address, at::ScalarType type,
                  at::IntArrayRef sizes, at::OptionalIntArrayRef strides,
                  at::Device device);

  /// The owner of the block that has an address.
  tamrt_device &ownerOf(const void *address) const;

  /// The block that has an address, as a tensor of bytes, and the address of
  /// its first byte.
  std::pair<at::Tensor, uintptr_t> blockOf(const void *address) const;

private:
  struct Place {
    at::Tensor block;
    int64_t offset;
    tamrt_device *owner;
  };
  struct Block {
    at::Tensor bytes;
    tamrt_device *owner;
  };
  Place find(const void *address, int64_t bytes) const;

  mutable std::mutex mutex;
  /// By their addresses.
  std::map<uintptr_t, Block> blocks;
  uintptr_t next = kDeviceBit;
  /// Copies of constants, by address, bytes and device.
  std::map<std::tuple<const void *, int64_t, std::string>, at::Tensor> copies;
};

/// The one table of blocks.
Memory &memory();

} // namespace tamrt::aten

#endif // TAMRT_BACKENDS_TORCH_MEMORY_H
