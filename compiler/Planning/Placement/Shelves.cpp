//===- Planning/Shelves.cpp - first fit by address ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement/Shelves.h"

#include "Problem/Arithmetic.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace tamc::planning;

size_t Shelves::blockOf(int64_t begin) const {
  auto after = std::upper_bound(
      blocks.begin(), blocks.end(), begin,
      [](int64_t at, const auto &block) { return at < block->begin[0]; });
  return after == blocks.begin() ? 0 : size_t(after - blocks.begin()) - 1;
}

void Shelves::put(Block &block, size_t at, const Rectangle &rectangle) {
  block.lower[at] = rectangle.lower;
  block.upper[at] = rectangle.upper;
  block.begin[at] = rectangle.begin;
  block.end[at] = rectangle.end;
  block.item[at] = rectangle.item;
}

Shelves::Rectangle Shelves::get(const Block &block, size_t at) {
  return {block.lower[at], block.upper[at], block.begin[at], block.end[at],
          block.item[at]};
}

void Shelves::shift(Block &block, size_t from, std::ptrdiff_t by) {
  auto move = [&](auto &values) {
    if (by > 0)
      std::copy_backward(values.begin() + from, values.begin() + block.count,
                         values.begin() + block.count + by);
    else
      std::copy(values.begin() + from, values.begin() + block.count,
                values.begin() + from + by);
  };
  move(block.lower);
  move(block.upper);
  move(block.begin);
  move(block.end);
  move(block.item);
  block.count += by;
}

void Shelves::insert(const Rectangle &rectangle) {
  if (blocks.empty()) {
    blocks.push_back(std::make_unique<Block>());
    blocks.back()->earliest = rectangle.lower;
    blocks.back()->latest = rectangle.upper;
  }
  size_t index = blockOf(rectangle.begin);
  if (blocks[index]->count == width) {
    auto half = std::make_unique<Block>();
    Block &full = *blocks[index];
    for (size_t i = width / 2; i < width; ++i)
      put(*half, i - width / 2, get(full, i));
    full.count = half->count = width / 2;
    for (Block *block : {&full, half.get()}) {
      auto used = static_cast<std::ptrdiff_t>(block->count);
      block->earliest =
          *std::min_element(block->lower.begin(), block->lower.begin() + used);
      block->latest =
          *std::max_element(block->upper.begin(), block->upper.begin() + used);
    }
    blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                  std::move(half));
    index = blockOf(rectangle.begin);
  }
  Block &block = *blocks[index];
  auto at = static_cast<size_t>(
      std::upper_bound(block.begin.begin(),
                       block.begin.begin() +
                           static_cast<std::ptrdiff_t>(block.count),
                       rectangle.begin) -
      block.begin.begin());
  shift(block, at, 1);
  put(block, at, rectangle);
  block.earliest = std::min(block.earliest, rectangle.lower);
  block.latest = std::max(block.latest, rectangle.upper);
}

void Shelves::erase(const Rectangle &rectangle) {
  // Rectangles with one begin may be in several blocks.
  for (size_t index = blockOf(rectangle.begin);; --index) {
    Block &block = *blocks[index];
    for (size_t i = 0; i < block.count; ++i)
      if (block.item[i] == rectangle.item &&
          block.begin[i] == rectangle.begin &&
          block.lower[i] == rectangle.lower) {
        shift(block, i + 1, -1);
        if (block.count == 0)
          blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(index));
        return;
      }
    if (index == 0)
      return;
  }
}

bool Shelves::mark(const Block &block, int32_t lower, int32_t upper,
                   Hits &hits) {
  if (block.earliest >= upper || block.latest <= lower)
    return false;
  // Always a whole block, so that the loop has a fixed length.
  for (size_t i = 0; i < width; ++i)
    hits[i] = int(block.lower[i] < upper) & int(block.upper[i] > lower);
  std::memset(hits.data() + block.count, 0, width - block.count);
  return true;
}

// So that the first mark of a word is in its lowest byte.
static_assert(std::endian::native == std::endian::little);

/// Calls `visit` with the indices of the marks until it returns false.
template <typename Hits, typename Visit>
static bool forEach(const Hits &hits, Visit visit) {
  for (size_t word = 0; word < hits.size(); word += 8) {
    uint64_t marks;
    std::memcpy(&marks, hits.data() + word, 8);
    // A mark is the lowest bit of its byte.
    for (; marks != 0; marks &= marks - 1)
      if (!visit(word + static_cast<size_t>(std::countr_zero(marks)) / 8))
        return false;
  }
  return true;
}

int64_t Shelves::firstFit(int32_t lower, int32_t upper, int64_t size,
                          int64_t alignment, int64_t limit) const {
  int64_t at = 0;
  Hits hits;
  for (const auto &block : blocks) {
    if (block->begin[0] >= at && block->begin[0] - at >= size)
      break;
    if (!mark(*block, lower, upper, hits))
      continue;
    bool goesOn = forEach(hits, [&](size_t i) {
      if (block->begin[i] >= at && block->begin[i] - at >= size)
        return false;
      if (block->end[i] > at)
        at = alignUp(block->end[i], alignment);
      return at <= limit;
    });
    if (!goesOn)
      break;
  }
  return at > limit || size > limit - at ? infinite : at;
}

void Shelves::collect(int32_t lower, int32_t upper,
                      std::vector<Rectangle> &found) const {
  found.clear();
  Hits hits;
  for (const auto &block : blocks)
    if (mark(*block, lower, upper, hits))
      forEach(hits, [&](size_t i) {
        found.push_back(get(*block, i));
        return true;
      });
}
