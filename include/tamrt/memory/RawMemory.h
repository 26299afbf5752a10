//===- tamrt/memory/RawMemory.h - memory as a device gives it ---*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What allocators are written over: large blocks from a device, the host, or
/// nowhere. Nothing here or above it looks at the bytes behind an address, so
/// that they may be out of the processor's reach.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_RAWMEMORY_H
#define TAMRT_MEMORY_RAWMEMORY_H

#include <cstddef>
#include <optional>
#include <string>

namespace tamrt {

/// What is true of all blocks of a memory.
struct MemoryAttributes {
  /// For messages, for example "host" or "cuda:0".
  std::string name;
  /// The processor may read and write the bytes.
  bool onHost = false;
  /// The bytes are never paged out, so that devices may copy from them at any
  /// time.
  bool pinned = false;
  /// Every address is a multiple of this, and every block takes a multiple of
  /// it: a power of two.
  size_t granularity = 1;
};

/// Bytes of a memory.
struct MemoryInfo {
  size_t free = 0;
  size_t total = 0;
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

  /// Gives back to the system what is kept for reuse below. False when there
  /// was nothing, so that asking again is of no use.
  virtual bool purge() noexcept { return false; }

  /// The same at every call.
  virtual const MemoryAttributes &attributes() const noexcept = 0;

  /// How much there is now; nothing where that cannot be known.
  virtual std::optional<MemoryInfo> info() noexcept { return std::nullopt; }
};

/// The memory of the process, by the C library. How much is free is not known
/// here: that depends on limits which the hardware layer reads.
class HostMemory final : public RawMemory {
public:
  void *allocate(size_t bytes, size_t alignment) noexcept override;
  void release(void *address, size_t bytes) noexcept override;
  const MemoryAttributes &attributes() const noexcept override {
    return description;
  }

private:
  MemoryAttributes description = {"host", true, false, alignof(max_align_t)};
};

} // namespace tamrt

#endif // TAMRT_MEMORY_RAWMEMORY_H
