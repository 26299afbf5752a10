//===- memory/WorkerStreams.h - streams that are threads --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_MEMORY_WORKERSTREAMS_H
#define TAMRT_TEST_MEMORY_WORKERSTREAMS_H

#include "tamrt/memory/Streams.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tamrt::test {

/// Streams 0, 1, ... each with a thread that runs its work in order and can be
/// paused.
class WorkerStreams final : public Streams {
public:
  explicit WorkerStreams(size_t count) {
    for (size_t i = 0; i < count; ++i)
      workers.push_back(std::make_unique<Worker>());
    for (auto &worker : workers)
      worker->thread = std::thread([this, &worker = *worker] { run(worker); });
  }
  ~WorkerStreams() override {
    for (size_t i = 0; i < workers.size(); ++i)
      hold(i, false);
    {
      std::lock_guard lock(mutex);
      ended = true;
    }
    changed.notify_all();
    for (auto &worker : workers)
      worker->thread.join();
  }

  /// Gives work to a stream.
  void give(Stream stream, std::function<void()> work) {
    std::lock_guard lock(mutex);
    workers[stream]->queue.push_back(std::move(work));
    ++workers[stream]->given;
    changed.notify_all();
  }
  /// A paused stream starts no work.
  void hold(Stream stream, bool held) {
    std::lock_guard lock(mutex);
    workers[stream]->held = held;
    changed.notify_all();
  }

  StreamEvent record(Stream stream) noexcept override {
    std::lock_guard lock(mutex);
    events[++last] = {stream, workers[stream]->given};
    return last;
  }
  bool passed(StreamEvent event) noexcept override {
    std::lock_guard lock(mutex);
    return hasPassed(event);
  }
  void wait(StreamEvent event) noexcept override {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return hasPassed(event); });
  }
  void destroy(StreamEvent event) noexcept override {
    std::lock_guard lock(mutex);
    events.erase(event);
  }
  void synchronize(Stream stream) noexcept override {
    std::unique_lock lock(mutex);
    const uint64_t until = workers[stream]->given;
    changed.wait(lock, [&] { return workers[stream]->done >= until; });
  }

private:
  struct Worker {
    std::deque<std::function<void()>> queue;
    uint64_t given = 0, done = 0;
    bool held = false;
    std::thread thread;
  };

  bool hasPassed(StreamEvent event) const {
    auto [stream, number] = events.at(event);
    return workers[stream]->done >= number;
  }
  void run(Worker &worker) {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] {
        return ended || (!worker.held && !worker.queue.empty());
      });
      if (worker.queue.empty())
        return;
      std::function<void()> work = std::move(worker.queue.front());
      worker.queue.pop_front();
      lock.unlock();
      work();
      lock.lock();
      ++worker.done;
      changed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<Worker>> workers;
  std::map<StreamEvent, std::pair<Stream, uint64_t>> events;
  StreamEvent last = 0;
  bool ended = false;
};

} // namespace tamrt::test

#endif // TAMRT_TEST_MEMORY_WORKERSTREAMS_H
