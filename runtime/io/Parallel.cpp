//===- io/Parallel.cpp - work shared by threads ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Parallel.h"

#include "io/Thread.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>

namespace tamrt {
namespace {

/// One piece of a call.
struct Job {
  void (*call)(const void *, unsigned);
  const void *function;
  unsigned piece;
};

/// A thread that waits for jobs.
class Helper {
public:
  /// Throws an exception if the system cannot start a thread.
  Helper()
      : thread([](void *self) { static_cast<Helper *>(self)->work(); }, this) {}
  Helper(const Helper &) = delete;
  Helper &operator=(const Helper &) = delete;
  ~Helper() {
    give(end);
    thread.join();
  }

  /// Starts a job, which must outlive the wait for its end.
  void give(const Job &job) {
    next.store(&job, std::memory_order_release);
    next.notify_all();
  }
  /// Waits until the job has ended.
  void wait() {
    for (const Job *job; (job = next.load(std::memory_order_acquire));)
      next.wait(job, std::memory_order_acquire);
  }

private:
  void work() {
    while (true) {
      next.wait(nullptr, std::memory_order_acquire);
      const Job *job = next.load(std::memory_order_acquire);
      if (job == &end)
        return;
      job->call(job->function, job->piece);
      next.store(nullptr, std::memory_order_release);
      next.notify_all();
    }
  }

  static constexpr Job end = {};
  /// The current job; null if there is none.
  std::atomic<const Job *> next = nullptr;
  Thread thread;
};

/// The idle threads.
class Helpers {
public:
  /// An idle thread, or a new one; null if none can be started.
  std::unique_ptr<Helper> take() {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        std::unique_ptr<Helper> helper = std::move(idle.back());
        idle.pop_back();
        return helper;
      }
    }
    try {
      return std::make_unique<Helper>();
    } catch (const std::exception &) {
      // There is no thread, or no memory for one.
      return nullptr;
    }
  }

  /// Returns threads to the pool; threads for which it has no memory end.
  void giveBack(std::vector<std::unique_ptr<Helper>> &helpers) {
    const std::lock_guard lock(mutex);
    try {
      idle.reserve(idle.size() + helpers.size());
    } catch (const std::bad_alloc &) {
      return;
    }
    for (std::unique_ptr<Helper> &helper : helpers)
      idle.push_back(std::move(helper));
  }

  /// For the child of a fork, which has none of the threads. Their memory
  /// stays, and so do the states in which other threads left the mutex and the
  /// list.
  void forget() {
    new (&mutex) std::mutex;
    new (&idle) std::vector<std::unique_ptr<Helper>>;
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<Helper>> idle;
};

Helpers &allHelpers() {
  static Helpers helpers;
  [[maybe_unused]] static const int forgets =
      ::pthread_atfork(nullptr, nullptr, [] { helpers.forget(); });
  return helpers;
}

} // namespace

void callPieces(unsigned pieces, void (*call)(const void *, unsigned),
                const void *function) {
  std::vector<Job> jobs(pieces);
  std::vector<std::unique_ptr<Helper>> helpers;
  helpers.reserve(pieces);
  unsigned started = 1;
  for (; started < pieces; ++started) {
    std::unique_ptr<Helper> helper = allHelpers().take();
    if (!helper)
      break;
    jobs[started] = {call, function, started};
    helper->give(jobs[started]);
    helpers.push_back(std::move(helper));
  }
  if (pieces > 0)
    call(function, 0);
  for (unsigned piece = started; piece < pieces; ++piece)
    call(function, piece);
  for (const std::unique_ptr<Helper> &helper : helpers)
    helper->wait();
  allHelpers().giveBack(helpers);
}

} // namespace tamrt
