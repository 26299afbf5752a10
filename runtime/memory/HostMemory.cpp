//===- memory/HostMemory.cpp - the memory of the process ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/memory/RawMemory.h"

#include <algorithm>
#include <cstdlib>

using namespace tamrt;

/// Half of a 48-bit address space. Larger requests fail without calling the C
/// library, for which they can be an error (a sanitizer's).
static constexpr size_t maxBytes = size_t(1) << 47;

void *HostMemory::allocate(size_t bytes, size_t alignment) noexcept {
  alignment = std::max(alignment, description.granularity);
  if (bytes > maxBytes || alignment > maxBytes)
    return nullptr;
  return std::aligned_alloc(alignment,
                            (bytes + alignment - 1) & ~(alignment - 1));
}

void HostMemory::release(void *address, size_t) noexcept { std::free(address); }
