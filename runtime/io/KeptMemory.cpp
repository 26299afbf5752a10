//===- io/KeptMemory.cpp - memory kept from run to run --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/KeptMemory.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <mutex>

namespace tamrt {
namespace {

constexpr size_t kMostBlocks = 64;

struct Block {
  void *memory;
  size_t bytes;
  /// Whether it was released since the last call of trimKeptMemory.
  bool isFresh;
};

struct Pool {
  std::mutex mutex;
  size_t most = 0, count = 0, bytes = 0;
  Block blocks[kMostBlocks];

  /// Gives back the blocks that are not wanted.
  template <class Wanted> void keepOnly(const Wanted &wanted) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
      if (wanted(blocks[i])) {
        blocks[kept++] = blocks[i];
        continue;
      }
      bytes -= blocks[i].bytes;
      std::free(blocks[i].memory);
    }
    count = kept;
  }
};

/// Never destroyed: arrays may outlive static objects.
Pool &pool() {
  static Pool &pool = *new Pool;
  return pool;
}

/// So that a process that keeps nothing takes no lock.
std::atomic<bool> keeps = false;

} // namespace

void keepMemory(size_t mostBytes) {
  const std::lock_guard lock(pool().mutex);
  pool().most = mostBytes;
  keeps = mostBytes > 0;
  pool().keepOnly([&](const Block &) { return mostBytes > 0; });
}

void trimKeptMemory() {
  const std::lock_guard lock(pool().mutex);
  pool().keepOnly([](Block &block) {
    const bool isFresh = block.isFresh;
    block.isFresh = false;
    return isFresh;
  });
}

size_t keptBytes() {
  const std::lock_guard lock(pool().mutex);
  return pool().bytes;
}

void *takeKeptBlock(size_t bytes) {
  if (!keeps || bytes < kLeastKeptBytes)
    return nullptr;
  const std::lock_guard lock(pool().mutex);
  Pool &of = pool();
  Block *best = nullptr;
  for (size_t i = 0; i < of.count; ++i) {
    Block &block = of.blocks[i];
    if (block.bytes >= bytes && block.bytes / 2 <= bytes &&
        (!best || block.bytes < best->bytes))
      best = &block;
  }
  if (!best)
    return nullptr;
  void *memory = best->memory;
  of.bytes -= best->bytes;
  *best = of.blocks[--of.count];
  return memory;
}

void releaseBlock(void *block) {
  if (block && keeps) {
    const size_t bytes = malloc_usable_size(block);
    const std::lock_guard lock(pool().mutex);
    Pool &of = pool();
    if (bytes >= kLeastKeptBytes && of.count < kMostBlocks &&
        bytes <= of.most - of.bytes) {
      of.blocks[of.count++] = {block, bytes, /*isFresh=*/true};
      of.bytes += bytes;
      return;
    }
  }
  std::free(block);
}

} // namespace tamrt
