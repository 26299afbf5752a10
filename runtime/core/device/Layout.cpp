//===- core/device/Layout.cpp - layout of a block of memory ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/device/Layout.h"

#include "tamrt/abi.h"

#include <cstdint>

namespace tamrt {

size_t saturated(size_t a, size_t b, size_t c) {
  size_t result;
  if (__builtin_mul_overflow(a, b, &result) ||
      __builtin_add_overflow(result, c, &result))
    return SIZE_MAX;
  return result;
}

Layout::Layout(void *memory) : base(nullptr) {
  if (memory) {
    const auto address = reinterpret_cast<uintptr_t>(memory);
    base = static_cast<char *>(memory) +
           (TAMRT_ALIGNMENT - address % TAMRT_ALIGNMENT) % TAMRT_ALIGNMENT;
  }
}

size_t Layout::size() const { return saturated(bytes, 1, TAMRT_ALIGNMENT - 1); }

void *Layout::takeBytes(size_t count, size_t size) {
  void *part = base ? base + bytes : nullptr;
  bytes = saturated(count, size, bytes);
  if (size_t over = bytes % TAMRT_ALIGNMENT; over && bytes != SIZE_MAX)
    bytes = saturated(TAMRT_ALIGNMENT - over, 1, bytes);
  return part;
}

} // namespace tamrt
