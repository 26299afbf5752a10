//===- AllocationCount.h - counts calls of the allocator --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_SUPPORT_ALLOCATIONCOUNT_H
#define TAMC_TEST_SUPPORT_ALLOCATIONCOUNT_H

#include <cstdint>
#include <functional>

namespace tamrt::test {

/// Calls of the allocation functions and of mmap while `run` runs, from any
/// thread and any library. Linking AllocationCount.cpp replaces those functions
/// in the whole program.
int64_t allocationsIn(const std::function<void()> &run);

/// Most bytes that are allocated at one time while `run` runs, beyond those
/// allocated before, from any thread.
int64_t peakBytesIn(const std::function<void()> &run);

} // namespace tamrt::test

/// The same for C: starts counting; stops and returns the count.
extern "C" void tamrt_test_count_allocations(void);
extern "C" int64_t tamrt_test_allocations(void);

#endif // TAMC_TEST_SUPPORT_ALLOCATIONCOUNT_H
