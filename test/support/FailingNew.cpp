//===- FailingNew.cpp - the end of memory on request ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/FailingNew.h"

#include <cstdlib>
#include <new>

static thread_local int noMemory = 0;

tamrt::test::NoMemory::NoMemory() { ++noMemory; }
tamrt::test::NoMemory::~NoMemory() { --noMemory; }

static void *allocate(size_t bytes) noexcept {
  return noMemory ? nullptr : std::malloc(bytes);
}
static void *allocateOrThrow(size_t bytes) {
  void *memory = allocate(bytes);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

// All forms without an alignment: sanitizers have their own of each that is not
// replaced, whose memory the others must not free.
void *operator new(size_t bytes) { return allocateOrThrow(bytes); }
void *operator new[](size_t bytes) { return allocateOrThrow(bytes); }
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  return allocate(bytes);
}
void *operator new[](size_t bytes, const std::nothrow_t &) noexcept {
  return allocate(bytes);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept {
  std::free(memory);
}
void operator delete[](void *memory, const std::nothrow_t &) noexcept {
  std::free(memory);
}
