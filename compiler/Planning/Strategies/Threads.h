//===- Planning/Threads.h - work shared by threads --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_STRATEGIES_THREADS_H
#define TAMC_PLANNING_STRATEGIES_THREADS_H

#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace tamc::planning {

/// Calls `work` on `count` threads, of which the caller's is one, and waits for
/// all of them. If the system has no more threads or memory for them there are
/// fewer, so each call has to take pieces of the work until none is left.
/// Throws the first exception of a call when all have ended.
template <class Work> void runOnThreads(size_t count, const Work &work) {
  std::mutex mutex;
  std::exception_ptr error;
  auto call = [&] {
    try {
      work();
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!error)
        error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      while (helpers.size() + 1 < count)
        helpers.emplace_back(call);
    } catch (const std::system_error &) {
    } catch (const std::bad_alloc &) {
    }
    call();
  }
  if (error)
    std::rethrow_exception(error);
}

} // namespace tamc::planning

#endif // TAMC_PLANNING_STRATEGIES_THREADS_H
