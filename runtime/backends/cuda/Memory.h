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
#include <utility>
#include <vector>

namespace tamrt::cuda {

/// Blocks of memory with addresses that the CPU cannot access: they have a bit
/// above those of user space, so that any access except by a kernel or a copy
/// crashes. Each block has records of its elements, for the emulator.
class Memory {
public:
  explicit Memory(int64_t total) : total(total) {}

  /// Null if less than `bytes` are free.
  void *allocate(size_t bytes);
  /// Returns whether there is such a block.
  bool release(void *address, size_t bytes);

  /// Where the emulator finds `bytes` bytes of memory, and their records. An
  /// address of the CPU is that of a constant of the model, which is copied
  /// when it is first asked for, as a GPU would: `uploaded` gets the bytes of
  /// such a copy. Throws Fault if the address is neither.
  void *find(const void *address, size_t bytes, void *&records,
             uint64_t &uploaded);
  /// The bytes of a block from an address on; 0 if there is none.
  size_t bytesFrom(const void *address) const;
  /// The same as `find` for a copy: addresses of the CPU are theirs.
  void *place(const void *address, size_t bytes);

  /// Whether an address is one of the device.
  static bool isOfDevice(const void *address);

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
  std::map<uintptr_t, Block> blocks;
  /// Copies of constants, by address and bytes: work that waits in a stream
  /// may use them.
  std::map<std::pair<const void *, size_t>, std::vector<char>> constants;
};

} // namespace tamrt::cuda

#endif // TAMRT_BACKENDS_CUDA_MEMORY_H
