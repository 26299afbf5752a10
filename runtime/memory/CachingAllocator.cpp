//===- memory/CachingAllocator.cpp - blocks reused by stream --------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamrt/memory/CachingAllocator.h"

#include "memory/CachingCore.h"

using namespace tamrt;

CachingOptions CachingOptions::pinnedHost() {
  CachingOptions options;
  options.powersOfTwo = true;
  options.ownedByStreams = false;
  return options;
}

CachingAllocator::CachingAllocator(RawMemory &raw, Streams &streams,
                                   CachingOptions options)
    : implementation(
          std::make_unique<Implementation>(raw, streams, std::move(options))) {}

CachingAllocator::~CachingAllocator() = default;

void *CachingAllocator::allocate(size_t bytes, Stream stream,
                                 uint32_t tag) noexcept {
  return implementation->allocate(bytes, stream, tag);
}

bool CachingAllocator::release(void *address) noexcept {
  return implementation->release(reinterpret_cast<uintptr_t>(address));
}

bool CachingAllocator::recordUse(void *address, Stream stream) noexcept {
  return implementation->recordUse(reinterpret_cast<uintptr_t>(address),
                                   stream);
}

size_t CachingAllocator::emptyCache() noexcept {
  return implementation->emptyCache();
}

uint32_t CachingAllocator::openTag(std::string_view name) noexcept {
  std::lock_guard lock(implementation->mutex);
  return implementation->tags.open(name);
}

void CachingAllocator::closeTag(uint32_t tag) noexcept {
  std::lock_guard lock(implementation->mutex);
  implementation->tags.close(tag);
}

MemoryStatistics CachingAllocator::statistics() const noexcept {
  std::lock_guard lock(implementation->mutex);
  return implementation->statistics();
}

MemorySnapshot CachingAllocator::snapshot() const {
  return implementation->snapshot();
}
