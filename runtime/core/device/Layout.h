//===- core/device/Layout.h - layout of a block of memory -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Computes the size of a block before it is allocated. Nothing here allocates
/// or throws.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_DEVICE_LAYOUT_H
#define TAMRT_CORE_DEVICE_LAYOUT_H

#include <cstddef>
#include <span>

namespace tamrt {

/// `a * b + c`, saturated at the largest size_t.
size_t saturated(size_t a, size_t b, size_t c);

/// Lays out one block of memory: the same calls compute its size and, given an
/// address, its parts. Parts are aligned to TAMRT_ALIGNMENT; the address need
/// not be. Sizes saturate at the largest size_t.
class Layout {
public:
  explicit Layout(void *memory = nullptr);

  /// A part of `count` elements; null while only measuring.
  template <class T> T *take(size_t count) {
    return static_cast<T *>(takeBytes(count, sizeof(T)));
  }
  /// The same as a span, which is empty while only measuring.
  template <class T> std::span<T> takeSpan(size_t count) {
    T *part = take<T>(count);
    return {part, part ? count : 0};
  }
  /// Bytes taken so far, including the padding that aligns any address.
  size_t size() const;
  /// The state of the layout, with which two parts can share bytes.
  size_t mark() const { return bytes; }
  void rewind(size_t mark) { bytes = mark; }

private:
  void *takeBytes(size_t count, size_t size);

  char *base;
  size_t bytes = 0;
};

} // namespace tamrt

#endif // TAMRT_CORE_DEVICE_LAYOUT_H
