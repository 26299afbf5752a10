//===- core/device/AlignedBuffer.h - memory for steps -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Aligned memory for steps, allocated without throwing.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_ALIGNEDBUFFER_H
#define TAMRT_CORE_DEVICE_ALIGNEDBUFFER_H

#include "tamrt/abi.h"

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace tamrt {

/// Bytes at an address that is a multiple of TAMRT_ALIGNMENT, or nothing.
class AlignedBuffer {
public:
  AlignedBuffer() = default;

  /// Allocates `bytes` (at least one alignment unit, so that the address is
  /// never null for 0 bytes); empty if there is not enough memory. The contents
  /// are undefined.
  static AlignedBuffer allocate(size_t bytes) {
    AlignedBuffer result;
    if (size_t rounded = size(bytes); rounded && rounded <= kMaxBytes)
      result.memory.reset(std::aligned_alloc(TAMRT_ALIGNMENT, rounded));
    return result;
  }

  /// Takes ownership of `bytes` bytes, which `give(owner, memory, bytes)`
  /// releases; empty if `memory` is null.
  static AlignedBuffer adopt(void *memory, size_t bytes, void *owner,
                             void (*give)(void *owner, void *memory,
                                          size_t bytes)) {
    AlignedBuffer result;
    result.memory = {memory, Free{owner, give, bytes}};
    return result;
  }

  /// Bytes that `allocate(bytes)` takes; 0 on overflow.
  static size_t size(size_t bytes) {
    if (bytes == 0)
      bytes = 1;
    return (bytes + TAMRT_ALIGNMENT - 1) / TAMRT_ALIGNMENT * TAMRT_ALIGNMENT;
  }

  /// Half of a 48-bit address space. Larger requests fail without calling the
  /// allocator, for which they can be an error (a sanitizer's).
  static constexpr size_t kMaxBytes = size_t(1) << 47;

  explicit operator bool() const { return memory != nullptr; }
  void *data() const { return memory.get(); }
  template <class T> T *as() const { return static_cast<T *>(memory.get()); }

private:
  /// Releases memory of a device to the device, and memory of `allocate` to the
  /// C library.
  struct Free {
    Free() {}
    Free(void *owner, void (*give)(void *, void *, size_t), size_t bytes)
        : owner(owner), give(give), bytes(bytes) {}

    void *owner = nullptr;
    void (*give)(void *owner, void *memory, size_t bytes) = nullptr;
    size_t bytes = 0;

    void operator()(void *pointer) const {
      if (give)
        give(owner, pointer, bytes);
      else
        std::free(pointer);
    }
  };
  std::unique_ptr<void, Free> memory;
};

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_ALIGNEDBUFFER_H
