//===- memory/Sizes.h - rounding without overflow ---------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_MEMORY_SIZES_H
#define TAMRT_MEMORY_SIZES_H

#include <cstddef>
#include <limits>

namespace tamrt {

/// The least multiple of `unit`, a power of two, not below `bytes`; 0 if it
/// exceeds the type, or `bytes` is 0.
constexpr size_t roundUp(size_t bytes, size_t unit) {
  return bytes > std::numeric_limits<size_t>::max() - (unit - 1)
             ? 0
             : (bytes + unit - 1) & ~(unit - 1);
}

/// The largest multiple of `unit`, a power of two, not above `bytes`.
constexpr size_t roundDown(size_t bytes, size_t unit) {
  return bytes & ~(unit - 1);
}

} // namespace tamrt

#endif // TAMRT_MEMORY_SIZES_H
