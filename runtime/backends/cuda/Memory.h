//===- cuda/Memory.h - memory of the emulated device ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMRT_BACKENDS_CUDA_MEMORY_H
#define TAMRT_BACKENDS_CUDA_MEMORY_H

#include "backends/cuda/Emulator.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace tamrt::cuda {

/// Blocks of memory with addresses that the CPU cannot access: they have a bit
/// above those of user space, so that any access except by a kernel or a copy
/// crashes. No address is used twice, so that a use of released memory is
/// found. Each block has records of its elements, for the emulator.
class Memory {
public:
  /// \param device the number of the device, which is part of addresses.
  explicit Memory(int64_t total, int device = 0);

  /// Null if less than `bytes` are free.
  void *allocate(size_t bytes);
  /// Returns whether there is such a block.
  bool release(void *address);

  /// Where the emulator finds `bytes` bytes of memory, and their records.
  /// Throws Fault if the address is not that of so many bytes of a block.
  void *find(const void *address, size_t bytes, void *&records) const;
  /// The same without records.
  void *place(const void *address, size_t bytes) const;

  /// Whether an address is one of a device.
  static bool isOfDevice(const void *address);
  /// Whether it is one of this device.
  bool isOwn(const void *address) const;

  int64_t freeBytes() const { return total - used; }
  int64_t totalBytes() const { return total; }
  int64_t usedBytes() const { return used; }

private:
  struct Free {
    void operator()(void *block) const;
  };
  struct Block {
    size_t bytes;
    std::unique_ptr<void, Free> memory, records;
  };

  int64_t total, used = 0;
  uintptr_t start, next;
  std::map<uintptr_t, Block> blocks;
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_MEMORY_H
