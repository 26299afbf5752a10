//===- AllocationCount.cpp - counts calls of the allocator ------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/AllocationCount.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<bool> counting{false};
std::atomic<int64_t> allocations{0};
std::atomic<bool> weighing{false};
std::atomic<int64_t> live{0}, peak{0};

void count() {
  if (counting.load(std::memory_order_relaxed))
    allocations.fetch_add(1, std::memory_order_relaxed);
}

/// Records a change of the allocated bytes by `bytes`.
void weigh(int64_t bytes) {
  if (!weighing.load(std::memory_order_relaxed))
    return;
  const int64_t now = live += bytes;
  int64_t before = peak;
  while (now > before && !peak.compare_exchange_weak(before, now))
    ;
}

} // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

// The sanitizer has its own allocation functions and reports each call.
extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*onMalloc)(const volatile void *, size_t),
    void (*onFree)(const volatile void *));

extern "C" size_t __sanitizer_get_allocated_size(const volatile void *);

static const int hooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void *, size_t size) {
      count();
      weigh(int64_t(size));
    },
    [](const volatile void *p) {
      weigh(-int64_t(__sanitizer_get_allocated_size(p)));
    });

#else

// These replace glibc's for the whole program.
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

/// `p` as it was allocated.
static void *noted(void *p) {
  count();
  weigh(int64_t(malloc_usable_size(p)));
  return p;
}

void *malloc(size_t size) { return noted(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) {
  return noted(__libc_calloc(number, size));
}
void *realloc(void *p, size_t size) {
  weigh(-int64_t(malloc_usable_size(p)));
  return noted(__libc_realloc(p, size));
}
void *memalign(size_t alignment, size_t size) {
  return noted(__libc_memalign(alignment, size));
}
void *aligned_alloc(size_t alignment, size_t size) {
  return noted(__libc_memalign(alignment, size));
}
int posix_memalign(void **p, size_t alignment, size_t size) {
  *p = noted(__libc_memalign(alignment, size));
  return *p ? 0 : ENOMEM;
}
void free(void *p) {
  weigh(-int64_t(malloc_usable_size(p)));
  __libc_free(p);
}
void *mmap(void *at, size_t length, int protection, int flags, int file,
           off_t offset) noexcept {
  count();
  return reinterpret_cast<void *>(
      syscall(SYS_mmap, at, length, protection, flags, file, offset));
}
}

#endif

void tamrt_test_count_allocations(void) {
  allocations = 0;
  counting = true;
}

int64_t tamrt_test_allocations(void) {
  counting = false;
  return allocations;
}

int64_t tamrt::test::allocationsIn(const std::function<void()> &run) {
  tamrt_test_count_allocations();
  run();
  return tamrt_test_allocations();
}

int64_t tamrt::test::peakBytesIn(const std::function<void()> &run) {
  live = peak = 0;
  weighing = true;
  run();
  weighing = false;
  return peak;
}
