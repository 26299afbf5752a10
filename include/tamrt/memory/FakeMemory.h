//===- tamrt/memory/FakeMemory.h - addresses without memory -----*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A source of addresses without memory: for tests of allocators, and to
/// compute how much memory an allocator would need.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_FAKEMEMORY_H
#define TAMRT_MEMORY_FAKEMEMORY_H

#include "tamrt/memory/RawMemory.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace tamrt {

/// An address space of a given size. Its addresses must never be dereferenced.
/// A block gets the lowest address where it fits, so that the same calls give
/// the same addresses. Each call takes O(free ranges) at worst.
class FakeMemory final : public RawMemory {
public:
  /// The first address, 2^63: an address has the same alignment as its offset.
  static constexpr uintptr_t base = uintptr_t(1) << 63;

  /// The addresses [base, base + bytes), which do not wrap.
  explicit FakeMemory(size_t bytes);

  void *allocate(size_t bytes, size_t alignment) noexcept override;
  void release(void *address, size_t bytes) noexcept override;
  const MemoryAttributes &attributes() const noexcept override {
    return description;
  }

  /// Excludes [offset, offset + bytes) from allocation, permanently. Ranges may
  /// overlap each other, but no allocated block; a part beyond the space is
  /// ignored.
  void exclude(size_t offset, size_t bytes);

  /// The offset of an address in the space.
  size_t offsetOf(const void *address) const {
    return reinterpret_cast<uintptr_t>(address) - base;
  }

private:
  const MemoryAttributes description = {"fake", 1};
  const size_t size;
  std::mutex mutex;
  struct Range {
    size_t from, to;
  };
  /// The free ranges, ascending; no two touch. The capacity is always more than
  /// the number of blocks and exclusions, so that a release cannot fail.
  std::vector<Range> ranges;
  size_t blocks = 0;
  size_t exclusions = 0;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_FAKEMEMORY_H
