//===- torch/Reserve.cpp - memory for ATen's temporary tensors ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "backends/torch/Reserve.h"

#include "tamrt/abi.h"

#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace tamrt::aten {
namespace {

/// Blocks of the reserve have 2^k bytes, k from 6 on. A block that is freed is
/// kept for the next request of its size; all become one again when a kernel
/// has ended.
class Reserve {
public:
  static constexpr int kSmallest =
      std::bit_width(unsigned(TAMRT_ALIGNMENT)) - 1;

  void start(size_t bytes, int64_t failAt) {
    this->failAt = failAt;
    counts = {};
    if (bytes <= size)
      return;
    auto *block =
        static_cast<std::byte *>(std::aligned_alloc(TAMRT_ALIGNMENT, bytes));
    if (!block)
      throw std::bad_alloc();
    // Tensors that ATen has kept may lie in the earlier block, which stays.
    memory = block;
    size = bytes;
    top = inUse = 0;
    for (auto &bin : bins)
      bin.clear();
  }

  void *allocate(size_t bytes) {
    ++counts.allocations;
    const int bin = binOf(bytes);
    if (counts.allocations == failAt) {
      ++counts.refused;
      throw std::bad_alloc();
    }
    std::byte *block = nullptr;
    if (!bins[bin].empty()) {
      block = bins[bin].back();
      bins[bin].pop_back();
    } else if (const size_t whole = size_t(1) << bin; whole <= size - top) {
      block = memory + top;
      top += whole;
    } else {
      ++counts.refused;
      throw std::bad_alloc();
    }
    inUse += size_t(1) << bin;
    counts.peakBytes = std::max(counts.peakBytes, int64_t(inUse));
    return block;
  }

  void free(void *block, size_t bytes) {
    const int bin = binOf(bytes);
    bins[bin].push_back(static_cast<std::byte *>(block));
    inUse -= size_t(1) << bin;
  }

  void restart() {
    if (inUse != 0)
      return;
    top = 0;
    for (auto &bin : bins)
      bin.clear();
  }

  size_t size = 0;
  ReserveCounts counts;

private:
  static int binOf(size_t bytes) {
    return std::max(kSmallest,
                    int(std::bit_width(std::max<size_t>(bytes, 1) - 1)));
  }

  std::byte *memory = nullptr;
  size_t top = 0, inUse = 0;
  int64_t failAt = 0;
  std::vector<std::byte *> bins[64];
};

Reserve reserve;
thread_local bool isKernel = false;

/// The owner of a block, from which a tensor frees it.
struct Block {
  void *memory;
  size_t bytes;
  bool isReserved;
};

void freeBlock(void *owner) {
  auto *block = static_cast<Block *>(owner);
  if (block->isReserved)
    reserve.free(block->memory, block->bytes);
  else
    std::free(block->memory);
  delete block;
}

class Allocator final : public c10::Allocator {
public:
#if TAMRT_TORCH_MAJOR >= 2
  c10::DataPtr allocate(size_t bytes) override { return take(bytes); }
  void copy_data(void *to, const void *from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
#else
  c10::DataPtr allocate(size_t bytes) const override { return take(bytes); }
#endif

private:
  static c10::DataPtr take(size_t bytes) {
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0)
      return {nullptr, cpu};
    auto block = std::make_unique<Block>(Block{nullptr, bytes, isKernel});
    if (isKernel) {
      block->memory = reserve.allocate(bytes);
    } else {
      const size_t whole =
          (bytes + TAMRT_ALIGNMENT - 1) / TAMRT_ALIGNMENT * TAMRT_ALIGNMENT;
      block->memory = std::aligned_alloc(TAMRT_ALIGNMENT, whole);
      if (!block->memory)
        throw std::bad_alloc();
    }
    void *memory = block->memory;
    return {memory, block.release(), freeBlock, cpu};
  }
};

} // namespace

void makeReserve(size_t bytes, int64_t failAt) {
  static Allocator allocator;
  c10::SetAllocator(c10::DeviceType::CPU, &allocator, /*priority=*/255);
  reserve.start(bytes, failAt);
}

size_t reserveBytes() { return reserve.size; }

ReserveCounts reserveCounts() { return reserve.counts; }

ReserveScope::ReserveScope() { isKernel = true; }
ReserveScope::~ReserveScope() {
  isKernel = false;
  reserve.restart();
}

} // namespace tamrt::aten
