//===- memory/Checker.h - a slow account of live ranges ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks allocators against a map of the ranges in use. Shares no code with
/// them.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_MEMORY_CHECKER_H
#define TAMRT_TEST_MEMORY_CHECKER_H

#include "tamrt/memory/FakeMemory.h"
#include "tamrt/memory/RawMemory.h"
#include "tamrt/memory/Snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string>

namespace tamrt::test {

/// Ranges of addresses, no two of which overlap.
class Ranges {
public:
  /// Returns false and does nothing if the range overlaps another one.
  bool add(uintptr_t from, size_t bytes) {
    auto next = ranges.lower_bound(from);
    if (next != ranges.end() && next->first < from + bytes)
      return false;
    if (next != ranges.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second > from)
        return false;
    }
    ranges.emplace_hint(next, from, bytes);
    return true;
  }
  bool remove(uintptr_t from) { return ranges.erase(from) == 1; }
  /// Whether one range has all of [from, from + bytes).
  bool covers(uintptr_t from, size_t bytes) const {
    auto next = ranges.upper_bound(from);
    if (next == ranges.begin())
      return false;
    auto before = std::prev(next);
    return from + bytes <= before->first + before->second;
  }
  bool empty() const { return ranges.empty(); }
  const std::map<uintptr_t, size_t> &all() const { return ranges; }

private:
  std::map<uintptr_t, size_t> ranges;
};

/// Passes calls on to another memory and checks that every region is returned
/// once, as it was obtained.
class CountingMemory final : public RawMemory {
public:
  explicit CountingMemory(RawMemory &below) : below(below) {}
  ~CountingMemory() override { EXPECT_TRUE(regions.empty()); }

  void *allocate(size_t bytes, size_t alignment) noexcept override {
    std::lock_guard lock(mutex);
    ++calls;
    if (refuses || bytes > limit - obtained)
      return nullptr;
    void *address = below.allocate(bytes, alignment);
    if (address) {
      EXPECT_TRUE(regions.add(reinterpret_cast<uintptr_t>(address), bytes));
      obtained += bytes;
    }
    return address;
  }
  void release(void *address, size_t bytes) noexcept override {
    std::lock_guard lock(mutex);
    auto from = reinterpret_cast<uintptr_t>(address);
    auto region = regions.all().find(from);
    ASSERT_NE(region, regions.all().end()) << "not a region";
    EXPECT_EQ(region->second, bytes);
    regions.remove(from);
    obtained -= bytes;
    below.release(address, bytes);
  }
  const MemoryAttributes &attributes() const noexcept override {
    return below.attributes();
  }

  bool covers(const void *address, size_t bytes) const {
    std::lock_guard lock(mutex);
    return regions.covers(reinterpret_cast<uintptr_t>(address), bytes);
  }

  /// Bytes that are out, at most `limit`; calls of allocate, and whether it
  /// fails.
  size_t obtained = 0;
  size_t limit = SIZE_MAX;
  size_t calls = 0;
  bool refuses = false;

private:
  RawMemory &below;
  mutable std::mutex mutex;
  Ranges regions;
};

/// Memory with bytes.
class HostMemory final : public RawMemory {
public:
  explicit HostMemory(size_t granularity = alignof(std::max_align_t))
      : description{"host", granularity} {}
  void *allocate(size_t bytes, size_t alignment) noexcept override {
    alignment = std::max(alignment, description.granularity);
    return std::aligned_alloc(alignment,
                              (bytes + alignment - 1) & ~(alignment - 1));
  }
  void release(void *address, size_t) noexcept override { std::free(address); }
  const MemoryAttributes &attributes() const noexcept override {
    return description;
  }

private:
  const MemoryAttributes description;
};

/// Whether all `bytes` of a space are free, in one range.
inline bool isWhole(FakeMemory &space, size_t bytes) {
  void *all = space.allocate(bytes, 1);
  if (all)
    space.release(all, bytes);
  return all;
}

/// From `least` to `most`, every power of two as likely as the next.
inline size_t randomSize(std::mt19937_64 &random, double least, double most) {
  double unit = std::generate_canonical<double, 53>(random);
  return static_cast<size_t>(least * std::pow(most / least, unit));
}

/// TAMC_MEMORY_OPERATIONS, or this default.
inline size_t operationCount(size_t usual) {
  const char *asked = std::getenv("TAMC_MEMORY_OPERATIONS");
  return asked ? std::strtoull(asked, nullptr, 10) : usual;
}

/// Bytes of the block in use at `address`; 0 if there is none.
inline size_t sizeOf(const MemorySnapshot &snapshot, const void *address) {
  for (const MemoryRegion &region : snapshot.regions)
    for (const MemoryBlock &block : region.blocks)
      if (block.state == MemoryBlock::State::Used &&
          block.address == reinterpret_cast<uintptr_t>(address))
        return block.bytes;
  return 0;
}

/// Checks that the regions of a snapshot consist of their blocks, that no two
/// free blocks touch, and that the statistics agree.
inline void expectConsistent(const MemorySnapshot &snapshot) {
  using State = MemoryBlock::State;
  size_t bytes[3] = {}, blocks[3] = {}, requested = 0, largest = 0;
  for (const MemoryRegion &region : snapshot.regions) {
    uintptr_t at = region.address;
    const MemoryBlock *before = nullptr;
    for (const MemoryBlock &block : region.blocks) {
      EXPECT_EQ(block.address, at);
      at += block.bytes;
      bytes[int(block.state)] += block.bytes;
      ++blocks[int(block.state)];
      if (block.state == State::Used)
        requested += block.requested;
      if (block.state == State::Free)
        largest = std::max(largest, block.bytes);
      EXPECT_LE(block.requested, block.bytes);
      EXPECT_FALSE(before && before->state == State::Free &&
                   block.state == State::Free);
      before = &block;
    }
    EXPECT_EQ(at, region.address + region.bytes);
  }
  const MemoryStatistics &statistics = snapshot.statistics;
  EXPECT_EQ(statistics.used.now, bytes[int(State::Used)]);
  EXPECT_EQ(statistics.free, bytes[int(State::Free)]);
  EXPECT_EQ(statistics.waiting, bytes[int(State::Waiting)]);
  EXPECT_EQ(statistics.usedBlocks, blocks[int(State::Used)]);
  EXPECT_EQ(statistics.freeBlocks, blocks[int(State::Free)]);
  EXPECT_EQ(statistics.waitingBlocks, blocks[int(State::Waiting)]);
  EXPECT_EQ(statistics.requested.now, requested);
  EXPECT_EQ(statistics.largestFree, largest);
  EXPECT_EQ(statistics.regions, snapshot.regions.size());
  size_t inBins = 0;
  for (const BinStatistics &bin : snapshot.bins)
    inBins += bin.usedBytes + bin.freeBytes;
  EXPECT_EQ(inBins, statistics.reserved.now);
  size_t byStream = 0;
  for (const StreamStatistics &stream : snapshot.streams)
    byStream += stream.used.now + stream.free + stream.waiting;
  if (!snapshot.streams.empty()) {
    EXPECT_EQ(byStream, statistics.reserved.now);
  }
}

} // namespace tamrt::test

#endif // TAMRT_TEST_MEMORY_CHECKER_H
