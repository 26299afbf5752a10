//===- io/GrowingArray.h - arrays that grow without a copy ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An array too large to be copied while it grows.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_IO_GROWINGARRAY_H
#define TAMRT_IO_GROWINGARRAY_H

#include "io/KeptMemory.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace tamrt {

/// Most bytes of a large array of `bytes` while values are appended to it.
constexpr size_t grownBytes(size_t bytes) { return (bytes * 9 + 7) / 8; }

/// A vector of trivial values that grows by std::realloc: if the system moves
/// pages instead of copying bytes (Linux, large arrays), the old and the new
/// array never exist at the same time. A large array grows by an eighth, so
/// that it takes at most 9/8 of its size. Appending n values is still O(n) in
/// practice, because moving pages takes a small part of the time of writing
/// them. Throws std::bad_alloc like a vector.
template <class T> class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  GrowingArray() = default;
  GrowingArray(GrowingArray &&other) noexcept { *this = std::move(other); }
  GrowingArray &operator=(GrowingArray &&other) noexcept {
    memory = std::move(other.memory);
    count = std::exchange(other.count, 0);
    capacity = std::exchange(other.capacity, 0);
    return *this;
  }

  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *data() { return memory.get(); }
  const T *data() const { return memory.get(); }
  T operator[](size_t i) const { return memory.get()[i]; }
  T &operator[](size_t i) { return memory.get()[i]; }
  T front() const { return memory.get()[0]; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + count; }

  void push_back(T value) {
    if (count == capacity)
      setCapacity(capacity + std::max(kSmall / sizeof(T) > capacity
                                          ? std::max<size_t>(capacity, 16)
                                          : capacity / 8,
                                      size_t(1)));
    memory.get()[count++] = value;
  }

  /// Appends `size` undefined values and returns their address.
  T *extend(size_t size) {
    if (size > capacity - count)
      setCapacity(
          std::max(count + size,
                   capacity + (capacity < kSmall / sizeof(T) ? capacity
                                                             : capacity / 8)));
    T *place = memory.get() + count;
    count += size;
    return place;
  }

  /// Appends values from outside this array.
  void append(std::span<const T> values) {
    T *place = extend(values.size());
    if (!values.empty())
      std::memcpy(place, values.data(), values.size_bytes());
  }

  /// Drops the values from `size` on.
  void truncate(size_t size) { count = std::min(count, size); }

  /// Reserves memory for `size` values in total.
  void reserve(size_t size) {
    if (size > capacity)
      setCapacity(size);
  }

  /// Releases unused memory.
  void shrink() {
    if (count < capacity)
      setCapacity(count);
  }

private:
  /// Bytes below which growing doubles.
  static constexpr size_t kSmall = size_t(1) << 20;

  void setCapacity(size_t wanted) {
    if (wanted == 0) {
      memory.reset();
    } else {
      void *moved = nullptr;
      if (wanted <= std::numeric_limits<size_t>::max() / sizeof(T)) {
        if (!memory)
          moved = takeKeptBlock(wanted * sizeof(T));
        if (!moved)
          moved = std::realloc(memory.get(), wanted * sizeof(T));
      }
      if (!moved) {
        // As `operator new` does; the handler may throw an exception with more
        // information.
        if (std::new_handler handler = std::get_new_handler())
          handler();
        throw std::bad_alloc();
      }
      (void)memory.release();
      memory.reset(static_cast<T *>(moved));
    }
    capacity = wanted;
  }

  struct Free {
    void operator()(T *pointer) const { releaseBlock(pointer); }
  };
  std::unique_ptr<T, Free> memory;
  size_t count = 0, capacity = 0;
};

} // namespace tamrt

#endif // TAMRT_IO_GROWINGARRAY_H
