//===- tamrt/memory/RawMemory.h - sources of memory -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface below allocators: large blocks from a device, or without
/// memory (FakeMemory). Neither this code nor its users access the bytes behind
/// an address, so the CPU need not be able to address them.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_RAWMEMORY_H
#define TAMRT_MEMORY_RAWMEMORY_H

#include <cstddef>
#include <string>

namespace tamrt {

/// Properties of all blocks of a memory.
struct MemoryAttributes {
  /// For messages, for example "cuda:0".
  std::string name;
  /// A power of two: every address is a multiple of it, and so is every block's
  /// size.
  size_t granularity = 1;
};

/// A source of blocks. All functions may be called from several threads at
/// once, and none throws.
class RawMemory {
public:
  virtual ~RawMemory() = default;

  /// `bytes` (1 or more) at an address that is a multiple of `alignment` (a
  /// power of two); null when there is no such memory. The contents are
  /// undefined.
  virtual void *allocate(size_t bytes, size_t alignment) noexcept = 0;

  /// Takes back a block. `address` and `bytes` are those of one call of
  /// `allocate`.
  virtual void release(void *address, size_t bytes) noexcept = 0;

  /// Returns memory that is kept for reuse to the system. False if there was
  /// none, so that another attempt to allocate is useless.
  virtual bool purge() noexcept { return false; }

  /// The same at every call.
  virtual const MemoryAttributes &attributes() const noexcept = 0;
};

} // namespace tamrt

#endif // TAMRT_MEMORY_RAWMEMORY_H
