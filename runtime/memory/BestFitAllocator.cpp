//===- memory/BestFitAllocator.cpp - best fit with coalescing -------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/memory/BestFitAllocator.h"

#include "memory/BestFitCore.h"

using namespace tamrt;

BestFitAllocator::BestFitAllocator(RawMemory &raw, BestFitOptions options)
    : implementation(
          std::make_unique<Implementation>(raw, std::move(options))) {}

BestFitAllocator::~BestFitAllocator() = default;

void *BestFitAllocator::allocate(const MemoryRequest &request) noexcept {
  return implementation->allocate(request);
}

bool BestFitAllocator::release(void *address) noexcept {
  return implementation->release(reinterpret_cast<uintptr_t>(address));
}

size_t BestFitAllocator::sizeOf(const void *address) const noexcept {
  return implementation->sizeOf(reinterpret_cast<uintptr_t>(address));
}

bool BestFitAllocator::reserve(size_t bytes) noexcept {
  return implementation->reserve(bytes);
}

size_t BestFitAllocator::trim() noexcept { return implementation->trim(); }

uint32_t BestFitAllocator::openTag(std::string_view name) noexcept {
  std::lock_guard lock(implementation->mutex);
  return implementation->tags.open(name);
}

void BestFitAllocator::closeTag(uint32_t tag) noexcept {
  std::lock_guard lock(implementation->mutex);
  implementation->tags.close(tag);
}

MemoryStatistics BestFitAllocator::statistics() const noexcept {
  std::lock_guard lock(implementation->mutex);
  return implementation->statistics();
}

MemorySnapshot BestFitAllocator::snapshot() const {
  return implementation->snapshot();
}
