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

void *operator new(size_t bytes) {
  void *memory = noMemory ? nullptr : std::malloc(bytes);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
