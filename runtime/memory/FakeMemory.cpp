//===- memory/FakeMemory.cpp - addresses without memory -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/memory/FakeMemory.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>

using namespace tamrt;

FakeMemory::FakeMemory(size_t bytes) : size(bytes) {
  assert(bytes <= std::numeric_limits<uintptr_t>::max() - base);
  if (bytes > 0)
    ranges.push_back({0, bytes});
}

void *FakeMemory::allocate(size_t bytes, size_t alignment) noexcept {
  if (bytes > size)
    return nullptr;
  std::lock_guard lock(mutex);
  try {
    ranges.reserve(blocks + exclusions + 2);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  for (auto range = ranges.begin(); range != ranges.end(); ++range) {
    auto [from, to] = *range;
    // Computes the padding, because the next multiple itself might overflow.
    size_t padding = -(base + from) & (alignment - 1);
    if (padding > to - from || to - from - padding < bytes)
      continue;
    size_t begin = from + padding, end = begin + bytes;
    if (begin > from && end < to) {
      range->to = begin;
      ranges.insert(range + 1, {end, to});
    } else if (begin > from) {
      range->to = begin;
    } else if (end < to) {
      range->from = end;
    } else {
      ranges.erase(range);
    }
    ++blocks;
    return reinterpret_cast<void *>(base + begin);
  }
  return nullptr;
}

void FakeMemory::release(void *address, size_t bytes) noexcept {
  size_t from = offsetOf(address), to = from + bytes;
  std::lock_guard lock(mutex);
  auto next = std::lower_bound(
      ranges.begin(), ranges.end(), from,
      [](const Range &range, size_t offset) { return range.from < offset; });
  assert(blocks > 0 && to <= size &&
         (next == ranges.end() || to <= next->from));
  bool touchesNext = next != ranges.end() && next->from == to;
  if (next != ranges.begin()) {
    auto before = next - 1;
    assert(before->to <= from);
    if (before->to == from) {
      before->to = touchesNext ? next->to : to;
      if (touchesNext)
        ranges.erase(next);
      from = to;
    }
  }
  if (from < to && touchesNext)
    next->from = from;
  else if (from < to)
    ranges.insert(next, {from, to});
  --blocks;
}

void FakeMemory::exclude(size_t offset, size_t bytes) {
  std::lock_guard lock(mutex);
  size_t end = offset > size || bytes > size - offset ? size : offset + bytes;
  ++exclusions;
  auto first = std::lower_bound(
      ranges.begin(), ranges.end(), offset,
      [](const Range &range, size_t begin) { return range.to <= begin; });
  auto last = first;
  // The remaining parts of the first and of the last range that overlaps.
  std::vector<Range> left;
  for (; last != ranges.end() && last->from < end; ++last) {
    if (last->from < offset)
      left.push_back({last->from, offset});
    if (end < last->to)
      left.push_back({end, last->to});
  }
  ranges.insert(ranges.erase(first, last), left.begin(), left.end());
}
